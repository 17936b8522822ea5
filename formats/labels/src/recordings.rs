//! Lists of words or segments by recording.

use std::collections::{BTreeMap, HashMap, VecDeque};

use spr_core::bytes::{Env, FileKind, Location, MemoryCounter};
use spr_core::format::{OptionSpec, Options, Recordings};
use spr_core::model::{Decimal, Key, KeySet, Origin, Segment, Tier, Utterance};
use spr_core::{Error, Result};
use spr_syntax::lines::{Lines, number, shown};

use crate::many::Grammar;
use crate::naming::Naming;
use crate::order;

/// The option that selects names and times of utterances or of recordings.
pub(crate) const TIMES: OptionSpec = OptionSpec {
    name: "times",
    value: "recording|utterance",
    help: "write utterances that are parts of recordings with the recording's name and times, or with their own",
};

/// Returns the option about utterances that are segments of recordings.
pub(crate) fn in_recordings(options: &Options) -> Result<Option<Recordings>> {
    let words = [
        ("recording", Recordings::Joined),
        ("utterance", Recordings::Apart),
    ];
    options.choice(TIMES.name, &words)
}

/// The start of comments.
pub(crate) const COMMENT: &[u8] = b";;";

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
///
/// The lines of recordings may stand in turn (A, B, A): an open recording waits for its last lines,
/// whose number is known from a first pass.
pub(crate) struct ByRecording<S> {
    syntax: S,
    naming: Naming,
    env: Env,
    /// The number of places in which the lines of a recording are, of those with several.
    places: HashMap<Key, u64>,
    /// The recordings whose lines are being read.
    open: HashMap<Key, Recording>,
    /// The names of these, in order of their first lines.
    order: VecDeque<Key>,
    /// The channels of the last recording that have not been returned.
    ready: VecDeque<Utterance>,
    seen: KeySet,
    names: MemoryCounter,
    /// The memory for the open recordings.
    held: MemoryCounter,
    /// The number of skipped lines by type.
    skipped: BTreeMap<Vec<u8>, u64>,
    /// The error that ended the file, which follows the recordings that are complete.
    end: Option<Error>,
}

/// A recording whose lines are being read.
struct Recording {
    origin: Origin,
    channels: Vec<Channel>,
    fault: Option<Error>,
    /// The number of places that are still to be read.
    places: u64,
}

/// The segments of a channel by tier.
struct Channel {
    name: Key,
    tiers: HashMap<usize, Vec<Segment>>,
}

/// Counts the places in which the lines of each recording are, of the recordings with several. A
/// stream has one pass, and its recordings one place each.
fn places<S: Syntax>(syntax: &S, file: Option<&Location>, env: &Env) -> Result<HashMap<Key, u64>> {
    let mut places = HashMap::new();
    // A named pipe, or a file that was opened in another environment, can't be opened again.
    let is_file = |file: &&Location| {
        let status = env.look(file);
        matches!(status, Ok(Some(status)) if status.kind == FileKind::File)
    };
    let source = file.filter(is_file).map(|file| env.open_file(file));
    let Some(source) = source.transpose()? else {
        return Ok(places);
    };
    let mut held = MemoryCounter::new("the names of recordings");
    // The second pass tells what is wrong.
    let env = &env.listening(|_| ());
    let mut lines = Lines::new(source, Some(COMMENT), env).with_optional_end();
    let (mut seen, mut last) = (KeySet::default(), None);
    while lines.advance().unwrap_or(false) {
        let name = match syntax.recording(lines.line()) {
            Ok(name) => Some(Key::from(name)),
            Err(NonLabel::Wrong(_)) => None,
            Err(NonLabel::Sort(_)) => continue,
        };
        if let Some(name) = name.as_ref().filter(|name| last.as_ref() != Some(*name)) {
            lines.hold(&mut held, size_of::<Key>() + name.as_bytes().len())?;
            if !seen.insert(name) {
                *places.entry(name.clone()).or_insert(1) += 1;
            }
        }
        last = name;
    }
    Ok(places)
}

impl<S: Syntax> ByRecording<S> {
    /// Creates a reader of a file, or of a stream without one.
    ///
    /// # Errors
    /// The file cannot be read, or names too many recordings.
    pub(crate) fn new(
        syntax: S,
        naming: Naming,
        file: Option<&Location>,
        env: &Env,
    ) -> Result<Self> {
        Ok(Self {
            places: places(&syntax, file, env)?,
            syntax,
            naming,
            env: env.clone(),
            open: HashMap::new(),
            order: VecDeque::new(),
            ready: VecDeque::new(),
            seen: KeySet::default(),
            names: MemoryCounter::new("the names of recordings"),
            held: MemoryCounter::new("the labels of a recording"),
            skipped: BTreeMap::new(),
            end: None,
        })
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

    /// Reads lines of one recording, as many as follow one another. Returns `false` at the end.
    fn read(&mut self, lines: &mut Lines) -> Result<bool> {
        let Some(key) = self.next_label(lines)? else {
            return Ok(false);
        };
        let mut recording = match self.open.remove(&key) {
            Some(open) => open,
            None => {
                lines.hold(&mut self.names, size_of::<Key>() + key.as_bytes().len())?;
                if !self.seen.insert(&key) {
                    let error = lines.error("the lines of one recording are in two places");
                    let hint =
                        "give them as a file, which is read twice, or sort them by recording";
                    return Err(error.utterance(&key).hint(hint));
                }
                self.order.push_back(key.clone());
                Recording {
                    origin: lines.origin(),
                    channels: Vec::new(),
                    fault: None,
                    places: self.places.get(&key).copied().unwrap_or(1),
                }
            }
        };
        let read = self.read_into(&key, &mut recording, lines);
        recording.places = recording.places.saturating_sub(1);
        match read {
            Ok(()) => drop(self.open.insert(key, recording)),
            // The file ends in this recording, or in one of the others that are not complete.
            Err(_) => self.open.retain(|_, open| open.places == 0),
        }
        read.map(|()| true)
    }

    /// Reads lines of the recording up to one of another.
    fn read_into(&mut self, key: &Key, recording: &mut Recording, lines: &mut Lines) -> Result<()> {
        loop {
            lines.hold(&mut self.held, size_of::<Segment>() + lines.line().len())?;
            match self.segment(lines) {
                Ok((name, tier, segment)) => recording.add(name, tier, segment),
                Err(why) => {
                    let fault = || lines.error(why).utterance(key);
                    recording.fault.get_or_insert_with(fault);
                }
            }
            match self.next_label(lines) {
                Ok(Some(next)) if next == *key => {}
                Ok(Some(_)) => {
                    lines.give_back();
                    return Ok(());
                }
                Ok(None) => return Ok(()),
                Err(error) if error.can_continue() => {
                    recording.fault.get_or_insert(error.utterance(key));
                    return Ok(());
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Takes out the first of the open recordings, if it is complete.
    fn pop_complete(&mut self) -> Option<(Key, Recording)> {
        while let Some(first) = self.order.front() {
            let is_open = self.open.get(first).is_some_and(|open| open.places > 0);
            if is_open {
                return None;
            }
            let key = self.order.pop_front()?;
            // Without an entry it is one that the end of the file has cut off.
            if let Some(recording) = self.open.remove(&key) {
                if self.open.is_empty() {
                    self.held = MemoryCounter::new("the labels of a recording");
                }
                return Some((key, recording));
            }
        }
        None
    }

    /// Makes the channels of a complete recording ready.
    ///
    /// # Errors
    /// One of its lines is at fault.
    fn complete(&mut self, key: &Key, recording: Recording, lines: &Lines) -> Result<()> {
        let Recording {
            origin,
            channels,
            fault,
            ..
        } = recording;
        if let Some(fault) = fault {
            return Err(fault.continuable());
        }
        let several = channels.len() > 1;
        for mut channel in channels {
            let mut utt = Utterance {
                key: key.clone(),
                tiers: self.tiers(key, &mut channel.tiers, lines),
                origin: origin.clone(),
                ..Utterance::default()
            };
            if several {
                utt.key = [key.as_bytes(), b"-", channel.name.as_bytes()]
                    .concat()
                    .into();
                utt.meta.recording = Some(key.clone());
            }
            if several || channel.name.as_bytes() != CHANNEL {
                utt.meta.channel = Some(channel.name);
            }
            self.ready.push_back(utt);
        }
        Ok(())
    }

    /// Returns the tiers of a channel. A single tier has no name.
    fn tiers(
        &self,
        key: &Key,
        segments: &mut HashMap<usize, Vec<Segment>>,
        lines: &Lines,
    ) -> Vec<Tier> {
        let several = segments.len() > 1;
        let names = self.syntax.tiers().iter().enumerate();
        let tier = |(n, name): (usize, &&'static [u8])| {
            let mut segments = segments.remove(&n)?;
            if order::sort(&mut segments) {
                let warning = Error::unfit(order::SORTED).utterance(key);
                self.env.warn(&warning.file(lines.file()));
            }
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

impl Recording {
    fn add(&mut self, name: Key, tier: usize, segment: Segment) {
        let channels = &mut self.channels;
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
}

impl<S: Syntax> Grammar for ByRecording<S> {
    fn next(&mut self, lines: &mut Lines, utt: &mut Utterance) -> Result<bool> {
        loop {
            if let Some(next) = self.ready.pop_front() {
                *utt = next;
                return Ok(true);
            }
            if let Some((key, recording)) = self.pop_complete() {
                self.complete(&key, recording, lines)?;
                continue;
            }
            if let Some(end) = self.end.take() {
                return Err(end);
            }
            match self.read(lines) {
                Ok(true) => {}
                // The file has become shorter since its first pass.
                Ok(false) if !self.open.is_empty() => {
                    self.open.values_mut().for_each(|open| open.places = 0);
                }
                Ok(false) => return Ok(false),
                Err(error) if error.can_continue() => return Err(error),
                Err(error) => self.end = Some(error),
            }
        }
    }
}

/// Returns the channel of an utterance.
pub(crate) fn channel(utt: &Utterance) -> Result<&[u8]> {
    match &utt.meta.channel {
        None => Ok(CHANNEL),
        Some(channel) => crate::write::word(channel.as_bytes(), "channel"),
    }
}

/// Parses a score.
pub(crate) fn score(field: &[u8]) -> Result<Decimal, String> {
    number(field).ok_or_else(|| format!("'{}' is not a score", shown(field)))
}
