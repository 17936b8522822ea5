//! Meanings of columns: header words, and the mapping that an option gives.

use spr_core::format::{OptionSpec, Options};
use spr_core::{Error, Result};

/// The option that maps columns.
pub(crate) const COLUMNS: OptionSpec = OptionSpec {
    name: "columns",
    value: "MEANING=COLUMN;...",
    help: "which column of a table is file, text, normalized, speaker, gender, language, start, end, \
           duration or split: its number, from 1, or its name in the header, as in text=3;speaker=who",
};

/// The meaning of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    File,
    Text,
    /// Text that counts instead of the other, unless it is empty.
    Normalized,
    Speaker,
    Gender,
    Language,
    Start,
    End,
    /// The length of a span with a start.
    Duration,
    /// No field has it: it stays a column of this name.
    Split,
}

/// Words of headers for one meaning, in small letters with `_` for blanks and hyphens.
struct Words {
    meaning: Meaning,
    name: &'static str,
    english: &'static [&'static str],
    others: &'static [&'static str],
}

/// The words in English, and in German, French, Spanish and Chinese.
const WORDS: [Words; 10] = [
    Words {
        meaning: Meaning::File,
        name: "file",
        english: &[
            "path",
            "file",
            "file_name",
            "filename",
            "file_path",
            "filepath",
            "audio",
            "audio_file",
            "audio_filename",
            "audio_filepath",
            "audio_path",
            "wav",
            "wav_file",
            "wav_filename",
            "wav_path",
            "clip",
        ],
        others: &[
            "datei",
            "dateiname",
            "pfad",
            "audiodatei",
            "tondatei",
            "fichier",
            "nom_du_fichier",
            "chemin",
            "archivo",
            "fichero",
            "ruta",
            "nombre_de_archivo",
            "文件",
            "文件名",
            "音频",
            "音频文件",
            "路径",
        ],
    },
    Words {
        meaning: Meaning::Text,
        name: "text",
        english: &[
            "sentence",
            "text",
            "transcription",
            "transcript",
            "words",
            "wrd",
        ],
        others: &[
            "satz",
            "transkript",
            "transkription",
            "wortlaut",
            "phrase",
            "texte",
            "frase",
            "oración",
            "texto",
            "transcripción",
            "文本",
            "句子",
            "转写",
            "转录",
            "内容",
        ],
    },
    Words {
        meaning: Meaning::Normalized,
        name: "normalized",
        english: &[
            "normalized",
            "normalised",
            "normalized_text",
            "normalized_transcription",
            "normalized_sentence",
        ],
        others: &["normalisiert", "normalisé", "normalizado", "规范化文本"],
    },
    Words {
        meaning: Meaning::Speaker,
        name: "speaker",
        english: &[
            "client_id",
            "speaker_id",
            "speaker",
            "speakerid",
            "speaker_name",
            "spk",
            "spk_id",
            "narrator",
        ],
        others: &[
            "sprecher",
            "sprecherin",
            "sprecher_id",
            "locuteur",
            "locutrice",
            "hablante",
            "locutor",
            "说话人",
            "说话者",
            "发言人",
        ],
    },
    Words {
        meaning: Meaning::Gender,
        name: "gender",
        english: &["gender", "sex"],
        others: &["geschlecht", "sexe", "género", "sexo", "性别"],
    },
    Words {
        meaning: Meaning::Language,
        name: "language",
        english: &["locale", "language", "lang"],
        others: &["sprache", "langue", "idioma", "语言"],
    },
    Words {
        meaning: Meaning::Start,
        name: "start",
        english: &["start", "begin", "start_time", "begin_time", "onset"],
        others: &[
            "anfang",
            "beginn",
            "début",
            "inicio",
            "comienzo",
            "开始",
            "开始时间",
        ],
    },
    Words {
        meaning: Meaning::End,
        name: "end",
        english: &["end", "end_time", "stop"],
        others: &["ende", "fin", "final", "结束", "结束时间"],
    },
    Words {
        meaning: Meaning::Duration,
        name: "duration",
        english: &["duration", "dur"],
        others: &["dauer", "durée", "duración", "时长"],
    },
    Words {
        meaning: Meaning::Split,
        name: "split",
        english: &["split", "subset"],
        others: &["aufteilung", "子集"],
    },
];

impl Meaning {
    /// Returns the meaning of a column with this name.
    pub(crate) fn of_header(name: &str) -> Option<Self> {
        let name = name.trim().to_lowercase().replace([' ', '-'], "_");
        let mut all = WORDS.iter();
        let is_one = |words: &[&str]| words.contains(&&*name);
        let found = all.find(|words| is_one(words.english) || is_one(words.others));
        found.map(|words| words.meaning)
    }

    /// Returns its name in options and messages.
    pub(crate) fn name(self) -> &'static str {
        let mut all = WORDS.iter();
        let found = all.find(|words| words.meaning == self);
        found.map_or("", |words| words.name)
    }
}

/// A column as the option names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    /// Its index, from 0.
    Number(usize),
    Header(String),
}

/// The columns that the option maps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mapping(pub(crate) Vec<(Meaning, Named)>);

impl Mapping {
    /// Returns the mapping that the options give. Commas and semicolons separate its parts.
    ///
    /// # Errors
    /// A part has no column, or a meaning that is unknown or comes twice.
    pub(crate) fn of(options: &Options) -> Result<Self> {
        let mut all = Vec::<(Meaning, Named)>::new();
        let text = options.get(COLUMNS.name).unwrap_or_default();
        let parts = text.split([',', ';']).map(str::trim);
        for part in parts.filter(|part| !part.is_empty()) {
            let fault = |message: String| {
                let hint = "as in text=3;speaker=who: a number from 1, or a name in the header";
                Error::usage(format!("columns: {message}")).hint(hint)
            };
            let Some((meaning, column)) = part.split_once('=') else {
                return Err(fault(format!("'{part}' names no column")));
            };
            let meaning = meaning.trim();
            let mut known = WORDS.iter();
            let own = known
                .find(|words| words.name == meaning)
                .map(|own| own.meaning);
            let Some(own) = own.or_else(|| Meaning::of_header(meaning)) else {
                let names = WORDS.map(|words| words.name).join(", ");
                return Err(fault(format!("'{meaning}' is not one of {names}")));
            };
            if all.iter().any(|(other, _)| *other == own) {
                return Err(fault(format!("{} comes twice", own.name())));
            }
            let column = column.trim();
            let named = match column.parse::<usize>() {
                Ok(0) => return Err(fault("columns are numbered from 1".to_owned())),
                Ok(n) => Named::Number(n - 1),
                Err(_) => Named::Header(column.to_owned()),
            };
            all.push((own, named));
        }
        Ok(Self(all))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the columns that are named by their headers.
    pub(crate) fn headers(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|(_, named)| match named {
            Named::Header(name) => Some(name.as_str()),
            Named::Number(_) => None,
        })
    }
}
