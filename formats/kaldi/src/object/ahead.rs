//! Information about objects before they are read.

use spr_core::Result;
use spr_core::bytes::{ByteOrder, Source};
use spr_core::model::{DatasetInfo, KeySource, is_word_byte};

use super::ObjectReader;
use crate::decide::{self, Decision};
use crate::kind::ObjectKind;
use crate::number::is_space;
use crate::probe::is_enough;
use crate::recognise::{self, TAG, UnmarkedForm};

/// The result of inspecting the first object.
#[derive(Clone, Copy, Default)]
struct FirstObject {
    binary: bool,
    labels: bool,
}

impl ObjectReader {
    /// Returns the information about a data set from the objects read so far; `file` is the file of
    /// the data set.
    pub(crate) fn known(&self, file: &Source, keys: KeySource) -> DatasetInfo {
        let first = FirstObject {
            binary: self.binary,
            labels: self.found.first == Some(ObjectKind::Ints),
        };
        self.describe(file, keys, first)
    }

    fn describe(&self, file: &Source, keys: KeySource, first: FirstObject) -> DatasetInfo {
        let mut info = DatasetInfo::new(keys);
        info.compression = file.compression();
        info.live = file.is_live();
        info.decision.clone_from(&self.found.decision);
        info.label_columns = first.labels.then_some(1);
        info.byte_order = first.binary.then_some(ByteOrder::Little);
        info
    }

    /// Determines the kind of the first object in advance, and returns the information about the
    /// data set; with `bare` the object has no key. Errors are left to the reader.
    pub(crate) fn look_ahead(
        &mut self,
        source: &mut Source,
        bare: bool,
        keys: KeySource,
    ) -> Result<DatasetInfo> {
        let first = self.first_object(source, bare)?;
        Ok(self.describe(source, keys, first))
    }

    fn first_object(&mut self, source: &mut Source, bare: bool) -> Result<FirstObject> {
        const HEAD: usize = 4096;
        let (head, _) = source.ahead(HEAD, is_enough)?;
        let key = head
            .iter()
            .position(|b| !is_space(*b))
            .and_then(|start| {
                let end = head[start..].iter().position(|b| is_space(*b))?;
                Some((start, start + end))
            })
            .filter(|(start, end)| head[*start..*end].iter().all(|b| is_word_byte(*b)));
        let value = match (bare, key) {
            (true, _) => 0,
            (false, Some((_, end))) if matches!(head[end], b' ' | b'\t') => end + 1,
            (false, Some((_, end))) => end,
            (false, None) => return Ok(FirstObject::default()),
        };
        let (binary, kind) = match (&head[value..], self.holder) {
            (head, Some(holder)) => (head.starts_with(b"\0B"), Some(holder)),
            ([0, b'B', TAG, ..], None) => match bare && is_packed(source, value + 2)? {
                true => (true, Some(ObjectKind::Ints)),
                false => (true, self.decide_runs(source, value + 2)?),
            },
            ([0, b'B', 8, ..], None) => (true, self.decide_wide(source, value + 2)?),
            ([0, b'B', ..], None) => (true, None),
            ([0, ..] | [], None) => (false, None),
            (head, None) => match recognise::unmarked(head) {
                Some(other) => (other == UnmarkedForm::Fst, None),
                None => {
                    let bracket = head.iter().find(|b| !is_space(**b)) == Some(&b'[');
                    (false, self.decide_lines(source, value, bracket)?)
                }
            },
        };
        Ok(FirstObject {
            binary,
            labels: kind == Some(ObjectKind::Ints),
        })
    }

    pub(super) fn decide_runs(
        &mut self,
        source: &mut Source,
        skip: usize,
    ) -> Result<Option<ObjectKind>> {
        if self.found.decided.runs.is_none() {
            let decision = decide::runs(source, skip, &self.env.limits)?;
            self.found.decided.runs = self.note(source, decision);
        }
        Ok(self.found.decided.runs)
    }

    pub(super) fn decide_wide(
        &mut self,
        source: &mut Source,
        skip: usize,
    ) -> Result<Option<ObjectKind>> {
        if self.found.decided.wide.is_none() {
            let decision = decide::wide(source, skip, &self.env.limits)?;
            self.found.decided.wide = self.note(source, decision);
        }
        Ok(self.found.decided.wide)
    }

    pub(super) fn decide_lines(
        &mut self,
        source: &mut Source,
        skip: usize,
        bracket: bool,
    ) -> Result<Option<ObjectKind>> {
        let known = match bracket {
            true => self.found.decided.brackets,
            false => self.found.decided.lines,
        };
        if known.is_some() {
            return Ok(known);
        }
        let decision = decide::lines(source, skip, &self.env.limits)?;
        let kind = self.note(source, decision);
        match bracket {
            true => self.found.decided.brackets = kind,
            false => self.found.decided.lines = kind,
        }
        if kind == Some(ObjectKind::Posterior) {
            (self.found.decided.brackets, self.found.decided.lines) = (kind, kind);
        }
        Ok(kind)
    }

    fn note(&mut self, source: &Source, decision: Option<Decision>) -> Option<ObjectKind> {
        let decision = decision?;
        if let Some(doubt) = decision.doubt().filter(|_| !self.doubted) {
            self.doubted = true;
            self.env.warn(&doubt.file(source.name()));
        }
        let Decision { kind, why, .. } = decision;
        // A list in brackets is unambiguously a vector or a matrix.
        if kind != ObjectKind::Vector {
            self.found.decision.get_or_insert(why);
        }
        Some(kind)
    }
}

/// Returns `true` if `skip` bytes ahead there is a packed vector of int32: the count, then 4 bytes
/// per number, then the end or another vector.
pub(super) fn is_packed(source: &mut Source, skip: usize) -> Result<bool> {
    /// The first bytes of another vector.
    const NEXT: &[u8] = &[0, b'B', TAG];
    /// After a longer vector in a file no other is searched.
    const LONGEST: usize = 1 << 20;
    let Some([TAG, a, b, c, d]) = source.peek(skip + 5)?.get(skip..) else {
        return Ok(false);
    };
    let n = ByteOrder::Little.read_i32([*a, *b, *c, *d]);
    let Some(count) = usize::try_from(n).ok().filter(|n| *n > 0) else {
        return Ok(false);
    };
    let expected = count.saturating_mul(4).saturating_add(skip + 5);
    match source.remaining() {
        Some(left) if left == expected as u64 => return Ok(true),
        Some(left) if left < expected as u64 || expected > LONGEST => return Ok(false),
        _ => {}
    }
    let there = source.peek(expected.saturating_add(NEXT.len()))?;
    Ok(matches!(there.get(expected..), Some([]) | Some(NEXT)))
}
