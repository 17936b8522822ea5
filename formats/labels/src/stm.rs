//! The format `stm`: transcripts with speakers and times.

use spr_core::bytes::{Env, Output, Source};
use spr_core::format::{
    Caps, Count, Format, FormatInfo, Keys, Medium, OpenedDataset, Options, Probe, Recordings,
    Request, Rule, Score, Tags, Writer,
};
use spr_core::model::{About, Key, KeySource, SourceField, Tag, Utterance};
use spr_core::{Error, Result};
use spr_syntax::lines::{self, Lines, is_blank, stretch, word};

use crate::many::{Grammar, ManyReader, ManyWriter};
use crate::recordings::{CHANNEL, COMMENT, channel};
use crate::{probe, rttm, write};

/// Transcripts of segments of recordings: STM.
pub static STM: Stm = Stm;

/// The format `stm`.
#[derive(Clone, Copy, Debug)]
pub struct Stm;

const NAME: &str = "stm";
/// The tag with the label of a line, such as `<o,f0,male>`.
const LABEL: &[u8] = b"label";
/// The label that says nothing, before text whose first word would be one.
const NO_LABEL: &[u8] = b"<>";
/// The placeholder for an unknown speaker.
const NONE: &[u8] = b"<NA>";

static INFO: FormatInfo =
    FormatInfo::new(NAME, "NIST STM, what was said by whom and when", &[NAME]);

impl Format for Stm {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, head: &Probe<'_>) -> Score {
        // Lines of integers are Kaldi alignments, unless the name says otherwise.
        let named = probe::is_named(&INFO, head);
        let timed = |line: &Line<'_>| line.fields.iter().skip(3).any(|time| time.contains(&b'.'));
        let is_line = |line: &[u8]| {
            let is_stretch = Line::parse(line).is_ok_and(|line| named || timed(&line));
            is_stretch && !rttm::is_line(line)
        };
        probe::by_lines(&INFO, head, Some(COMMENT), 60, is_line)
    }

    fn caps(&self, _: &Options, _: Medium) -> Result<Caps> {
        let mut caps = Caps::new(Count::Many, Keys::None);
        caps.text = true;
        caps.text_rule = Rule::new("of one line without blanks around", write::text);
        caps.source = &[
            SourceField::Speaker,
            SourceField::Recording,
            SourceField::Channel,
            SourceField::Place,
        ];
        caps.recordings = Recordings::Stretches;
        caps.tags = Tags::Named(NAME, &[LABEL]);
        Ok(caps)
    }

    fn open(
        &self,
        source: Source,
        _: &Options,
        request: &mut Request,
        env: &Env,
    ) -> Result<OpenedDataset> {
        let lines = Lines::new(source, Some(COMMENT), env).with_optional_end();
        let reader = ManyReader::new(StmSyntax, lines, KeySource::Generated, request);
        Ok(OpenedDataset::stream(reader))
    }

    fn create(
        &self,
        output: Output,
        options: &Options,
        _: &About,
        _: &Env,
    ) -> Result<Box<dyn Writer>> {
        let caps = self.caps(options, output.medium())?;
        Ok(Box::new(ManyWriter::new(
            &STM, &output, caps, b"", false, encode,
        )?))
    }
}

/// A line `FILE CHANNEL SPEAKER START END [<LABEL>] WORDS`.
struct Line<'a> {
    fields: [&'a [u8]; 5],
    label: Option<&'a [u8]>,
    text: &'a [u8],
}

/// Returns `true` for a word that is a label in angle brackets.
fn is_label(word: &[u8]) -> bool {
    word.starts_with(b"<") && word.ends_with(b">")
}

impl<'a> Line<'a> {
    fn parse(line: &'a [u8]) -> Result<Self, String> {
        let mut rest = line.trim_ascii();
        let mut fields = [&b""[..]; 5];
        for (n, field) in fields.iter_mut().enumerate() {
            (*field, rest) = first(rest);
            if field.is_empty() {
                return Err(format!("expected at least 5 fields, found {n}"));
            }
            word(field)?;
        }
        let [_, _, _, start, end] = fields;
        stretch(start, end)?;
        let (label, words) = first(rest);
        let labelled = is_label(label);
        Ok(Self {
            fields,
            label: labelled.then_some(label),
            text: lines::text(if labelled { words } else { rest })?,
        })
    }
}

/// Splits off the first word and the blanks after it.
fn first(line: &[u8]) -> (&[u8], &[u8]) {
    let end = line.iter().position(is_blank).unwrap_or(line.len());
    let (word, rest) = line.split_at(end);
    (word, rest.trim_ascii_start())
}

struct StmSyntax;

impl Grammar for StmSyntax {
    fn next(&mut self, lines: &mut Lines, utt: &mut Utterance) -> Result<bool> {
        if !lines.advance()? {
            return Ok(false);
        }
        utt.start();
        let line = Line::parse(lines.line()).map_err(|why| lines.error(why).continuable())?;
        if lines.lacks_end() && line.text.is_empty() {
            return Err(lines.error("has no text").continuable());
        }
        let [file, channel, speaker, start, end] = line.fields;
        let (from, to) = stretch(start, end).map_err(|why| lines.error(why).continuable())?;
        let names = [speaker, file, start, end];
        let known = names.into_iter().filter(|name| *name != NONE);
        utt.key = known.collect::<Vec<_>>().join(&b'-').into();
        let meta = &mut utt.meta;
        meta.recording = Some(file.into());
        meta.channel = (channel != CHANNEL).then(|| channel.into());
        meta.speaker = (speaker != NONE).then(|| speaker.into());
        (meta.start, meta.end) = (Some(from), Some(to));
        let tag = |label: &[u8]| Tag::new(NAME, LABEL, label);
        let label = line.label.filter(|label| *label != NO_LABEL);
        meta.tags.extend(label.map(tag));
        utt.text = Some(line.text.to_vec());
        utt.origin = lines.origin();
        Ok(true)
    }
}

fn encode(utt: &Utterance, out: &mut Vec<u8>) -> Result<()> {
    let meta = &utt.meta;
    let missing = || Error::unfit("is not a stretch of a recording");
    let file = meta.recording.as_ref().ok_or_else(missing)?.as_bytes();
    let (start, end) = meta.start.zip(meta.end).ok_or_else(missing)?;
    if start.is_negative() || end < start {
        return Err(Error::unfit(
            "has a place in its recording that is not in order",
        ));
    }
    if file.starts_with(COMMENT) {
        return Err(Error::unfit(
            "a name that starts with ;; would be a comment",
        ));
    }
    let speaker = match &meta.speaker {
        Some(speaker) => write::told(speaker.as_bytes(), "speaker", &[NONE])?,
        None => NONE,
    };
    let (start, end) = (start.to_string(), end.to_string());
    let mut fields = vec![
        write::word(file, "recording")?,
        channel(utt)?,
        speaker,
        start.as_bytes(),
        end.as_bytes(),
    ];
    let text = utt.text.as_deref().unwrap_or_default();
    match meta.tags.as_slice() {
        [] if is_label(first(text).0) => fields.push(NO_LABEL),
        [] => {}
        [tag] if is_label(&tag.value) && *tag.value != *NO_LABEL => {
            fields.push(write::word(&tag.value, "label")?)
        }
        [tag] => {
            let shown = Key::from(&*tag.value);
            return Err(Error::unfit(format!(
                "the label '{shown}' is not words in <>"
            )));
        }
        _ => {
            return Err(Error::not_held("has several labels"));
        }
    }
    if !text.is_empty() {
        fields.push(text);
    }
    write::line(fields, out);
    Ok(())
}
