//! Writing of all utterances as one array, with their labels in another.

use std::fs::File;
use std::io::{BufWriter, Read, Seek, Write};

use spr_core::bytes::{Output, Part, Sink};
use spr_core::format::{Caps, Options, WriteSummary, Writer};
use spr_core::model::{Dtype, Rank, Utterance};
use spr_core::tables::side::SideWriter;
use spr_core::{Error, Result};

use super::elements::{BLOCK, check_len, encode, encoded_len, features_of};
use super::encoder::Encoder;
use crate::emit::{ArrayHead, Emitter};
use crate::protocol::Protocol;

/// A writer of the features of all utterances as one array, and of the labels as another.
///
/// Features are written immediately, after a head that is filled in at the end. Labels are spooled
/// to a temporary file.
pub(super) struct JoinedWriter {
    caps: Caps,
    sink: Sink,
    side: Option<SideWriter>,
    protocol: Protocol,
    /// The common properties, after the first utterance.
    common: Option<Common>,
    features: Encoder,
    /// The encoded size of the features in bytes.
    features_len: u64,
    spool: Option<Spool>,
    scratch: Vec<u8>,
    written: WriteSummary,
}

/// The common properties of all utterances.
#[derive(Clone, Copy)]
struct Common {
    dtype: Dtype,
    rank: Rank,
    /// The number of columns, after the first utterance with frames.
    cols: Option<usize>,
    labels: Option<(Dtype, usize)>,
}

/// A temporary file of labels.
struct Spool {
    file: BufWriter<File>,
    len: u64,
}

impl JoinedWriter {
    pub(super) fn create(
        output: &Output,
        options: &Options,
        caps: Caps,
        threads: usize,
    ) -> Result<Self> {
        let protocol = Protocol::of(options)?;
        Ok(Self {
            caps,
            side: SideWriter::create(output, options)?,
            sink: output.create(Part::Main, true)?,
            protocol,
            common: None,
            features: Encoder::new(protocol.coding(), threads),
            features_len: 0,
            spool: None,
            scratch: Vec::new(),
            written: WriteSummary::default(),
        })
    }

    /// Returns the common properties, after checking that the utterance can be stored completely.
    fn check(&self, utt: &Utterance) -> Result<Common> {
        let common = self.common(utt);
        let common = common.map_err(|e| e.utterance(&utt.key).continuable())?;
        let spooled = self.spool.as_ref().map_or(0, |spool| spool.len);
        for (len, matrix) in [(self.features_len, &utt.features), (spooled, &utt.labels)] {
            if let Some(matrix) = matrix {
                check_len(self.protocol, len, matrix)?;
            }
        }
        Ok(common)
    }

    fn common(&self, utt: &Utterance) -> Result<Common> {
        let unfit = |message: String| Err(Error::unfit(message));
        let features = features_of(utt, &self.caps)?;
        let (rows, cols) = (features.rows(), features.cols());
        let labels = utt.labels.as_ref().map(|l| (l.dtype(), l.cols()));
        let before = self.common.unwrap_or(Common {
            dtype: features.dtype(),
            rank: features.rank(),
            cols: None,
            labels,
        });
        if features.dtype() != before.dtype {
            let (dtype, before) = (features.dtype(), before.dtype);
            return unfit(format!(
                "holds {dtype}, the utterances before it have {before}"
            ));
        }
        if features.rank() != before.rank {
            return unfit(match features.rank() {
                Rank::Vector => "is a vector, the utterances before it are matrices".to_owned(),
                _ => "is a matrix, the utterances before it are vectors".to_owned(),
            });
        }
        match before.cols {
            Some(before) if rows > 0 && cols != before => {
                return unfit(format!(
                    "{cols} columns, the utterances before it have {before}"
                ));
            }
            _ => {}
        }
        match (labels, before.labels) {
            (a, b) if a == b => {}
            (None, Some(_)) => {
                return unfit("has no labels, but the utterances before it have".into());
            }
            (Some(_), None) => {
                return unfit("has labels, but the utterances before it have none".into());
            }
            (Some((dtype, cols)), Some((before_dtype, before_cols))) => {
                return unfit(format!(
                    "{cols} labels of {dtype} a frame, the utterances before it have {before_cols} of \
                     {before_dtype}"
                ));
            }
            (None, None) => {}
        }
        Ok(Common {
            cols: before.cols.or((rows > 0).then_some(cols)),
            ..before
        })
    }

    fn store(&mut self, utt: &Utterance, common: Common) -> Result<()> {
        if self.common.is_none() {
            let head = self.head(common)?;
            self.sink.put(&head)?;
            if common.labels.is_some() {
                self.spool = Some(Spool::new()?);
            }
        }
        self.common = Some(common);
        let coding = self.protocol.coding();
        if let Some(features) = &utt.features {
            self.features.add(features, &mut self.sink)?;
            self.features_len += encoded_len(coding, features);
        }
        if let (Some(labels), Some(spool)) = (&utt.labels, &mut self.spool) {
            let file = &mut spool.file;
            spool.len += encode(coding, labels, &mut self.scratch, |bytes| {
                file.write_all(bytes).map_err(spool_error)
            })?;
        }
        if let (true, Some(side)) = (utt.ends(), &mut self.side) {
            side.write(&utt.key, utt.whole_frames())?;
        }
        self.written.count(utt);
        Ok(())
    }

    /// Returns everything before the features, as far as it is known.
    fn head(&self, common: Common) -> Result<Vec<u8>> {
        let mut emitter = Emitter::new(self.protocol);
        emitter.start();
        if common.labels.is_some() {
            emitter.open_tuple(2);
        }
        emitter.array_head(&ArrayHead {
            dtype: common.dtype,
            rows: self.written.frames,
            cols: match common.rank {
                Rank::Matrix => Some(common.cols.unwrap_or(0) as u64),
                Rank::Vector | Rank::Scalar => None,
            },
            len: self.features_len,
        })?;
        Ok(emitter.take())
    }

    /// Writes everything after the features.
    fn write_rest(&mut self, common: Common) -> Result<()> {
        let mut emitter = Emitter::new(self.protocol);
        emitter.array_tail();
        if let (Some(spool), Some((dtype, columns))) = (self.spool.take(), common.labels) {
            emitter.array_head(&ArrayHead {
                dtype,
                rows: self.written.frames,
                cols: (columns > 1).then_some(columns as u64),
                len: spool.len,
            })?;
            self.sink.put(&emitter.take())?;
            spool.copy_to(&mut self.sink)?;
            emitter = Emitter::new(self.protocol);
            emitter.array_tail();
        }
        if common.labels.is_some() {
            emitter.close_tuple(2);
        }
        emitter.end();
        self.sink.put(&emitter.take())
    }
}

impl Writer for JoinedWriter {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn accept(&mut self, utt: &Utterance) -> Result<()> {
        self.check(utt).map(drop)
    }

    fn write(&mut self, utt: &Utterance) -> Result<()> {
        let common = self.check(utt)?;
        self.store(utt, common).map_err(|e| e.utterance(&utt.key))
    }

    fn finish(mut self: Box<Self>) -> Result<WriteSummary> {
        let common = self.common.unwrap_or(Common {
            dtype: Dtype::F32,
            rank: Rank::Matrix,
            cols: None,
            labels: None,
        });
        let head = self.head(common)?;
        self.features.flush(&mut self.sink)?;
        if self.common.is_some() {
            self.sink.patch(0, &head)?;
        } else {
            self.sink.put(&head)?;
        }
        self.write_rest(common)?;
        let mut written = self.written;
        if let Some(side) = self.side {
            written.bytes += side.finish()?;
        }
        written.bytes += self.sink.finish()?;
        Ok(written)
    }
}

impl Spool {
    fn new() -> Result<Self> {
        let file = tempfile::tempfile().map_err(spool_error)?;
        Ok(Self {
            file: BufWriter::new(file),
            len: 0,
        })
    }

    fn copy_to(self, sink: &mut Sink) -> Result<()> {
        let mut file = self
            .file
            .into_inner()
            .map_err(|e| spool_error(e.into_error()))?;
        file.rewind().map_err(spool_error)?;
        let mut block = vec![0; BLOCK];
        loop {
            match file.read(&mut block).map_err(spool_error)? {
                0 => return Ok(()),
                n => sink.put(&block[..n])?,
            }
        }
    }
}

fn spool_error(error: std::io::Error) -> Error {
    Error::io("cannot keep the labels in the temporary folder", error)
}
