//! Transcripts of one sound file, in a file of its name.

use spr_core::bytes::{Env, Location};
use spr_core::model::{Key, RecordingFacts, Segment, Tier, Utterance};
use spr_core::{Error, Result};
use spr_syntax::json;
use spr_syntax::lines::BOM;

use crate::timed::{self, Form};

/// The content of a text file about one sound file.
#[derive(Default)]
pub(crate) struct Transcript {
    pub(crate) text: Option<Vec<u8>>,
    pub(crate) tiers: Vec<Tier>,
    /// The kind of file in words, or `None` for one that is no transcript.
    pub(crate) kind: Option<&'static str>,
}

/// The labels of a file of segments that are its text.
#[derive(Clone, Copy)]
enum Labels {
    /// The labels are the text, of several tiers those of the first.
    Text,
    /// The labels of a tier with such a name are.
    Tiers,
    /// They are, if the file has one tier; otherwise those of a tier with such a name are.
    OneTier,
    /// They are names of speakers.
    Speakers,
}

/// The extensions of label files: the format, and the text in it.
const FORMATS: [(&str, &str, Labels); 8] = [
    ("textgrid", "textgrid", Labels::Tiers),
    ("eaf", "eaf", Labels::OneTier),
    ("ctm", "ctm", Labels::Text),
    ("stm", "stm", Labels::Text),
    ("rttm", "rttm", Labels::Speakers),
    ("srt", "srt", Labels::Text),
    ("vtt", "vtt", Labels::Text),
    ("json", "whisper", Labels::Text),
];

/// The format of files with text and a name in brackets.
const TRN: &str = "trn";
/// The text of segments that STM excludes from scoring.
const UNSCORED: &[u8] = b"ignore_time_segment_in_scoring";

/// Reads the transcript of the sound `name`, about which `facts` returns what its header states.
///
/// # Errors
/// It cannot be read, is not UTF-8, its segments are damaged, or it contradicts the sound.
pub(crate) fn read(
    file: &Location,
    name: &Key,
    facts: impl FnOnce() -> Result<RecordingFacts>,
    env: &Env,
) -> Result<Transcript> {
    let read = read_unplaced(file, name, facts, env);
    read.map_err(|e| match e.file_name() {
        Some(_) => e,
        None => e.file(file.to_string()),
    })
}

fn read_unplaced(
    file: &Location,
    name: &Key,
    facts: impl FnOnce() -> Result<RecordingFacts>,
    env: &Env,
) -> Result<Transcript> {
    let extension = file.extension().unwrap_or_default().to_ascii_lowercase();
    if extension == "json" && !is_of_whisper(file, env)? {
        let warning = Error::unfit("left out, JSON beside the sound that is not of Whisper");
        env.warn_left_out(&warning.file(file.to_string()));
        return Ok(Transcript::default());
    }
    let known = FORMATS.iter().find(|(own, ..)| *own == extension);
    if let Some((_, format, labels)) = known {
        return labelled(format, *labels, file, name, env);
    }
    if extension == TRN {
        return named_text(file, name, env);
    }
    let mut source = env.open_file(file)?;
    let bytes = source.rest("a transcript", &env.limits)?;
    let text = bytes.strip_prefix(BOM).unwrap_or(&bytes);
    if std::str::from_utf8(text).is_err() {
        return Err(Error::malformed("is not UTF-8"));
    }
    if extension == "lab"
        && let Some(format) = timed::label_format(text)
    {
        return labelled(format, Labels::Tiers, file, name, env);
    }
    let form = Form::of(text).filter(|form| extension != "lab" || *form != Form::Samples);
    let Some(form) = form else {
        let lines = text.split(|b| *b == b'\n').map(<[u8]>::trim_ascii);
        let lines: Vec<_> = lines.filter(|line| !line.is_empty()).collect();
        return Ok(Transcript {
            text: Some(lines.join(&b' ')),
            kind: Some(PLAIN),
            ..Transcript::default()
        });
    };
    let segments = form.read(text, &facts()?, file, env)?;
    Ok(Transcript {
        text: Some(joined(&segments.all)),
        tiers: match segments.are_whole {
            true => Vec::new(),
            false => vec![Tier::only(segments.all)],
        },
        kind: Some(form.name()),
    })
}

/// Returns `true` for JSON with segments. JSON next to sound may be anything else.
fn is_of_whisper(file: &Location, env: &Env) -> Result<bool> {
    let mut source = env.open_file(file)?;
    let bytes = source.rest("a transcript", &env.limits)?;
    Ok(json::names(&bytes, "segments"))
}

/// The kind of a file of text alone.
pub(crate) const PLAIN: &str = "plain text";

/// Returns the labels with single blanks between them.
fn joined(segments: &[Segment]) -> Vec<u8> {
    let labels = segments.iter().map(|segment| segment.label.trim_ascii());
    let labels = labels.filter(|label| !label.is_empty() && !label.eq_ignore_ascii_case(UNSCORED));
    labels.collect::<Vec<_>>().join(&b' ')
}

/// Returns the words of a tier that has them, by its name.
fn words(tiers: &[Tier]) -> Option<Vec<u8>> {
    const WORDS: [&[u8]; 3] = [b"words", b"word", b"text"];
    let mut named = tiers.iter().filter(|tier| WORDS.contains(&&*tier.name));
    let tier = named.next().filter(|_| named.next().is_none())?;
    Some(joined(&tier.segments))
}

/// Reads a file of another format, all of whose utterances must be of the sound `name`.
fn each(
    format: &str,
    file: &Location,
    name: &Key,
    env: &Env,
    mut add: impl FnMut(Utterance) -> Result<()>,
) -> Result<()> {
    let source = env.open_file(file)?;
    let mut find = env.finder(format, source)?;
    loop {
        let mut utt = Utterance::default();
        if !find(&Key::default(), &mut utt)? {
            return Ok(());
        }
        let other = utt.meta.recording.as_ref().unwrap_or(&utt.key);
        let last = other.as_bytes().rsplit(|b| *b == b'/').next();
        if last != Some(name.as_bytes()) {
            let message = format!("is about {other}, and not about {name}");
            return Err(Error::malformed(message)
                .hint("a file beside a sound file, of the same name, is about that sound alone"));
        }
        add(utt)?;
    }
}

/// Reads a file with a line of text and a name.
fn named_text(file: &Location, name: &Key, env: &Env) -> Result<Transcript> {
    let mut texts = Vec::new();
    each(TRN, file, name, env, |utt| {
        texts.extend(utt.text);
        Ok(())
    })?;
    match <[_; 1]>::try_from(texts) {
        Ok([text]) => Ok(Transcript {
            text: Some(text),
            kind: Some(TRN),
            ..Transcript::default()
        }),
        Err(texts) => {
            let message = format!("holds {} transcripts of one sound file", texts.len());
            Err(Error::malformed(message))
        }
    }
}

/// Reads segments of a label format.
fn labelled(
    format: &'static str,
    labels: Labels,
    file: &Location,
    name: &Key,
    env: &Env,
) -> Result<Transcript> {
    let mut transcript = Transcript {
        kind: Some(format),
        ..Transcript::default()
    };
    let mut segments = Vec::new();
    each(format, file, name, env, |utt| {
        let Utterance {
            text, tiers, meta, ..
        } = utt;
        match (meta.start, text) {
            (Some(start), Some(text)) => {
                let mut segment = Segment::new(start, meta.end, &text);
                segment.speaker = meta.speaker.map(|speaker| speaker.as_bytes().into());
                segments.push(segment);
            }
            (_, text) => transcript.text = text,
        }
        // The channels of a recording are tiers of it.
        let channel = meta.channel.as_ref().map(Key::as_bytes);
        transcript.tiers.extend(tiers.into_iter().map(|mut tier| {
            if let Some(channel) = channel.filter(|_| tier.name.is_empty()) {
                tier.name = channel.into();
            }
            tier
        }));
        Ok(())
    })?;
    if !segments.is_empty() {
        segments.sort_by_key(|segment| segment.start);
        transcript.tiers.push(Tier::only(segments));
    }
    if transcript.text.is_none() {
        transcript.text = match (labels, &*transcript.tiers) {
            (_, []) => return Err(Error::malformed("holds no segments")),
            (Labels::Text, [tier, ..]) | (Labels::OneTier, [tier]) => Some(joined(&tier.segments)),
            (Labels::OneTier | Labels::Tiers, tiers) => words(tiers),
            (Labels::Speakers, _) => None,
        };
    }
    Ok(transcript)
}
