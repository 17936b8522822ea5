//! The record of a shard beside its output, which is the only proof that it is done.

use serde::{Deserialize, Serialize};
use spr_core::bytes::{Env, FileKind, FileStatus, Location, Locator};
use spr_core::format::Registry;
use spr_core::tables::side;
use spr_core::{Error, Result};
use twox_hash::XxHash3_128;

use super::{Cut, Shard, ShardBalance, Weights, of_file};
use crate::plan::{Input, Joins, Plan};

/// The version of the record's schema.
pub const SCHEMA: u64 = 1;
/// The suffix appended to the name of a shard's data.
const SUFFIX: &str = ".shard.json";
/// The number of bytes at the start and end of a file in its fingerprint.
const ENDS: u64 = 64 << 10;
/// The number of bytes of a list read at a time.
const BLOCK: usize = 64 << 10;

/// The record of a completed shard.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The version of the schema.
    pub schema: u64,
    /// The version of the program, because another version may write other bytes.
    pub program: String,
    /// The number of the shard, from 1.
    pub shard: u64,
    /// The number of shards.
    pub of: u64,
    /// The weight by which they were cut.
    pub by: String,
    /// Its range of entries, from the first to before the second.
    pub entries: [u64; 2],
    /// The keys of the first and the last utterance written, if there is one.
    pub keys: Option<[String; 2]>,
    /// The number of utterances written.
    pub utterances: u64,
    /// The number of frames written.
    pub frames: u64,
    /// The number of utterances skipped.
    pub skipped: u64,
    /// The permitted losses.
    pub losses: Vec<String>,
    /// The inputs.
    pub input: InputRecord,
    /// A hash of the files that lists name for its own entries; other shards have others.
    #[serde(default)]
    pub archives: String,
    /// A hash of all options that affect the output.
    pub options: String,
    /// The format written.
    pub format: String,
    /// The files written, the data first.
    pub outputs: Vec<OutputRecord>,
}

/// The identity of all inputs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputRecord {
    /// A hash of names, sizes, and first and last bytes; of lists, of all bytes.
    pub fingerprint: String,
    /// The number of entries.
    pub entries: u64,
    /// The total weight.
    pub weight: u64,
}

/// A written file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutputRecord {
    /// Its name.
    pub name: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// A hash of it, except for a folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
}

impl Record {
    /// Creates a record before anything is written, with the facts that must match to
    /// [resume](Self::differs_from).
    ///
    /// # Errors
    /// An input cannot be read.
    pub fn begin(
        shard: Shard,
        weights: &Weights,
        plan: &Plan,
        groups: Option<&Location>,
        registry: &Registry,
        env: &Env,
    ) -> Result<Self> {
        let mut identity = plan.identity(Some(shard));
        if let Some(file) = groups {
            identity.push_str(&format!(" groups {file}"));
        }
        let Cut { first, end } = weights.cut(shard);
        Ok(Self {
            schema: SCHEMA,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            shard: shard.number,
            of: shard.of,
            by: ShardBalance::to_string(&weights.by),
            entries: [first, end],
            keys: None,
            utterances: 0,
            frames: 0,
            skipped: 0,
            losses: Vec::new(),
            input: InputRecord {
                fingerprint: fingerprint(plan, groups, registry, env)?,
                entries: weights.count(),
                weight: u64::try_from(weights.sum()).unwrap_or(u64::MAX),
            },
            archives: archives(&weights.leave(plan.inputs.clone(), shard), registry, env)?,
            options: hash(identity.as_bytes()),
            format: String::new(),
            outputs: Vec::new(),
        })
    }

    /// Reads the record at `file`, or returns `None` if there is none.
    ///
    /// # Errors
    /// It cannot be read, or has another version.
    pub fn read(file: &Location, env: &Env) -> Result<Option<Self>> {
        if !env.exists(file) {
            return Ok(None);
        }
        let mut source = env.open_file(file)?;
        let mut text = Vec::new();
        source.until(0, &mut text, &env.limits)?;
        let place = |message: String| Error::malformed(message).file(file.to_string());
        let record: Self = serde_json::from_slice(&text)
            .map_err(|e| place(format!("is not a record of a shard: {e}")))?;
        match record.schema {
            SCHEMA => Ok(Some(record)),
            other => Err(place(format!(
                "is a record of version {other}, expected {SCHEMA}"
            ))),
        }
    }

    /// Returns the first difference between a pending job and this completed one, or `None` if they
    /// do the same.
    pub fn differs_from(&self, wanted: &Self) -> Option<&'static str> {
        let [own, wanted] = [self, wanted];
        let checks = [
            ("program", own.program == wanted.program),
            ("of", own.of == wanted.of),
            ("shard", own.shard == wanted.shard),
            ("by", own.by == wanted.by),
            ("input", own.input == wanted.input),
            ("entries", own.entries == wanted.entries),
            ("archives", own.archives == wanted.archives),
            ("options", own.options == wanted.options),
        ];
        checks
            .into_iter()
            .find_map(|(name, same)| (!same).then_some(name))
    }

    /// Returns the first of its files that is missing or has another size.
    pub fn missing(&self, env: &Env) -> Option<&str> {
        let there = |output: &OutputRecord| {
            let status = env.look(&output.name.as_str().into()).ok().flatten();
            status.is_some_and(|status| status.length == output.bytes)
        };
        let lost = self.outputs.iter().find(|output| !there(output))?;
        Some(&lost.name)
    }

    /// Returns the first of its files whose content changed.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn changed(&self, env: &Env) -> Result<Option<&str>> {
        for output in &self.outputs {
            let Some(hash) = &output.hash else { continue };
            if of_file(&output.name.as_str().into(), env)? != *hash {
                return Ok(Some(&output.name));
            }
        }
        Ok(None)
    }
}

/// Returns the location of the record for the data at `file`.
pub fn record_of(file: &Location) -> Location {
    Location::from(file.to_string().trim_end_matches('/')).with_suffix(SUFFIX)
}

fn hash(bytes: &[u8]) -> String {
    format!("xxh3:{:032x}", XxHash3_128::oneshot(bytes))
}

/// Tells what is read from other data without reading all of it: names, lengths, the mark that a
/// store has for the content, or the first and last bytes. Every file counts: inputs, what joins them,
/// lists, side files, and files that options name.
fn fingerprint(
    plan: &Plan,
    groups: Option<&Location>,
    registry: &Registry,
    env: &Env,
) -> Result<String> {
    let quiet = env.listening(|_| {});
    let mut all = Fingerprint {
        hash: XxHash3_128::default(),
        env: &quiet,
    };
    for input in &plan.inputs {
        all.input(input, registry)?;
    }
    all.joins(&plan.joins, registry)?;
    let inputs: Vec<_> = plan.inputs.iter().flat_map(Input::sources).collect();
    let joined: Vec<_> = plan.joins.sources().collect();
    let others = plan.sources().into_iter().chain(groups.cloned());
    for file in others.filter(|file| !inputs.contains(file) && !joined.contains(file)) {
        all.list(&file)?;
    }
    Ok(format!("xxh3:{:032x}", all.hash.finish_128()))
}

/// Tells the files that lists name for the entries of `inputs` from others.
fn archives(inputs: &[Input], registry: &Registry, env: &Env) -> Result<String> {
    let quiet = env.listening(|_| {});
    let mut all = Fingerprint {
        hash: XxHash3_128::default(),
        env: &quiet,
    };
    inputs
        .iter()
        .try_for_each(|input| all.named(input, registry))?;
    Ok(format!("xxh3:{:032x}", all.hash.finish_128()))
}

/// A running hash over what tells files from others.
struct Fingerprint<'a> {
    hash: XxHash3_128,
    env: &'a Env,
}

impl Fingerprint<'_> {
    fn field(&mut self, bytes: &[u8]) {
        self.hash.write(&(bytes.len() as u64).to_le_bytes());
        self.hash.write(bytes);
    }

    /// An input: its files, their side files, those that its options name, and what joins it.
    fn input(&mut self, input: &Input, registry: &Registry) -> Result<()> {
        self.field(input.text().as_bytes());
        match (input.folder(), input.file()) {
            (Some(folder), _) => {
                let mut files = self.env.list(folder)?;
                files.sort();
                for file in &files {
                    self.length(file)?;
                }
            }
            (None, Some(file)) => match input.list(registry) {
                Some((list, _)) => self.list(list)?,
                None => {
                    self.ends(file)?;
                    self.if_there(&file.with_suffix(side::SUFFIX))?;
                }
            },
            (None, None) => {}
        }
        for (_, value) in input.options.iter().chain(&input.wishes) {
            self.if_there(&value.as_str().into())?;
        }
        for step in &input.steps {
            for file in step.files() {
                self.list(&file.into())?;
            }
        }
        self.joins(&input.joins, registry)
    }

    /// The files that an input's list names for these entries.
    fn named(&mut self, input: &Input, registry: &Registry) -> Result<()> {
        let Some((list, lists)) = input.list(registry) else {
            return Ok(());
        };
        let env = self.env;
        lists.named(list, input.entries, env, &mut |file| self.ends(file))
    }

    /// What joins.
    fn joins(&mut self, joins: &Joins, registry: &Registry) -> Result<()> {
        if let Some(labels) = &joins.labels {
            self.input(&labels.input, registry)?;
            self.named(&labels.input, registry)?;
            self.table(labels.speakers.as_ref())?;
        }
        if let Some(text) = &joins.text {
            self.input(text, registry)?;
            self.named(text, registry)?;
        }
        self.table(joins.speakers.as_ref())
    }

    /// A table of words, as far as it is a file.
    fn table(&mut self, table: Option<&Locator>) -> Result<()> {
        match table.and_then(Locator::location) {
            Some(file) => self.list(file),
            None => Ok(()),
        }
    }

    /// The name and the length of a file, and its mark if the store has one.
    fn length(&mut self, file: &Location) -> Result<Option<FileStatus>> {
        let status = self.env.look(file)?;
        let length = status.as_ref().map_or(0, |status| status.length);
        self.field(file.to_string().as_bytes());
        self.field(&length.to_le_bytes());
        if let Some(version) = status.as_ref().and_then(|status| status.version.as_ref()) {
            self.field(version.as_bytes());
        }
        Ok(status.filter(|status| status.version.is_none()))
    }

    /// A file by its ends.
    fn ends(&mut self, file: &Location) -> Result<()> {
        if let Some(status) = self.length(file)?.filter(|s| s.kind == FileKind::File) {
            let bytes = ends(file, status.length, self.env)?;
            self.field(&bytes);
        }
        Ok(())
    }

    /// Reads all bytes of a list.
    fn list(&mut self, file: &Location) -> Result<()> {
        if self
            .length(file)?
            .is_some_and(|status| status.kind == FileKind::File)
        {
            let bytes = whole(file, self.env)?;
            self.field(&bytes);
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

/// Reads all bytes of a list.
fn whole(file: &Location, env: &Env) -> Result<Vec<u8>> {
    let mut source = env.open_file(file)?;
    let mut hash = XxHash3_128::default();
    while let bytes @ [_, ..] = source.peek(BLOCK)? {
        hash.write(bytes);
        let n = bytes.len() as u64;
        source.skip(n)?;
    }
    Ok(hash.finish_128().to_le_bytes().to_vec())
}

/// Reads the first and the last bytes of a stored file.
fn ends(file: &Location, length: u64, env: &Env) -> Result<Vec<u8>> {
    let failed = |e| Error::io("cannot read", e).file(file.to_string());
    let mut stored = env.store().open(file).map_err(failed)?;
    let mut bytes = Vec::new();
    for from in [0, length.saturating_sub(ENDS)] {
        use std::io::{Read, Seek, SeekFrom};
        stored.seek(SeekFrom::Start(from)).map_err(failed)?;
        let part = (&mut stored).take(ENDS).read_to_end(&mut bytes);
        part.map_err(failed)?;
    }
    Ok(bytes)
}
