//! A conversion between any reader and any writer.

use crate::Result;
use crate::adapt::Adapter;
use crate::bytes::{Env, Output};
use crate::format::{Caps, Format, Options, Reader, Writer, Written};
use crate::loss::{LossPolicy, LossReport};
use crate::model::{KeySource, Utterance};

/// What a conversion did.
#[non_exhaustive]
#[derive(Clone, Debug)]
pub struct Converted {
    /// What was written.
    pub written: Written,
    /// What was lost, as allowed.
    pub losses: LossReport,
}

/// Converts all that `reader` reads to what `writer` can hold. What it can't hold is measured, and
/// refused unless `policy` allows it; nothing is finished then.
///
/// ```
/// use spr_core::format::{Caps, Count, FeatureCaps, Keys, Reader, Writer, Written};
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
/// struct Counter(Caps, Written);
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
///     fn finish(self: Box<Self>) -> Result<Written> {
///         Ok(self.1)
///     }
/// }
///
/// let counter = || {
///     let mut caps = Caps::new(Count::Many, Keys::Words);
///     caps.features = Some(FeatureCaps::new(&[Dtype::F32]));
///     Counter(caps, Written::default())
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
/// Reading or writing fails, an utterance doesn't fit, or a loss is not allowed.
pub fn convert(
    reader: impl Reader,
    writer: impl Writer + 'static,
    policy: &LossPolicy,
) -> Result<Converted> {
    convert_in(reader, Box::new(writer), policy, &Env::default())
}

/// As [`convert`], in surroundings that have other limits, or load sound that is somewhere else.
///
/// # Errors
/// As [`convert`].
pub fn convert_in(
    mut reader: impl Reader,
    mut writer: Box<dyn Writer>,
    policy: &LossPolicy,
    env: &Env,
) -> Result<Converted> {
    let unnamed = reader.info().keys == KeySource::Generated;
    let mut adapter = Adapter::new(*writer.caps(), None, unnamed, env);
    let mut utt = Utterance::default();
    while reader.read(&mut utt)? {
        adapter.apply(&mut utt)?;
        // Once a loss is refused, the rest is only measured.
        if !adapter.is_denied(policy) {
            writer.write(&utt).map_err(|e| e.utterance(&utt.key))?;
        }
        adapter.keep();
    }
    match adapter.report().denied(policy, "the target") {
        Some(error) => Err(error),
        None => Ok(Converted {
            written: writer.finish()?,
            losses: adapter.report().clone(),
        }),
    }
}

/// A data set that is written to an output and is there once it is finished: until then nothing has
/// its final name, and dropping it leaves nothing.
pub struct DatasetWriter {
    writer: Box<dyn Writer>,
    output: Output,
}

impl DatasetWriter {
    /// A data set of `format` in `output`.
    ///
    /// # Errors
    /// The output can't be made, or an option's value is wrong.
    pub fn create(
        format: &dyn Format,
        output: Output,
        options: &Options,
        env: &Env,
    ) -> Result<Self> {
        Ok(Self {
            writer: format.create(output.clone(), options, env)?,
            output,
        })
    }
}

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

    /// Completes all streams and gives them their final names.
    fn finish(self: Box<Self>) -> Result<Written> {
        let written = self.writer.finish()?;
        self.output.commit()?;
        Ok(written)
    }
}
