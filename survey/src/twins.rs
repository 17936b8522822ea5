//! Files with the same content.

use std::collections::{BTreeMap, HashMap};
use std::io::{Read, SeekFrom};

use spr_core::Result;
use spr_core::bytes::{Env, Location, OpenedFile};
use twox_hash::XxHash3_128;

use crate::inventory::Twins;
use crate::observer::{Observer, Phase};
use crate::pool;
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
    let groups = sizes
        .into_iter()
        .filter(|(_, same)| same.len() > 1)
        .collect();
    let groups = apart(groups, Extent::Ends, env, observer)?;
    // The ends are all there is of a small one.
    let (mut same, larger): (Vec<_>, Vec<_>) =
        groups.into_iter().partition(|(size, _)| *size <= 2 * END);
    same.extend(apart(larger, Extent::All, env, observer)?);
    Ok(by_folders(same))
}

/// Files that may be the same, and their size.
type Group<'a> = (u64, Vec<&'a Location>);

/// Takes groups apart by the hashes of their files.
fn apart<'a>(
    groups: Vec<Group<'a>>,
    extent: Extent,
    env: &Env,
    observer: &dyn Observer,
) -> Result<Vec<Group<'a>>> {
    let files = groups
        .iter()
        .zip(0..)
        .flat_map(|((size, same), group)| same.iter().map(move |at| (group, *size, *at)));
    let files: Vec<(usize, u64, &Location)> = files.collect();
    let all = Some(files.len() as u64);
    let progress = |done| observer.progress(Phase::Comparing, done, all);
    let work = |(_, size, at): &(usize, u64, &Location)| hash(at, *size, extent, env);
    let hashes = pool::map(&files, env.threads, progress, work)?;
    let mut same: HashMap<(usize, u128), Vec<&Location>> = HashMap::new();
    for ((group, _, at), hash) in files.iter().zip(hashes) {
        // One that cannot be read has no twin.
        if let Some(hash) = hash {
            same.entry((*group, hash)).or_default().push(at);
        }
    }
    let same = same.into_iter().filter(|(_, same)| same.len() > 1);
    Ok(same
        .map(|((group, _), same)| (groups[group].0, same))
        .collect())
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
fn by_folders(groups: Vec<Group<'_>>) -> Vec<Twins> {
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
    all.sort_by(|a, b| {
        weight(b)
            .cmp(&weight(a))
            .then_with(|| a.paths.cmp(&b.paths))
    });
    all
}
