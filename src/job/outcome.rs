//! What a conversion tells while it runs, and when it is done.

use std::ops::ControlFlow;
use std::time::Duration;

use serde_json::{Value, json};
use spr_core::Error;
use spr_core::format::Written;
use spr_core::loss::LossReport;

/// What a conversion did.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What was written.
    pub written: Written,
    /// Utterances passed over.
    pub skipped: u64,
    /// The format read.
    pub from: &'static str,
    /// The format written.
    pub to: &'static str,
    /// What was lost, as allowed: of the data, then of the labels on their own.
    pub losses: Vec<LossReport>,
    /// What the outputs rounded further than their element types say, in the same order.
    pub rounded: Vec<LossReport>,
    /// What was decoded on the way, such as Kaldi's `CM`.
    pub decoded: Option<String>,
    /// Whether frames were shuffled; partitions of them are counted as utterances.
    pub shuffled: bool,
    /// Partitions, where each went to an output of its own.
    pub partitions: Option<u64>,
    /// A hash of what was written that does not depend on the format, if it was asked for and
    /// there is one output.
    pub hash: Option<String>,
    /// Whether it was read back and found to be the same.
    pub verified: bool,
    /// How long it took.
    pub elapsed: Duration,
}

impl Outcome {
    /// All of it as a JSON object; `output` is what was written.
    pub fn json(&self, output: &str) -> Value {
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
        json!({
            "utterances": self.written.utterances,
            "frames": self.written.frames,
            "duration": (self.written.seconds > 0.0).then_some(self.written.seconds),
            "skipped": self.skipped,
            "bytes": self.written.bytes,
            "seconds": self.elapsed.as_secs_f64(),
            "from": self.from,
            "to": self.to,
            "output": output,
            "decoded": self.decoded,
            "partitions": self.partitions,
            "hash": self.hash,
            "verified": self.verified,
            "losses": losses,
        })
    }
}

/// How far a conversion is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Utterances done.
    pub utterances: u64,
    /// Their frames.
    pub frames: u64,
    /// Bytes read of the inputs, as they are stored, and in all, where the inputs are files that
    /// are read from front to back and somebody [watches](Observer::watches).
    pub bytes: Option<(u64, u64)>,
    /// Entries read of the inputs and in all, where script files that are watched, folders or headers
    /// say how many there are.
    pub entries: Option<(u64, u64)>,
}

/// Follows a conversion.
pub trait Observer {
    /// Whether anybody sees how much there is to read: script files are counted for it before they
    /// are read.
    fn watches(&self) -> bool;
    /// Another utterance is done. A [break](ControlFlow::Break) stops the conversion, and nothing is
    /// written.
    fn progress(&mut self, so_far: Progress) -> ControlFlow<()>;
    /// An utterance was passed over.
    fn skipped(&mut self, error: &Error);
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
