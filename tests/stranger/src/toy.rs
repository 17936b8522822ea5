//! The format `toy`: matrices of floats with names, one after the other.
//!
//! | bytes | what |
//! |---|---|
//! | 4 | `TOY1`, once a file |
//! | 2 | the length of the name, little endian as all numbers |
//! | | the name |
//! | 4, 4 | rows and columns |
//! | 4 each | the values as 32-bit floats, row by row |

use spr_core::bytes::{ByteOrder, Env, Output, Part, Sink, Source};
use spr_core::format::{
    Caps, Count, Empty, FeatureCaps, Format, FormatInfo, KeyPredicate, Keys, Medium, OpenedDataset,
    Options, Probe, Reader, Request, Score, WriteSummary, Writer,
};
use spr_core::model::{About, DatasetInfo, Dtype, Key, KeySource, Position, Rank, Utterance};
use spr_core::{Error, ErrorKind, Limits, Result};

/// Matrices of floats with names.
pub static TOY: Toy = Toy;

/// The format `toy`.
#[derive(Clone, Copy, Debug)]
pub struct Toy;

const MAGIC: &[u8; 4] = b"TOY1";

static INFO: FormatInfo = FormatInfo::new("toy", "matrices of floats with names", &["toy"]);

static CAPS: Caps = {
    let mut features = FeatureCaps::new(&[Dtype::F32]);
    features.max_cols = u32::MAX as u64;
    let mut caps = Caps::new(Count::Many, Keys::Any);
    caps.features = Some(features);
    caps.max_rows = u32::MAX as u64;
    caps.empty = Empty::Kept;
    caps
};

impl Format for Toy {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, head: &Probe<'_>) -> Score {
        match head.head.starts_with(MAGIC) {
            true => Score::Certain,
            false => Score::No,
        }
    }

    fn caps(&self, _: &Options, _: Medium) -> Result<Caps> {
        Ok(CAPS)
    }

    fn open(
        &self,
        mut source: Source,
        _: &Options,
        request: &mut Request,
        env: &Env,
    ) -> Result<OpenedDataset> {
        if source.array()? != *MAGIC {
            let message = "the first four bytes are not TOY1";
            return Err(Error::malformed(message).file(source.name()).byte(0));
        }
        let mut info = DatasetInfo::new(KeySource::Stored);
        info.dtype = Some(Dtype::F32);
        info.compression = source.compression();
        Ok(OpenedDataset::stream(ToyReader {
            source,
            wanted: request.take_keys(),
            values: request.values,
            limits: env.limits,
            info,
            ended: false,
        }))
    }

    fn create(&self, output: Output, _: &Options, _: &About, _: &Env) -> Result<Box<dyn Writer>> {
        let mut sink = output.create(Part::Main, false)?;
        sink.put(MAGIC)?;
        Ok(Box::new(ToyWriter {
            sink,
            entry: Vec::new(),
            written: WriteSummary::default(),
        }))
    }
}

struct ToyReader {
    source: Source,
    /// The keys to read; without it, all.
    wanted: Option<KeyPredicate>,
    /// Whether values are read, or passed over.
    values: bool,
    limits: Limits,
    info: DatasetInfo,
    ended: bool,
}

impl ToyReader {
    /// Reads the name of the next utterance, and its rows and columns.
    fn head(&mut self) -> Result<(Key, u64, u64)> {
        let mut key = vec![0; u16::from_le_bytes(self.source.array()?).into()];
        self.source.fill(&mut key)?;
        let at = self.source.offset();
        let [rows, cols] = [self.source.array()?, self.source.array()?];
        let [rows, cols] = [rows, cols].map(|n| u64::from(u32::from_le_bytes(n)));
        match (rows, cols) {
            (1.., 0) => {
                let error = self
                    .source
                    .error(ErrorKind::Malformed, "rows of no columns");
                Err(error.byte(at).utterance(&key.into()))
            }
            _ => Ok((key.into(), rows, cols)),
        }
    }
}

impl Reader for ToyReader {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        // After an error nothing tells where the next utterance starts.
        while !std::mem::replace(&mut self.ended, true) && !self.source.at_end()? {
            let start = self.source.offset();
            let (key, rows, cols) = self.head()?;
            let shape = (Dtype::F32, Rank::Matrix, rows, cols);
            let is_wanted = self.wanted.as_ref().is_none_or(|wanted| wanted(&key));
            utt.start();
            let features = utt.features_mut();
            match is_wanted && self.values {
                true => {
                    let order = ByteOrder::Little;
                    (self.source).read_matrix(features, shape, order, &self.limits)
                }
                false => self.source.pass_matrix(features, shape, &self.limits),
            }
            .map_err(|e| e.utterance(&key))?;
            self.ended = false;
            if is_wanted {
                utt.key = key;
                utt.origin.file = Some(self.source.name().into());
                let is_plain = self.source.is_plain_file();
                utt.origin.at = is_plain.then_some(Position::Byte(start));
                return Ok(true);
            }
        }
        Ok(false)
    }
}

struct ToyWriter {
    sink: Sink,
    /// The bytes of one utterance.
    entry: Vec<u8>,
    written: WriteSummary,
}

impl ToyWriter {
    fn encode(&mut self, utt: &Utterance) -> Result<()> {
        CAPS.check(utt)?;
        let key = utt.key.as_bytes();
        let len = u16::try_from(key.len())
            .map_err(|_| Error::not_held(format!("has a name of {} bytes", key.len())))?;
        let Some(features) = &utt.features else {
            return Err(Error::unfit("has no features"));
        };
        self.entry.clear();
        self.entry.extend_from_slice(&len.to_le_bytes());
        self.entry.extend_from_slice(key);
        for n in [features.rows(), features.cols()] {
            let n = u32::try_from(n).map_err(|_| Error::unfit(format!("{n} are too many")))?;
            self.entry.extend_from_slice(&n.to_le_bytes());
        }
        let values = features.values::<f32>()?.iter();
        self.entry
            .extend(values.flat_map(|value| value.to_le_bytes()));
        Ok(())
    }
}

impl Writer for ToyWriter {
    fn caps(&self) -> &Caps {
        &CAPS
    }

    fn accept(&mut self, utt: &Utterance) -> Result<()> {
        let encoded = self.encode(utt);
        encoded.map_err(|e| e.utterance(&utt.key).continuable())
    }

    fn write(&mut self, utt: &Utterance) -> Result<()> {
        self.accept(utt)?;
        self.sink.put(&self.entry)?;
        self.written.count(utt);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<WriteSummary> {
        let mut written = self.written;
        written.bytes = self.sink.finish()?;
        Ok(written)
    }
}
