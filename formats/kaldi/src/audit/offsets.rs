//! Checks of positions in archives, which must be right after a key.

use spr_core::bytes::{Env, Location, Locator, Source};
use spr_core::model::{Key, is_word_byte};

/// The number of bytes before an object in which its key is searched.
const REACH: u64 = 512;

/// Checks the places that the lines of one script file name, with the last archive kept open.
pub(super) struct Offsets<'a> {
    script: &'a Location,
    env: &'a Env,
    open: Option<(Location, Source)>,
}

impl<'a> Offsets<'a> {
    pub(super) fn new(script: &'a Location, env: &'a Env) -> Self {
        Self {
            script,
            env,
            open: None,
        }
    }

    /// Returns what is wrong with the position of the object of `key`. A file that cannot be opened
    /// is reported when it is read.
    pub(super) fn check(&mut self, at: &Locator, key: &Key) -> Option<String> {
        let Locator::FileAt(file, offset @ 1..) = at else {
            return None;
        };
        if self.open.as_ref().is_none_or(|(open, _)| open != file) {
            let at = Locator::File(file.clone());
            let source = self.env.open_from(Some(self.script), &at);
            self.open = source.ok().map(|source| (file.clone(), source));
        }
        let (_, archive) = self.open.as_mut()?;
        match archive.can_seek() {
            true => misplaced(archive, *offset, key),
            false => None,
        }
    }
}

/// Returns what is wrong with a position that must be right after `key`. Keys that begin or end
/// with the existing one come from copies of data sets and from segments.
fn misplaced(archive: &mut Source, offset: u64, key: &Key) -> Option<String> {
    if archive.len().is_some_and(|len| offset >= len) {
        return Some(format!(
            "byte {offset} is past the end of {}",
            archive.name()
        ));
    }
    let from = offset.saturating_sub(REACH);
    archive.seek(from).ok()?;
    let reach = usize::try_from(offset - from).ok()?;
    let before = archive.peek(reach).ok()?.to_vec();
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
    let word = before.iter().rev().take_while(|b| is_word_byte(**b));
    let word = before.get(before.len() - word.count()..)?;
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
