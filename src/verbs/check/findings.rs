//! Findings, and how many of a sort are told one by one.

use std::collections::BTreeMap;

use spr_core::{Error, ErrorKind, Remedy};

/// Findings of one sort that are told one by one; damage always is.
const SHOWN: u64 = 100;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// It is wrong.
    Fault,
    /// It may be meant.
    Note,
}

impl Severity {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fault => "fault",
            Self::Note => "note",
        }
    }
}

/// Something that was found.
#[derive(Debug)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// Its sort, in a word: `damage`, `duplicate`, `values`, …
    pub sort: &'static str,
    /// Where and what it is, and what to do about it.
    pub error: Error,
}

pub(super) struct Findings<'a> {
    found: &'a mut dyn FnMut(Finding),
    /// How many of each sort there are.
    counts: BTreeMap<&'static str, (Severity, u64)>,
    pub(super) faults: u64,
    pub(super) notes: u64,
    /// What was found on trial and is not told yet.
    held: Option<Held>,
}

/// Findings on trial, and what there was before them.
struct Held {
    findings: Vec<Finding>,
    counts: BTreeMap<&'static str, (Severity, u64)>,
    faults: u64,
    notes: u64,
}

impl<'a> Findings<'a> {
    pub(super) fn new(found: &'a mut dyn FnMut(Finding)) -> Self {
        Self {
            found,
            counts: BTreeMap::new(),
            faults: 0,
            notes: 0,
            held: None,
        }
    }

    /// Keeps what is found from now on, until it is [told](Self::release) or
    /// [forgotten](Self::forget).
    pub(super) fn hold(&mut self) {
        self.held = Some(Held {
            findings: Vec::new(),
            counts: self.counts.clone(),
            faults: self.faults,
            notes: self.notes,
        });
    }

    pub(super) fn release(&mut self) {
        let held = self.held.take().map(|held| held.findings);
        held.into_iter().flatten().for_each(&mut *self.found);
    }

    pub(super) fn forget(&mut self) {
        if let Some(held) = self.held.take() {
            (self.counts, self.faults, self.notes) = (held.counts, held.faults, held.notes);
        }
    }

    /// A part of the data can't be read.
    pub(super) fn damage(&mut self, error: Error) {
        self.faults += 1;
        let (sort, error) = match error.kind() {
            ErrorKind::Io => ("unreadable", error),
            _ => ("damage", error.suggest(Remedy::Repair)),
        };
        self.tell(Severity::Fault, sort, error);
    }

    pub(super) fn fault(&mut self, sort: &'static str, error: Error) {
        self.faults += 1;
        self.add(Severity::Fault, sort, error);
    }

    pub(super) fn note(&mut self, sort: &'static str, error: Error) {
        self.notes += 1;
        self.add(Severity::Note, sort, error);
    }

    fn add(&mut self, severity: Severity, sort: &'static str, error: Error) {
        let (_, count) = self.counts.entry(sort).or_insert((severity, 0));
        *count += 1;
        if *count <= SHOWN {
            self.tell(severity, sort, error);
        }
    }

    fn tell(&mut self, severity: Severity, sort: &'static str, error: Error) {
        let finding = Finding {
            severity,
            sort,
            error,
        };
        match &mut self.held {
            Some(held) => held.findings.push(finding),
            None => (self.found)(finding),
        }
    }

    /// Says how many were not told one by one.
    pub(super) fn close(&mut self) {
        for (sort, (severity, count)) in std::mem::take(&mut self.counts) {
            if let Some(more @ 1..) = count.checked_sub(SHOWN) {
                let error = Error::unfit(format!("{more} more of the sort '{sort}'"));
                self.tell(severity, sort, error);
            }
        }
    }
}
