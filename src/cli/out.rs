//! Standard output, a line at a time.

use std::fmt::Display;
use std::io::{self, BufWriter, StdoutLock, Write};

use serde::Serialize;
use spr_core::text::visible;
use spr_core::{Error, Result};
use spr_engine::document::Versioned;

use super::exit::DONE;

/// Standard output behind a buffer. What is not [finished](Self::finish) may get lost.
pub(super) struct Out(BufWriter<StdoutLock<'static>>);

impl Out {
    pub(super) fn new() -> Self {
        Self(BufWriter::new(io::stdout().lock()))
    }

    /// Prints a line with its control characters escaped.
    pub(super) fn line(&mut self, line: impl Display) -> Result<()> {
        let line = line.to_string();
        writeln!(self.0, "{}", visible(&line)).map_err(failed)
    }

    /// Prints an object of JSON on a line.
    pub(super) fn json(&mut self, value: &impl Serialize) -> Result<()> {
        writeln!(self.0, "{}", Versioned::new(value).line()?).map_err(failed)
    }

    /// Prints a line of words with tabs between; a tab or the like in a word is escaped.
    pub(super) fn tsv<S: AsRef<str>>(&mut self, words: &[S]) -> Result<()> {
        let words = words.iter().map(|word| visible(word.as_ref()));
        let line = words.collect::<Vec<_>>().join("\t");
        writeln!(self.0, "{line}").map_err(failed)
    }

    /// Prints a part of a line that holds nothing from outside.
    pub(super) fn part(&mut self, text: &str) -> Result<()> {
        self.0.write_all(text.as_bytes()).map_err(failed)
    }

    /// Passes on what was printed.
    pub(super) fn flush(&mut self) -> Result<()> {
        self.0.flush().map_err(failed)
    }

    pub(super) fn finish(mut self) -> Result<()> {
        self.flush()
    }
}

fn failed(error: io::Error) -> Error {
    Error::io("cannot write", error).file("-")
}

/// Lines of words in columns, the first `left` of which are words and the others numbers. Columns
/// only grow, so that the first lines need not wait for the last.
pub(super) struct Columns {
    lines: Vec<Vec<String>>,
    widths: Vec<usize>,
    /// Returns `true` for columns that are aligned to the left.
    is_left: Box<dyn Fn(usize) -> bool>,
}

/// Lines, and words of them, that wait to be aligned with one another.
const TOGETHER: usize = 500;
const WORDS: usize = 1 << 16;
/// The widest column. Longer words move the rest of their line to the right.
const WIDEST: usize = 60;

impl Columns {
    /// Columns of which the first are aligned to the left.
    pub(super) fn new(left: usize) -> Self {
        Self::aligned(move |i| i < left)
    }

    /// Columns of which those that `is_left` says are aligned to the left.
    pub(super) fn aligned(is_left: impl Fn(usize) -> bool + 'static) -> Self {
        Self {
            lines: Vec::new(),
            widths: Vec::new(),
            is_left: Box::new(is_left),
        }
    }

    pub(super) fn line(&mut self, words: Vec<String>, out: &mut Out) -> Result<()> {
        self.widths.resize(words.len().max(self.widths.len()), 0);
        for (width, word) in self.widths.iter_mut().zip(&words) {
            *width = word.chars().count().min(WIDEST).max(*width);
        }
        self.lines.push(words);
        match self.lines.len() == TOGETHER || self.lines.len() * self.widths.len() > WORDS {
            true => self.finish(out),
            false => Ok(()),
        }
    }

    pub(super) fn finish(&mut self, out: &mut Out) -> Result<()> {
        for words in self.lines.drain(..) {
            let mut line = String::new();
            for (i, (word, width)) in words.iter().zip(&self.widths).enumerate() {
                match (self.is_left)(i) {
                    true => line.push_str(&format!("{word:<width$}  ")),
                    false => line.push_str(&format!("{word:>width$}  ")),
                }
            }
            out.line(line.trim_end())?;
        }
        Ok(())
    }
}

/// Prints lines that hold names from outside, with control characters shown.
pub(super) fn print_lines<S: AsRef<str>>(lines: &[S]) -> Result<u8> {
    let lines = lines
        .iter()
        .map(|line| visible(line.as_ref()).into_owned() + "\n");
    print(lines.collect::<String>().as_bytes())
}

/// Prints an object of JSON on a line.
pub(super) fn print_json(object: &impl Serialize) -> Result<u8> {
    print((Versioned::new(object).line()? + "\n").as_bytes())
}

/// Prints to standard output.
pub(super) fn print(bytes: &[u8]) -> Result<u8> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)
        .and_then(|()| out.flush())
        .map_err(|e| Error::io("cannot write", e).file("-"))?;
    Ok(DONE)
}
