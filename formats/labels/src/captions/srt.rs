//! The format `srt`: captions of SubRip.

use spr_core::bytes::{Env, Output, Source};
use spr_core::format::{
    Caps, Format, FormatInfo, Medium, OpenedDataset, Options, Probe, Request, Score, Writer,
};
use spr_core::model::{About, Segment, Utterance};
use spr_core::{Error, Result};

use super::{ARROW, Blocks, Captions, caps, caption, find, joined, markup, times};
use crate::{one, probe, write};

/// Captions of SubRip.
pub static SRT: Srt = Srt;

/// The format `srt`.
#[derive(Clone, Copy, Debug)]
pub struct Srt;

static INFO: FormatInfo = FormatInfo::new("srt", "SubRip captions", &["srt"]);

/// Returns `true` for the number of a caption.
fn is_number(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    !line.is_empty() && line.iter().all(u8::is_ascii_digit)
}

impl Format for Srt {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, head: &Probe<'_>) -> Score {
        let mut lines = probe::lines(head, None);
        let starts = lines.next().is_some_and(is_number)
            && lines.next().is_some_and(|line| find(line, ARROW).is_some());
        match starts {
            true => Score::Possible(80),
            false if probe::is_named(&INFO, head) && !head.head.is_empty() => Score::NameOnly,
            false => Score::No,
        }
    }

    fn caps(&self, _: &Options, medium: Medium) -> Result<Caps> {
        Ok(caps(medium))
    }

    fn open(
        &self,
        source: Source,
        _: &Options,
        _: &mut Request,
        env: &Env,
    ) -> Result<OpenedDataset> {
        one::reader(source, env, read)
    }

    fn create(
        &self,
        output: Output,
        options: &Options,
        _: &About,
        _: &Env,
    ) -> Result<Box<dyn Writer>> {
        let caps = self.caps(options, output.medium())?;
        Ok(one::writer(&SRT, output, caps, "srt", encode))
    }
}

fn read(source: &mut Source, utt: &mut Utterance, env: &Env) -> Result<()> {
    let file = source.name().to_owned();
    let mut captions = Captions::default();
    let mut blocks = Blocks::new(source, env);
    while let Some(block) = blocks.next()? {
        let mut lines = block.lines.iter();
        let mut at = lines.next();
        if at.is_some_and(|(_, line)| is_number(line)) {
            at = lines.next();
        }
        let Some((number, line)) = at else {
            return Err(blocks.cut_off());
        };
        let (start, end) = times(line, true).map_err(|why| blocks.error(*number, why))?;
        let Some(text) = joined(lines, &blocks)? else {
            return Err(blocks.cut_off());
        };
        let plain = markup::of_srt(&text);
        captions.has_marks |= plain.is_changed;
        let segment = Segment::new(start, Some(end), plain.text.trim_ascii());
        captions.segments.push(segment);
    }
    captions.fill(utt, &file, env)
}

fn encode(utt: &Utterance, out: &mut Vec<u8>) -> Result<()> {
    for (n, segment) in write::segments(utt).iter().enumerate() {
        let (times, text) = caption(segment, ',')?;
        if markup::of_srt(text).is_changed || find(text, ARROW).is_some() {
            let text = text.escape_ascii();
            let message = format!("the label '{text}' would be read as marks of a caption");
            return Err(Error::unfit(message));
        }
        out.extend_from_slice(format!("{}\n{times}\n", n + 1).as_bytes());
        out.extend_from_slice(text);
        out.extend_from_slice(b"\n\n");
    }
    Ok(())
}
