//! The format `whisper`: JSON of Whisper and WhisperX.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;
use spr_core::bytes::{Env, Output, Source};
use spr_core::format::{
    Caps, Format, FormatInfo, Medium, OpenedDataset, Options, Probe, Request, Score, SegmentCaps,
    Writer,
};
use spr_core::model::{About, Decimal, Segment, SourceField, Tier, Utterance};
use spr_core::{Error, Result};
use spr_syntax::json::{self, Fields};

use crate::{one, write};

/// Transcripts of Whisper.
pub static WHISPER: Whisper = Whisper;

/// The format `whisper`.
#[derive(Clone, Copy, Debug)]
pub struct Whisper;

static INFO: FormatInfo =
    FormatInfo::new("whisper", "JSON of Whisper and WhisperX", &[]).also(&["json"]);

/// The names of the tiers of a file with words.
const SEGMENTS: &[u8] = b"segments";
const WORDS: &[u8] = b"words";

#[derive(Deserialize)]
struct Document<'a> {
    #[serde(borrow, default)]
    text: Option<Cow<'a, str>>,
    #[serde(borrow)]
    segments: Vec<Part<'a>>,
    #[serde(borrow, default)]
    language: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct Part<'a> {
    #[serde(borrow)]
    start: &'a RawValue,
    #[serde(borrow)]
    end: &'a RawValue,
    #[serde(borrow)]
    text: Cow<'a, str>,
    #[serde(borrow, default)]
    speaker: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    words: Vec<Word<'a>>,
}

/// A word; WhisperX has no times for those without letters.
#[derive(Deserialize)]
struct Word<'a> {
    #[serde(borrow)]
    word: Cow<'a, str>,
    #[serde(borrow, default)]
    start: Option<&'a RawValue>,
    #[serde(borrow, default)]
    end: Option<&'a RawValue>,
    #[serde(borrow, default, alias = "probability")]
    score: Option<&'a RawValue>,
    #[serde(borrow, default)]
    speaker: Option<Cow<'a, str>>,
}

impl Format for Whisper {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, head: &Probe<'_>) -> Score {
        let text = head.head.trim_ascii_start();
        let inside = text.strip_prefix(b"{").map(<[u8]>::trim_ascii_start);
        let Some(inside) = inside else {
            return Score::No;
        };
        let starts = |name: &str| inside.starts_with(name.as_bytes());
        let has = |name: &str| text.windows(name.len()).any(|own| own == name.as_bytes());
        let times = has("\"start\"") && has("\"end\"");
        let segments = has("\"segments\"") && (times || head.whole);
        match starts("\"text\"") || starts("\"segments\"") {
            true if segments && has("\"text\"") => Score::Certain,
            // A long text hides the segments. Lines of JSON have an end.
            true if starts("\"text\"") && !head.whole && !text.contains(&b'\n') => {
                Score::Possible(40)
            }
            _ => Score::No,
        }
    }

    fn caps(&self, _: &Options, medium: Medium) -> Result<Caps> {
        let mut segments = SegmentCaps::PLAIN;
        (segments.speakers, segments.closed) = (true, true);
        let mut caps = one::caps(medium);
        caps.segments = Some(segments);
        (caps.text, caps.utf8) = (true, true);
        caps.source = &[SourceField::Language];
        Ok(caps)
    }

    fn open(
        &self,
        source: Source,
        _: &Options,
        _: &mut Request,
        env: &Env,
    ) -> Result<OpenedDataset> {
        one::reader(source, env, |source, utt, env| {
            let file = source.name().to_owned();
            let bytes = source.rest("a transcript", &env.limits)?;
            let untimed = read(&bytes, utt).map_err(|e| e.file(&*file))?;
            if untimed > 0 {
                let message = format!("{untimed} words without times are left out of the words");
                env.warn_left_out(&Error::unfit(message).file(&*file));
            }
            Ok(())
        })
    }

    fn create(
        &self,
        output: Output,
        options: &Options,
        _: &About,
        _: &Env,
    ) -> Result<Box<dyn Writer>> {
        let caps = self.caps(options, output.medium())?;
        Ok(one::writer(&WHISPER, output, caps, "json", encode))
    }
}

/// Parses start and end in seconds.
fn stretch(start: &RawValue, end: &RawValue) -> Result<(Decimal, Decimal)> {
    let (start, end) = (json::time(start, "start")?, json::time(end, "end")?);
    match start <= end {
        true => Ok((start, end)),
        false => {
            let message = format!("a stretch starts at {start} and ends before that, at {end}");
            Err(Error::malformed(message))
        }
    }
}

fn bytes(text: Cow<'_, str>) -> Box<[u8]> {
    text.trim_ascii().as_bytes().into()
}

/// Reads a document, and returns the number of words without times.
fn read(document: &[u8], utt: &mut Utterance) -> Result<u64> {
    let document: Document<'_> =
        serde_json::from_slice(document).map_err(|e| match e.is_eof() {
            true => Error::truncated("the file ends inside the object"),
            false => Error::malformed(format!("is not JSON of Whisper: {e}")),
        })?;
    let (mut segments, mut words, mut untimed) = (Vec::new(), Vec::new(), 0);
    for part in document.segments {
        let (start, end) = stretch(part.start, part.end)?;
        let mut segment = Segment::new(start, Some(end), &[]);
        segment.label = bytes(part.text);
        segment.speaker = part.speaker.map(bytes);
        segments.push(segment);
        for word in part.words {
            let Some((start, end)) = word.start.zip(word.end) else {
                untimed += 1;
                continue;
            };
            let (start, end) = stretch(start, end)?;
            let mut segment = Segment::new(start, Some(end), &[]);
            segment.label = bytes(word.word);
            segment.speaker = word.speaker.map(bytes);
            let score = word.score.map(|score| json::decimal(score, "the score"));
            segment.score = score.transpose()?;
            words.push(segment);
        }
    }
    utt.text = document.text.map(|text| bytes(text).into_vec());
    utt.meta.language = document.language.map(|own| own.as_bytes().into());
    if !words.is_empty() {
        let tier = |name: &[u8], segments| Tier {
            name: name.into(),
            ..Tier::only(segments)
        };
        utt.tiers = vec![tier(SEGMENTS, segments), tier(WORDS, words)];
    } else if !segments.is_empty() {
        utt.tiers = vec![Tier::only(segments)];
    }
    Ok(untimed)
}

fn utf8(bytes: &[u8]) -> Result<&str> {
    let text =
        std::str::from_utf8(bytes).map_err(|_| Error::unfit("has text that is not UTF-8"))?;
    match text.trim_ascii().len() == text.len() {
        true => Ok(text),
        false => Err(Error::not_held("has blanks around a text")),
    }
}

fn encode(utt: &Utterance, out: &mut Vec<u8>) -> Result<()> {
    let mut fields = Fields::open(out);
    match &utt.text {
        Some(text) => fields.text("text", utf8(text)?),
        None => fields.raw("text", "null"),
    }
    let list = fields.start("segments");
    list.push(b'[');
    for (n, segment) in (0_u64..).zip(write::segments(utt)) {
        if n > 0 {
            list.extend_from_slice(b", ");
        }
        let mut fields = Fields::open(list);
        fields.count("id", n);
        fields.time("start", segment.start);
        fields.time("end", write::end(segment)?);
        fields.text("text", utf8(&segment.label)?);
        if let Some(speaker) = &segment.speaker {
            fields.text("speaker", utf8(speaker)?);
        }
        fields.close();
    }
    list.push(b']');
    if let Some(language) = &utt.meta.language {
        fields.text("language", utf8(language.as_bytes())?);
    }
    fields.close();
    out.push(b'\n');
    Ok(())
}
