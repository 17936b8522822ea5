//! The rules for cutting, and what they leave out.

use std::collections::HashSet;

use super::key_pattern::KeyPattern;
use super::pick::CutBy;
use crate::bytes::Env;
use crate::error::Error;
use crate::model::{Decimal, Segment};

/// The rules by which utterances are cut.
#[derive(Clone, Debug)]
pub struct CutRules {
    /// The segments that become utterances.
    pub by: CutBy,
    /// The keys of the new utterances.
    pub keys: KeyPattern,
    /// The labels of segments that are left out, such as those of silence.
    pub dropped: HashSet<Box<[u8]>>,
    /// The longest pause in seconds between two segments in order, of one speaker, that become one
    /// utterance, with a blank between their labels. Without it, each becomes one.
    pub gap: Option<Decimal>,
    /// The seconds that are added before and after, as far as the utterance goes.
    pub pad: Decimal,
}

impl CutRules {
    /// Creates rules that make an utterance of each segment.
    pub fn new(by: CutBy) -> Self {
        Self {
            by,
            keys: KeyPattern::default(),
            dropped: HashSet::new(),
            gap: None,
            pad: Decimal::ZERO,
        }
    }
}

/// The number of things that are left out without an error.
#[derive(Default)]
pub(super) struct LeftOut {
    /// Segments without a label.
    pub(super) empty: u64,
    /// Utterances without a segment that is kept.
    pub(super) without: u64,
}

impl LeftOut {
    /// Returns `true` for a segment that is not left out, and counts the others.
    pub(super) fn keeps(&mut self, segment: &Segment, rules: &CutRules) -> bool {
        if segment.label.trim_ascii().is_empty() && segment.speaker.is_none() {
            self.empty += 1;
            return false;
        }
        !rules.dropped.contains(&*segment.label)
    }

    /// Warns of segments without a label, and of utterances without a piece.
    pub(super) fn warn(&mut self, env: &Env) {
        let Self { empty, without } = std::mem::take(self);
        let counted = |n: u64, what: &str| match n {
            1 => format!("1 {what}"),
            n => format!("{n} {what}s"),
        };
        if empty > 0 {
            let message = format!("{} without a label left out", counted(empty, "segment"));
            env.warn_left_out(&Error::unfit(message));
        }
        if without > 0 {
            let message = format!(
                "{} without a segment to cut by left out",
                counted(without, "utterance")
            );
            env.warn_left_out(&Error::unfit(message));
        }
    }
}
