//! What a shard leaves beside its output: the only proof that it is done.

use serde::{Deserialize, Serialize};
use spr_core::bytes::{Env, Location};
use spr_core::format::Registry;
use spr_core::{Error, Result};
use twox_hash::XxHash3_128;

use super::{By, Cut, Shard, Weights, of_file};
use crate::argument::Input;

/// The version of the record's form.
pub const SCHEMA: u64 = 1;
/// What is appended to the name of a shard's data.
const SUFFIX: &str = ".shard.json";
/// Bytes of a file's start and of its end that tell it from others.
const ENDS: u64 = 64 << 10;
/// Bytes of a list that are read at a time.
const BLOCK: usize = 64 << 10;

/// What a shard did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The version of this form.
    pub schema: u64,
    /// The version of the program, as others may write other bytes.
    pub program: String,
    /// Which shard, from 1.
    pub shard: u64,
    /// Of how many.
    pub of: u64,
    /// By what they were cut.
    pub by: String,
    /// Its entries of all, from the first to before the second.
    pub entries: [u64; 2],
    /// The names of the first and the last utterance written, if any was.
    pub keys: Option<[String; 2]>,
    /// Utterances written.
    pub utterances: u64,
    /// Frames written.
    pub frames: u64,
    /// Utterances passed over.
    pub skipped: u64,
    /// What was lost, as allowed.
    pub losses: Vec<String>,
    /// What was read.
    pub input: InputRecord,
    /// A hash of all options that change what is written.
    pub options: String,
    /// The format written.
    pub format: String,
    /// Files written, the data first.
    pub outputs: Vec<OutputRecord>,
}

/// What is known of all inputs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputRecord {
    /// A hash of names, lengths, and first and last bytes; of lists, of all of them.
    pub fingerprint: String,
    /// Entries.
    pub entries: u64,
    /// What they weigh.
    pub weight: u64,
}

/// A file that was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutputRecord {
    /// Its name.
    pub name: String,
    /// Bytes in it.
    pub bytes: u64,
    /// A hash of it; of a folder there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
}

impl Record {
    /// A record of nothing written yet, with what must be the same to
    /// [resume](Self::differs_from) by it.
    ///
    /// # Errors
    /// An input can't be read.
    pub fn begin(
        shard: Shard,
        weights: &Weights,
        inputs: &[Input],
        options: &str,
        registry: &Registry,
        env: &Env,
    ) -> Result<Self> {
        let Cut { first, end } = weights.cut(shard);
        Ok(Self {
            schema: SCHEMA,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            shard: shard.number,
            of: shard.of,
            by: By::to_string(&weights.by),
            entries: [first, end],
            keys: None,
            utterances: 0,
            frames: 0,
            skipped: 0,
            losses: Vec::new(),
            input: InputRecord {
                fingerprint: fingerprint(inputs, registry, env)?,
                entries: weights.count(),
                weight: u64::try_from(weights.sum()).unwrap_or(u64::MAX),
            },
            options: hash(options.as_bytes()),
            format: String::new(),
            outputs: Vec::new(),
        })
    }

    /// The record at `file`; `None` if there is none.
    ///
    /// # Errors
    /// It can't be read, or is of another version.
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

    /// The first thing that a job to be done has otherwise than this one, which is done; `None` if they
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
            ("options", own.options == wanted.options),
        ];
        checks
            .into_iter()
            .find_map(|(name, same)| (!same).then_some(name))
    }

    /// The first of its files that is not there as it was written.
    pub fn missing(&self, env: &Env) -> Option<&str> {
        let there = |output: &OutputRecord| {
            let status = env.look(&output.name.as_str().into()).ok().flatten();
            status.is_some_and(|status| status.length == output.bytes)
        };
        let lost = self.outputs.iter().find(|output| !there(output))?;
        Some(&lost.name)
    }

    /// The first of its files of which the bytes are not those that were written.
    ///
    /// # Errors
    /// One can't be read.
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

/// Where the record of the data at `file` is.
pub fn record_of(file: &Location) -> Location {
    Location::from(file.to_string().trim_end_matches('/')).with_suffix(SUFFIX)
}

fn hash(bytes: &[u8]) -> String {
    format!("xxh3:{:032x}", XxHash3_128::oneshot(bytes))
}

/// Tells these inputs from others without reading all of them: names as typed, lengths, the mark that
/// a store has for the content, or the first and last bytes.
fn fingerprint(inputs: &[Input], registry: &Registry, env: &Env) -> Result<String> {
    let quiet = env.listening(|_| {});
    let mut all = XxHash3_128::default();
    let mut field = |bytes: &[u8]| {
        all.write(&(bytes.len() as u64).to_le_bytes());
        all.write(bytes);
    };
    for input in inputs {
        field(input.text().as_bytes());
        let files = match input.folder() {
            Some(folder) => {
                let mut files = quiet.list(folder)?;
                files.sort();
                files
            }
            None => input.file().cloned().into_iter().collect(),
        };
        for file in &files {
            let status = quiet.look(file)?;
            let length = status.as_ref().map_or(0, |status| status.length);
            field(file.to_string().as_bytes());
            field(&length.to_le_bytes());
            if let Some(version) = status.and_then(|status| status.version) {
                field(version.as_bytes());
            } else if input.script(registry).is_some() {
                field(&whole(file, &quiet)?);
            } else if input.folder().is_none() {
                field(&ends(file, length, &quiet)?);
            }
        }
    }
    Ok(format!("xxh3:{:032x}", all.finish_128()))
}

/// All bytes of a list.
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

/// The first and the last bytes of a file as it is stored.
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
