//! Script files as lists: the weights of their entries, and the archives that they refer to.

use spr_core::bytes::{Codec, Env, Location, Locator, Source};
use spr_core::format::{Lists, Weight};
use spr_core::model::Key;
use spr_core::{Error, Limits, Result, number};

use crate::script_line::{self, LineParts, Target};

/// The extension of script files.
pub(crate) const SCRIPT: &str = "scp";
/// The table of lengths beside them.
const LENGTHS: &str = "utt2num_frames";

/// Script files as the lists of the [format](crate::FORMAT).
pub(crate) struct ScriptFiles;

impl Lists for ScriptFiles {
    fn is_list(&self, file: &Location, options: &[(String, String)]) -> bool {
        let asked = |(key, value): &(String, String)| key == "table" && value == SCRIPT;
        file.extension() == Some(SCRIPT) || options.iter().any(asked)
    }

    /// Takes lengths from `utt2num_frames` beside the list if that has the same order, and bytes
    /// from the positions of consecutive entries in an archive.
    fn weigh(
        &self,
        list: &Location,
        env: &Env,
        each: &mut dyn FnMut(&Key, Weight) -> Result<()>,
    ) -> Result<()> {
        let mut source = env.open_file(list)?;
        let folder = list.parent();
        let lengths = folder.map_or_else(|| LENGTHS.into(), |folder| folder.join(LENGTHS));
        let lengths = env.exists(&lengths).then(|| env.open_file(&lengths));
        let mut lengths = lengths.transpose()?;
        let mut line = Vec::new();
        // The next entry determines the end of this one.
        let mut last: Option<Entry> = None;
        while source.line(&mut line, &env.limits)? {
            let mut entry = Entry::parse(&line);
            if let Some(lengths) = &mut lengths {
                entry.frames = next_length(lengths, &entry.key, &env.limits);
            }
            if let Some(last) = &last {
                each(&last.key, last.weight(entry.at.as_ref(), list, env))?;
            }
            last = Some(entry);
        }
        match last {
            Some(last) => each(&last.key, last.weight(None, list, env)),
            None => Ok(()),
        }
    }

    fn named(
        &self,
        list: &Location,
        entries: Option<[u64; 2]>,
        env: &Env,
        each: &mut dyn FnMut(&Location) -> Result<()>,
    ) -> Result<()> {
        let [first, end] = entries.unwrap_or([0, u64::MAX]);
        let mut source = env.open_file(list)?;
        let (mut line, mut last, mut number) = (Vec::new(), None, 0);
        while number < end && source.line(&mut line, &env.limits)? {
            number += 1;
            if number <= first {
                continue;
            }
            let Some(place) = file_of(&line).filter(|place| last.as_ref() != Some(place)) else {
                continue;
            };
            let at = env.moved(Locator::File(place.clone()));
            let found = env.found_from(Some(list), &at);
            if let Some(file) = found.location() {
                each(file)?;
            }
            last = Some(place);
        }
        Ok(())
    }

    fn moved(
        &self,
        list: &Location,
        env: &Env,
        each: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        let mut source = env.open_file(list)?;
        let (mut line, mut out, mut number) = (Vec::new(), Vec::new(), 0);
        while source.line(&mut line, &env.limits)? {
            number += 1;
            out.clear();
            let moved = move_line(&line, env, &mut out);
            moved.map_err(|error| error.file(list.to_string()).line(number))?;
            each(&out)?;
        }
        Ok(())
    }

    fn pointing_into(&self, file: &Location, env: &Env) -> Result<Vec<Location>> {
        let plain = file.with_extension(SCRIPT);
        let packed = Codec::FILES.map(|c| plain.with_suffix(&format!(".{}", c.extension())));
        let mut found = Vec::new();
        for list in std::iter::once(plain).chain(packed) {
            if list != *file && env.exists(&list) && points_only_into(&list, file, env)? {
                found.push(list);
            }
        }
        Ok(found)
    }
}

/// Writes a line of a script file to `out` with the place that it names where that is now. A range stays
/// as it is written.
fn move_line(line: &[u8], env: &Env, out: &mut Vec<u8>) -> Result<()> {
    let (key, text) = script_line::split(line)?;
    let target = Target::parse(&text).and_then(|target| Ok((target.locator()?, target.entry)));
    let (at, entry) = target.map_err(|error| error.utterance(&Key::from(key)))?;
    out.extend_from_slice(key);
    out.push(b' ');
    let parts = LineParts::of(line)?;
    let rest = line.get(parts.rest).unwrap_or_default();
    let opens = rest.iter().position(|b| *b == b'[');
    let range = match opens.filter(|_| rest.ends_with(b"]")) {
        Some(opens) => rest.get(opens..).unwrap_or_default(),
        None => &[],
    };
    let place = |file: &Location| file.as_os_str().as_encoded_bytes().to_vec();
    match (env.moved(at.clone()), at) {
        (moved, at) if moved == at => out.extend_from_slice(rest),
        (Locator::File(file), _) => {
            let entry = entry.map_or_else(String::new, |entry| format!(":{entry}"));
            out.extend([&place(&file), entry.as_bytes(), range].concat());
        }
        (Locator::FileAt(file, byte), _) => {
            let byte = format!(":{byte}");
            out.extend([&place(&file), byte.as_bytes(), range].concat());
        }
        (Locator::Command(command), _) => {
            out.extend([command.as_bytes(), b" |", range].concat());
        }
        _ => out.extend_from_slice(rest),
    }
    out.push(b'\n');
    Ok(())
}

/// Returns the file that a line of a script file names, if there is one.
fn file_of(line: &[u8]) -> Option<Location> {
    let (_, rest) = script_line::split(line).ok()?;
    script_line::locator(&rest).ok()?.location().cloned()
}

/// An entry of a script file.
struct Entry {
    key: Key,
    frames: Option<u64>,
    /// The archive and the byte offset.
    at: Option<(Location, u64)>,
}

impl Entry {
    /// Parses a line. A malformed line is still an entry.
    fn parse(line: &[u8]) -> Self {
        let (key, at) = match script_line::split(line) {
            Ok((key, rest)) => (Key::from(key), script_line::locator(&rest).ok()),
            Err(error) => (error.key().cloned().unwrap_or_default(), None),
        };
        Self {
            key,
            frames: None,
            at: match at {
                Some(Locator::FileAt(archive, byte)) => Some((archive, byte)),
                _ => None,
            },
        }
    }

    /// Returns the weight if the next entry is at `next`: the bytes up to there, or to the end of
    /// the archive.
    fn weight(&self, next: Option<&(Location, u64)>, list: &Location, env: &Env) -> Weight {
        let end = |archive: &Location| match next {
            Some((other, end)) if other == archive => Some(*end),
            _ => size(archive, list, env),
        };
        let bytes = self.at.as_ref();
        Weight {
            frames: self.frames,
            bytes: bytes.and_then(|(archive, at)| end(archive)?.checked_sub(*at)),
        }
    }
}

/// Returns the length of an archive that a list names.
fn size(archive: &Location, list: &Location, env: &Env) -> Option<u64> {
    let at = env.moved(Locator::File(archive.clone()));
    let found = env.found_from(Some(list), &at);
    let status = env.look_from(Some(list), found.location()?).ok().flatten();
    status.map(|status| status.length)
}

/// Reads the length of an utterance from the next line, if that has its key.
fn next_length(source: &mut Source, key: &Key, limits: &Limits) -> Option<u64> {
    let mut line = Vec::new();
    source.line(&mut line, limits).ok().filter(|more| *more)?;
    let parts = LineParts::of(&line).ok()?;
    let own = line.get(parts.key)? == key.as_bytes();
    own.then(|| number::parse_integer(line.get(parts.rest)?))?
}

/// Returns `true` if all lines of a script file name `file`. Other files name nothing.
///
/// # Errors
/// Some of them do, and others do not.
fn points_only_into(script: &Location, file: &Location, env: &Env) -> Result<bool> {
    // Files inspected here are not inputs.
    let apart = Env::default().with_store(env.store().clone());
    let Ok(mut source) = apart.open_file(script) else {
        return Ok(false);
    };
    let whole = env.resolve(file);
    let folder = script.parent();
    let is_it = |place: &Location| {
        let beside = folder.as_ref().map(|folder| folder.join(place));
        env.resolve(place) == whole || beside.is_some_and(|at| env.resolve(&at) == whole)
    };
    let (mut own, mut others) = (false, false);
    let mut line = Vec::new();
    let mut last: Option<(Location, bool)> = None;
    while let Ok(true) = source.line(&mut line, &Limits::default()) {
        let Ok((_, rest)) = script_line::split(&line) else {
            return Ok(false);
        };
        let at = script_line::locator(&rest).ok();
        let is_own = match at.as_ref().and_then(Locator::location) {
            None => false,
            Some(place) => match &last {
                Some((before, is_own)) if before == place => *is_own,
                _ => last.insert((place.clone(), is_it(place))).1,
            },
        };
        match is_own {
            true => own = true,
            false => others = true,
        }
    }
    match (own, others) {
        (true, true) => Err(Error::usage(format!(
            "points into {file}, which would be replaced, and into other files"
        ))
        .file(script.to_string())
        .hint("move it away, or write the data under another name")),
        (own, _) => Ok(own),
    }
}
