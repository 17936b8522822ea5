//! The format `ctm`: words with times.

use spr_core::bytes::{Env, Output, Source};
use spr_core::format::{
    Caps, Count, Format, FormatInfo, Keys, Medium, OpenedDataset, Options, Probe, Recordings,
    Request, Rule, Score, SegmentCaps, Writer,
};
use spr_core::model::{About, Key, KeySource, Segment, SourceField, Utterance};
use spr_core::{Error, Result};
use spr_syntax::lines::{Lines, end_after, fields, shown, time, word};

use crate::joined::RecordingWriter;
use crate::many::{ManyReader, ManyWriter};
use crate::naming::{GAPS, Naming, SYMBOLS};
use crate::recordings::{
    ByRecording, COMMENT, Line, NonLabel, Syntax, TIMES, channel, in_recordings, score,
};
use crate::{probe, rttm, write};

/// Words with times, scores and speakers: CTM.
pub static CTM: Ctm = Ctm;

/// The format `ctm`.
#[derive(Clone, Copy, Debug)]
pub struct Ctm;

static INFO: FormatInfo = FormatInfo::new("ctm", "NIST CTM, words and their times", &["ctm"])
    .options(&[SYMBOLS, GAPS, TIMES])
    .needed(&[SYMBOLS.name]);

/// A name that does not make a comment of its line.
const NO_COMMENT: Rule<Key> = Rule::new("that don't start with ;;", |key| {
    match key.as_bytes().starts_with(COMMENT) {
        true => Err(Error::unfit(
            "a name that starts with ;; would be a comment",
        )),
        false => Ok(()),
    }
});
/// The placeholders for a missing score, type or speaker.
const NONE: [&[u8]; 2] = [b"NA", b"<NA>"];
/// The type of ordinary words.
const WORD: &[u8] = b"lex";
/// The start of the marks around alternatives.
const ALTERNATIVE: &[u8] = b"<ALT";

impl Format for Ctm {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, head: &Probe<'_>) -> Score {
        // Lines of integers are Kaldi alignments, unless the name says otherwise.
        let named = probe::is_named(&INFO, head);
        let is_line = |line: &[u8]| {
            let is_word = Words.parse(line).is_ok() && (named || line.contains(&b'.'));
            (is_word || is_alternative(line)) && !rttm::is_line(line)
        };
        probe::by_lines(&INFO, head, Some(COMMENT), 60, is_line)
    }

    fn caps(&self, options: &Options, _: Medium) -> Result<Caps> {
        let mut segments = SegmentCaps::PLAIN;
        (segments.scores, segments.speakers) = (true, true);
        let mut caps = Caps::new(Count::Many, Keys::Words);
        caps.segments = Some(write::whole_lines(segments));
        caps.key_rule = NO_COMMENT;
        caps.source = &[SourceField::Channel];
        caps.recordings = in_recordings(options)?.unwrap_or_default();
        Ok(caps)
    }

    fn open(
        &self,
        source: Source,
        options: &Options,
        request: &mut Request,
        env: &Env,
    ) -> Result<OpenedDataset> {
        let grammar = ByRecording::new(Words, Naming::of(options, env)?, source.location(), env)?;
        let lines = Lines::new(source, Some(COMMENT), env).with_optional_end();
        let reader = ManyReader::new(grammar, lines, KeySource::Stored, request);
        Ok(OpenedDataset::stream(reader))
    }

    fn create(
        &self,
        output: Output,
        options: &Options,
        _: &About,
        env: &Env,
    ) -> Result<Box<dyn Writer>> {
        let naming = Naming::of(options, env)?;
        let encode = move |utt: &Utterance, out: &mut Vec<u8>| encode(utt, &naming, out);
        let caps = self.caps(options, output.medium())?;
        Ok(match caps.recordings {
            Recordings::Joined => {
                Box::new(RecordingWriter::new(&output, caps, env.limits, encode)?)
            }
            _ => Box::new(ManyWriter::new(&CTM, &output, caps, b"", true, encode)?),
        })
    }
}

/// The syntax of lines `FILE CHANNEL START LENGTH WORD [SCORE [TYPE SPEAKER]]`.
struct Words;

impl Syntax for Words {
    fn tiers(&self) -> &'static [&'static [u8]] {
        &[b""]
    }

    fn recording<'a>(&self, line: &'a [u8]) -> Result<&'a [u8], NonLabel<'a>> {
        let first = fields(line).next().unwrap_or_default();
        word(first).map_err(NonLabel::Wrong)
    }

    fn parse<'a>(&self, line: &'a [u8]) -> Result<Line<'a>, String> {
        let fields: Vec<_> = fields(line).collect();
        let (channel, start, length, label, rest) = match *fields.as_slice() {
            [_, channel, start, length, label, ref rest @ ..]
                if matches!(rest.len(), 0 | 1 | 3) =>
            {
                (channel, start, length, label, rest)
            }
            ref other => {
                let n = other.len();
                return Err(format!("expected 5, 6 or 8 fields, found {n}"));
            }
        };
        if label.starts_with(ALTERNATIVE) {
            return Err(format!(
                "alternatives are not read, such as '{}'",
                shown(label)
            ));
        }
        let start = time(start)?;
        let end = end_after(start, length)?;
        let mut segment = Segment::new(start, Some(end), word(label)?);
        let told = |n: usize| rest.get(n).copied().filter(|field| !NONE.contains(field));
        segment.score = told(0).map(score).transpose()?;
        segment.speaker = told(2).map(word).transpose()?.map(Into::into);
        Ok(Line {
            channel: word(channel)?,
            tier: 0,
            segment,
            spoken: false,
            unkept: told(1).filter(|sort| *sort != WORD),
        })
    }
}

/// Returns `true` for a line that starts, divides or ends alternatives, such as `g A * * <ALT_BEGIN>`.
fn is_alternative(line: &[u8]) -> bool {
    fields(line)
        .nth(4)
        .is_some_and(|label| label.starts_with(ALTERNATIVE))
}

fn encode(utt: &Utterance, naming: &Naming, out: &mut Vec<u8>) -> Result<()> {
    let file = utt.key.as_bytes();
    for segment in write::segments(utt) {
        let label = write::word(naming.write(&segment.label)?, "label")?;
        if label.starts_with(ALTERNATIVE) {
            let message = "a label that starts with <ALT would be one of alternatives";
            return Err(Error::unfit(message));
        }
        let length = write::length(segment.start, write::end(segment)?)?.to_string();
        let start = segment.start.to_string();
        let score = segment.score.map(|score| score.to_string());
        let (start, length) = (start.as_bytes(), length.as_bytes());
        let mut fields = vec![file, channel(utt)?, start, length, label];
        match (&score, &segment.speaker) {
            (None, None) => {}
            (Some(score), None) => fields.push(score.as_bytes()),
            (_, Some(speaker)) => {
                let speaker = write::told(speaker, "speaker", &NONE)?;
                fields.extend([score.as_deref().unwrap_or("NA").as_bytes(), WORD, speaker]);
            }
        }
        write::line(fields, out);
    }
    Ok(())
}
