//! The reader of data directories, in the order of the list of utterances.

use std::sync::Arc;

use spr_core::bytes::{Env, Location, MemoryCounter, Source};
use spr_core::format::{Options, Reader, Request};
use spr_core::model::{DatasetInfo, Key, KeySource, Position, Utterance};
use spr_core::{Error, Result};

use super::extras::{Extras, other_length};
use super::faults::Faults;
use super::layout::{FEATURES, FieldChoice, Layout, SEGMENTS, SPK2UTT, TEXT, UTT2SPK, WAVES};
use super::line::{Lines, NextLine};
use super::sound::Sound;
use super::speakers::{Inverse, Speakers};
use super::table::{Table, unsorted};
use crate::choice::{Choice, Content};
use crate::key_set::KeySet;
use crate::sample::TRIED;
use crate::script::Targets;
use crate::script_line::text_of;

/// A reader of a data directory. It iterates over the list of utterances and looks up their keys in
/// the other tables.
pub(super) struct DataReader {
    folder: Location,
    list: Lines,
    list_name: Arc<str>,
    /// Whether the list has speakers.
    speakers: bool,
    /// The speakers, if the list has none.
    listed: Option<Speakers>,
    /// The table that says the same of speakers.
    inverse: Option<Inverse>,
    choice: Choice,
    features: Option<Features>,
    sound: Sound,
    text: Option<Table>,
    extras: Extras,
    faults: Faults,
    env: Env,
    info: DatasetInfo,
    key: Key,
    /// The keys so far of a list that is not sorted.
    seen: Option<SeenKeys>,
    /// The first utterance, if it was read on opening.
    first: Option<(Utterance, Result<bool>)>,
    /// The first utterance whose frames are not as long as its segment, its two lengths, and the number
    /// of such utterances.
    other_length: Option<(Key, (f64, f64), u64)>,
    ended: bool,
}

/// The table of features, and the reader of its objects.
struct Features {
    table: Table,
    targets: Targets,
}

impl DataReader {
    pub(super) fn open(
        folder: &Location,
        options: &Options,
        request: &mut Request,
        env: &Env,
    ) -> Result<Self> {
        let layout = Layout::of(folder, env)?;
        let taken = FieldChoice::of(&layout, options, request)?;
        let list = list(&layout)?;
        check_list(&layout, &list, env)?;
        let warning = unsorted(&list, env)?;
        let seen = warning.as_ref().map(|_| SeenKeys::default());
        warning.iter().for_each(|warning| env.warn(warning));
        let content = Content::of(request);
        let choice = Choice::take(request)?;
        let (tells, mut faults) = (choice.is_all(), Faults::default());
        let features = match layout.file(FEATURES).filter(|_| taken.features) {
            Some(at) => {
                let options = Options::default();
                let mut targets = Targets::new(&env.open_file(&at)?, &options, content, env)?;
                if request.on_error.skips() || request.damaged {
                    let places = first_places(&at, env)?;
                    targets.sample(places.iter().map(String::as_str));
                }
                let table = Table::open(at, tells, env, &mut faults)?;
                Some(Features { table, targets })
            }
            None => None,
        };
        let text = layout.file(TEXT).filter(|_| taken.text);
        let text = text.map(|at| Table::open(at, tells, env, &mut faults));
        let (speakers, inverse) = (layout.has(UTT2SPK), layout.file(SPK2UTT));
        let listed = inverse.as_ref().filter(|_| !speakers);
        let listed = listed.map(|at| Speakers::read(at, env, &mut faults));
        let inverse = inverse.filter(|_| speakers && tells);
        let inverse = inverse.map(|at| Inverse::open(at, &list, env));
        let mut reader = Self {
            folder: folder.clone(),
            list_name: list.to_string().into(),
            speakers,
            listed: listed.transpose()?,
            inverse: inverse.transpose()?,
            list: Lines::new(env.open_file(&list)?),
            choice,
            features,
            text: text.transpose()?,
            sound: Sound::open(&layout, taken.sound, tells, env, &mut faults)?,
            extras: Extras::open(&layout, taken, (tells, request.damaged), env, &mut faults)?,
            faults,
            env: env.clone(),
            info: DatasetInfo::default(),
            key: Key::default(),
            seen,
            first: None,
            other_length: None,
            ended: false,
        };
        reader.look(&layout, taken, &list);
        if request.values {
            tell(&layout, taken, env);
        }
        Ok(reader)
    }

    /// Detects the type of features from the first ones, and reports the fields that are read.
    fn look(&mut self, layout: &Layout, taken: FieldChoice, list: &Location) {
        let decision = decision(layout, taken, list);
        if self.features.is_some() {
            let mut first = Utterance::default();
            let read = self.next(&mut first);
            self.first = Some((first, read));
        }
        if let Some(features) = &self.features {
            self.info = features.targets.known(self.list.source());
        }
        self.info.keys = KeySource::Stored;
        self.info.frame_shift = self.extras.frame_shift();
        self.info.decision = Some(decision);
    }

    fn next(&mut self, utt: &mut Utterance) -> Result<bool> {
        loop {
            if let Some(error) = self.faults.take() {
                return Err(error);
            }
            if self.ended {
                return Ok(false);
            }
            if self.choice.is_over() {
                self.end(false)?;
                continue;
            }
            match self.list.next(&self.env)? {
                NextLine::End => self.end(true)?,
                NextLine::Fault(_) if !self.choice.wants_fault() => {}
                NextLine::Fault(error) => {
                    match error.key() {
                        Some(key) => {
                            self.key.set(key.as_bytes());
                            self.pass();
                        }
                        None => self.faults.doubt(),
                    }
                    return Err(error);
                }
                NextLine::Line if self.is_second()? => {
                    let error = Error::malformed("appears twice; the first line counts");
                    let error = error.utterance(&Key::from(self.list.key()));
                    return Err(self.list.place(error).continuable());
                }
                NextLine::Line => {
                    self.key.set(self.list.key());
                    if self.choice.wants(&self.key) {
                        let filled = self.fill(utt);
                        return filled.map(|()| true).map_err(|e| self.place(e));
                    }
                }
            }
        }
    }

    /// Returns `true` if the current key is repeated.
    fn is_second(&mut self) -> Result<bool> {
        let key = self.list.key();
        match &mut self.seen {
            None => Ok(key == self.key.as_bytes()),
            Some(seen) => Ok(!seen.add(key, self.list.source(), &self.env)?),
        }
    }

    /// Ends reading, and checks the rest of the other tables if the list was read to its end.
    fn end(&mut self, whole: bool) -> Result<()> {
        self.ended = true;
        if let Some((key, (frames, segment), count)) = self.other_length.take() {
            let more = match count {
                1 => String::new(),
                _ => format!(", the first of {count} utterances whose lengths differ"),
            };
            let message =
                format!("the frames last {frames:.3} s, the segment {segment:.3} s{more}");
            let warning = Error::unfit(message).file(self.folder.to_string());
            self.env.warn(&warning.utterance(&key));
        }
        if let Some(features) = &mut self.features {
            features.targets.end();
        }
        if !whole || !self.choice.is_all() {
            return Ok(());
        }
        let (env, faults) = (&self.env, &mut self.faults);
        let features = self.features.as_mut().map(|features| &mut features.table);
        let mut tables = features.into_iter().chain(&mut self.text);
        tables.try_for_each(|table| table.finish(env, faults))?;
        self.sound.finish(env, faults)?;
        self.extras.finish(env, faults)?;
        if let Some(listed) = &self.listed {
            listed.finish(env);
        }
        match self.inverse.take() {
            Some(inverse) => inverse.finish(env),
            None => Ok(()),
        }
    }

    /// Fills `utt` with the lines of the tables for the current key.
    fn fill(&mut self, utt: &mut Utterance) -> Result<()> {
        utt.key.set(self.key.as_bytes());
        let (env, faults, key) = (&self.env, &mut self.faults, self.key.as_bytes());
        match &mut self.features {
            Some(features) => features.fill(utt, env, faults)?,
            None => utt.start(),
        }
        utt.meta.tags.clear();
        utt.origin.file = Some(self.list_name.clone());
        utt.origin.at = Some(Position::Line(self.list.number()));
        if self.speakers {
            let speaker = self.list.rest();
            if speaker.is_empty() || speaker.iter().any(u8::is_ascii_whitespace) {
                let words = speaker.split(u8::is_ascii_whitespace);
                let found = words.filter(|word| !word.is_empty()).count();
                let message = format!("expected one speaker after the key, found {found} words");
                return Err(self.list.place(Error::malformed(message)));
            }
            if let Some(inverse) = &mut self.inverse {
                inverse.step(key, speaker)?;
            }
            // An utterance without a speaker is its own, so that every line has one.
            utt.meta.speaker = (speaker != key).then(|| Key::from(speaker));
        }
        if let Some(listed) = &mut self.listed {
            let speaker = listed.find(&self.key)?;
            utt.meta.speaker = (*speaker != self.key).then(|| speaker.clone());
        }
        if let Some(table) = &mut self.text {
            utt.text = table.find(key, env, faults)?.map(|(text, _)| text.to_vec());
            if utt.text.is_none() {
                return Err(faults.no_line(table.name()));
            }
        }
        self.sound.fill(utt, env, faults)?;
        self.extras.fill(utt, env, faults)?;
        if let Some(lengths) = other_length(utt) {
            let first = || (utt.key.clone(), lengths, 0);
            self.other_length.get_or_insert_with(first).2 += 1;
        }
        Ok(())
    }

    /// Skips the lines of a faulty utterance in all tables, so that they do not count as unused.
    fn pass(&mut self) {
        let (env, faults) = (&self.env.listening(|_| {}), &mut self.faults);
        let mut utt = Utterance {
            key: self.key.clone(),
            ..Utterance::default()
        };
        if self.speakers {
            let speaker = self.list.rest();
            let is_one = !speaker.is_empty() && !speaker.iter().any(u8::is_ascii_whitespace);
            utt.meta.speaker = is_one.then(|| Key::from(speaker));
        } else if let Some(listed) = &mut self.listed {
            utt.meta.speaker = listed.find(&self.key).ok().cloned();
        }
        // What is missing here is not there, either.
        self.inverse = None;
        faults.skip(true);
        let features = self.features.as_mut().map(|features| &mut features.table);
        for table in features.into_iter().chain(&mut self.text) {
            // Errors are reported where the values are requested.
            let _ = table.find(utt.key.as_bytes(), env, faults);
        }
        let speaks = utt.meta.speaker.is_some() || !self.speakers;
        if self.sound.fill(&mut utt, env, faults).is_err() || !speaks {
            faults.doubt();
        }
        let _ = self.extras.fill(&mut utt, env, faults);
        faults.skip(false);
    }

    fn place(&mut self, error: Error) -> Error {
        if self.faults.are_over() {
            self.ended = true;
            return error.fatal();
        }
        self.pass();
        let error = match error.file_name() {
            Some(_) => error,
            None => self.list.place(error),
        };
        error.utterance(&self.key).continuable()
    }
}

/// The keys that were met.
struct SeenKeys {
    keys: KeySet,
    held: MemoryCounter,
}

impl Default for SeenKeys {
    fn default() -> Self {
        Self {
            keys: KeySet::default(),
            held: MemoryCounter::new("the names of a list that is not sorted"),
        }
    }
}

impl SeenKeys {
    /// Adds a key, and returns `true` if it is new.
    fn add(&mut self, key: &[u8], source: &Source, env: &Env) -> Result<bool> {
        self.held.add(size_of::<u64>(), source, &env.limits)?;
        Ok(self.keys.insert(key))
    }
}

/// Returns what follows the keys of the first lines of a table, as many as are sampled.
fn first_places(at: &Location, env: &Env) -> Result<Vec<String>> {
    let (mut lines, mut places) = (Lines::new(env.open_file(at)?), Vec::new());
    // The lines are read again, and told of then.
    let env = env.listening(|_| ());
    while places.len() < TRIED {
        match lines.next(&env)? {
            NextLine::Line => places.push(text_of(lines.rest()).into()),
            NextLine::Fault(_) => {}
            NextLine::End => break,
        }
    }
    Ok(places)
}

impl Features {
    /// Reads the features of the utterance whose key is set.
    fn fill(&mut self, utt: &mut Utterance, env: &Env, faults: &mut Faults) -> Result<()> {
        let name = self.table.name().to_owned();
        let key = utt.key.clone();
        let Some((rest, number)) = self.table.find(key.as_bytes(), env, faults)? else {
            return Err(faults.no_line(&name));
        };
        let place = |e: Error| e.file(&name).line(number).utterance(&key);
        if rest.is_empty() {
            return Err(place(Error::malformed("no file name follows the key")));
        }
        let rest = text_of(rest);
        self.targets
            .read(&rest, utt, place)
            .map_err(|e| match e.file_name() {
                Some(_) => e,
                None => place(e),
            })
    }
}

impl Reader for DataReader {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        match self.first.take() {
            Some((first, read)) => {
                *utt = first;
                read
            }
            None => self.next(utt),
        }
    }
}

/// Returns the table that lists the utterances.
fn list(layout: &Layout) -> Result<Location> {
    let lists = [UTT2SPK, SEGMENTS, FEATURES, WAVES];
    let list = lists.into_iter().find_map(|name| layout.file(name));
    list.ok_or_else(|| {
        let message = "has none of utt2spk, segments, feats.scp and wav.scp";
        Error::unfit(message).file(layout.folder().to_string())
    })
}

/// Checks that the table that lists the utterances is not empty while others are not.
fn check_list(layout: &Layout, list: &Location, env: &Env) -> Result<()> {
    if !env.open_file(list)?.at_end()? {
        return Ok(());
    }
    for other in [SEGMENTS, FEATURES, WAVES, TEXT].map(|name| layout.file(name)) {
        if let Some(other) = other
            && !env.open_file(&other)?.at_end()?
        {
            let name = |at: &Location| at.name().unwrap_or_default().display().to_string();
            let message = format!("{} is empty, and {} is not", name(list), name(&other));
            return Err(Error::malformed(message).file(layout.folder().to_string()));
        }
    }
    Ok(())
}

/// Describes the fields that are read.
fn decision(layout: &Layout, taken: FieldChoice, list: &Location) -> String {
    let name = list.name().unwrap_or(list.as_os_str()).to_string_lossy();
    let mut text = format!("a data directory: the utterances of {name}");
    let mut add = |yes: bool, what: &str| {
        if yes {
            text.push_str(what);
        }
    };
    add(taken.sound, ", sound by wav.scp");
    add(taken.sound && layout.has(SEGMENTS), " cut by segments");
    add(taken.features, ", features by feats.scp");
    add(taken.text, ", text");
    let inverse = !layout.has(UTT2SPK) && layout.has(SPK2UTT);
    add(inverse, ", speakers by spk2utt");
    if !taken.left.is_empty() {
        let left = taken.left.join(" and ");
        text.push_str(&format!(", not {left}, of which the target holds nothing"));
    }
    text
}

/// The largest number of files that a warning names.
const MOST_NAMED: usize = 12;

/// Warns about files that exist and are not read.
fn tell(layout: &Layout, taken: FieldChoice, env: &Env) {
    let name = layout.folder().to_string();
    if !taken.left.is_empty() {
        let are = if taken.left.len() == 1 { "is" } else { "are" };
        let why = match (taken.sound, taken.features) {
            (true, _) => "in favour of the sound",
            (_, true) => "in favour of the features",
            (false, false) => "as the target holds neither sound nor features",
        };
        let message = format!("{} {are} left out {why}", taken.left.join(" and "));
        let warning = Error::unfit(message).file(&name);
        env.warn_left_out(&match taken.features {
            // A target that holds features may hold audio as well.
            true => warning.hint("a target that holds sound takes it by parts=wav+text"),
            false => warning,
        });
    }
    let passed = layout.passed(env);
    if !passed.is_empty() {
        let are = if passed.len() == 1 { "is" } else { "are" };
        let (named, more) = passed.split_at(passed.len().min(MOST_NAMED));
        let more = match more.len() {
            0 => String::new(),
            count => format!(" and {count} more"),
        };
        let message = format!("{}{more} {are} left out", named.join(", "));
        env.warn_left_out(&Error::unfit(message).file(&name));
    }
}
