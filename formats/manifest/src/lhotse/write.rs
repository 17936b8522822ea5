//! The writer: recordings and supervisions to a folder, or cuts to a file.

use std::collections::HashMap;
use std::fmt::{Display, Formatter};

use spr_core::bytes::{Env, Locator, Output, Part, Sink};
use spr_core::format::{Caps, Medium, Options, WriteSummary, Writer};
use spr_core::model::{Audio, AudioReference, Decimal, RecordingFacts, Utterance};
use spr_core::{Error, Result, recording};
use spr_syntax::json::Fields;
use spr_syntax::manifest::Names;
use spr_syntax::manifest::source::{no_sound, utf8};

use super::alignment;
use super::feature_writer::{FeatureFacts, FeatureWriter, Store, StoredBytes, shift_of};
use super::features;
use super::supervision::Naming;

pub(super) struct LhotseWriter {
    caps: Caps,
    output: Output,
    /// The supervisions; in a single file, the cuts.
    said: Sink,
    /// The recordings, unless they are in cuts.
    recorded: Option<Sink>,
    featured: FeatureWriter,
    names: Names,
    env: Env,
    /// The location of each recording written.
    recordings: HashMap<String, (Locator, KnownRecording)>,
    /// The facts about the last recording.
    last: Option<(Locator, KnownRecording)>,
    made: UtteranceLines,
    written: WriteSummary,
}

/// The required facts about a recording.
#[derive(Clone, Copy, PartialEq)]
struct KnownRecording {
    rate: u32,
    samples: u64,
    channels: u32,
}

/// The lines of an utterance.
#[derive(Default)]
struct UtteranceLines {
    id: String,
    at: Option<(Locator, KnownRecording)>,
    recording: Vec<u8>,
    said: Vec<u8>,
    features: Vec<u8>,
    stored: StoredBytes,
}

impl LhotseWriter {
    pub(super) fn new(
        output: Output,
        store: Store,
        caps: Caps,
        options: &Options,
        env: &Env,
    ) -> Result<Self> {
        let (said, recorded) = match output.medium() {
            Medium::Folder => {
                let member = |name| output.create(Part::Member(name), false);
                let said = member("supervisions.jsonl.gz")?;
                (said, Some(member("recordings.jsonl.gz")?))
            }
            Medium::File | Medium::Stream => (output.create(Part::Main, false)?, None),
        };
        Ok(Self {
            caps,
            said,
            recorded,
            featured: FeatureWriter::new(store, env),
            names: Names::new(&output, options, env)?.kept(),
            output,
            env: env.clone(),
            recordings: HashMap::new(),
            last: None,
            made: UtteranceLines::default(),
            written: WriteSummary::default(),
        })
    }

    fn make(&mut self, utt: &Utterance) -> Result<()> {
        let made = self.lines(utt);
        made.map_err(|e| e.utterance(&utt.key).file(self.output.name()).continuable())
    }

    fn lines(&mut self, utt: &Utterance) -> Result<()> {
        if utt.audio.is_none() {
            let error = no_sound("of the manifest names", utt);
            return Err(match utt.features.is_some() && self.recorded.is_some() {
                true => error.hint("rate=16000 writes features alone, of sound at 16 kHz"),
                false => error,
            });
        }
        self.caps.check(utt)?;
        let Some(Audio::Reference(audio)) = &utt.audio else {
            return Err(no_sound("of the manifest names", utt));
        };
        let key = utf8(utt.key.as_bytes(), "the key")?;
        let known = self.known(utt, audio)?;
        let id = self.recording_id(utt, audio, key)?;
        // Each cut has a recording of its own.
        let before = self.recordings.get(&id).filter(|_| self.recorded.is_some());
        if let Some((_, before)) = before
            && *before != known
        {
            let message = format!("the recording {id} is {known}, and was {before} before");
            return Err(Error::unfit(message));
        }
        let (start, duration) = known.stretch(audio)?;
        self.made = UtteranceLines {
            at: Some((audio.at.clone(), known)),
            ..UtteranceLines::default()
        };
        write_recording(&id, audio, known, &mut self.names, &mut self.made.recording)?;
        let naming = Naming {
            key,
            recording: &id,
            start,
            duration,
            channels: known.channels,
            in_cut: self.recorded.is_none(),
        };
        let custom = naming.custom(utt, audio, |_| true, |_| {})?;
        match &self.recorded {
            None => {
                let segments = utt.tiers.iter().flat_map(|tier| &tier.segments);
                let mut ends = segments.filter_map(|segment| segment.end);
                if audio.span.bounds().is_none()
                    && ends.any(|end| alignment::is_behind(end, duration))
                {
                    return Err(Error::unfit("has segments after its end"));
                }
                let mut fields = Fields::open(&mut self.made.said);
                fields.text("id", key);
                fields.time("start", start);
                fields.time("duration", duration);
                naming.write_channel("channel", audio, &mut fields);
                let out = fields.start("supervisions");
                out.push(b'[');
                if !custom.is_empty() || Naming::says(utt) {
                    // In a cut, the times of a supervision start with the cut.
                    naming.write(utt, audio, Decimal::ZERO, &custom, out)?;
                }
                out.push(b']');
                fields
                    .start("recording")
                    .extend_from_slice(&self.made.recording);
                fields.text(
                    "type",
                    if known.channels == 1 || audio.channel.is_some() {
                        "MonoCut"
                    } else {
                        "MultiCut"
                    },
                );
                fields.close();
            }
            Some(_) => naming.write(utt, audio, start, &custom, &mut self.made.said)?,
        }
        if let Some(matrix) = &utt.features {
            let shift = shift_of(utt)?;
            let lasts = shift.times(matrix.rows() as u64).unwrap_or_default();
            features::check_length(lasts.value(), duration.value())
                .map_err(|e| e.hint("--frame-shift corrects a wrong frame shift"))?;
            let facts = FeatureFacts {
                shift,
                rate: known.rate,
                start,
                recording: &id,
            };
            self.made.stored = self.featured.encode(key, matrix)?;
            self.featured.describe(
                (matrix, &self.made.stored),
                &facts,
                (&self.output, &self.names),
                |fields| naming.write_channel("channels", audio, fields),
                &mut self.made.features,
            )?;
        }
        self.made.id = id;
        Ok(())
    }

    /// Returns the facts about the recording, and reads its header if necessary.
    fn known(&mut self, utt: &Utterance, audio: &AudioReference) -> Result<KnownRecording> {
        if let Some(known) = KnownRecording::of(audio.recording) {
            return Ok(known);
        }
        if let Some((at, known)) = &self.last
            && *at == audio.at
        {
            return Ok(*known);
        }
        if let Locator::Command(_) = audio.at {
            let message = "its sound comes from a command, and nobody knows how long it lasts";
            return Err(
                Error::unfit(message).hint("write an audiofolder first, which has sound files")
            );
        }
        let known = KnownRecording::of(recording::facts(audio, &utt.origin, &self.env)?);
        let known = known.ok_or_else(|| Error::unfit("has sound of which too little is known"))?;
        self.last = Some((audio.at.clone(), known));
        Ok(known)
    }

    /// Returns the name of the recording: its own if the audio is the recording, otherwise that of
    /// the audio file, or the key if the utterance is the whole file.
    fn recording_id(&self, utt: &Utterance, audio: &AudioReference, key: &str) -> Result<String> {
        let meta = &utt.meta;
        let start = audio.span.bounds().map(|(start, _)| start);
        let same = (meta.start, meta.end) == (start, audio.span.end());
        if let Some(told) = meta.recording.as_ref().filter(|_| same) {
            let id = utf8(told.as_bytes(), "the recording")?;
            return match self.is_taken(id, &audio.at) {
                false => Ok(id.to_owned()),
                true => Err(Error::unfit(format!(
                    "the recording {id} was in another place before"
                ))),
            };
        }
        if audio.span.bounds().is_none() && !self.is_taken(key, &audio.at) {
            return Ok(key.to_owned());
        }
        let stem = audio
            .at
            .location()
            .and_then(|file| file.plain().stem()?.to_str().map(str::to_owned));
        let names = stem.into_iter().chain([audio.at.to_string()]);
        let free = names.into_iter().find(|id| !self.is_taken(id, &audio.at));
        free.ok_or_else(|| Error::unfit("has a recording that can't be named"))
    }

    fn is_taken(&self, id: &str, at: &Locator) -> bool {
        self.recordings
            .get(id)
            .is_some_and(|(other, _)| other != at)
    }
}

impl Display for KnownRecording {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let Self {
            rate,
            samples,
            channels,
        } = self;
        write!(f, "{samples} samples of {channels} channels at {rate} Hz")
    }
}

impl KnownRecording {
    fn of(facts: RecordingFacts) -> Option<Self> {
        Some(Self {
            rate: facts.rate.filter(|rate| *rate > 0)?,
            samples: facts.samples?,
            channels: facts.channels.filter(|channels| *channels > 0)?,
        })
    }

    fn duration(self) -> Decimal {
        self.facts().time().unwrap_or_default()
    }

    fn facts(self) -> RecordingFacts {
        RecordingFacts {
            rate: Some(self.rate),
            channels: Some(self.channels),
            samples: Some(self.samples),
            duration: None,
        }
    }

    /// Returns the start and duration of a segment.
    fn stretch(self, audio: &AudioReference) -> Result<(Decimal, Decimal)> {
        let start = audio.span.start();
        match self.facts().of_span(audio.span).time() {
            Some(duration) if !start.is_negative() => Ok((start, duration)),
            _ => Err(Error::unfit("has sound that ends before it starts")),
        }
    }
}

fn write_recording(
    id: &str,
    audio: &AudioReference,
    known: KnownRecording,
    names: &mut Names,
    out: &mut Vec<u8>,
) -> Result<()> {
    let (kind, source) = match &audio.at {
        Locator::File(file) if audio.len.is_none() => ("file", names.name(file)?),
        Locator::Command(line) => ("command", line.as_str()),
        Locator::Standard => return Err(Error::unfit("its sound comes from standard input")),
        _ => return Err(Error::unfit("its sound is inside another file")),
    };
    let channels: Vec<_> = (0..known.channels).map(|n| n.to_string()).collect();
    let channels = format!("[{}]", channels.join(", "));
    let mut fields = Fields::open(out);
    fields.text("id", id);
    let list = fields.start("sources");
    list.push(b'[');
    let mut own = Fields::open(list);
    own.text("type", kind);
    own.raw("channels", &channels);
    own.text("source", source);
    own.close();
    list.push(b']');
    fields.count("sampling_rate", known.rate);
    fields.count("num_samples", known.samples);
    fields.time("duration", known.duration());
    fields.raw("channel_ids", &channels);
    fields.close();
    Ok(())
}

impl Writer for LhotseWriter {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn accept(&mut self, utt: &Utterance) -> Result<()> {
        self.make(utt)
    }

    fn write(&mut self, utt: &Utterance) -> Result<()> {
        self.make(utt)?;
        let id = std::mem::take(&mut self.made.id);
        let is_new = !self.recordings.contains_key(&id);
        if let Some(at) = self.made.at.take().filter(|_| is_new) {
            self.recordings.insert(id, at);
        }
        if utt.features.is_some() {
            let made = &self.made;
            let (stored, line) = (&made.stored, &made.features);
            self.written.bytes += self.featured.write(utt, stored, line, &self.output)?;
        }
        self.made.said.push(b'\n');
        self.said.put(&self.made.said)?;
        if let Some(recorded) = self.recorded.as_mut().filter(|_| is_new) {
            self.made.recording.push(b'\n');
            recorded.put(&self.made.recording)?;
        }
        self.written.count(utt);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<WriteSummary> {
        let mut written = self.written;
        written.add_rounding(self.featured.rounded.clone());
        let sinks = [Some(self.said), self.recorded];
        for sink in sinks
            .into_iter()
            .chain(self.featured.into_sinks())
            .flatten()
        {
            written.bytes += sink.finish()?;
        }
        Ok(written)
    }
}
