//! Findings, and the limit on how many of one sort are reported.

use std::collections::BTreeMap;

use spr_core::bytes::Env;
use spr_core::format::{Finding, Severity};
use spr_core::{Error, ErrorKind, Remedy};

use super::kinds::{Kind, Kinds};

/// The number of findings of one sort that are reported, unless all are; damage is always reported.
const SHOWN: u64 = 100;

pub(super) struct Findings<'a> {
    found: &'a mut dyn FnMut(Finding),
    /// Whether all findings are reported.
    all: bool,
    /// The number of findings by sort.
    counts: BTreeMap<&'static str, (Severity, u64)>,
    kinds: Kinds,
    pub(super) faults: u64,
    pub(super) notes: u64,
    /// Tentative findings that are not reported yet.
    held: Option<TrialFindings>,
}

/// Tentative findings, and the state before them.
struct TrialFindings {
    findings: Vec<Finding>,
    /// Whether there were more, which were not kept.
    is_partial: bool,
    counts: BTreeMap<&'static str, (Severity, u64)>,
    kinds: Kinds,
    faults: u64,
    notes: u64,
}

impl<'a> Findings<'a> {
    pub(super) fn new(all: bool, found: &'a mut dyn FnMut(Finding)) -> Self {
        Self {
            found,
            all,
            counts: BTreeMap::new(),
            kinds: Kinds::default(),
            faults: 0,
            notes: 0,
            held: None,
        }
    }

    /// Holds findings back until they are [released](Self::release) or [forgotten](Self::forget).
    pub(super) fn hold(&mut self) {
        self.held = Some(TrialFindings {
            findings: Vec::new(),
            is_partial: false,
            counts: self.counts.clone(),
            kinds: self.kinds.clone(),
            faults: self.faults,
            notes: self.notes,
        });
    }

    /// Reports tentative findings, and returns `true`; or forgets them, as they are only a part.
    pub(super) fn release(&mut self) -> bool {
        if self.held.as_ref().is_some_and(|held| held.is_partial) {
            self.forget();
            return false;
        }
        let held = self.held.take().map(|held| held.findings);
        held.into_iter().flatten().for_each(&mut *self.found);
        true
    }

    pub(super) fn forget(&mut self) {
        if let Some(held) = self.held.take() {
            (self.counts, self.kinds) = (held.counts, held.kinds);
            (self.faults, self.notes) = (held.faults, held.notes);
        }
    }

    /// Adds damage: a part of the data that cannot be read.
    pub(super) fn damage(&mut self, error: Error) {
        self.faults += 1;
        let (sort, error) = match error.kind() {
            ErrorKind::Io => ("unreadable", error),
            _ => ("damage", error.suggest(Remedy::Repair)),
        };
        self.kinds.add(Severity::Fault, sort, &error);
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
        self.kinds.add(severity, sort, &error);
        let (_, count) = self.counts.entry(sort).or_insert((severity, 0));
        *count += 1;
        match (&mut self.held, *count <= SHOWN) {
            (Some(held), false) => held.is_partial = self.all,
            (_, is_shown) if is_shown || self.all => self.tell(severity, sort, error),
            _ => {}
        }
    }

    fn tell(&mut self, severity: Severity, sort: &'static str, error: Error) {
        let finding = Finding::new(severity, sort, error);
        match &mut self.held {
            Some(held) => held.findings.push(finding),
            None => (self.found)(finding),
        }
    }

    /// Reports the numbers of findings that were not reported individually, and returns the kinds of
    /// all.
    pub(super) fn close(&mut self, env: &Env) -> Vec<Kind> {
        if !self.all {
            self.tell_rest();
        }
        std::mem::take(&mut self.kinds).worst_first(env)
    }

    fn tell_rest(&mut self) {
        for (sort, (severity, count)) in std::mem::take(&mut self.counts) {
            if let Some(more @ 1..) = count.checked_sub(SHOWN) {
                let error = Error::unfit(format!("{more} more of the sort '{sort}'"));
                self.tell(severity, sort, error);
            }
        }
    }
}
