//! Conversion between any reader and any writer.

pub mod adapt;

use crate::bytes::{Env, Output};
use crate::convert::adapt::Adapter;
use crate::error::Result;
use crate::format::loss::{LossPolicy, LossReport};
use crate::format::{Caps, Format, Options, Reader, WriteSummary, Writer, create};
use crate::model::{About, KeySource, Utterance};

/// The result of a conversion.
#[non_exhaustive]
#[derive(Clone, Debug)]
pub struct ConversionSummary {
    /// The written data.
    pub written: WriteSummary,
    /// The permitted losses.
    pub losses: LossReport,
}

/// Converts all utterances of `reader` to the capabilities of `writer`. Losses are measured, and
/// refused unless `policy` allows them; then nothing is finished.
///
/// ```
/// use spr_core::format::{Caps, Count, FeatureCaps, Keys, Reader, Writer, WriteSummary};
/// use spr_core::loss::{LossKind, LossPolicy};
/// use spr_core::model::{DatasetInfo, Dtype, Matrix, Rank, Utterance};
/// use spr_core::{Result, convert};
///
/// /// Three numbers, once.
/// struct Numbers(Option<f64>, DatasetInfo);
/// impl Reader for Numbers {
///     fn info(&self) -> &DatasetInfo {
///         &self.1
///     }
///     fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
///         let Some(value) = self.0.take() else { return Ok(false) };
///         utt.start();
///         (utt.key, utt.labels) = ("ann-1".into(), None);
///         utt.features = Some(Matrix::from_rows(&[value, 0.5, 1.0], 3, Rank::Matrix)?);
///         Ok(true)
///     }
/// }
///
/// /// Counts frames of 32-bit floats.
/// struct Counter(Caps, WriteSummary);
/// impl Writer for Counter {
///     fn caps(&self) -> &Caps {
///         &self.0
///     }
///     fn accept(&mut self, utt: &Utterance) -> Result<()> {
///         self.0.check(utt)
///     }
///     fn write(&mut self, utt: &Utterance) -> Result<()> {
///         self.accept(utt)?;
///         self.1.count(utt);
///         Ok(())
///     }
///     fn finish(self: Box<Self>) -> Result<WriteSummary> {
///         Ok(self.1)
///     }
/// }
///
/// let counter = || {
///     let mut caps = Caps::new(Count::Many, Keys::Words);
///     caps.features = Some(FeatureCaps::new(&[Dtype::F32]));
///     Counter(caps, WriteSummary::default())
/// };
/// let numbers = |value| Numbers(Some(value), DatasetInfo::default());
/// let mut policy = LossPolicy::default();
/// let done = convert(numbers(0.25), counter(), &policy)?;
/// assert_eq!(done.written.frames, 1);
/// let refused = convert(numbers(0.1), counter(), &policy).unwrap_err();
/// assert!(refused.to_string().contains("precision: 1 of 3 values"));
/// policy.allow(LossKind::Precision);
/// let done = convert(numbers(0.1), counter(), &policy)?;
/// assert_eq!(done.losses.lines().count(), 1);
/// # Ok::<(), spr_core::Error>(())
/// ```
///
/// # Errors
/// Reading or writing fails, an utterance does not fit, or a loss is not allowed.
pub fn convert(
    reader: impl Reader,
    writer: impl Writer + 'static,
    policy: &LossPolicy,
) -> Result<ConversionSummary> {
    convert_in(reader, Box::new(writer), policy, &Env::default())
}

/// Does the same as [`convert`] in another environment, which has other limits or loads referenced
/// audio.
///
/// # Errors
/// As for [`convert`].
pub fn convert_in(
    mut reader: impl Reader,
    mut writer: Box<dyn Writer>,
    policy: &LossPolicy,
    env: &Env,
) -> Result<ConversionSummary> {
    let unnamed = reader.info().keys == KeySource::Generated;
    let mut adapter = Adapter::new(*writer.caps(), None, unnamed, env);
    let mut utt = Utterance::default();
    while reader.read(&mut utt)? {
        adapter.apply(&mut utt)?;
        // After a refused loss, further losses are only measured.
        if !adapter.is_denied(policy) {
            writer.write(&utt).map_err(|e| e.utterance(&utt.key))?;
        }
        adapter.keep();
    }
    match adapter.report().denied(policy, "the target") {
        Some(error) => Err(error),
        None => Ok(ConversionSummary {
            written: writer.finish()?,
            losses: adapter.report().clone(),
        }),
    }
}

/// A data set that is written to an output and is there once it is
/// [finished](DatasetWriter::finish). Until then nothing has its final name, and dropping it leaves
/// nothing.
///
/// ```
/// # use spr_core::Result;
/// # use spr_core::bytes::{Medium, Output, Source};
/// # use spr_core::format::{
/// #     Caps, Count, Format, FormatInfo, Keys, LabelCaps, OneWriter, OpenedDataset, Probe, Request,
/// #     Score,
/// # };
/// # use spr_core::model::{About, Dtype};
/// # struct Bytes;
/// # static INFO: FormatInfo = FormatInfo::new("bytes", "a label a byte", &["bytes"]);
/// # impl Format for Bytes {
/// #     fn info(&self) -> &'static FormatInfo { &INFO }
/// #     fn probe(&self, _: &Probe<'_>) -> Score { Score::No }
/// #     fn caps(&self, _: &Options, medium: Medium) -> Result<Caps> {
/// #         let mut caps = Caps::new(Count::One, Keys::of_files(medium));
/// #         caps.labels = Some(LabelCaps::new(&[Dtype::U8]));
/// #         Ok(caps)
/// #     }
/// #     fn open(&self, _: Source, _: &Options, _: &mut Request, _: &Env) -> Result<OpenedDataset> {
/// #         Err(spr_core::Error::unsupported("is only written"))
/// #     }
/// #     fn create(&self, output: Output, options: &Options, _: &About, _: &Env) -> Result<Box<dyn Writer>> {
/// #         let caps = self.caps(options, output.medium())?;
/// #         let encode = |utt: &Utterance, put: &mut dyn FnMut(&[u8]) -> Result<()>| {
/// #             put(utt.labels.as_ref().and_then(Matrix::as_slice::<u8>).unwrap_or_default())
/// #         };
/// #         Ok(Box::new(OneWriter::new(output, caps, "bytes", encode)))
/// #     }
/// # }
/// use std::sync::Arc;
/// use spr_core::DatasetWriter;
/// use spr_core::bytes::{Env, Locator, MemoryStore};
/// use spr_core::format::{Options, Writer};
/// use spr_core::model::{Matrix, Rank, Utterance};
///
/// let store = MemoryStore::new();
/// let env = Env::default().with_store(Arc::new(store.clone()));
/// let output = env.output(&Locator::file("a.bytes"));
/// // A format of files with a label a byte; the example of `Format` is of it.
/// let mut writer = DatasetWriter::create(&Bytes, output, &Options::default(), &env)?;
/// writer.write(&Utterance {
///     key: "a".into(),
///     labels: Some(Matrix::from_rows(&[3u8, 3, 7], 1, Rank::Vector)?),
///     ..Utterance::default()
/// })?;
/// assert_eq!(store.get("a.bytes"), None);
/// assert_eq!(writer.finish()?.frames, 3);
/// assert_eq!(store.get("a.bytes"), Some(vec![3, 3, 7]));
/// # Ok::<(), spr_core::Error>(())
/// ```
pub struct DatasetWriter {
    writer: Box<dyn Writer>,
    output: Output,
}

impl DatasetWriter {
    /// Creates a data set of `format` in `output`.
    ///
    /// # Errors
    /// The output cannot be created, or the value of an option is invalid.
    pub fn create(
        format: &dyn Format,
        output: Output,
        options: &Options,
        env: &Env,
    ) -> Result<Self> {
        Ok(Self {
            writer: create(format, output.clone(), options, &About::default(), env)?,
            output,
        })
    }

    /// Completes all streams and gives them their final names.
    ///
    /// # Errors
    /// A stream can't be completed, or the system refuses the final names.
    pub fn finish(self) -> Result<WriteSummary> {
        let written = self.writer.finish()?;
        self.output.commit()?;
        Ok(written)
    }
}

#[warn(clippy::missing_trait_methods)]
impl Writer for DatasetWriter {
    fn caps(&self) -> &Caps {
        self.writer.caps()
    }

    fn accept(&mut self, utt: &Utterance) -> Result<()> {
        self.writer.accept(utt)
    }

    fn write(&mut self, utt: &Utterance) -> Result<()> {
        self.writer.write(utt)
    }

    fn finish(self: Box<Self>) -> Result<WriteSummary> {
        (*self).finish()
    }
}
