//! What a target can't hold: kinds of loss, who allows them, and what they came to.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use crate::model::{CastStats, Key};
use crate::{Error, ErrorKind, Remedy, Result, nearest};

/// What is lost.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LossKind {
    /// Digits of numbers.
    Precision,
    /// Numbers beyond the range of the target's type.
    Range,
    /// Frame labels.
    Labels,
    /// Names of utterances.
    Keys,
    /// Where one utterance ends and the next starts.
    Boundaries,
    /// Header lines, frame shift and the like.
    Metadata,
    /// Sampled sound.
    Audio,
    /// Labelled stretches of time.
    Segments,
    /// Weights of alternatives, as in a posterior.
    Weights,
    /// The difference between a number, a vector and a matrix.
    Rank,
    /// Arrays beside features and labels.
    Arrays,
    /// Names of tiers of segments, and all tiers but one.
    Tiers,
    /// Scores of segments.
    Scores,
    /// Speakers of segments.
    Speakers,
    /// What was said.
    Text,
}

impl LossKind {
    /// Every kind.
    pub const ALL: &'static [Self] = &[
        Self::Precision,
        Self::Range,
        Self::Labels,
        Self::Keys,
        Self::Boundaries,
        Self::Metadata,
        Self::Audio,
        Self::Segments,
        Self::Weights,
        Self::Rank,
        Self::Arrays,
        Self::Tiers,
        Self::Scores,
        Self::Speakers,
        Self::Text,
    ];

    /// Its name, as in a list of losses to allow.
    pub fn name(self) -> &'static str {
        match self {
            Self::Precision => "precision",
            Self::Range => "range",
            Self::Labels => "labels",
            Self::Keys => "keys",
            Self::Boundaries => "boundaries",
            Self::Metadata => "metadata",
            Self::Audio => "audio",
            Self::Segments => "segments",
            Self::Weights => "weights",
            Self::Rank => "rank",
            Self::Arrays => "arrays",
            Self::Tiers => "tiers",
            Self::Scores => "scores",
            Self::Speakers => "speakers",
            Self::Text => "text",
        }
    }

    /// What is lost, in a few words that contain its name.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Rank => "rank (number, vector or matrix)",
            Self::Arrays => "arrays beside features and labels",
            Self::Tiers => "tiers of segments",
            Self::Scores => "scores of segments",
            Self::Speakers => "speakers of segments",
            _ => self.name(),
        }
    }
}

impl fmt::Display for LossKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

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

/// Which losses are allowed. [`LossKind::Metadata`] always is, with a warning.
#[derive(Clone, Debug, Default)]
pub struct LossPolicy {
    allowed: Vec<LossKind>,
}

impl LossPolicy {
    /// Allows one more kind.
    pub fn allow(&mut self, kind: LossKind) {
        self.allowed.push(kind);
    }

    /// Allows every kind.
    pub fn allow_all(&mut self) {
        self.allowed.extend(LossKind::ALL);
    }

    /// Whether the user asked for this loss. Where labels may go, what was said may go, too.
    pub fn allows(&self, kind: LossKind) -> bool {
        let as_labels = kind == LossKind::Text && self.allowed.contains(&LossKind::Labels);
        as_labels || self.allowed.contains(&kind)
    }

    /// Whether this loss stops the conversion.
    pub fn denies(&self, kind: LossKind) -> bool {
        kind != LossKind::Metadata && !self.allows(kind)
    }
}

/// What one kind of loss came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LossLine {
    /// Utterances concerned.
    pub utterances: u64,
    /// Values changed.
    pub values: u64,
    /// Values looked at in those utterances.
    pub of: u64,
    /// The largest difference, for [`LossKind::Precision`].
    pub max_abs_err: f64,
    /// The first utterance concerned.
    pub first: Option<Key>,
    /// What exactly, where there is more to say: names of header lines and the like.
    pub what: Vec<String>,
    /// The last utterance concerned, which may lose several things of one kind.
    last: Option<Key>,
}

impl LossLine {
    /// Names something that was lost, if it is new and there is room.
    fn name(&mut self, what: &str) {
        if !self.what.iter().any(|w| w == what) && self.what.len() < 20 {
            self.what.push(what.to_owned());
        }
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

    /// Counts what a cast changed in the utterance `key`.
    pub fn add_cast(&mut self, key: &Key, stats: &CastStats) {
        self.count(key, stats, None);
    }

    /// Counts what the encoding of the utterance `key` changed, and `how` its values were encoded.
    pub fn add_rounding(&mut self, key: &Key, stats: &CastStats, how: &str) {
        self.count(key, stats, Some(how));
    }

    /// Adds what was lost of other utterances.
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
        for (kind, values) in [
            (LossKind::Precision, precise),
            (LossKind::Range, stats.clipped),
        ] {
            if values > 0 {
                self.add(kind, key, how);
                let line = self.lines.entry(kind).or_default();
                line.values += values;
                line.of += stats.values;
                if kind == LossKind::Precision {
                    line.max_abs_err = line.max_abs_err.max(stats.max_abs_err);
                }
            }
        }
    }

    /// Whether nothing was lost.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Each kind of loss that occurred.
    pub fn lines(&self) -> impl Iterator<Item = (LossKind, &LossLine)> {
        self.lines.iter().map(|(kind, line)| (*kind, line))
    }

    /// Whether a loss occurred that `policy` denies.
    pub fn is_denied(&self, policy: &LossPolicy) -> bool {
        self.lines.keys().any(|kind| policy.denies(*kind))
    }

    /// The error for the denied losses, if there are any; `target` names the format.
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
        let kinds: Vec<_> = denied.iter().map(|(kind, _)| *kind).collect();
        let message = format!("{target} can't hold all of it: {}", texts.join("; "));
        let mut error = Error::new(ErrorKind::Loss, message).suggest(Remedy::AllowLosses(kinds));
        if let (1, Some(key)) = (line.utterances, &line.first) {
            error = error.utterance(key);
        }
        Some(error)
    }
}

/// One line on what a loss came to: `precision: 12 of 80 values in 2 utterances would change, …`.
pub fn describe(kind: LossKind, line: &LossLine) -> String {
    let utterances = match line.utterances {
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
    fn reports_of_several_outputs_add_up() {
        let stats = |changed, max_abs_err| CastStats {
            values: 10,
            changed,
            clipped: 1,
            max_abs_err,
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
}
