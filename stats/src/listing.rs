//! The columns of a table of utterances: the one list that `ls` prints and expressions compare.

use std::borrow::Cow;
use std::cell::OnceCell;

use spr_core::model::{Audio, AudioFacts, AudioReference, Decimal, Key, Level, Matrix, Utterance};
use spr_core::{Error, Remedy, Result, nearest};

use crate::entry::{kinds, level};
use crate::sound::decibels;

/// The value of a column for one utterance.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell<'a> {
    /// A whole number.
    Count(u64),
    /// A number.
    Number(f64),
    /// Text, in any encoding.
    Text(Cow<'a, [u8]>),
    /// Several words.
    Words(Vec<&'a str>),
}

/// The type of the values of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// Whole numbers.
    Count,
    /// Numbers.
    Number,
    /// Text.
    Text,
    /// Lists of words.
    Words,
}

impl ColumnType {
    /// Returns `true` if the values are numbers.
    pub fn is_number(self) -> bool {
        matches!(self, Self::Count | Self::Number)
    }
}

/// The facts that are needed of sound that an utterance only names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AudioNeed {
    /// Nothing.
    Nothing,
    /// The facts in the header of its file.
    Facts,
    /// Its samples.
    Levels,
}

impl AudioNeed {
    /// Returns what the columns of these names need together.
    pub fn of(names: impl IntoIterator<Item = &'static str>) -> Self {
        let needs = names.into_iter().filter_map(|name| {
            let column = COLUMNS.iter().find(|column| column.name == name);
            column.map(|column| column.need)
        });
        needs.max().unwrap_or(Self::Nothing)
    }
}

/// A column of a table of utterances.
#[derive(Debug)]
pub struct ListColumn {
    /// The name.
    pub name: &'static str,
    /// The type of its values.
    pub holds: ColumnType,
    /// The unit of its numbers.
    pub unit: Option<&'static str>,
    /// A description in a few words.
    pub what: &'static str,
    /// Whether it describes the place in the file, which is known only where the file is read and not
    /// behind other steps.
    pub is_place: bool,
    /// The facts it needs of sound that is only named.
    pub need: AudioNeed,
    take: for<'a> fn(&'a Row<'_>) -> Option<Cell<'a>>,
}

impl ListColumn {
    /// Returns the value for an utterance; `None` if it is not known.
    pub fn take<'a>(&self, row: &'a Row<'_>) -> Option<Cell<'a>> {
        (self.take)(row)
    }

    /// Returns the column of this name.
    ///
    /// # Errors
    /// There is none; the hint names the columns there are, the nearest first.
    pub fn find(name: &str) -> Result<&'static Self> {
        let found = COLUMNS.iter().find(|column| column.name == name);
        found.ok_or_else(|| unknown(name, &[]))
    }

    /// Returns the column of this name, which is known behind other steps as well.
    ///
    /// # Errors
    /// As for [`find`](Self::find), or it describes the place in the file.
    pub(crate) fn of_any(name: &str) -> Result<&'static Self> {
        let column = Self::find(name)?;
        match column.is_place {
            true => Err(Error::usage(format!(
                "'{name}' is known only where data are listed"
            ))),
            false => Ok(column),
        }
    }
}

/// Returns an error about a name that is no column, where `others` are columns besides the table's.
pub fn unknown(name: &str, others: &[&'static str]) -> Error {
    let own = COLUMNS.iter().map(|column| column.name);
    let names: Vec<_> = others.iter().copied().chain(own).collect();
    let error = Error::usage(format!("there is no column '{name}'"));
    let all = format!("columns: {}", names.join(", "));
    error.hint(match nearest(name, names) {
        Some(near) => format!("did you mean '{near}'? {all}"),
        None => all,
    })
}

/// An utterance of which columns are taken. The loudness is measured once, and only if a column asks.
#[derive(Debug)]
pub struct Row<'u> {
    utt: &'u Utterance,
    shift: Option<Decimal>,
    level: OnceCell<Option<Level>>,
}

impl<'u> Row<'u> {
    /// Takes an utterance of a data set; `shift` is the frame shift of the data set, for utterances
    /// without one.
    pub fn new(utt: &'u Utterance, shift: Option<Decimal>) -> Self {
        Self {
            utt,
            shift: utt.meta.frame_shift.or(shift),
            level: OnceCell::new(),
        }
    }

    /// Returns the duration in seconds, if it is known.
    pub fn seconds(&self) -> Option<f64> {
        self.utt.duration(self.shift).map(Decimal::value)
    }

    /// Returns the duration in seconds.
    ///
    /// # Errors
    /// It is not known.
    pub fn duration(&self) -> Result<f64> {
        self.seconds().ok_or_else(|| {
            let error = Error::unfit("its duration is not known").utterance(&self.utt.key);
            error.suggest(Remedy::TellFrameShift)
        })
    }

    fn level(&self) -> Option<&Level> {
        self.level.get_or_init(|| level(self.utt)).as_ref()
    }

    fn facts(&self) -> AudioFacts {
        self.utt
            .audio
            .as_ref()
            .map(Audio::facts)
            .unwrap_or_default()
    }

    fn reference(&self) -> Option<&AudioReference> {
        self.utt.audio.as_ref()?.reference()
    }

    /// Whether the sound is the only data with frames.
    fn is_sound(&self) -> bool {
        self.utt.features.is_none() && self.utt.labels.is_none()
    }

    fn frames(&self) -> Option<u64> {
        match &self.utt.audio {
            Some(audio) if self.is_sound() => audio.facts().samples(),
            _ => Some(self.utt.frames()),
        }
    }

    fn text(&self) -> Option<&[u8]> {
        self.utt.text.as_deref()
    }
}

/// Text from a key.
fn key(key: Option<&Key>) -> Option<Cell<'_>> {
    key.map(|key| Cell::Text(key.as_bytes().into()))
}

fn number<'a>(value: Option<Decimal>) -> Option<Cell<'a>> {
    value.map(|value| Cell::Number(value.value()))
}

fn count<'a>(value: Option<impl Into<u64>>) -> Option<Cell<'a>> {
    value.map(|value| Cell::Count(value.into()))
}

/// A column without a unit that is known behind other steps.
const fn column(
    name: &'static str,
    holds: ColumnType,
    what: &'static str,
    take: for<'a> fn(&'a Row<'_>) -> Option<Cell<'a>>,
) -> ListColumn {
    ListColumn {
        name,
        holds,
        unit: None,
        what,
        is_place: false,
        need: AudioNeed::Nothing,
        take,
    }
}

/// The same column, which needs to know something of sound.
const fn needs(need: AudioNeed, column: ListColumn) -> ListColumn {
    ListColumn { need, ..column }
}

/// The same column with a unit.
const fn of(unit: &'static str, column: ListColumn) -> ListColumn {
    ListColumn {
        unit: Some(unit),
        ..column
    }
}

use AudioNeed::{Facts, Levels};
use ColumnType::{Count, Number, Text, Words};

/// All columns, in the order in which they are printed.
pub static COLUMNS: &[ListColumn] = &[
    column("key", Text, "the name", |row| key(Some(&row.utt.key))),
    column("kinds", Words, "the kinds of data it holds", |row| {
        Some(Cell::Words(kinds(row.utt).collect()))
    }),
    needs(
        Facts,
        column("frames", Count, "frames; samples of sound alone", |row| {
            count(row.frames())
        }),
    ),
    needs(
        Facts,
        column(
            "dim",
            Count,
            "columns of the features, else of the labels, else channels",
            |row| {
                let main = row.utt.features.as_ref().or(row.utt.labels.as_ref());
                match main {
                    Some(matrix) => count(Some(matrix.cols() as u64)),
                    None => count(row.facts().channels()),
                }
            },
        ),
    ),
    needs(
        Levels,
        column("dtype", Text, "the type of these numbers", |row| {
            let main = row.utt.features.as_ref().or(row.utt.labels.as_ref());
            let samples = || row.utt.waveform().map(|sound| &sound.samples);
            let dtype = main.or_else(samples).map(Matrix::dtype);
            let dtype = dtype.or_else(|| Some(row.utt.level.as_ref()?.dtype))?;
            Some(Cell::Text(dtype.name().as_bytes().into()))
        }),
    ),
    ListColumn {
        is_place: true,
        ..column("file", Text, "the file in which it stands", |row| {
            let file = row.utt.origin.file.as_ref()?;
            Some(Cell::Text(file.as_bytes().into()))
        })
    },
    ListColumn {
        is_place: true,
        ..column("offset", Count, "the byte at which it starts", |row| {
            count(row.utt.origin.byte())
        })
    },
    of(
        "s",
        needs(
            Facts,
            column("seconds", Number, "the duration", |row| {
                row.seconds().map(Cell::Number)
            }),
        ),
    ),
    of(
        "Hz",
        needs(
            Facts,
            column("rate", Count, "the sampling rate of its sound", |row| {
                count(row.facts().rate())
            }),
        ),
    ),
    of(
        "dB",
        needs(
            Levels,
            column("peak_db", Number, "the peak of its samples", |row| {
                decibels(row.level()?.peak).map(Cell::Number)
            }),
        ),
    ),
    of(
        "dB",
        needs(
            Levels,
            column("rms_db", Number, "the RMS of its samples", |row| {
                decibels(row.level()?.rms()).map(Cell::Number)
            }),
        ),
    ),
    needs(
        Levels,
        column("clipped", Count, "samples that are clipped", |row| {
            count(row.level().map(|level| level.clipped))
        }),
    ),
    needs(
        Levels,
        column("zeros", Count, "samples that are zero", |row| {
            count(row.level().map(|level| level.zeros))
        }),
    ),
    needs(
        Facts,
        column("channels", Count, "channels of its sound", |row| {
            count(row.facts().channels())
        }),
    ),
    column("speaker", Text, "the speaker", |row| {
        key(row.utt.meta.speaker.as_ref())
    }),
    column("gender", Text, "the speaker's gender", |row| {
        key(row.utt.meta.gender.as_ref())
    }),
    column("language", Text, "the language", |row| {
        key(row.utt.meta.language.as_ref())
    }),
    column("recording", Text, "the recording it is a part of", |row| {
        key(row.utt.meta.recording.as_ref())
    }),
    column("text", Text, "what is said", |row| {
        row.text().map(|text| Cell::Text(text.into()))
    }),
    column("characters", Count, "characters of the text", |row| {
        let text = String::from_utf8_lossy(row.text()?);
        count(Some(text.chars().count() as u64))
    }),
    column(
        "path",
        Text,
        "the file of sound that lies elsewhere",
        |row| {
            let path = row.reference()?.at.to_string();
            Some(Cell::Text(path.into_bytes().into()))
        },
    ),
    of(
        "s",
        column("start", Number, "where it starts in the recording", |row| {
            let cut = || Some(row.reference()?.span.bounds()?.0);
            number(row.utt.meta.start.or_else(cut))
        }),
    ),
    of(
        "s",
        column("end", Number, "where it ends in the recording", |row| {
            let cut = || row.reference()?.span.end();
            number(row.utt.meta.end.or_else(cut))
        }),
    ),
];
