//! Fingerprints of the data that a job reads, made without reading all of them.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Seek, SeekFrom};
use std::time::SystemTime;

use spr_core::bytes::{Env, FileKind, FileStatus, Location, Locator};
use spr_core::format::{Format, Lists, Registry};
use spr_core::tables::side;
use spr_core::{Error, Result};
use twox_hash::XxHash3_128;

use crate::plan::{Input, Joins, Plan, PlanStep};
use crate::step::Step;

/// The number of bytes at the start and end of a file in its fingerprint.
const ENDS: u64 = 64 << 10;
/// The number of inputs whose ends are read; of others their status counts, as a shard of many files
/// is to read little of those of other shards.
const READ: usize = 4;
/// The size from which on the ends of files that a list names are read, so that they are a small part
/// of it.
const LARGE: u64 = 128 * ENDS;
/// The most files that a record names with their fingerprints.
const NAMED: usize = 256;
/// The number of bytes of a list read at a time.
const BLOCK: usize = 64 << 10;

/// The text form of a hash.
pub(super) fn text(hash: u128) -> String {
    format!("xxh3:{hash:032x}")
}

/// A short form of what tells a file from others without opening it: its name, its length, and the
/// mark that a store has for the content or the time of the last change.
pub(super) fn outside(file: &Location, status: &FileStatus) -> u128 {
    let mut hash = Hash::default();
    hash.field(file.to_string().as_bytes());
    hash.status(status);
    hash.0.finish_128()
}

/// The fingerprint of all that a plan reads: names, lengths, times of the last change, first and last
/// bytes, and all bytes of lists. Every file counts: inputs, what joins them, lists, side files,
/// files that options of inputs and outputs name, and those that were `opened` to weigh the inputs.
///
/// # Errors
/// A file cannot be read, or is a pipe, which would be empty for those who read it afterwards.
pub(super) fn of_plan(
    plan: &Plan,
    groups: Option<&Location>,
    opened: &BTreeSet<u128>,
    registry: &Registry,
    env: &Env,
) -> Result<String> {
    let quiet = env.listening(|_| {});
    let mut all = Fingerprint::new(&quiet);
    all.data(plan, registry)?;
    if let Some(file) = groups {
        all.list(file)?;
    }
    for file in of_outputs(plan, registry) {
        all.if_there(&file)?;
    }
    for hash in opened {
        all.hash.field(&hash.to_le_bytes());
    }
    Ok(text(all.hash.0.finish_128()))
}

/// The files that options of outputs may name to be read: those that reading needs, too.
fn of_outputs(plan: &Plan, registry: &Registry) -> Vec<Location> {
    let files = plan.outputs().flat_map(|sink| {
        let info = registry.find(&sink.format).map(Format::info);
        let needed = info.map_or(&[][..], |info| info.needed);
        let options = sink.options.iter();
        options.filter(|(key, _)| needed.contains(&key.as_str()))
    });
    files.map(|(_, value)| value.as_str().into()).collect()
}

/// The fingerprints of the files that lists name for the entries of `inputs`: of all together, and of
/// the first ones by their names.
///
/// # Errors
/// A file cannot be read.
pub(super) fn of_archives(
    inputs: &[Input],
    registry: &Registry,
    env: &Env,
) -> Result<(String, BTreeMap<String, String>)> {
    let quiet = env.listening(|_| {});
    let (mut all, mut files) = (Hash::default(), BTreeMap::new());
    for input in inputs {
        let Some((list, lists)) = input.own_list(registry, &quiet)? else {
            continue;
        };
        each_allowed(lists, list, input.entries, &quiet, &mut |file| {
            let mut own = Fingerprint::new(&quiet);
            own.archive(file)?;
            let own = own.hash.0.finish_128();
            all.field(&own.to_le_bytes());
            if files.len() < NAMED {
                files.insert(file.told(), text(own));
            }
            Ok(())
        })?;
    }
    Ok((text(all.0.finish_128()), files))
}

/// The data sets of a plan: inputs, and what joins them.
fn data_sets(plan: &Plan) -> Vec<&Input> {
    let inputs = plan.inputs.iter();
    let joins = inputs.clone().map(|input| &input.joins);
    let joined = joins.chain([&plan.joins]).flat_map(Joins::data);
    inputs.chain(joined.flat_map(|data| &data.inputs)).collect()
}

/// Refuses pipes among the files that a plan reads, before any of them is read: what comes out of
/// one can't be compared with what another job reads.
///
/// # Errors
/// The first pipe.
pub(crate) fn check_pipes(
    plan: &Plan,
    groups: Option<&Location>,
    registry: &Registry,
    env: &Env,
) -> Result<()> {
    let read = data_sets(plan);
    if let Some(input) = read.iter().find(|input| is_pipe(&input.place)) {
        return Err(unseen(input.text()));
    }
    let named = read.iter().flat_map(|input| &input.options);
    let named = named.map(|(_, value)| Location::from(value.as_str()));
    let named = named.chain(of_outputs(plan, registry));
    let files = plan.sources().into_iter().chain(groups.cloned());
    for file in files.chain(named) {
        let status = env.look(&file).ok().flatten();
        if status.is_some_and(|status| status.kind == FileKind::Stream) {
            return Err(unseen(&file.told()));
        }
    }
    Ok(())
}

/// Records as inputs what all shards read, so that none of them replaces what another one reads.
/// Of the files that lists name only those count that are among `outputs`.
///
/// # Errors
/// A list can't be read.
pub(crate) fn keep_inputs(
    plan: &Plan,
    outputs: &[Location],
    registry: &Registry,
    env: &Env,
) -> Result<()> {
    plan.sources().iter().for_each(|file| env.reads(file));
    let there = outputs.iter().filter(|file| env.exists(file));
    let there: Vec<_> = there.map(|file| env.store().identify(file)).collect();
    if there.is_empty() {
        return Ok(());
    }
    let quiet = env.listening(|_| {});
    for input in data_sets(plan) {
        let Some((list, lists)) = input.own_list(registry, &quiet)? else {
            continue;
        };
        each_allowed(lists, list, None, &quiet, &mut |file| {
            if there.contains(&env.store().identify(file)) {
                env.reads(file);
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// Gives the files that a list names for these entries. Those that may not be followed are left to the
/// job, which reports them.
fn each_allowed(
    lists: &dyn Lists,
    list: &Location,
    entries: Option<[u64; 2]>,
    env: &Env,
    each: &mut dyn FnMut(&Location) -> Result<()>,
) -> Result<()> {
    lists.named(
        list,
        entries,
        env,
        &mut |file| match env.check_found(Some(list), file) {
            Ok(()) => each(file),
            Err(_) => Ok(()),
        },
    )
}

fn is_pipe(place: &Locator) -> bool {
    matches!(place, Locator::Standard | Locator::Command(_))
}

fn unseen(name: &str) -> Error {
    let message = "is a pipe: other shards can't tell whether they read the same";
    let error = Error::usage(message).file(name.to_owned());
    error.hint("write it to a file first")
}

/// A running hash of fields, whose ends count.
#[derive(Default)]
struct Hash(XxHash3_128);

impl Hash {
    fn field(&mut self, bytes: &[u8]) {
        self.0.write(&(bytes.len() as u64).to_le_bytes());
        self.0.write(bytes);
    }

    fn status(&mut self, status: &FileStatus) {
        self.field(&status.length.to_le_bytes());
        if let Some(version) = &status.version {
            self.field(version.as_bytes());
        } else if let Some(modified) = status.modified {
            let since = modified.duration_since(SystemTime::UNIX_EPOCH);
            let nanoseconds = since.map_or(0, |since| since.as_nanos());
            self.field(&nanoseconds.to_le_bytes());
        }
    }
}

/// A running hash over what tells files from others.
struct Fingerprint<'a> {
    hash: Hash,
    env: &'a Env,
    /// The number of inputs whose ends were read.
    read: usize,
}

impl<'a> Fingerprint<'a> {
    fn new(env: &'a Env) -> Self {
        Self {
            hash: Hash::default(),
            env,
            read: 0,
        }
    }

    /// The files that a plan reads: its inputs, their joins, and files of steps.
    fn data(&mut self, plan: &Plan, registry: &Registry) -> Result<()> {
        for input in &plan.inputs {
            self.input(input, registry)?;
        }
        self.joins(&plan.joins, registry)?;
        let mut steps = plan.steps.iter().map(PlanStep::step);
        steps.try_for_each(|step| self.step(step))
    }

    /// An input: its files, their side files, those that its options name, and what joins it.
    fn input(&mut self, input: &Input, registry: &Registry) -> Result<()> {
        self.hash.field(input.text().as_bytes());
        match (input.folder(), input.file()) {
            (Some(folder), _) => {
                let mut files = self.env.list(folder)?;
                files.sort();
                for file in &files {
                    self.status(file)?;
                }
            }
            (None, Some(file)) => match input.own_list(registry, self.env)? {
                Some((list, _)) => self.list(list)?,
                None => {
                    self.ends(file)?;
                    self.if_there(&file.with_suffix(side::SUFFIX))?;
                }
            },
            (None, None) => {}
        }
        for (_, value) in input.options.iter().chain(&input.optional_options) {
            self.if_there(&value.as_str().into())?;
        }
        self.joins(&input.joins, registry)
    }

    /// The files that an input's list names for these entries.
    fn named(&mut self, input: &Input, registry: &Registry) -> Result<()> {
        let env = self.env;
        let Some((list, lists)) = input.own_list(registry, env)? else {
            return Ok(());
        };
        each_allowed(lists, list, input.entries, env, &mut |file| {
            self.archive(file)
        })
    }

    /// The files that a step reads, with the names of those that are data sets.
    fn step(&mut self, step: &Step) -> Result<()> {
        for file in step.files().map(Location::from) {
            self.list(&file)?;
            self.if_there(&file.with_suffix(side::SUFFIX))?;
        }
        Ok(())
    }

    /// Adds what joins.
    fn joins(&mut self, joins: &Joins, registry: &Registry) -> Result<()> {
        for data in joins.data() {
            self.data(data, registry)?;
            let mut inputs = data.inputs.iter();
            inputs.try_for_each(|input| self.named(input, registry))?;
        }
        let labels = joins.labels.as_ref();
        self.table(labels.and_then(|labels| labels.speakers.as_ref()))?;
        self.table(joins.speakers.as_ref())
    }

    /// A table of words, as far as it is a file.
    fn table(&mut self, table: Option<&Locator>) -> Result<()> {
        match table.and_then(Locator::location) {
            Some(file) => self.list(file),
            None => Ok(()),
        }
    }

    /// The name and the status of a file. Returns the status of one that is to be read as well, as no
    /// server has a mark for its content.
    fn status(&mut self, file: &Location) -> Result<Option<FileStatus>> {
        let status = self.env.look(file)?;
        self.hash.field(file.to_string().as_bytes());
        status.iter().for_each(|status| self.hash.status(status));
        let marked = |status: &FileStatus| {
            status.version.is_some() || file.is_url() && status.modified.is_some()
        };
        Ok(status.filter(|status| !marked(status) && status.kind == FileKind::File))
    }

    /// An input by its ends, as far as there are not too many.
    fn ends(&mut self, file: &Location) -> Result<()> {
        self.read += 1;
        self.ends_of(file, if self.read > READ { u64::MAX } else { 0 })
    }

    /// A file that a list names, by its ends if it is large.
    fn archive(&mut self, file: &Location) -> Result<()> {
        self.ends_of(file, LARGE)
    }

    /// A file by its status, and from a size on by its ends.
    fn ends_of(&mut self, file: &Location, from: u64) -> Result<()> {
        if let Some(status) = self.status(file)?.filter(|status| status.length >= from) {
            let bytes = ends(file, status.length, self.env)?;
            self.hash.field(&bytes);
        }
        Ok(())
    }

    /// Reads all bytes of a list.
    fn list(&mut self, file: &Location) -> Result<()> {
        if self.status(file)?.is_some() {
            let hash = whole(file, self.env)?;
            self.hash.field(&hash.to_le_bytes());
        }
        Ok(())
    }

    /// All bytes of a file that need not be there.
    fn if_there(&mut self, file: &Location) -> Result<()> {
        match self.env.look(file) {
            Ok(Some(status)) if status.kind == FileKind::File => self.list(file),
            _ => Ok(()),
        }
    }
}

/// Hashes all bytes of a list.
fn whole(file: &Location, env: &Env) -> Result<u128> {
    let mut source = env.open_file(file)?;
    let mut hash = XxHash3_128::default();
    while let bytes @ [_, ..] = source.peek(BLOCK)? {
        hash.write(bytes);
        let n = bytes.len() as u64;
        source.skip(n)?;
    }
    Ok(hash.finish_128())
}

/// Reads the first and the last bytes of a stored file.
fn ends(file: &Location, length: u64, env: &Env) -> Result<Vec<u8>> {
    let failed = |e| Error::io("cannot read", e).file(file.to_string());
    let mut stored = env.store().open(file).map_err(failed)?;
    let mut bytes = Vec::new();
    for from in [0, length.saturating_sub(ENDS)] {
        stored.seek(SeekFrom::Start(from)).map_err(failed)?;
        let part = (&mut stored).take(ENDS).read_to_end(&mut bytes);
        part.map_err(failed)?;
    }
    Ok(bytes)
}
