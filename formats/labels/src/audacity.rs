//! The format `audacity`: label tracks.

use spr_core::bytes::{Env, Output, Source};
use spr_core::format::{
    Caps, Format, FormatInfo, Medium, OpenedDataset, Options, Probe, Request, Score, Writer,
};
use spr_core::model::{About, Segment, Utterance};
use spr_core::{Error, Result};
use spr_syntax::lines::{Lines, has_decimal_comma, is_blank, number, stretch, time};

use crate::naming::{GAPS, Naming, SYMBOLS};
use crate::{one, probe, write};

/// Label tracks of Audacity.
pub static AUDACITY: Audacity = Audacity;

/// The format `audacity`.
#[derive(Clone, Copy, Debug)]
pub struct Audacity;

static INFO: FormatInfo = FormatInfo::new("audacity", "Audacity label tracks (.txt)", &[])
    .also(&["txt"])
    .options(&[SYMBOLS, GAPS])
    .needed(&[SYMBOLS.name]);

/// The start of a line with the frequency range of the label before.
const FREQUENCIES: &[u8] = b"\\\t";

impl Format for Audacity {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, head: &Probe<'_>) -> Score {
        let is_line = |line: &[u8]| {
            // Times with decimal commas are refused by name.
            let mut times = line.split(|b| *b == b'\t').take(2);
            line.starts_with(FREQUENCIES)
                || line.contains(&b'\t') && (parse(line).is_ok() || times.all(has_decimal_comma))
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
            if lines.line().starts_with(FREQUENCIES) {
                lines.warn("frequencies", "ranges of frequencies are not kept");
                return Ok(None);
            }
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
        Ok(one::writer(&AUDACITY, output, caps, "txt", encode))
    }
}

/// Parses a line `START TAB [END] [TAB TEXT]`. Without an end it is a point.
fn parse(line: &[u8]) -> Result<Segment, String> {
    let mut fields = line.splitn(3, |b| *b == b'\t');
    let start = fields.next().unwrap_or_default().trim_ascii();
    let second = fields
        .next()
        .ok_or("expected times and a label with tabs between")?;
    let text = match fields.next() {
        Some(text) => text,
        None if number(second.trim_ascii()).is_some() || has_decimal_comma(second) => b"",
        None => {
            let start = time(start)?;
            return Ok(Segment::new(start, Some(start), label(second)?));
        }
    };
    let (start, end) = stretch(start, second.trim_ascii())?;
    Ok(Segment::new(start, Some(end), label(text)?))
}

/// Checks that text has no tabs and control characters.
fn label(text: &[u8]) -> Result<&[u8], String> {
    let control =
        |b: &&u8| **b == b'\t' || !is_blank(b) && (**b < b' ' || matches!(**b, 0x7f | 0xff));
    match text.iter().find(control) {
        Some(b) => Err(format!("the label holds the byte 0x{b:02x}")),
        None => Ok(text),
    }
}

fn line(segment: &Segment, name: &[u8], out: &mut Vec<u8>) -> Result<()> {
    let end = write::end(segment)?;
    label(name).map_err(Error::unfit)?;
    out.extend_from_slice(format!("{}\t{end}\t", segment.start).as_bytes());
    out.extend_from_slice(name);
    out.push(b'\n');
    Ok(())
}
