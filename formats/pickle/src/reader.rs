//! Reading.

use spr_core::bytes::{Env, Source};
use spr_core::format::{Options, Reader};
use spr_core::model::{DatasetInfo, Key, KeySource, Rank, Utterance};
use spr_core::side::SideReader;
use spr_core::{Error, ErrorKind, Limits, Result};

use crate::dataset::Dataset;
use crate::machine;
use crate::rows::Rows;

/// Reads a data set of one or two arrays, cut into utterances by the side file.
pub(crate) struct PickleReader {
    source: Source,
    features: Rows,
    labels: Option<Rows>,
    rank: Rank,
    rows: u64,
    /// Rows read so far.
    next: u64,
    side: Option<SideReader>,
    ended: bool,
    info: DatasetInfo,
    limits: Limits,
}

impl PickleReader {
    pub(crate) fn open(source: Source, options: &Options, env: &Env) -> Result<Self> {
        let side = SideReader::find(&source, options, env)?;
        let mut source = source.into_seekable()?;
        let (heap, top) = machine::load(&mut source)?;
        check_end(&mut source)?;
        let Dataset { features, labels } =
            Dataset::find(&heap, top).map_err(|e| e.file(source.name()))?;
        let rank = match features.cols {
            Some(_) => Rank::Matrix,
            None => Rank::Vector,
        };
        let rows = features.rows;
        let info = DatasetInfo {
            utterances: side.is_none().then_some(u64::from(rows > 0)),
            frames: Some(rows),
            dim: Some(features.width()),
            dtype: Some(features.stored.dtype()),
            label_columns: labels.as_ref().map(|labels| labels.width()),
            byte_order: Some(features.order),
            compression: source.compression(),
            frame_shift: None,
            decision: None,
            sample_rate: None,
            keys: match side {
                Some(_) => KeySource::SideFile,
                None => KeySource::Generated,
            },
        };
        Ok(Self {
            source,
            features: Rows::new(features),
            labels: labels.map(Rows::new),
            rank,
            rows,
            next: 0,
            side,
            ended: false,
            info,
            limits: env.limits,
        })
    }

    /// The number of rows of the next utterance, whose name goes to `key`.
    fn next_utterance(&mut self, key: &mut Key) -> Result<Option<u64>> {
        let left = self.rows - self.next;
        let Some(side) = &mut self.side else {
            key.clone_from(&Key::generated(0));
            return Ok((left > 0).then_some(left));
        };
        match side.read(key)? {
            Some(frames) if frames > left => Err(side
                .error(format!(
                    "says {frames} frames, but only {left} of {} are left",
                    self.rows
                ))
                .utterance(key)),
            None if left > 0 => Err(side.error(format!(
                "names {} frames in all, but the data have {}",
                self.next, self.rows
            ))),
            other => Ok(other),
        }
    }

    fn read_next(&mut self, utt: &mut Utterance) -> Result<bool> {
        utt.meta.clear();
        utt.clear_others();
        let Some(frames) = self.next_utterance(&mut utt.key)? else {
            self.features.end(&mut self.source)?;
            if let Some(labels) = &mut self.labels {
                labels.end(&mut self.source)?;
            }
            return Ok(false);
        };
        let name = |e: Error| e.utterance(&utt.key);
        let features = utt.features.get_or_insert_default();
        self.features
            .read(&mut self.source, frames, self.rank, features, &self.limits)
            .map_err(name)?;
        if frames == 0 && self.rank == Rank::Matrix {
            features.reshape(Rank::Matrix, 0, 0)?;
        }
        match &mut self.labels {
            Some(rows) => {
                let labels = utt.labels.get_or_insert_default();
                rows.read(
                    &mut self.source,
                    frames,
                    rows.label_rank(),
                    labels,
                    &self.limits,
                )
                .map_err(name)?;
            }
            None => utt.labels = None,
        }
        self.next += frames;
        Ok(true)
    }
}

impl Reader for PickleReader {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        if self.ended {
            return Ok(false);
        }
        let result = self.read_next(utt);
        self.ended = !matches!(result, Ok(true));
        result.map_err(|e| e.file(self.source.name()))
    }
}

/// Nothing but blanks may follow a pickle.
fn check_end(source: &mut Source) -> Result<()> {
    loop {
        let window = source.peek(4096)?;
        if window.is_empty() {
            return Ok(());
        }
        let blanks = window
            .iter()
            .take_while(|b| b.is_ascii_whitespace())
            .count();
        let rest = window.get(blanks).copied();
        source.skip(blanks as u64)?;
        if let Some(byte) = rest {
            let message = if byte == machine::PROTO || byte == machine::MARK {
                "another pickle follows the first; one a file is read"
            } else {
                "something follows the pickle"
            };
            return Err(source.error(ErrorKind::Unsupported, message));
        }
    }
}
