//! Script files against the archives they point into.

use spr_core::Result;
use spr_core::bytes::{Env, Location, Locator, Source};
use spr_core::format::Registry;
use spr_core::model::{Key, Utterance, is_word_byte};

use super::about;
use super::findings::Findings;
use super::names::Names;
use crate::argument::Input;
use crate::verbs::select::names;

/// Bytes in which the key before an object is looked for.
const REACH: u64 = 512;

/// Checks that each line of the script file points behind its key. If it is the index of an
/// `archive` with these `keys`, it must have the same keys.
pub(super) fn check(
    script: &Location,
    archive: Option<&Input>,
    keys: &Names,
    (registry, env): (&Registry, &Env),
    found: &mut Findings<'_>,
) -> Result<()> {
    let archive = archive.filter(|_| !keys.is_empty());
    let mut open: Option<(Location, Source)> = None;
    let mut listed = Names::default();
    let mut source = env.open_file(script)?;
    let (mut line, mut number) = (Vec::new(), 0);
    let name = script.to_string();
    while source.line(&mut line, &env.limits)? {
        number += 1;
        let text = String::from_utf8_lossy(&line);
        let Some((word, rest)) = text.trim().split_once([' ', '\t']) else {
            continue;
        };
        let key = Key::from(word);
        let place = rest.trim_start();
        let place = match (place.ends_with(']'), place.split_once('[')) {
            (true, Some((place, _))) => place,
            _ => place,
        };
        // What can't be understood or opened shows when it is read.
        if let Some((target, offset)) = file_and_byte(place) {
            if open.as_ref().is_none_or(|(file, _)| *file != target) {
                let at = Locator::File(target.clone());
                let source = env.open_from(Some(script), &at);
                open = source.ok().map(|source| (target, source));
            }
            if let Some((_, archive)) = open.as_mut().filter(|(_, archive)| archive.can_seek())
                && let Some(message) = misplaced(archive, offset, &key)
            {
                let error = about(&name, message).line(number).utterance(&key);
                let hint =
                    "the script file does not belong to this archive; repair makes a new one";
                found.fault("offsets", error.hint(hint));
            }
        }
        if archive.is_some() && !keys.has(&key) {
            let message = "is in the script file, but not in its archive";
            let error = about(&name, message).line(number).utterance(&key);
            found.fault("index", error);
        }
        listed.add(&key);
    }
    let Some(archive) = archive.filter(|_| !keys.are_among(&listed)) else {
        return Ok(());
    };
    // Which ones they are says only the archive.
    let mut reader = archive.open(names().damaged(), registry, env)?.reader;
    let mut utt = Utterance::default();
    loop {
        match reader.read(&mut utt) {
            Ok(true) if listed.has(&utt.key) => {}
            Ok(true) => {
                let message = "is in the archive, but not in its script file";
                found.fault("index", about(&name, message).utterance(&utt.key));
            }
            Err(error) if error.can_continue() => {}
            // It was told already.
            Ok(false) | Err(_) => return Ok(()),
        }
    }
}

/// `file:byte` with a byte behind the start of the file.
fn file_and_byte(place: &str) -> Option<(Location, u64)> {
    let (file, byte) = place.rsplit_once(':')?;
    let byte = byte.parse().ok().filter(|byte| *byte > 0)?;
    (!file.is_empty()).then(|| (file.into(), byte))
}

/// What is wrong with a place that is to be right behind `key`. Keys that begin or end with the
/// one there come of copies of data sets and of segments.
fn misplaced(archive: &mut Source, offset: u64, key: &Key) -> Option<String> {
    if archive.len().is_some_and(|len| offset >= len) {
        return Some(format!(
            "byte {offset} is past the end of {}",
            archive.name()
        ));
    }
    let from = offset.saturating_sub(REACH);
    archive.seek(from).ok()?;
    let before = archive
        .peek(usize::try_from(offset - from).ok()?)
        .ok()?
        .to_vec();
    let nothing = || {
        Some(format!(
            "byte {offset} of {} does not follow a key",
            archive.name()
        ))
    };
    let Some((b' ' | b'\t', before)) = before.split_last() else {
        return nothing();
    };
    let own = key.as_bytes();
    if before.ends_with(own) {
        return None;
    }
    let word = before
        .iter()
        .rev()
        .take_while(|b| is_word_byte(**b))
        .count();
    let word = before.get(before.len() - word..)?;
    if word.is_empty() {
        return nothing();
    }
    let mut ends = (0..word.len().saturating_sub(2)).filter_map(|i| word.get(i..));
    let kin = ends.any(|end| own.starts_with(end) || own.ends_with(end));
    let there = Key::from(word);
    (!kin).then(|| {
        format!(
            "byte {offset} of {} follows the key {there}",
            archive.name()
        )
    })
}
