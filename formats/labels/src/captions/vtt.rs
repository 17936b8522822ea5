//! The format `vtt`: WebVTT, captions with speakers.

use spr_core::bytes::{Env, Output, Source};
use spr_core::format::{
    Caps, Format, FormatInfo, Medium, OpenedDataset, Options, Probe, Request, Score, Writer,
};
use spr_core::model::{About, Segment, Utterance};
use spr_core::{Error, Result};

use super::{ARROW, Blocks, Captions, caps, caption, find, joined, markup, times};
use crate::{one, probe, write};

/// Captions of WebVTT.
pub static VTT: Vtt = Vtt;

/// The format `vtt`.
#[derive(Clone, Copy, Debug)]
pub struct Vtt;

static INFO: FormatInfo = FormatInfo::new("vtt", "WebVTT captions", &["vtt"]);

/// The start of the first line.
const HEAD: &[u8] = b"WEBVTT";
/// The starts of blocks that are no captions.
const OTHERS: [&[u8]; 3] = [b"NOTE", b"STYLE", b"REGION"];

/// Returns `true` for a line that is the word, or starts with it and a blank.
fn starts_with(line: &[u8], word: &[u8]) -> bool {
    let rest = line.strip_prefix(word);
    rest.is_some_and(|rest| rest.first().is_none_or(u8::is_ascii_whitespace))
}

impl Format for Vtt {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, head: &Probe<'_>) -> Score {
        match starts_with(head.head, HEAD) {
            true => Score::Certain,
            false if probe::is_named(&INFO, head) && !head.head.is_empty() => Score::NameOnly,
            false => Score::No,
        }
    }

    fn caps(&self, _: &Options, medium: Medium) -> Result<Caps> {
        let mut caps = caps(medium);
        caps.utf8 = true;
        if let Some(segments) = &mut caps.segments {
            segments.speakers = true;
        }
        Ok(caps)
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
        Ok(one::writer(&VTT, output, caps, "vtt", encode))
    }
}

fn read(source: &mut Source, utt: &mut Utterance, env: &Env) -> Result<()> {
    let file = source.name().to_owned();
    let mut captions = Captions::default();
    let mut blocks = Blocks::new(source, env);
    let head = blocks.next()?.map_or_else(Vec::new, |block| block.lines);
    let is_head = |(_, line): &(u64, Vec<u8>)| starts_with(line, HEAD);
    if !head.first().is_some_and(is_head) {
        return Err(Error::malformed("the first line is not WEBVTT").file(file));
    }
    if let Some((line, _)) = head.get(1) {
        let message = "lines of a header after WEBVTT are not kept, such as an offset of the times";
        env.warn(&Error::unfit(message).file(&*file).line(*line));
    }
    while let Some(block) = blocks.next()? {
        let is_other = |line: &[u8]| OTHERS.iter().any(|word| starts_with(line, word));
        let has_arrow = |(_, line): &(u64, Vec<u8>)| find(line, ARROW).is_some();
        // A caption may have a name, in the line before its times.
        let at = block.lines.iter().take(2).position(has_arrow);
        let Some(at) = at else {
            let Some((number, line)) = block.lines.first() else {
                continue;
            };
            if is_other(line) {
                continue;
            }
            return Err(blocks.error(*number, "expected times, START --> END".to_owned()));
        };
        let mut lines = block.lines.iter().skip(at);
        let Some((number, line)) = lines.next() else {
            continue;
        };
        let (start, end) = times(line, false).map_err(|why| blocks.error(*number, why))?;
        let Some(text) = joined(lines, &blocks)? else {
            return Err(blocks.cut_off());
        };
        for voice in markup::of_vtt(&text) {
            captions.has_marks |= voice.plain.is_changed;
            let mut segment = Segment::new(start, Some(end), voice.plain.text.trim_ascii());
            segment.speaker = voice.speaker.map(Vec::into_boxed_slice);
            captions.segments.push(segment);
        }
    }
    captions.fill(utt, &file, env)
}

fn encode(utt: &Utterance, out: &mut Vec<u8>) -> Result<()> {
    out.extend_from_slice(&[HEAD, b"\n\n"].concat());
    for segment in write::segments(utt) {
        let (times, text) = caption(segment, '.')?;
        out.extend_from_slice(times.as_bytes());
        out.push(b'\n');
        if let Some(speaker) = &segment.speaker {
            let named = one::phrase(speaker).map_err(|_| {
                let speaker = speaker.escape_ascii();
                Error::unfit(format!("the speaker '{speaker}' is not words of one line"))
            });
            out.extend_from_slice(b"<v ");
            out.extend(markup::escaped(named?));
            out.push(b'>');
        }
        out.extend(markup::escaped(text));
        if segment.speaker.is_some() {
            out.extend_from_slice(b"</v>");
        }
        out.extend_from_slice(b"\n\n");
    }
    Ok(())
}
