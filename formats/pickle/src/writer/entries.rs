//! Writing of a dict or list with one entry per utterance.

use spr_core::bytes::{Output, Part, Sink};
use spr_core::format::{Caps, Options, WriteSummary, Writer};
use spr_core::model::{KeySet, Matrix, Rank, Utterance};
use spr_core::tables::side::{self, SideWriter};
use spr_core::{Error, Remedy, Result};

use super::elements::{check_len, encode, encoded_len, features_of};
use crate::emit::{ArrayHead, Emitter};
use crate::layout::Layout;
use crate::protocol::Protocol;

/// A writer of utterances as separate entries: features, or a pair of features and labels. Only the
/// names of entries are kept in memory.
pub(super) struct EntryWriter {
    caps: Caps,
    sink: Sink,
    emitter: Emitter,
    protocol: Protocol,
    names: Names,
    /// The rank of the utterances, after the first one.
    rank: Option<Rank>,
    scratch: Vec<u8>,
    written: WriteSummary,
}

/// The place of the names.
enum Names {
    /// The keys of the dict, which are unique.
    Dict(KeySet),
    /// A side file of a list, or nowhere.
    List(Option<SideWriter>),
}

impl EntryWriter {
    pub(super) fn create(
        output: &Output,
        options: &Options,
        layout: Layout,
        caps: Caps,
    ) -> Result<Self> {
        let protocol = Protocol::of(options)?;
        let mut emitter = Emitter::with_memo(protocol);
        emitter.start();
        let names = match layout {
            Layout::Dict => {
                emitter.dict();
                output.discard(Part::Suffix(side::SUFFIX));
                Names::Dict(KeySet::default())
            }
            _ => {
                emitter.list();
                Names::List(SideWriter::create(output, options)?)
            }
        };
        Ok(Self {
            caps,
            sink: output.create(Part::Main, false)?,
            emitter,
            protocol,
            names,
            rank: None,
            scratch: Vec::new(),
            written: WriteSummary::default(),
        })
    }

    /// Returns the rank of the utterance, after checking that it fits the format and the utterances
    /// before.
    fn check(&self, utt: &Utterance) -> Result<Rank> {
        let rank = self.fits(utt);
        rank.map_err(|e| e.utterance(&utt.key).continuable())
    }

    fn fits(&self, utt: &Utterance) -> Result<Rank> {
        let features = features_of(utt, &self.caps)?;
        if self.rank.is_some_and(|rank| rank != features.rank()) {
            return Err(Error::unfit(match features.rank() {
                Rank::Vector => "is a vector, the utterances before it are matrices",
                _ => "is a matrix, the utterances before it are vectors",
            }));
        }
        for matrix in [Some(features), utt.labels.as_ref()].into_iter().flatten() {
            check_len(self.protocol, 0, matrix)?;
        }
        if let Names::Dict(names) = &self.names {
            if names.contains(&utt.key) {
                let error = Error::unfit("comes twice, and a dict holds one of a name");
                return Err(error.suggest(Remedy::KeepOnlyOne));
            }
            if !self.emitter.can_name(utt.key.as_bytes()) {
                return Err(Error::unsupported("has a name too long for a pickle's key"));
            }
        }
        Ok(features.rank())
    }

    fn store(&mut self, utt: &Utterance) -> Result<()> {
        if let Names::Dict(names) = &mut self.names {
            self.emitter.name(utt.key.as_bytes());
            names.insert(&utt.key);
        }
        let parts = [utt.features.as_ref(), utt.labels.as_ref()];
        if utt.labels.is_some() {
            self.emitter.open_tuple(2);
        }
        for (matrix, is_labels) in parts.into_iter().zip([false, true]) {
            let Some(matrix) = matrix else { continue };
            let one_axis = match is_labels {
                true => matrix.cols() == 1,
                false => matrix.rank() == Rank::Vector,
            };
            self.array(matrix, one_axis)?;
        }
        if utt.labels.is_some() {
            self.emitter.close_tuple(2);
        }
        match &mut self.names {
            Names::Dict(_) => self.emitter.set_item(),
            Names::List(side) => {
                self.emitter.append();
                if let Some(side) = side {
                    side.write(&utt.key, utt.frames())?;
                }
            }
        }
        self.written.count(utt);
        self.sink.put(&self.emitter.take())
    }

    fn array(&mut self, matrix: &Matrix, one_axis: bool) -> Result<()> {
        let coding = self.protocol.coding();
        self.emitter.array_head(&ArrayHead {
            dtype: matrix.dtype(),
            rows: matrix.rows() as u64,
            cols: (!one_axis).then_some(matrix.cols() as u64),
            len: encoded_len(coding, matrix),
        })?;
        let sink = &mut self.sink;
        sink.put(&self.emitter.take())?;
        encode(coding, matrix, &mut self.scratch, |b| sink.put(b))?;
        self.emitter.array_tail();
        Ok(())
    }
}

impl Writer for EntryWriter {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn accept(&mut self, utt: &Utterance) -> Result<()> {
        self.check(utt).map(drop)
    }

    fn write(&mut self, utt: &Utterance) -> Result<()> {
        self.rank = Some(self.check(utt)?);
        self.store(utt).map_err(|e| e.utterance(&utt.key))
    }

    fn finish(mut self: Box<Self>) -> Result<WriteSummary> {
        self.emitter.end();
        self.sink.put(&self.emitter.take())?;
        let mut written = self.written;
        if let Names::List(Some(side)) = self.names {
            written.bytes += side.finish()?;
        }
        written.bytes += self.sink.finish()?;
        Ok(written)
    }
}
