//! Files with the same content.

use std::collections::{BTreeMap, HashMap};
use std::io::{Read, Seek, SeekFrom};

use spr_core::Result;
use spr_core::bytes::{Env, Location, OpenedFile};
use twox_hash::XxHash3_128;

use crate::inventory::Twins;
use crate::observer::{Observer, Phase};
use crate::walk::File;

/// The bytes at each end of a file that are compared first.
const END: u64 = 4 << 10;
/// The size up to which files are compared as a whole.
const WHOLE: u64 = 64 << 20;
/// Samples of larger files, and the size of each.
const SAMPLES: u64 = 64;
const SAMPLE: u64 = 64 << 10;

/// Finds files with the same content: of the same size, then with the same ends, then the same as a
/// whole. Of large files only samples are compared.
///
/// # Errors
/// The observer stops.
pub(crate) fn twins(files: &[File], env: &Env, observer: &dyn Observer) -> Result<Vec<Twins>> {
    let mut sizes: HashMap<u64, Vec<&Location>> = HashMap::new();
    for file in files.iter().filter(|file| file.bytes > 0 && !file.partial) {
        sizes.entry(file.bytes).or_default().push(&file.at);
    }
    sizes.retain(|_, files| files.len() > 1);
    let all = sizes.values().map(|files| files.len() as u64).sum();
    let (mut done, mut groups) = (0, Vec::new());
    for (size, files) in sizes {
        let mut ends: HashMap<u128, Vec<&Location>> = HashMap::new();
        for at in files {
            done += 1;
            observer.progress(Phase::Comparing, done, Some(all))?;
            if let Some(hash) = hash(at, size, Extent::Ends, env) {
                ends.entry(hash).or_default().push(at);
            }
        }
        for same in ends.into_values().filter(|same| same.len() > 1) {
            // The ends are all there is of a small one.
            if size <= 2 * END {
                groups.push((size, same));
                continue;
            }
            let mut wholes: HashMap<u128, Vec<&Location>> = HashMap::new();
            for at in same {
                observer.progress(Phase::Comparing, done, Some(all))?;
                if let Some(hash) = hash(at, size, Extent::All, env) {
                    wholes.entry(hash).or_default().push(at);
                }
            }
            let same = wholes.into_values().filter(|same| same.len() > 1);
            groups.extend(same.map(|same| (size, same)));
        }
    }
    Ok(by_folders(groups))
}

/// What of a file is hashed.
#[derive(Clone, Copy, PartialEq)]
enum Extent {
    Ends,
    All,
}

/// Returns the hash of a file; one that cannot be read has no twin.
fn hash(at: &Location, size: u64, extent: Extent, env: &Env) -> Option<u128> {
    let mut file = env.store().open(at).ok()?;
    let mut hash = XxHash3_128::new();
    let mut buffer = Vec::new();
    let mut add = |start: u64, len: u64, file: &mut dyn OpenedFile| -> Option<()> {
        file.seek(SeekFrom::Start(start)).ok()?;
        buffer.clear();
        let read = file.take(len).read_to_end(&mut buffer).ok()?;
        hash.write(&buffer);
        (read as u64 == len.min(size.saturating_sub(start))).then_some(())
    };
    let file = file.as_mut();
    match extent {
        Extent::Ends => {
            add(0, END, file)?;
            add(size.saturating_sub(END).max(END.min(size)), END, file)?;
        }
        Extent::All if size <= WHOLE => {
            let mut start = 0;
            while start < size {
                add(start, SAMPLE * 16, file)?;
                start += SAMPLE * 16;
            }
        }
        Extent::All => {
            for sample in 0..SAMPLES {
                add(size / SAMPLES * sample, SAMPLE, file)?;
            }
        }
    }
    Some(hash.finish_128())
}

/// Joins files that lie in the same folders to one line, those with the most bytes first.
fn by_folders(groups: Vec<(u64, Vec<&Location>)>) -> Vec<Twins> {
    let mut folders: BTreeMap<Vec<String>, Twins> = BTreeMap::new();
    let mut all = Vec::new();
    for (size, mut same) in groups {
        same.sort();
        let twins = Twins {
            paths: same.iter().map(ToString::to_string).collect(),
            files: 1,
            bytes: size,
            sampled: size > WHOLE,
        };
        let of = |at: &&Location| at.parent().map(|at| at.to_string()).unwrap_or_default();
        let key: Vec<_> = same.iter().map(of).collect();
        let is_one = key.windows(2).any(|pair| pair[0] == pair[1]);
        match folders.get_mut(&key).filter(|_| !is_one) {
            Some(own) => {
                own.files += 1;
                own.bytes += size;
                own.sampled |= twins.sampled;
                own.paths = key.iter().map(|folder| format!("{folder}/")).collect();
            }
            None if is_one => all.push(twins),
            None => drop(folders.insert(key, twins)),
        }
    }
    all.extend(folders.into_values());
    let weight = |twins: &Twins| twins.bytes * (twins.paths.len() as u64 - 1);
    all.sort_by(|a, b| weight(b).cmp(&weight(a)).then_with(|| a.paths.cmp(&b.paths)));
    all
}
