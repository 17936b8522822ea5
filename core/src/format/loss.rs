//! Losses: data that a target cannot hold, their permission and their measure.

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorKind, Remedy, Result};
use crate::model::{CastStats, Key};
use crate::text::nearest;

pub use crate::error::{LossKind, LossLine};

impl FromStr for LossKind {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|k| k.name() == text)
            .ok_or_else(|| {
                let known = Self::ALL.iter().map(|k| k.name()).chain(["all"]);
                let known: Vec<_> = known.collect();
                Error::usage(format!("unknown kind of loss '{text}'"))
                    .hint(nearest::hint(text, &known, "known"))
            })
    }
}

/// The permitted losses. [`LossKind::Metadata`] is always permitted, with a warning.
///
/// ```
/// use spr_core::loss::{LossKind, LossPolicy};
///
/// let mut policy = LossPolicy::default();
/// assert!(!policy.allows(LossKind::Precision));
/// policy.allow("precision".parse()?);
/// assert!(policy.allows(LossKind::Precision));
/// # Ok::<(), spr_core::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LossPolicy {
    allowed: BTreeSet<LossKind>,
}

impl LossPolicy {
    /// Permits a kind.
    pub fn allow(&mut self, kind: LossKind) {
        self.allowed.insert(kind);
    }

    /// Permits all kinds.
    pub fn allow_all(&mut self) {
        self.allowed.extend(LossKind::ALL);
    }

    /// Returns `true` if the user permitted this loss. Permission to lose labels includes text.
    pub fn allows(&self, kind: LossKind) -> bool {
        let as_labels = kind == LossKind::Text && self.allowed.contains(&LossKind::Labels);
        as_labels || self.allowed.contains(&kind)
    }

    /// Returns `true` if this loss stops the conversion.
    pub(crate) fn denies(&self, kind: LossKind) -> bool {
        kind != LossKind::Metadata && !self.allows(kind)
    }
}

/// All losses of a conversion.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LossReport {
    lines: BTreeMap<LossKind, LossLine>,
}

impl LossReport {
    /// Counts a loss in the utterance `key`.
    pub fn add(&mut self, kind: LossKind, key: &Key, what: Option<&str>) {
        let line = self.lines.entry(kind).or_default();
        if line.last.as_ref() != Some(key) {
            line.utterances += 1;
            line.last = Some(key.clone());
        }
        line.first.get_or_insert_with(|| key.clone());
        if let Some(what) = what {
            line.name(what);
        }
    }

    /// Names a loss of the data set as a whole, which is none of its utterances.
    pub(crate) fn add_of_dataset(&mut self, kind: LossKind, what: &str) {
        self.lines.entry(kind).or_default().name(what);
    }

    /// Counts the changes of a cast in the utterance `key`.
    pub(crate) fn add_cast(&mut self, key: &Key, stats: &CastStats) {
        self.count(key, stats, None);
    }

    /// Counts the changes by the encoding of the utterance `key`, which is described by `how`.
    pub fn add_rounding(&mut self, key: &Key, stats: &CastStats, how: &str) {
        self.count(key, stats, Some(how));
    }

    /// Adds the losses of other utterances.
    pub fn append(&mut self, other: &Self) {
        for (kind, more) in &other.lines {
            let line = self.lines.entry(*kind).or_default();
            line.utterances += more.utterances;
            line.values += more.values;
            line.of += more.of;
            line.max_abs_err = line.max_abs_err.max(more.max_abs_err);
            line.first = line.first.take().or_else(|| more.first.clone());
            line.last.clone_from(&more.last);
            for what in &more.what {
                line.name(what);
            }
        }
    }

    fn count(&mut self, key: &Key, stats: &CastStats, how: Option<&str>) {
        let precise = stats.changed - stats.clipped;
        for (kind, values, error) in [
            (LossKind::Precision, precise, stats.max_abs_err),
            (LossKind::Range, stats.clipped, stats.max_clip_err),
        ] {
            if values > 0 {
                self.add(kind, key, how);
                let line = self.lines.entry(kind).or_default();
                line.values += values;
                line.of += stats.values;
                line.max_abs_err = line.max_abs_err.max(error);
            }
        }
    }

    /// Returns `true` if nothing was lost.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Returns each kind of loss that occurred.
    pub fn lines(&self) -> impl Iterator<Item = (LossKind, &LossLine)> {
        self.lines.iter().map(|(kind, line)| (*kind, line))
    }

    /// Returns `true` if `policy` denies a loss that occurred.
    pub(crate) fn is_denied(&self, policy: &LossPolicy) -> bool {
        !self.is_empty() && self.lines.keys().any(|kind| policy.denies(*kind))
    }

    /// Returns the error for denied losses of what the target has no place for at all, if there are
    /// any: whatever else there is, it will not be written. `target` names the format.
    pub(crate) fn denied_at_once(&self, policy: &LossPolicy, target: &str) -> Option<Error> {
        let denied = || self.lines().filter(|(kind, _)| policy.denies(*kind));
        let is_measured = |kind: LossKind| {
            use LossKind::{Precision, Range, Rank, Weights};
            matches!(kind, Precision | Range | Rank | Weights)
        };
        let (_, line) = denied().find(|(kind, _)| !is_measured(*kind))?;
        let texts: Vec<_> = denied().map(|(kind, line)| named(kind, line)).collect();
        let texts = texts.join("; ");
        let message = format!("{target} can't hold all of it: {texts}; the rest was not read");
        let error = refused(message, denied());
        Some(match &line.first {
            Some(key) => error.utterance(key),
            None => error,
        })
    }

    /// Removes the losses of a kind, and returns them.
    #[must_use]
    pub fn split_off(&mut self, kind: LossKind) -> Self {
        Self {
            lines: self.lines.remove_entry(&kind).into_iter().collect(),
        }
    }

    /// Returns the error for denied losses, if there are any; `target` names the format.
    pub fn denied(&self, policy: &LossPolicy, target: &str) -> Option<Error> {
        let denied: Vec<_> = self
            .lines()
            .filter(|(kind, _)| policy.denies(*kind))
            .collect();
        let (_, line) = denied.first()?;
        let texts: Vec<_> = denied
            .iter()
            .map(|(kind, line)| describe(*kind, line))
            .collect();
        let message = format!("{target} can't hold all of it: {}", texts.join("; "));
        let mut error = refused(message, denied.iter().copied());
        if let (1, Some(key)) = (line.utterances, &line.first) {
            error = error.utterance(key);
        }
        Some(error)
    }
}

/// Returns the error for these losses.
fn refused<'a>(message: String, denied: impl Iterator<Item = (LossKind, &'a LossLine)>) -> Error {
    let losses: Vec<_> = denied.map(|(kind, line)| (kind, line.clone())).collect();
    let kinds = losses.iter().map(|(kind, _)| *kind).collect();
    let error = Error::new(ErrorKind::Loss, message).losing(losses);
    error.suggest(Remedy::AllowLosses(kinds))
}

/// Names a loss of one utterance.
fn named(kind: LossKind, line: &LossLine) -> String {
    match line.what.is_empty() {
        true => kind.describe().to_owned(),
        false => format!("{} ({})", kind.describe(), line.what.join(", ")),
    }
}

/// Describes a loss in one line: `precision: 12 of 80 values in 2 utterances would change, …`.
pub fn describe(kind: LossKind, line: &LossLine) -> String {
    let utterances = match line.utterances {
        0 => "the data set".to_owned(),
        1 => "1 utterance".to_owned(),
        n => format!("{n} utterances"),
    };
    let what = if line.what.is_empty() {
        String::new()
    } else {
        format!(" ({})", line.what.join(", "))
    };
    match kind {
        LossKind::Precision => format!(
            "precision: {} of {} values in {utterances} change, by up to {:.3e}{what}",
            line.values, line.of, line.max_abs_err
        ),
        LossKind::Range => format!(
            "range: {} of {} values in {utterances} are beyond the target's type{what}",
            line.values, line.of
        ),
        _ => format!("{} of {utterances}{what}", kind.describe()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_utterance_that_loses_several_things_counts_once() {
        let mut report = LossReport::default();
        for (key, what) in [
            ("a", "frame shift"),
            ("a", "header lines"),
            ("b", "frame shift"),
        ] {
            report.add(LossKind::Metadata, &key.into(), Some(what));
        }
        let (kind, line) = report.lines().next().unwrap();
        assert_eq!(
            describe(kind, line),
            "metadata of 2 utterances (frame shift, header lines)"
        );
    }

    #[test]
    fn a_loss_of_the_data_set_is_none_of_its_utterances() {
        let mut report = LossReport::default();
        report.add_of_dataset(LossKind::Metadata, "the data set's licence");
        let text = |report: &LossReport| {
            let (kind, line) = report.lines().next().unwrap();
            describe(kind, line)
        };
        assert_eq!(
            text(&report),
            "metadata of the data set (the data set's licence)"
        );
        report.add(LossKind::Metadata, &"a".into(), Some("speaker"));
        assert_eq!(
            text(&report),
            "metadata of 1 utterance (the data set's licence, speaker)"
        );
    }

    #[test]
    fn an_error_has_the_losses_that_it_tells() {
        let mut report = LossReport::default();
        report.add(LossKind::Labels, &"a".into(), None);
        report.add(LossKind::Labels, &"b".into(), None);
        report.add(LossKind::Audio, &"b".into(), None);
        let mut policy = LossPolicy::default();
        policy.allow(LossKind::Audio);
        for error in [
            report.denied(&policy, "it"),
            report.denied_at_once(&policy, "it"),
        ] {
            let error = error.unwrap().copy();
            let [(kind, line)] = error.losses() else {
                panic!("{:?}", error.losses())
            };
            assert_eq!((*kind, line.utterances), (LossKind::Labels, 2));
        }
        assert!(Error::usage("x").losses().is_empty());
    }

    #[test]
    fn reports_of_several_outputs_add_up() {
        let stats = |changed, max_abs_err| CastStats {
            values: 10,
            changed,
            clipped: 1,
            max_abs_err,
            max_clip_err: 0.0,
        };
        let (mut all, mut more) = (LossReport::default(), LossReport::default());
        all.add_rounding(&"a".into(), &stats(4, 0.5), "mu-law");
        more.add_rounding(&"b".into(), &stats(2, 0.25), "mu-law");
        more.add_rounding(&"c".into(), &stats(1, 0.0), "A-law");
        all.append(&more);
        let texts: Vec<_> = all
            .lines()
            .map(|(kind, line)| describe(kind, line))
            .collect();
        assert_eq!(
            texts,
            [
                "precision: 4 of 20 values in 2 utterances change, by up to 5.000e-1 (mu-law)",
                "range: 3 of 30 values in 3 utterances are beyond the target's type (mu-law, A-law)",
            ]
        );
    }

    #[test]
    fn kinds_of_loss_go_by_their_names() {
        for kind in LossKind::ALL {
            assert_eq!(kind.to_string().parse::<LossKind>().unwrap(), *kind);
            assert!(kind.describe().contains(kind.name()));
        }
        let error = "lables".parse::<LossKind>().unwrap_err();
        assert_eq!(error.to_string(), "unknown kind of loss 'lables'");
        assert_eq!(
            error.hint_text().unwrap(),
            "did you mean 'labels'? known: precision, range, labels, keys, boundaries, metadata, \
             audio, segments, weights, rank, arrays, tiers, scores, speakers, text, all"
        );
    }

    #[test]
    fn what_is_allowed_is_not_denied() {
        use LossKind::{Keys, Labels, Metadata, Text};
        let mut policy = LossPolicy::default();
        let denied = |policy: &LossPolicy| [Keys, Labels, Metadata, Text].map(|k| policy.denies(k));
        assert_eq!(denied(&policy), [true, true, false, true]);
        policy.allow(Text);
        assert_eq!(denied(&policy), [true, true, false, false]);
        // Who gives up labels gives up text.
        let mut policy = LossPolicy::default();
        policy.allow(Labels);
        assert_eq!(denied(&policy), [true, false, false, false]);
        policy.allow_all();
        assert_eq!(denied(&policy), [false; 4]);
    }

    #[test]
    fn of_the_whole_data_set_no_utterance_is_named() {
        let mut report = LossReport::default();
        report.add_of_dataset(LossKind::Tiers, "phones");
        let policy = LossPolicy::default();
        let error = report.denied_at_once(&policy, "it").unwrap();
        let message = "it can't hold all of it: tiers of segments (phones); the rest was not read";
        assert_eq!(error.to_string(), message);
        let error = report.denied(&policy, "it").unwrap();
        let message = "it can't hold all of it: tiers of segments of the data set (phones)";
        assert_eq!(error.to_string(), message);
        report.add(LossKind::Tiers, &"a".into(), None);
        let error = report.denied(&policy, "it").unwrap();
        assert_eq!(error.key(), Some(&"a".into()), "the only one");
        report.add(LossKind::Tiers, &"b".into(), None);
        assert_eq!(report.denied(&policy, "it").unwrap().key(), None);
    }
}
