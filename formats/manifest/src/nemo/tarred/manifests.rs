//! Manifests of tar files.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use spr_core::bytes::{Env, Location, MemoryCounter, Source};
use spr_core::{Error, Result};
use spr_syntax::json;

use super::super::line::Line;
use super::super::names::SHARD;

/// The lines of one shard.
pub(super) enum ManifestLines {
    /// All lines of a manifest.
    All(Manifest),
    /// Those of one shard in a manifest of all.
    Of(SingleManifest, u64),
}

/// A line as it is stored.
pub(super) struct StoredLine {
    pub(super) number: u64,
    pub(super) text: Vec<u8>,
}

impl ManifestLines {
    /// Returns the name of the manifest.
    pub(super) fn name(&self) -> String {
        match self {
            Self::All(manifest) => manifest.source.name().to_owned(),
            Self::Of(single, _) => single.name.clone(),
        }
    }

    /// Reads the lines into memory.
    ///
    /// # Errors
    /// Reading fails, or they are more than the limits allow.
    pub(super) fn read(self, env: &Env) -> Result<Vec<StoredLine>> {
        let mut held = MemoryCounter::new("the lines of a manifest");
        let mut lines = Vec::new();
        match self {
            Self::All(mut manifest) => {
                while let Some(line) = manifest.next(env)? {
                    held.add(line.text.len(), &manifest.source, &env.limits)?;
                    lines.push(line);
                }
            }
            Self::Of(single, shard) => {
                let mut manifest = single
                    .manifest
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner);
                for run in single.runs.get(&shard).into_iter().flatten() {
                    manifest.source.seek(run.start)?;
                    manifest.number = run.number;
                    while manifest.source.offset() < run.end
                        && let Some(line) = manifest.next(env)?
                    {
                        held.add(line.text.len(), &manifest.source, &env.limits)?;
                        lines.push(line);
                    }
                }
            }
        }
        Ok(lines)
    }
}

/// An open manifest.
pub(super) struct Manifest {
    source: Source,
    /// The number of the last line.
    number: u64,
}

impl Manifest {
    /// Opens a manifest.
    ///
    /// # Errors
    /// The system refuses.
    pub(super) fn open(at: &Location, env: &Env) -> Result<Self> {
        Ok(Self {
            source: env.open_file(at)?,
            number: 0,
        })
    }

    /// Returns the next line that is not blank.
    fn next(&mut self, env: &Env) -> Result<Option<StoredLine>> {
        let mut text = Vec::new();
        while self.source.line(&mut text, &env.limits)? {
            self.number += 1;
            if !text.trim_ascii().is_empty() {
                return Ok(Some(StoredLine {
                    number: self.number,
                    text,
                }));
            }
        }
        Ok(None)
    }
}

/// Lines that follow each other and belong to one shard.
struct Run {
    start: u64,
    end: u64,
    /// The number of the line before.
    number: u64,
}

/// A manifest of all shards, with the places of the lines of each.
#[derive(Clone)]
pub(super) struct SingleManifest {
    manifest: Arc<Mutex<Manifest>>,
    runs: Arc<BTreeMap<u64, Vec<Run>>>,
    name: String,
}

impl SingleManifest {
    /// Opens a manifest, and reads to which shard each line belongs.
    ///
    /// # Errors
    /// A line does not say.
    pub(super) fn open(at: &Location, env: &Env) -> Result<Self> {
        let mut manifest = Manifest {
            source: env.open_file(at)?.into_seekable()?,
            number: 0,
        };
        let name = manifest.source.name().to_owned();
        let mut runs = BTreeMap::<u64, Vec<Run>>::new();
        let mut held = MemoryCounter::new("the places of lines");
        let mut last = None;
        loop {
            let (start, number) = (manifest.source.offset(), manifest.number);
            let Some(line) = manifest.next(env)? else {
                break;
            };
            let shard = shard_of(&line.text).map_err(|e| e.file(&name).line(line.number))?;
            // A skipped line is of no shard.
            let Some(shard) = shard else { continue };
            let runs = runs.entry(shard).or_default();
            let end = manifest.source.offset();
            match runs.last_mut().filter(|_| last == Some(shard)) {
                Some(run) => run.end = end,
                None => {
                    held.keep(size_of::<Run>(), &env.limits)?;
                    runs.push(Run { start, end, number });
                }
            }
            last = Some(shard);
        }
        Ok(Self {
            manifest: Arc::new(Mutex::new(manifest)),
            runs: Arc::new(runs),
            name,
        })
    }

    /// Returns the numbers of the shards.
    pub(super) fn shards(&self) -> impl Iterator<Item = u64> {
        self.runs.keys().copied()
    }
}

/// Returns the shard of a line.
fn shard_of(text: &[u8]) -> Result<Option<u64>> {
    let Some(mut line) = Line::parse(text)? else {
        return Ok(None);
    };
    let Some(raw) = line.object.take(SHARD) else {
        let message = format!("has no {SHARD}, and no manifest of each tar file is there");
        return Err(Error::malformed(message));
    };
    let shard: i64 = json::count(raw, SHARD)?;
    let shard = u64::try_from(shard);
    let shard = shard.map_err(|_| Error::malformed(format!("{SHARD} is negative")))?;
    Ok(Some(shard))
}
