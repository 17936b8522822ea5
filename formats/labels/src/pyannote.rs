//! The format `pyannote`: speakers with times in seconds.

use spr_core::Result;
use spr_core::bytes::{Env, Output, Source};
use spr_core::format::{
    Caps, Format, FormatInfo, Medium, OpenedDataset, Options, Probe, Request, Score, Writer,
};
use spr_core::model::{About, Segment, Utterance};
use spr_syntax::lines::{Lines, fields, stretch, word};

use crate::naming::{GAPS, Naming, SYMBOLS};
use crate::{one, probe, write};

/// Label files of pyannote.
pub static PYANNOTE: Pyannote = Pyannote;

/// The format `pyannote`.
#[derive(Clone, Copy, Debug)]
pub struct Pyannote;

static INFO: FormatInfo = FormatInfo::new(
    "pyannote",
    "who speaks when, in seconds, as in .lab files of pyannote",
    &[],
)
.also(&["lab"])
.options(&[SYMBOLS, GAPS])
.needed(&[SYMBOLS.name]);

impl Format for Pyannote {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, head: &Probe<'_>) -> Score {
        // If all times are integers, the file is in HTK's format.
        let is_line = |line: &[u8]| {
            let timed = fields(line).take(2).any(|time| time.contains(&b'.'));
            timed && !line.contains(&b'\t') && parse(line).is_ok()
        };
        probe::by_lines(&INFO, head, None, 60, is_line)
    }

    fn caps(&self, _: &Options, medium: Medium) -> Result<Caps> {
        Ok(one::caps(medium))
    }

    fn open(
        &self,
        source: Source,
        options: &Options,
        _: &mut Request,
        env: &Env,
    ) -> Result<OpenedDataset> {
        let naming = Naming::of(options, env)?;
        one::by_line(source, naming, env, |lines: &mut Lines<&mut Source>| {
            parse(lines.line()).map(Some)
        })
    }

    fn create(
        &self,
        output: Output,
        options: &Options,
        _: &About,
        env: &Env,
    ) -> Result<Box<dyn Writer>> {
        let naming = Naming::of(options, env)?;
        let caps = self.caps(options, output.medium())?;
        let encode = move |utt: &Utterance, out: &mut Vec<u8>| one::encode(utt, &naming, out, line);
        Ok(one::writer(&PYANNOTE, output, caps, "lab", encode))
    }
}

/// Parses a line `START END NAME`.
fn parse(line: &[u8]) -> Result<Segment, String> {
    let fields: Vec<_> = fields(line).collect();
    let [start, end, name] = *fields.as_slice() else {
        return Err(format!("expected 3 fields, found {}", fields.len()));
    };
    let (start, end) = stretch(start, end)?;
    Ok(Segment::new(start, Some(end), word(name)?))
}

/// Writes times with a point, which distinguishes them from HTK's.
fn line(segment: &Segment, name: &[u8], out: &mut Vec<u8>) -> Result<()> {
    let pointed = |time: String| match time.contains('.') {
        true => time,
        false => time + ".0",
    };
    let start = pointed(segment.start.to_string());
    let end = pointed(write::end(segment)?.to_string());
    let name = write::word(name, "label")?;
    write::line([start.as_bytes(), end.as_bytes(), name], out);
    Ok(())
}
