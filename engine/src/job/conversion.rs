//! A conversion that is done, but has no names yet.

use spr_core::Result;
use spr_core::bytes::{Output, Parents};
use spr_core::loss::{LossReport, describe};
use spr_core::model::Key;
use spr_core::tables::side;

use super::outcome::Outcome;
use crate::plan::Plan;
use crate::shard::{Hashes, OutputRecord, Record, Shard, check_name};

/// A completed conversion before its commit. Dropping it removes its files.
pub(super) struct Conversion {
    pub(super) outcome: Outcome,
    pub(super) outputs: Vec<Output>,
    pub(super) parents: Parents,
    /// The keys of the first and the last utterance written.
    pub(super) keys: Option<[Key; 2]>,
}

impl Conversion {
    /// Fills in the record of a shard; `hashes` has those of the files.
    ///
    /// # Errors
    /// The written files cannot be looked up.
    pub(super) fn fill(&self, record: &mut Record, hashes: &Hashes, plan: &Plan) -> Result<()> {
        let Outcome {
            written, skipped, ..
        } = &self.outcome;
        (record.utterances, record.frames) = (written.utterances, written.frames);
        record.skipped = *skipped;
        let named = self.keys.as_ref();
        record.keys = named.map(|keys| keys.each_ref().map(ToString::to_string));
        record.format = self.outcome.to.to_owned();
        let losses = self.outcome.losses.iter().flat_map(LossReport::lines);
        record.losses = losses.map(|(kind, line)| describe(kind, line)).collect();
        let shard = Shard::new(record.shard, record.of)?;
        for output in &self.outputs {
            for (name, bytes) in output.written()? {
                check_name(&name, shard)?;
                // A folder that is added to has files of others.
                let (bytes, hash) = match hashes.of(&name).filter(|_| !plan.run.add) {
                    Some((bytes, hash)) => (bytes, Some(hash)),
                    None => (bytes, None),
                };
                record.outputs.push(OutputRecord {
                    name: name.to_string(),
                    bytes,
                    hash,
                });
            }
        }
        let main = plan.output.as_ref();
        let side = main.and_then(|sink| sink.option(side::OPTION.name));
        record.side = side.map(str::to_owned);
        let main = main.and_then(|sink| sink.locations().first().map(ToString::to_string));
        record
            .outputs
            .sort_by_key(|output| Some(&output.name) != main.as_ref());
        Ok(())
    }

    /// Gives all files their final names, together with `others`: all or none.
    ///
    /// # Errors
    /// As for [`Output::commit_all`].
    pub(super) fn commit(self, others: impl IntoIterator<Item = Output>) -> Result<Outcome> {
        Output::commit_all(self.outputs.into_iter().chain(others))?;
        self.parents.keep();
        Ok(self.outcome)
    }
}
