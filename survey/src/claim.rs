//! What belongs together: lists and manifests with the files that they name, sound with the labels
//! beside it.

use std::collections::{BTreeMap, HashMap, HashSet};

use spr_core::bytes::{Env, Location};

use crate::candidate::{Candidate, Form};
use crate::gather::{Unknown, is_sound};
use crate::walk::File;

/// Finds files by names however they are spelt.
struct Absolute<'a> {
    env: &'a Env,
    folders: HashMap<Option<Location>, Location>,
}

impl Absolute<'_> {
    /// Returns the name of a file without links among its folders.
    fn of(&mut self, at: &Location) -> Location {
        let folder = at.parent();
        let env = self.env;
        let resolved = self.folders.entry(folder).or_insert_with_key(|folder| {
            let here = || Location::from(".");
            env.resolve(&folder.clone().unwrap_or_else(here))
        });
        match at.name() {
            Some(name) => resolved.join(name.to_os_string()),
            None => resolved.clone(),
        }
    }
}

/// Attaches candidates to those that name their files. `empty` are files without a byte, and
/// `in_archive` knows the files of archives.
pub(crate) fn attach(
    mut candidates: Vec<Candidate>,
    named: &[HashSet<Location>],
    empty: &[File],
    in_archive: &dyn Fn(&Location) -> bool,
    env: &Env,
) -> Vec<Candidate> {
    if named.iter().any(|named| !named.is_empty()) {
        let owners = owners(&mut candidates, named, empty, in_archive, env);
        candidates = attach_named(candidates, &owners);
    }
    beside(candidates)
}

/// Returns the candidate that names each file of candidates, by number of candidate and file.
fn owners(
    candidates: &mut [Candidate],
    named: &[HashSet<Location>],
    empty: &[File],
    in_archive: &dyn Fn(&Location) -> bool,
    env: &Env,
) -> HashMap<(usize, usize), usize> {
    let mut absolute = Absolute {
        env,
        folders: HashMap::new(),
    };
    let mut places = HashMap::new();
    for (number, candidate) in candidates.iter().enumerate() {
        for (file, own) in candidate.files.iter().enumerate() {
            places.insert(absolute.of(&own.at), (number, file));
        }
    }
    // What is wrong with these is told already.
    let empty: HashSet<_> = empty.iter().map(|file| absolute.of(&file.at)).collect();
    // Folders that are data sets as a whole come before lists that stand alone.
    let mut order: Vec<_> = (0..candidates.len()).collect();
    order.sort_by_key(|number| candidates[*number].form != Form::Whole);
    let mut owners = HashMap::new();
    for owner in order {
        let (mut missing, mut outside) = (Vec::new(), 0u64);
        for name in &named[owner] {
            // What an archive holds names what it holds, whatever lies in the working folder.
            let inside = candidates[owner].folder.join(name.clone());
            let place = match name.is_relative() && in_archive(&inside) {
                true => absolute.of(&inside),
                false => absolute.of(name),
            };
            match places.get(&place) {
                Some(place) if place.0 == owner => {}
                Some(place) => {
                    owners.entry(*place).or_insert(owner);
                }
                None if empty.contains(&place) => {}
                // The user did not name this server, so it gets no request.
                None if name.is_url() || env.exists(name) => outside += 1,
                None => missing.push(name),
            }
        }
        tell_missing(&mut candidates[owner], missing, named[owner].len());
        if outside > 0 {
            let all = named[owner].len();
            let lie = if outside == 1 { "lies" } else { "lie" };
            let note = format!("names {}, of which {outside} {lie} elsewhere", files(all));
            candidates[owner].notes.push(note);
        }
    }
    owners
}

/// Returns a number of files in words.
fn files(n: usize) -> String {
    match n {
        1 => "1 file".to_owned(),
        n => format!("{n} files"),
    }
}

/// Tells the files that are named and not there, as one fault.
fn tell_missing(owner: &mut Candidate, mut missing: Vec<&Location>, all: usize) {
    missing.sort();
    let Some(first) = missing.first() else { return };
    // What the reader missed is the same.
    let names: Vec<_> = missing.iter().map(ToString::to_string).collect();
    let told = owner.damage.len();
    owner
        .damage
        .retain(|text| !names.iter().any(|name| text.contains(name)));
    let gone = (told - owner.damage.len()) as u64;
    owner.faults = match owner.damage.is_empty() {
        true => 1,
        false => owner.faults - gone + 1,
    };
    let text = match missing.len() {
        1 => format!("names {}, of which 1 is missing: {first}", files(all)),
        n => format!("names {all} files, of which {n} are missing, the first is {first}"),
    };
    owner.damage.insert(0, text);
}

/// Makes candidates parts of those that name all their files.
fn attach_named(
    candidates: Vec<Candidate>,
    owners: &HashMap<(usize, usize), usize>,
) -> Vec<Candidate> {
    let mut owner_of = vec![None; candidates.len()];
    let mut shares = Vec::new();
    for (number, candidate) in candidates.iter().enumerate() {
        if candidate.form == Form::Whole {
            continue;
        }
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        for file in 0..candidate.files.len() {
            if let Some(owner) = owners.get(&(number, file)) {
                *counts.entry(*owner).or_default() += 1;
            }
        }
        let named: usize = counts.values().sum();
        let most = counts.iter().max_by_key(|(_, count)| **count);
        match most {
            Some((owner, _)) if named == candidate.files.len() => owner_of[number] = Some(*owner),
            Some((owner, count)) => shares.push((number, *owner, *count)),
            None => {}
        }
    }
    // What belongs to a part belongs to the whole.
    let top = |mut number: usize| {
        for _ in 0..owner_of.len() {
            match owner_of[number] {
                Some(owner) => number = owner,
                None => break,
            }
        }
        number
    };
    let tops: Vec<_> = (0..candidates.len()).map(top).collect();
    let paths: Vec<_> = candidates.iter().map(Candidate::path).collect();
    let mut kept: Vec<_> = candidates.into_iter().map(Some).collect();
    for (number, owner, count) in shares {
        if let Some(candidate) = &mut kept[number] {
            let all = candidate.files.len();
            let are = if count == 1 { "is" } else { "are" };
            let note = format!("{count} of its {all} files {are} named by {}", paths[owner]);
            candidate.notes.push(note);
        }
    }
    for number in 0..kept.len() {
        if tops[number] == number {
            continue;
        }
        if let Some(part) = kept[number].take() {
            match &mut kept[tops[number]] {
                Some(owner) => take(owner, part),
                // A circle of lists has no top.
                None => kept[number] = Some(part),
            }
        }
    }
    kept.into_iter().flatten().collect()
}

/// Makes a candidate a part of its owner.
fn take(owner: &mut Candidate, part: Candidate) {
    let role = match is_sound(&part) {
        true => "sound",
        false => "data",
    };
    owner.parts.push(part.as_part(role));
    owner.parts.extend(part.parts);
    owner.faults += part.faults;
    owner.damage.extend(part.damage);
    owner.facts.kinds.extend(part.facts.kinds);
    owner.facts.rates.extend(part.facts.rates);
    // The numbers of the files are those of the list if it names all utterances in them.
    if owner.facts.utterances == part.facts.utterances {
        owner.facts.frames = owner.facts.frames.filter(|n| *n > 0).or(part.facts.frames);
        owner.facts.seconds = owner.facts.seconds.or(part.facts.seconds);
    }
}

/// Returns the names of files without their extensions.
fn stems<'a>(files: impl IntoIterator<Item = &'a File>) -> HashSet<Location> {
    let stem = |file: &File| file.at.plain().with_extension("");
    files.into_iter().map(stem).collect()
}

/// Returns `true` if nearly all files have the name of one of these.
fn belong(files: &[File], stems: &HashSet<Location>) -> bool {
    let own = files.iter();
    let own = own.filter(|file| stems.contains(&file.at.plain().with_extension("")));
    // Of ten files one may be something else.
    files.len() > 1 && own.count() * 10 >= files.len() * 9
}

/// Makes files with one utterance each, such as labels, parts of the sound with the same names.
fn beside(candidates: Vec<Candidate>) -> Vec<Candidate> {
    let (mut sounds, others): (Vec<_>, Vec<_>) = candidates
        .into_iter()
        .partition(|candidate| candidate.form == Form::Each && is_sound(candidate));
    let names: Vec<_> = sounds.iter().map(|sound| stems(&sound.files)).collect();
    let mut left = Vec::new();
    for other in others {
        let own = match other.form {
            Form::Each => names.iter().position(|stems| belong(&other.files, stems)),
            Form::Whole | Form::Files => None,
        };
        match own.map(|own| &mut sounds[own]) {
            Some(sound) => {
                sound.parts.push(other.as_part("labels"));
                sound.facts.kinds.extend(other.facts.kinds);
                sound.faults += other.faults;
                sound.damage.extend(other.damage);
            }
            None => left.push(other),
        }
    }
    left.extend(sounds);
    left
}

/// Makes files of no known format parts of the sound with the same names: transcripts, most often.
pub(crate) fn attach_unknown(candidates: &mut [Candidate], unknown: &mut Vec<Unknown>) {
    let sounds = candidates.iter_mut();
    for sound in sounds.filter(|sound| sound.form == Form::Each && is_sound(sound)) {
        let names = stems(&sound.files);
        unknown.retain(|group| {
            let own = belong(&group.files, &names);
            if own {
                sound.parts.push(group.part("beside"));
            }
            !own
        });
    }
}

/// Makes tables of what is said in sound files parts of the sound, in whose folder they lie or which
/// lies below theirs. What is held for data by more than its look stays by itself.
pub(crate) fn attach_tables(
    candidates: &mut Vec<Candidate>,
    unknown: &mut Vec<Unknown>,
    is_table: impl Fn(&Location) -> bool,
) {
    let (mut sounds, others): (Vec<_>, Vec<_>) = std::mem::take(candidates)
        .into_iter()
        .partition(|candidate| candidate.form == Form::Each && is_sound(candidate));
    let own = |files: &[File], sounds: &[Candidate]| {
        let tables = !files.is_empty() && files.iter().all(|file| is_table(&file.at));
        let beside = |sound: &Candidate, file: &File| {
            let folder = file.at.parent();
            let folder = folder.unwrap_or_else(|| ".".into());
            sound.folder.is_within(&folder) || folder.is_within(&sound.folder)
        };
        let of = |sound: &Candidate| files.iter().all(|file| beside(sound, file));
        sounds.iter().position(of).filter(|_| tables)
    };
    const ROLE: &str = "transcripts";
    for other in others {
        match own(&other.files, &sounds).filter(|_| other.guessed) {
            Some(sound) => {
                let part = other.as_part(ROLE);
                sounds[sound].parts.push(part);
                sounds[sound].facts.kinds.insert("text".to_owned());
            }
            None => candidates.push(other),
        }
    }
    unknown.retain(|group| {
        let Some(sound) = own(&group.files, &sounds) else {
            return true;
        };
        sounds[sound].parts.push(group.part(ROLE));
        sounds[sound].facts.kinds.insert("text".to_owned());
        false
    });
    candidates.extend(sounds);
}

/// Tells packed members of archives of which only the start was read.
pub(crate) fn tell_partial(candidate: &mut Candidate) {
    let partial = candidate.files.iter().filter(|file| file.partial).count();
    if partial > 0 {
        let all = files(candidate.files.len());
        let note = format!("{partial} of {all} packed: only the start was read, for lack of room");
        candidate.notes.push(note);
    }
}

/// Tells numbers that are missing among files that differ in one number alone.
pub(crate) fn tell_gaps(candidate: &mut Candidate) {
    if candidate.form != Form::Files || candidate.files.len() < 2 {
        return;
    }
    let numbers: Option<Vec<_>> = candidate
        .files
        .iter()
        .map(|file| number(&file.name()))
        .collect();
    let Some(mut numbers) = numbers else { return };
    numbers.sort_unstable();
    let (Some(first), Some(last)) = (numbers.first().copied(), numbers.last().copied()) else {
        return;
    };
    let missing = (last - first + 1).saturating_sub(numbers.len() as u64);
    // Numbers that start elsewhere, or are far apart, count something else.
    if first > 1 || missing == 0 || missing * 10 > numbers.len() as u64 * 3 {
        return;
    }
    let gap = (first..=last).find(|n| numbers.binary_search(n).is_err());
    let gap = gap.unwrap_or_default();
    let note = match missing {
        1 => format!("lacks number {gap} of {first} to {last}"),
        n => format!("lacks {n} of the numbers {first} to {last}, the first is {gap}"),
    };
    candidate.faults += 1;
    candidate.damage.push(note);
}

/// Returns the only number in a name.
fn number(name: &str) -> Option<u64> {
    let mut runs = name
        .split(|c: char| !c.is_ascii_digit())
        .filter(|run| !run.is_empty());
    let number = runs.next()?.parse().ok()?;
    runs.next().is_none().then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_number_counts() {
        assert_eq!(number("ali.12.gz"), Some(12));
        assert_eq!(number("a1.2"), None);
        assert_eq!(number("ali.gz"), None);
    }
}
