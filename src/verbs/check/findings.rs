//! Findings, and the limit on how many of one sort are reported.

use std::collections::BTreeMap;

use spr_core::format::{Finding, Severity};
use spr_core::{Error, ErrorKind, Remedy};

/// The number of findings of one sort that are reported; damage is always reported.
const SHOWN: u64 = 100;

pub(super) struct Findings<'a> {
    found: &'a mut dyn FnMut(Finding),
    /// The number of findings by sort.
    counts: BTreeMap<&'static str, (Severity, u64)>,
    pub(super) faults: u64,
    pub(super) notes: u64,
    /// Tentative findings that are not reported yet.
    held: Option<TrialFindings>,
}

/// Tentative findings, and the state before them.
struct TrialFindings {
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

    /// Holds findings back until they are [released](Self::release) or [forgotten](Self::forget).
    pub(super) fn hold(&mut self) {
        self.held = Some(TrialFindings {
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

    /// Adds damage: a part of the data that cannot be read.
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

    /// Passes on what a format found.
    pub(super) fn found(&mut self, finding: Finding) {
        match finding.severity {
            Severity::Fault => self.fault(finding.sort, finding.error),
            Severity::Note => self.note(finding.sort, finding.error),
        }
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

    /// Reports the numbers of findings that were not reported individually.
    pub(super) fn close(&mut self) {
        for (sort, (severity, count)) in std::mem::take(&mut self.counts) {
            if let Some(more @ 1..) = count.checked_sub(SHOWN) {
                let error = Error::unfit(format!("{more} more of the sort '{sort}'"));
                self.tell(severity, sort, error);
            }
        }
    }
}
