//! The progress and the outcome of a conversion.

use std::ops::ControlFlow;
use std::time::Duration;

use serde_json::{Value, json};
use spr_core::bytes::Location;
use spr_core::format::{Registry, WriteSummary};
use spr_core::loss::LossReport;
use spr_core::{Error, Result};

use crate::shard::Record;

/// The result of a conversion.
#[non_exhaustive]
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// A summary of the written data.
    pub written: WriteSummary,
    /// The number of skipped utterances.
    pub skipped: u64,
    /// The format read; empty if the shard was done before.
    pub from: &'static str,
    /// Set if that format was guessed by the look of text.
    pub guessed: bool,
    /// The format written.
    pub to: &'static str,
    /// The output as typed, with the number of the shard if there is one.
    pub output: String,
    /// The permitted losses: of the data, then of the labels alone.
    pub losses: Vec<LossReport>,
    /// The losses by encodings that round more than their element types imply, in the same order.
    pub rounded: Vec<LossReport>,
    /// The encodings that were undone, such as Kaldi's `CM`.
    pub decoded: Option<String>,
    /// Whether frames were shuffled; their partitions are counted as utterances.
    pub shuffled: bool,
    /// The number of partitions, if each has a separate output.
    pub partitions: Option<u64>,
    /// What the parts of a split got, in their order.
    pub parts: Vec<PartTotals>,
    /// A hash of the data that does not depend on the format, if it was requested and there is only
    /// one output.
    pub hash: Option<String>,
    /// Whether the output was read back and compared.
    pub verified: bool,
    /// The duration of the conversion.
    pub elapsed: Duration,
    /// The location of the error log, if one was written.
    pub error_log: Option<Location>,
    /// The location of the report, if one was written.
    pub report: Option<Location>,
    /// The shard, if the job converted one.
    pub shard: Option<ShardOutcome>,
}

/// A shard that is done.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq)]
pub struct ShardOutcome {
    /// The record of the shard.
    pub record: Record,
    /// The location of the record.
    pub at: Location,
    /// Set if the shard was done before and nothing was written.
    pub was_done: bool,
}

impl ShardOutcome {
    pub(super) fn new(record: Record, at: Location, was_done: bool) -> Self {
        Self {
            record,
            at,
            was_done,
        }
    }

    /// Formats the shard as a JSON object.
    pub fn json(&self) -> Value {
        json!({
            "record": self.at.to_string(),
            "shard": self.record.shard,
            "of": self.record.of,
            "utterances": self.record.utterances,
            "frames": self.record.frames,
            "skipped": self.record.skipped,
        })
    }
}

/// What a part of a split got.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq)]
pub struct PartTotals {
    /// Its number, or its name.
    pub name: String,
    /// The number of utterances.
    pub utterances: u64,
    /// The number of their frames.
    pub frames: u64,
    /// Their duration, if all are known.
    pub seconds: Option<f64>,
}

impl Outcome {
    /// Creates the outcome of a shard that was done before, as far as its record contains it.
    pub(super) fn of_done(shard: ShardOutcome, output: &str, registry: &Registry) -> Self {
        let record = &shard.record;
        let format = registry.find(&record.format);
        let mut written = WriteSummary::default();
        (written.utterances, written.frames) = (record.utterances, record.frames);
        written.bytes = record.outputs.iter().map(|output| output.bytes).sum();
        Self {
            written,
            skipped: record.skipped,
            to: format.map_or("", |format| format.info().name),
            output: output.to_owned(),
            shard: Some(shard),
            ..Self::default()
        }
    }

    /// Formats the outcome as a JSON object, which is the content of the report.
    pub fn json(&self) -> Value {
        let losses: Vec<_> = self
            .losses
            .iter()
            .chain(&self.rounded)
            .flat_map(LossReport::lines)
            .map(|(kind, line)| {
                json!({
                    "kind": kind.name(),
                    "utterances": line.utterances,
                    "values": line.values,
                    "of": line.of,
                    "max_abs_err": line.max_abs_err,
                    "first": line.first.as_ref().map(ToString::to_string),
                    "what": line.what,
                })
            })
            .collect();
        let parts = self.parts.iter().map(|part| {
            json!({
                "name": part.name,
                "utterances": part.utterances,
                "frames": part.frames,
                "duration": part.seconds,
            })
        });
        json!({
            "utterances": self.written.utterances,
            "frames": self.written.frames,
            "duration": (self.written.seconds > 0.0).then_some(self.written.seconds),
            "skipped": self.skipped,
            "bytes": self.written.bytes,
            "seconds": self.elapsed.as_secs_f64(),
            "from": self.from,
            "to": self.to,
            "output": self.output,
            "decoded": self.decoded,
            "partitions": self.partitions,
            "parts": parts.collect::<Vec<_>>(),
            "hash": self.hash,
            "verified": self.verified,
            "losses": losses,
        })
    }
}

/// The progress of a conversion.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// The number of utterances done.
    pub utterances: u64,
    /// Their frames.
    pub frames: u64,
    /// The stored bytes read of the inputs, and the total, if the inputs are files that are read
    /// sequentially and an observer [watches](Observer::watches).
    pub bytes: Option<(u64, u64)>,
    /// The entries read of the inputs, and the total, if watched script files, folders or headers
    /// contain it.
    pub entries: Option<(u64, u64)>,
}

/// An observer of a conversion.
pub trait Observer {
    /// Returns `true` if totals are needed: script files are then counted in advance.
    fn watches(&self) -> bool;
    /// Called after each utterance. A [break](ControlFlow::Break) stops the conversion, and nothing
    /// is written.
    fn progress(&mut self, so_far: Progress) -> ControlFlow<()>;
    /// Called for each skipped utterance.
    fn skipped(&mut self, error: &Error);
    /// Returns the hint about an error for the error log, such as the option of a front end that
    /// helps.
    fn hint(&self, error: &Error) -> Option<String> {
        error.hint_text()
    }
    /// Called when everything is written and before the files get their names. After an error
    /// there is no output.
    ///
    /// # Errors
    /// The observer objects, for instance because it cannot print the outcome.
    fn written(&mut self, _: &Outcome) -> Result<()> {
        Ok(())
    }
}

impl Observer for () {
    fn watches(&self) -> bool {
        false
    }

    fn progress(&mut self, _: Progress) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn skipped(&mut self, _: &Error) {}
}
