//! Layouts of public corpora. A new one is a row of [`LAYOUTS`].

use std::collections::BTreeMap;

use spr_core::bytes::Location;

use crate::meaning::Meaning::{self, File, Gender, Normalized, Text};

/// The layout of a corpus: the files and tables by which it is recognised, and the facts that follow.
pub(crate) struct Layout {
    pub(crate) name: &'static str,
    /// Endings of names, in small letters, of a file that must be there; a slash begins a whole name.
    files: &'static [&'static str],
    /// The pattern of the last parts of all paths of sound files, without extension, or nothing. A part
    /// in braces is any text, or with a colon one that begins so, and the same each time; the part
    /// `speaker` is the speaker.
    sounds: &'static str,
    /// The path of the text of a sound file, with parts of `sounds`.
    text: &'static str,
    /// Words of the header of its tables.
    header: &'static [&'static str],
    /// The columns of those of `files` that are tables without a header.
    columns: &'static [Option<Meaning>],
}

const ANY: Layout = Layout {
    name: "",
    files: &[],
    sounds: "",
    text: "",
    header: &[],
    columns: &[],
};

const LAYOUTS: [Layout; 17] = [
    Layout {
        name: "LibriSpeech",
        files: &[".trans.txt"],
        sounds: "{speaker}/{chapter}/{speaker}-{chapter}-{n}",
        ..ANY
    },
    Layout {
        name: "LibriTTS",
        files: &[".trans.tsv"],
        sounds: "{speaker}/{chapter}/{speaker}_{chapter}_{paragraph}_{n}",
        columns: &[Some(File), Some(Text), Some(Normalized)],
        ..ANY
    },
    Layout {
        name: "LibriTTS",
        files: &[".normalized.txt"],
        sounds: "{speaker}/{chapter}/{speaker}_{chapter}_{paragraph}_{n}",
        ..ANY
    },
    Layout {
        name: "MLS",
        files: &["/transcripts.txt"],
        sounds: "audio/{speaker}/{book}/{speaker}_{book}_{n}",
        ..ANY
    },
    Layout {
        name: "LJSpeech",
        files: &["/metadata.csv"],
        sounds: "wavs/LJ{chapter}-{n}",
        ..ANY
    },
    Layout {
        name: "VCTK",
        sounds: "{folder:wav48}/{speaker}/{speaker}_{n}_mic{microphone}",
        text: "txt/{speaker}/{speaker}_{n}.txt",
        ..ANY
    },
    Layout {
        name: "VCTK",
        sounds: "{folder:wav48}/{speaker}/{speaker}_{n}",
        text: "txt/{speaker}/{speaker}_{n}.txt",
        ..ANY
    },
    Layout {
        name: "AISHELL",
        files: &["/aishell_transcript_v0.8.txt"],
        sounds: "{speaker}/BAC009{speaker}W{n}",
        ..ANY
    },
    Layout {
        name: "THCHS-30",
        files: &[".wav.trn"],
        sounds: "{speaker}_{n}",
        ..ANY
    },
    Layout {
        name: "TIMIT",
        files: &[".phn"],
        sounds: "DR{region}/{speaker}/{sentence}",
        ..ANY
    },
    Layout {
        name: "VoxCeleb",
        sounds: "{speaker:id1}/{video}/{n:0}",
        ..ANY
    },
    Layout {
        name: "Common Voice",
        header: &["client_id", "path", "sentence"],
        ..ANY
    },
    Layout {
        name: "MAGICDATA",
        header: &["UtteranceID", "SpeakerID", "Transcription"],
        ..ANY
    },
    Layout {
        name: "DeepSpeech",
        header: &["wav_filename", "wav_filesize", "transcript"],
        ..ANY
    },
    Layout {
        name: "SpeechBrain",
        header: &["ID", "duration", "wav"],
        ..ANY
    },
    // File, text, normalised text, decomposed letters, seconds, English translation.
    Layout {
        name: "KSS",
        files: &["/transcript.v.1.3.txt", "/transcript.v.1.4.txt"],
        columns: &[Some(File), Some(Text), Some(Normalized), None, None, None],
        ..ANY
    },
    // Number of the sentence, file, text, normalised text, its letters, samples, gender.
    Layout {
        name: "FLEURS",
        files: &["/train.tsv", "/dev.tsv", "/test.tsv"],
        columns: &[None, Some(File), None, Some(Text), None, None, Some(Gender)],
        ..ANY
    },
];

impl Layout {
    /// Returns the layout of a folder with these files, of which `stems` are those of sound without
    /// extension.
    pub(crate) fn of_folder(files: &[Location], stems: &[Location]) -> Option<&'static Self> {
        LAYOUTS
            .iter()
            .filter(|layout| !layout.sounds.is_empty())
            .find(|layout| {
                let has_file = layout.files.is_empty() || files.iter().any(|file| layout.has(file));
                let has_text = || {
                    let mut texts = stems.iter().filter_map(|stem| layout.text_of(stem));
                    layout.text.is_empty() || texts.any(|text| files.binary_search(&text).is_ok())
                };
                let fit = || stems.iter().all(|stem| layout.parts(stem).is_some());
                !stems.is_empty() && has_file && fit() && has_text()
            })
    }

    /// Returns the layout of a table with this name and first row, if it has no header and a cell that
    /// should name a sound file does.
    pub(crate) fn of_row(
        table: &Location,
        first: &[String],
        is_sound: impl Fn(&str) -> bool,
    ) -> Option<&'static Self> {
        let names_sound = |layout: &Self| {
            let at = layout.columns.iter().position(|own| *own == Some(File));
            at.and_then(|at| first.get(at))
                .is_some_and(|cell| is_sound(cell))
        };
        LAYOUTS.iter().find(|layout| {
            layout.columns.len() == first.len() && layout.has(table) && names_sound(layout)
        })
    }

    /// Returns the layout of tables with this header.
    pub(crate) fn of_header(names: &[String]) -> Option<&'static Self> {
        let has = |word: &&str| names.iter().any(|name| name == *word);
        let mut with_header = LAYOUTS.iter().filter(|layout| !layout.header.is_empty());
        with_header.find(|layout| layout.header.iter().all(has))
    }

    pub(crate) fn meanings(&self) -> Vec<Option<Meaning>> {
        self.columns.to_vec()
    }

    /// Returns the speaker of a sound file by its path, without extension.
    pub(crate) fn speaker(&self, stem: &Location) -> Option<String> {
        self.parts(stem)?.remove("speaker")
    }

    /// Returns the file with the text of a sound file.
    pub(crate) fn text_of(&self, stem: &Location) -> Option<Location> {
        let parts = self.parts(stem).filter(|_| !self.text.is_empty())?;
        let mut text = self.text.to_owned();
        for (name, value) in parts {
            text = text.replace(&format!("{{{name}}}"), &value);
        }
        let depth = self.sounds.split('/').count();
        let mut folder = stem.clone();
        for _ in 0..depth {
            folder = folder.parent().unwrap_or_else(|| ".".into());
        }
        Some(folder.join(text))
    }

    fn has(&self, file: &Location) -> bool {
        let name = file.plain();
        let name = name.name().unwrap_or_default().as_encoded_bytes();
        let name = [b"/", name].concat().to_ascii_lowercase();
        self.files
            .iter()
            .any(|ending| name.ends_with(ending.as_bytes()))
    }

    /// Returns the parts of the path of a sound file, by their names, if it fits the pattern.
    fn parts(&self, stem: &Location) -> Option<BTreeMap<&'static str, String>> {
        if self.sounds.is_empty() {
            return None;
        }
        let depth = self.sounds.split('/').count();
        let path = stem.to_str()?;
        let start = path.rmatch_indices('/').nth(depth - 1);
        let end = start.map_or(path, |(at, _)| &path[at + 1..]);
        let mut parts = BTreeMap::new();
        fits(self.sounds, end, &mut parts).then_some(parts)
    }
}

/// Returns `true` if text fits a pattern, and adds its parts.
fn fits(pattern: &'static str, text: &str, parts: &mut BTreeMap<&'static str, String>) -> bool {
    let Some((plain, rest)) = pattern.split_once('{') else {
        return pattern == text;
    };
    let (Some(text), Some((part, after))) = (text.strip_prefix(plain), rest.split_once('}')) else {
        return false;
    };
    let (name, start) = part.split_once(':').unwrap_or((part, ""));
    if let Some(known) = parts.get(name) {
        let known = known.clone();
        return text
            .strip_prefix(&*known)
            .is_some_and(|text| fits(after, text, parts));
    }
    let longest = text.find('/').unwrap_or(text.len());
    let ends = text
        .char_indices()
        .map(|(at, _)| at)
        .skip(1)
        .chain([text.len()]);
    for end in ends.filter(|end| *end > 0 && *end <= longest) {
        if !text[..end].starts_with(start) {
            continue;
        }
        parts.insert(name, text[..end].to_owned());
        if fits(after, &text[end..], parts) {
            return true;
        }
        parts.remove(name);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_fit_patterns() {
        for (pattern, path, speaker) in [
            (
                "{speaker}/{c}/{speaker}-{c}-{n}",
                "84/121/84-121-0000",
                Some("84"),
            ),
            (
                "{speaker}/{c}/{speaker}-{c}-{n}",
                "84/121/85-121-0000",
                None,
            ),
            ("{speaker}_{n}", "A11_0", Some("A11")),
            (
                "{speaker:id1}/{video}/{n:0}",
                "id10001/x-y/00001",
                Some("id10001"),
            ),
            ("{speaker:id1}/{video}/{n:0}", "ie10001/x-y/00001", None),
            (
                "{speaker}/BAC009{speaker}W{n}",
                "S0002/BAC009S0002W0122",
                Some("S0002"),
            ),
            ("{speaker}/{n}", "a/b/c", None),
        ] {
            let mut parts = BTreeMap::new();
            let found = fits(pattern, path, &mut parts).then(|| parts.remove("speaker"));
            assert_eq!(found.flatten().as_deref(), speaker, "{pattern} {path}");
        }
    }
}
