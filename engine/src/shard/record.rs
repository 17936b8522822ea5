//! The record of a shard beside its output, which is the only proof that it is done.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use spr_core::bytes::{Env, FileKind, Location};
use spr_core::format::Registry;
use spr_core::{Error, Result};
use twox_hash::XxHash3_128;

use super::hashes::of_file;
use super::{Cut, Hashes, Shard, ShardBalance, Weights, fingerprint};
use crate::plan::Plan;

/// The version of the record's schema.
pub const SCHEMA: u64 = 1;
/// The suffix appended to the name of a shard's data.
const SUFFIX: &str = ".shard.json";

/// The record of a completed shard.
#[non_exhaustive]
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
    /// The hashes of some of these files, which other shards may read as well.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
    /// A hash of all options that affect the output.
    pub options: String,
    /// The format written.
    pub format: String,
    /// The option that says where its side file with names is, or that there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<String>,
    /// The files written, the data first.
    pub outputs: Vec<OutputRecord>,
}

/// The identity of all inputs.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputRecord {
    /// A hash of names, sizes, times of change, and first and last bytes; of lists, of all bytes.
    pub fingerprint: String,
    /// The number of entries.
    pub entries: u64,
    /// The total weight.
    pub weight: u64,
}

/// A written file.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutputRecord {
    /// Its name.
    pub name: String,
    /// Its size in bytes, of a folder that of all its files.
    pub bytes: u64,
    /// A hash of it, of a folder that of all its files with their names.
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
        (plan, groups): (&Plan, Option<&Location>),
        hashes: &Hashes,
        registry: &Registry,
        env: &Env,
    ) -> Result<Self> {
        // Files opened from here on belong to this shard alone.
        let opened = hashes.opened();
        let mut identity = plan.identity(Some(shard));
        if let Some(file) = groups {
            identity.push_str(&format!(" groups {file}"));
        }
        let Cut { first, end } = weights.cut(shard);
        let own = weights.leave(plan.inputs.clone(), shard, (registry, env));
        let (archives, files) = fingerprint::of_archives(&own, registry, env)?;
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
                fingerprint: fingerprint::of_plan(plan, groups, &opened, registry, env)?,
                entries: weights.count(),
                weight: u64::try_from(weights.sum()).unwrap_or(u64::MAX),
            },
            archives,
            files,
            options: fingerprint::text(XxHash3_128::oneshot(identity.as_bytes())),
            format: String::new(),
            side: None,
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
        if text.iter().all(u8::is_ascii_whitespace) {
            return Err(place("the record is empty".to_owned()));
        }
        let record: Self = serde_json::from_slice(&text).map_err(|e| match e.is_eof() {
            true => place("the record was cut".to_owned()),
            false => place(format!("not the record of a shard: {e}")),
        })?;
        match record.schema {
            SCHEMA => Ok(Some(record)),
            other => Err(place(format!(
                "the record has version {other}, expected {SCHEMA}"
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
            let at = output.name.as_str().into();
            size(&at, output.hash.is_some(), env).is_ok_and(|size| size == Some(output.bytes))
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

    /// Returns the first of its files that the same job writes in another way now.
    pub fn outdated(&self, now: &Self) -> Option<&str> {
        let same = |output: &&OutputRecord| now.outputs.contains(output);
        let old = self.outputs.iter().find(|output| !same(output))?;
        Some(&old.name)
    }
}

/// Returns the size of a file, or of all files in a folder if `members` count, or `None` if there is
/// nothing.
fn size(at: &Location, members: bool, env: &Env) -> Result<Option<u64>> {
    let Some(status) = env.look(at)? else {
        return Ok(None);
    };
    if status.kind != FileKind::Folder || !members {
        return Ok(Some(status.length));
    }
    let mut all = 0;
    for member in env.list(at)? {
        all += env.look(&member)?.map_or(0, |status| status.length);
    }
    Ok(Some(all))
}

/// Returns the location of the record for the data at `file`.
pub fn record_of(file: &Location) -> Location {
    Location::from(file.to_string().trim_end_matches('/')).with_suffix(SUFFIX)
}
