//! The text header, parsed and checked.

use std::fmt::Display;
use std::ops::Range;

use spr_core::bytes::{Env, Source};
use spr_core::{Error, ErrorKind, Limits, Result};

use crate::grammar::{self, MAGIC, Pairs};

/// The number of bytes within which the first line must end.
const FIRST_LINE: usize = 256;
/// The largest number of warnings about unknown lines; a hostile header may have millions.
const MAX_WARNINGS: usize = 10;
const WORD: u64 = 4;

/// The content of the header after all checks that need no data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    /// The size of the header in bytes.
    pub(crate) size: u64,
    /// The number of utterances.
    pub(crate) sentences: u32,
    /// The number of rows.
    pub(crate) frames: u32,
    /// The number of 32-bit words in a row.
    pub(crate) columns: usize,
    /// The columns that hold features.
    pub(crate) features: Range<usize>,
    /// The columns that hold labels.
    pub(crate) labels: Range<usize>,
    /// Whether a sentence table follows the data.
    pub(crate) table: bool,
    /// The size of the whole file in bytes.
    pub(crate) file_len: u64,
}

impl Header {
    /// Reads the header and checks it against the length of the file, if that is known.
    pub(crate) fn read(source: &mut Source, env: &Env) -> Result<Self> {
        let header = Self::parse(source, env, |lines, size, limits| lines.check(size, limits))?;
        if let Some(rest) = source.remaining() {
            let len = header.size + rest;
            header.check_len(len).map_err(|e| e.file(source.name()))?;
        }
        Ok(header)
    }

    /// Reads the row layout in the header; invalid counts become 0.
    pub(crate) fn read_layout(source: &mut Source, env: &Env) -> Result<Self> {
        Self::parse(source, env, |lines, size, limits| {
            lines.layout(size, limits)
        })
    }

    fn parse(
        source: &mut Source,
        env: &Env,
        check: impl FnOnce(&Lines<'_>, u64, &Limits) -> Result<Self>,
    ) -> Result<Self> {
        let size =
            first_line(source.peek(FIRST_LINE)?, &env.limits).map_err(|e| e.file(source.name()))?;
        let mut bytes = vec![0; size];
        source.fill(&mut bytes)?;
        let text = bytes.split(|&b| b == 0).next().unwrap_or_default();
        let place = |e: Error| e.file(source.name());
        let lines = Lines::parse(text, &|e| env.warn(&place(e))).map_err(place)?;
        check(&lines, size as u64, &env.limits).map_err(|e| place(e).byte(0))
    }

    fn check_len(&self, len: u64) -> Result<()> {
        let expected = self.file_len;
        if len < expected {
            return Err(Error::truncated(cut_short(expected, len)).byte(len));
        }
        if len > expected {
            let last = if self.table {
                "sentence table"
            } else {
                "last row"
            };
            let more = len - expected;
            return Err(Error::malformed(format!(
                "{more} bytes follow the {last}, which should end the file"
            ))
            .byte(expected));
        }
        Ok(())
    }
}

/// Returns the message about a file that is too short.
pub(crate) fn cut_short(expected: u64, found: u64) -> String {
    format!("the file ends here: expected {expected} bytes by the header, found {found}")
}

/// Returns the size of the header, which is in the first line of `head`.
fn first_line(head: &[u8], limits: &Limits) -> Result<usize> {
    let line = head.split(|&b| b == b'\n').next().unwrap_or_default();
    let (name, rest) = grammar::line(line).unwrap_or_default();
    if name != MAGIC || line.len() == head.len() {
        let kind = if MAGIC.starts_with(head) || (head.len() < FIRST_LINE && name == MAGIC) {
            ErrorKind::Truncated
        } else {
            ErrorKind::Malformed
        };
        let message = "the file does not start with a line '-pfile_header version 0 size N'";
        return Err(Error::new(kind, message).byte(0));
    }
    let (version, size) = match grammar::pairs(rest) {
        Some(Pairs {
            version: Some(version),
            size: Some(size),
            ..
        }) => (version, size),
        _ => {
            let message = "no version and size after -pfile_header";
            return Err(Error::malformed(message).line(1));
        }
    };
    if version != 0 {
        let message = format!("PFile version {version}, only version 0 is known");
        return Err(Error::unsupported(message).line(1));
    }
    if size <= line.len() as u64 {
        let message = format!("a header of {size} bytes, shorter than its own first line");
        return Err(Error::malformed(message).line(1));
    }
    let most = limits.max_header;
    match usize::try_from(size) {
        Ok(bytes) if size <= most => Ok(bytes),
        _ => {
            let message = format!("a header of {size} bytes is over the limit of {most} bytes");
            Err(Error::limit(message).line(1))
        }
    }
}

/// The lines of the header.
#[derive(Default)]
struct Lines<'a> {
    sentences: Option<u64>,
    frames: Option<u64>,
    first_feature: Option<u64>,
    features: Option<u64>,
    first_label: Option<u64>,
    labels: Option<u64>,
    format: Option<&'a [u8]>,
    data: Option<Pairs>,
    table: Option<Pairs>,
}

impl<'a> Lines<'a> {
    /// Parses the lines up to `-end` in any order. Unknown lines are reported to `warn`.
    fn parse(text: &'a [u8], warn: &dyn Fn(Error)) -> Result<Self> {
        let mut lines = Self::default();
        let mut unknown = 0;
        for (number, text) in (1..).zip(text.split(|&b| b == b'\n')) {
            if text.trim_ascii().is_empty() {
                continue;
            }
            let malformed = |message: String| Error::malformed(message).line(number);
            let Some((name, rest)) = grammar::line(text) else {
                let text = shown(text);
                return Err(malformed(format!(
                    "'{text}' is not a header line '-name value'"
                )));
            };
            let done = match name {
                b"-end" if rest.is_empty() => return Ok(lines),
                MAGIC if number == 1 => Ok(()),
                b"-num_sentences" => set(&mut lines.sentences, grammar::number(rest)),
                b"-num_frames" => set(&mut lines.frames, grammar::number(rest)),
                b"-first_feature_column" => set(&mut lines.first_feature, grammar::number(rest)),
                b"-num_features" => set(&mut lines.features, grammar::number(rest)),
                b"-first_label_column" => set(&mut lines.first_label, grammar::number(rest)),
                b"-num_labels" => set(&mut lines.labels, grammar::number(rest)),
                b"-format" => set(&mut lines.format, Some(rest)),
                b"-data" => set(&mut lines.data, grammar::pairs(rest)),
                b"-sent_table_data" => set(&mut lines.table, grammar::pairs(rest)),
                _ => {
                    unknown += 1;
                    if unknown <= MAX_WARNINGS {
                        let message = format!("header line '{}' is not understood", shown(name));
                        warn(Error::unsupported(message).line(number));
                    }
                    Ok(())
                }
            };
            done.map_err(|what| malformed(format!("{} {what}: '{}'", shown(name), shown(rest))))?;
        }
        Err(Error::malformed("the header has no line -end").byte(0))
    }

    fn check(&self, size: u64, limits: &Limits) -> Result<Header> {
        let sentences = required(self.sentences, "-num_sentences")?;
        let frames = required(self.frames, "-num_frames")?;
        let data = required(self.data, "-data")?;
        let columns = required(data.ncol, "-data … ncol")?;
        same("-data: ndim", data.ndim.unwrap_or(2), "a PFile's", 2)?;
        same("-data: offset", data.offset.unwrap_or(0), "a PFile's", 0)?;
        let rows = required(data.nrow, "-data … nrow")?;
        same("-data: nrow", rows, "-num_frames", frames)?;
        let product = rows.checked_mul(columns);
        let words = required(data.size, "-data … size")?;
        if product != Some(words) {
            let message = format!("-data: size is {words}, but nrow x ncol is {rows} x {columns}");
            return Err(Error::malformed(message));
        }
        if let Some(table) = &self.table {
            let entries = required(table.size, "-sent_table_data … size")?;
            let last = sentences.saturating_add(1);
            same(
                "-sent_table_data: size",
                entries,
                "-num_sentences + 1",
                last,
            )?;
            let offset = table.offset.unwrap_or(words);
            same("-sent_table_data: offset", offset, "-data: size", words)?;
            same(
                "-sent_table_data: ndim",
                table.ndim.unwrap_or(1),
                "a PFile's",
                1,
            )?;
        }
        if sentences > frames || (sentences == 0 && frames > 0) {
            let message = format!("-num_sentences is {sentences}, but -num_frames is {frames}");
            return Err(Error::malformed(message));
        }
        let (features, labels) = self.columns(columns)?;
        if frames > 0 && features.is_empty() && labels.is_empty() {
            return Err(Error::unsupported("neither feature nor label columns"));
        }
        let row = limits.bytes("a row", columns.saturating_mul(WORD))?;
        let table = self.table.map_or(0, |_| sentences + 1);
        let file_len = words
            .checked_add(table)
            .and_then(|words| words.checked_mul(WORD)?.checked_add(size));
        match (u32::try_from(sentences), u32::try_from(frames), file_len) {
            (Ok(sentences), Ok(frames), Some(file_len)) => Ok(Header {
                size,
                sentences,
                frames,
                columns: row / size_of::<u32>(),
                features,
                labels,
                table: self.table.is_some(),
                file_len,
            }),
            _ => Err(Error::malformed(format!(
                "{frames} rows of {columns} columns are more than a PFile can count"
            ))),
        }
    }

    /// Returns the row layout, without trust in the counts. The length of the file is set if it is
    /// plausible.
    fn layout(&self, size: u64, limits: &Limits) -> Result<Header> {
        if let Ok(header) = self.check(size, limits) {
            return Ok(header);
        }
        let columns = 2u64
            .saturating_add(required(self.features, "-num_features")?)
            .saturating_add(self.labels.unwrap_or(0));
        let (features, labels) = self.columns(columns)?;
        let row = limits.bytes("a row", columns.saturating_mul(WORD))?;
        Ok(Header {
            size,
            sentences: 0,
            frames: 0,
            columns: row / size_of::<u32>(),
            features,
            labels,
            table: false,
            file_len: 0,
        })
    }

    /// Returns the feature and label columns in a row of `all` columns.
    fn columns(&self, all: u64) -> Result<(Range<usize>, Range<usize>)> {
        let features = required(self.features, "-num_features")?;
        let labels = self.labels.unwrap_or(0);
        let features = match features {
            0 => 0..0,
            n => range(required(self.first_feature, "-first_feature_column")?, n),
        };
        let labels = match labels {
            0 => 0..0,
            n => range(required(self.first_label, "-first_label_column")?, n),
        };
        let width = |r: &Range<u64>| r.end - r.start;
        for (what, columns) in [("feature", &features), ("label", &labels)] {
            if width(columns) > 0 && (columns.start < 2 || columns.end > all) {
                return Err(Error::malformed(format!(
                    "{what} columns {} to {}, a row has columns 2 to {} for them",
                    columns.start,
                    columns.end - 1,
                    all.saturating_sub(1)
                )));
            }
        }
        if features.start < labels.end && labels.start < features.end {
            return Err(Error::malformed("feature and label columns overlap"));
        }
        let used = 2 + width(&features) + width(&labels);
        same("-data: ncol", all, "2 + features + labels", used)?;
        self.check_letters(all, &features, &labels)?;
        let narrow =
            |r: Range<u64>| Some(usize::try_from(r.start).ok()?..usize::try_from(r.end).ok()?);
        narrow(features)
            .zip(narrow(labels))
            .ok_or_else(|| Error::limit(format!("{all} columns are more than memory holds")))
    }

    fn check_letters(&self, all: u64, features: &Range<u64>, labels: &Range<u64>) -> Result<()> {
        let text = required(self.format, "-format")?;
        let expected = [(0..2, 'd'), (features.clone(), 'f'), (labels.clone(), 'd')];
        let found = grammar::letters(
            text,
            || (0u64, None),
            |(at, wrong), n, letter| {
                let end = at.saturating_add(n);
                let misplaced = expected.iter().find_map(|(columns, right)| {
                    let column = at.max(columns.start);
                    let inside = column < end.min(columns.end);
                    (inside && letter != *right).then_some((column, letter, *right))
                });
                (end, wrong.or(misplaced))
            },
        );
        let Some((count, wrong)) = found else {
            let message = format!("-format: '{}' is not a list of d and f", shown(text));
            return Err(Error::malformed(message));
        };
        same("-format: number of letters", count, "-data: ncol", all)?;
        wrong.map_or(Ok(()), |(column, letter, right)| {
            Err(Error::unsupported(format!(
                "-format: column {column} is '{letter}', not '{right}'"
            )))
        })
    }
}

fn set<T>(field: &mut Option<T>, value: Option<T>) -> Result<(), &'static str> {
    match (field.is_some(), value) {
        (_, None) => Err("has a wrong value"),
        (true, _) => Err("is given twice"),
        (false, value) => {
            *field = value;
            Ok(())
        }
    }
}

fn required<T>(value: Option<T>, name: &str) -> Result<T> {
    value.ok_or_else(|| Error::malformed(format!("the header has no {name}")))
}

fn same(name: &str, value: u64, other: &str, expected: u64) -> Result<()> {
    if value == expected {
        return Ok(());
    }
    Err(Error::malformed(format!(
        "{name} is {value}, but {other} is {expected}"
    )))
}

fn range(start: u64, len: u64) -> Range<u64> {
    start..start.saturating_add(len)
}

/// Returns the start of a text from the file for a message.
fn shown(text: &[u8]) -> impl Display + '_ {
    let text = text.trim_ascii();
    text.get(..60).unwrap_or(text).escape_ascii()
}
