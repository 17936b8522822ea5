//! Lists of words or segments by recording, where the lines of a recording are consecutive.

use std::collections::{BTreeMap, HashMap, VecDeque};

use spr_core::bytes::{MemoryCounter, Output, Part, Sink};
use spr_core::format::{Caps, OptionSpec, WriteSummary, Writer};
use spr_core::model::{Key, KeySet, Segment, Tier, Utterance};
use spr_core::{Limits, Remedy, Result};
use spr_syntax::lines::{Lines, shown};

use crate::many::Grammar;
use crate::naming::Naming;

/// The option that selects names and times of utterances or of recordings.
pub(crate) const TIMES: OptionSpec = OptionSpec {
    name: "times",
    value: "recording|utterance",
    help: "write utterances that are parts of recordings with the recording's name and times, or with their own",
};

/// The default channel.
pub(crate) const CHANNEL: &[u8] = b"1";

/// A parsed line.
pub(crate) struct Line<'a> {
    pub(crate) channel: &'a [u8],
    /// The index of its tier in [`Syntax::tiers`].
    pub(crate) tier: usize,
    pub(crate) segment: Segment,
    /// Whether the label is the name of the speaker.
    pub(crate) spoken: bool,
    /// The field that is dropped, if there is one.
    pub(crate) unkept: Option<&'a [u8]>,
}

/// The syntax of lines.
pub(crate) trait Syntax: Send {
    /// Returns the names of the tiers, if a recording has several.
    fn tiers(&self) -> &'static [&'static [u8]];
    /// Returns the name of the recording, or the reason why the line is not a label.
    fn recording<'a>(&self, line: &'a [u8]) -> Result<&'a [u8], NonLabel<'a>>;
    /// Parses a line.
    fn parse<'a>(&self, line: &'a [u8]) -> Result<Line<'a>, String>;
}

/// A line that is not a label.
pub(crate) enum NonLabel<'a> {
    /// A line of an unsupported type.
    Sort(&'a [u8]),
    /// An invalid line.
    Wrong(String),
}

/// A reader of recordings.
pub(crate) struct ByRecording<S> {
    syntax: S,
    naming: Naming,
    /// The channels of the current recording that have not been returned.
    ready: VecDeque<Utterance>,
    seen: KeySet,
    names: MemoryCounter,
    /// The number of skipped lines by type.
    skipped: BTreeMap<Vec<u8>, u64>,
}

/// The segments of a channel by tier.
struct Channel {
    name: Key,
    tiers: HashMap<usize, Vec<Segment>>,
}

impl<S: Syntax> ByRecording<S> {
    pub(crate) fn new(syntax: S, naming: Naming) -> Self {
        Self {
            syntax,
            naming,
            ready: VecDeque::new(),
            seen: KeySet::default(),
            names: MemoryCounter::new("the names of recordings"),
            skipped: BTreeMap::new(),
        }
    }

    /// Reads the next line that is a label, and returns the name of its recording.
    fn next_label(&mut self, lines: &mut Lines) -> Result<Option<Key>> {
        while lines.advance()? {
            match self.syntax.recording(lines.line()) {
                Ok(name) => return Ok(Some(name.into())),
                Err(NonLabel::Wrong(why)) => return Err(lines.error(why).continuable()),
                Err(NonLabel::Sort(sort)) => {
                    let sort = sort.to_vec();
                    *self.skipped.entry(sort).or_default() += 1;
                }
            }
        }
        let skipped = std::mem::take(&mut self.skipped);
        if !skipped.is_empty() {
            let counts = skipped
                .iter()
                .map(|(sort, n)| format!("{n} {}", shown(sort)));
            let counts = counts.collect::<Vec<_>>().join(", ");
            lines.tell_left_out(format!("lines of other kinds are left out: {counts}"));
        }
        Ok(None)
    }

    /// Reads all lines of the current recording.
    fn read(&mut self, lines: &mut Lines, recording: &Key) -> Result<()> {
        let mut channels: Vec<Channel> = Vec::new();
        let mut held = MemoryCounter::new("the labels of a recording");
        let origin = lines.origin();
        let mut fault = None;
        loop {
            lines.hold(&mut held, size_of::<Segment>() + lines.line().len())?;
            match self.segment(lines) {
                Ok((name, tier, segment)) => {
                    let at = channels.iter().position(|channel| channel.name == name);
                    let at = at.unwrap_or_else(|| {
                        let tiers = HashMap::new();
                        channels.push(Channel { name, tiers });
                        channels.len() - 1
                    });
                    if let Some(channel) = channels.get_mut(at) {
                        channel.tiers.entry(tier).or_default().push(segment);
                    }
                }
                Err(why) => {
                    fault.get_or_insert_with(|| lines.error(why).utterance(recording));
                }
            }
            match self.next_label(lines) {
                Ok(Some(next)) if next == *recording => {}
                Ok(Some(_)) => {
                    lines.give_back();
                    break;
                }
                Ok(None) => break,
                Err(error) if error.can_continue() => {
                    fault.get_or_insert(error.utterance(recording));
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        if let Some(fault) = fault {
            return Err(fault.continuable());
        }
        let several = channels.len() > 1;
        for mut channel in channels {
            let mut utt = Utterance {
                key: recording.clone(),
                tiers: self.tiers(&mut channel.tiers),
                origin: origin.clone(),
                ..Utterance::default()
            };
            if several {
                let key = [recording.as_bytes(), b"-", channel.name.as_bytes()].concat();
                utt.key = key.into();
                utt.meta.recording = Some(recording.clone());
            }
            if several || channel.name.as_bytes() != CHANNEL {
                utt.meta.channel = Some(channel.name);
            }
            self.ready.push_back(utt);
        }
        Ok(())
    }

    /// Returns the tiers of a channel. A single tier has no name.
    fn tiers(&self, segments: &mut HashMap<usize, Vec<Segment>>) -> Vec<Tier> {
        let several = segments.len() > 1;
        let names = self.syntax.tiers().iter().enumerate();
        let tier = |(n, name): (usize, &&'static [u8])| {
            let mut segments = segments.remove(&n)?;
            self.naming.fill(&mut segments, None);
            Some(Tier {
                name: if several {
                    (*name).into()
                } else {
                    Box::default()
                },
                ..Tier::only(segments)
            })
        };
        names.filter_map(tier).collect()
    }

    /// Returns the channel, the tier and the segment of the line.
    fn segment(&self, lines: &mut Lines) -> Result<(Key, usize, Segment), String> {
        let line = self.syntax.parse(lines.line())?;
        let (channel, tier, mut segment) = (Key::from(line.channel), line.tier, line.segment);
        let unkept = line.unkept.map(shown);
        segment.label = self.naming.read(&segment.label)?;
        if line.spoken {
            segment.speaker = Some(segment.label.clone());
        }
        if let Some(unkept) = unkept {
            let message = format!("kinds of words such as '{unkept}' are not kept");
            lines.warn("sorts", message);
        }
        Ok((channel, tier, segment))
    }
}

impl<S: Syntax> Grammar for ByRecording<S> {
    fn next(&mut self, lines: &mut Lines, utt: &mut Utterance) -> Result<bool> {
        if self.ready.is_empty() {
            let Some(recording) = self.next_label(lines)? else {
                return Ok(false);
            };
            lines.hold(
                &mut self.names,
                size_of::<Key>() + recording.as_bytes().len(),
            )?;
            if !self.seen.insert(&recording) {
                let error = lines.error("the lines of one recording are in two places");
                let error = error.utterance(&recording);
                return Err(error.hint("sort the lines by the names of the recordings"));
            }
            self.read(lines, &recording)?;
        }
        Ok(self.ready.pop_front().map(|next| *utt = next).is_some())
    }
}

/// A writer of recordings, whose segments arrive in any order.
pub(crate) struct RecordingWriter<F> {
    caps: Caps,
    sink: Sink,
    encode: F,
    /// The data so far, by recording and channel.
    recordings: BTreeMap<(Key, Option<Key>), Utterance>,
    held: MemoryCounter,
    limits: Limits,
    written: WriteSummary,
}

impl<F> RecordingWriter<F>
where
    F: FnMut(&Utterance, &mut Vec<u8>) -> Result<()> + Send,
{
    /// Creates a writer with the capabilities `caps`; `encode` appends the lines of a recording.
    pub(crate) fn new(output: &Output, caps: Caps, limits: Limits, encode: F) -> Result<Self> {
        Ok(Self {
            caps,
            sink: output.create(Part::Main, false)?,
            encode,
            recordings: BTreeMap::new(),
            held: MemoryCounter::new("the labels of recordings"),
            limits,
            written: WriteSummary::default(),
        })
    }

    fn check(&mut self, utt: &Utterance) -> Result<()> {
        self.caps.check(utt)?;
        (self.encode)(utt, &mut Vec::new())
    }
}

impl<F> Writer for RecordingWriter<F>
where
    F: FnMut(&Utterance, &mut Vec<u8>) -> Result<()> + Send,
{
    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn accept(&mut self, utt: &Utterance) -> Result<()> {
        self.check(utt)
            .map_err(|e| e.utterance(&utt.key).continuable())
    }

    fn write(&mut self, utt: &Utterance) -> Result<()> {
        self.accept(utt)?;
        let kept = utt.bytes();
        let kept = usize::try_from(kept).unwrap_or(usize::MAX);
        let held = self.held.keep(kept, &self.limits);
        held.map_err(|e| e.file(self.sink.name()).suggest(Remedy::RaiseLimit))?;
        let place = (utt.key.clone(), utt.meta.channel.clone());
        self.written.count(utt);
        match self.recordings.get_mut(&place) {
            None => {
                self.recordings.insert(place, utt.clone());
            }
            Some(whole) => {
                for (whole, more) in whole.tiers.iter_mut().zip(&utt.tiers) {
                    whole.segments.extend_from_slice(&more.segments);
                }
            }
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<WriteSummary> {
        let mut bytes = Vec::new();
        for (_, mut utt) in std::mem::take(&mut self.recordings) {
            for tier in &mut utt.tiers {
                tier.segments
                    .sort_by_key(|segment| (segment.start, segment.end));
            }
            bytes.clear();
            (self.encode)(&utt, &mut bytes).map_err(|e| e.utterance(&utt.key))?;
            self.sink.put(&bytes)?;
        }
        let mut written = self.written;
        written.bytes = self.sink.finish()?;
        Ok(written)
    }
}

/// Returns the channel of an utterance.
pub(crate) fn channel(utt: &Utterance) -> Result<&[u8]> {
    match &utt.meta.channel {
        None => Ok(CHANNEL),
        Some(channel) => crate::write::word(channel.as_bytes(), "channel"),
    }
}
