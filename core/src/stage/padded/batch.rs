//! One padded batch.

use std::borrow::Cow;

use super::batching::PaddedBatching;
use super::fill::{Fill, Padded, PaddedLayout};
use crate::error::{Error, Result};
use crate::model::{Key, Limits, Matrix, Rank, Utterance};

/// Utterances in arrays that are padded to the longest, in order; `V` has the values of a field.
#[non_exhaustive]
#[derive(Debug)]
pub struct PaddedBatch<V = Matrix> {
    /// Their keys.
    pub keys: Vec<Key>,
    /// Their features, if they have any.
    pub features: Option<PaddedField<V>>,
    /// Their labels, if they have any.
    pub labels: Option<PaddedField<V>>,
    /// Their samples, if they have any; of one channel as vectors.
    pub audio: Option<PaddedField<V>>,
    /// The sampling rate in Hz, if they have audio.
    pub rate: Option<u32>,
    /// Their text, if one has any.
    pub text: Option<Vec<Option<Vec<u8>>>>,
}

/// One field of all utterances in a batch.
#[non_exhaustive]
#[derive(Debug)]
pub struct PaddedField<V = Matrix> {
    /// The values: utterance `n` from row `n * rows` on, and behind it padding.
    pub values: V,
    /// Their shape.
    pub layout: PaddedLayout,
}

/// Makes the values of a field: memory of as many bytes as the layout says, which it passes to the
/// function that fills it.
pub type PaddedStore<'a, V> = dyn FnMut(&PaddedLayout, &dyn Fn(&mut [u8])) -> Result<V> + 'a;

impl PaddedBatch {
    /// Joins utterances to one batch, whatever the sizes in `batching`.
    ///
    /// ```
    /// use spr_core::Limits;
    /// use spr_core::model::{Matrix, Rank, Utterance};
    /// use spr_core::stage::{PaddedBatch, PaddedBatching};
    ///
    /// let spoken = |labels: &[i32]| -> spr_core::Result<Utterance> {
    ///     let labels = Some(Matrix::from_rows(labels, 1, Rank::Vector)?);
    ///     Ok(Utterance { labels, ..Utterance::default() })
    /// };
    /// let batching = PaddedBatching { label_padding: -100, ..PaddedBatching::default() };
    /// let batch = PaddedBatch::of(&[spoken(&[7, 8])?, spoken(&[9])?], &batching, &Limits::default())?;
    /// let labels = batch.labels.unwrap();
    /// assert_eq!((labels.layout.rows, labels.layout.lengths), (2, vec![2, 1]));
    /// assert_eq!(labels.values.as_slice::<i32>(), Some(&[7, 8, 9, -100][..]));
    /// # Ok::<(), spr_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// One does not match the first, or has what no batch holds, or the padding is not of the type of the
    /// values, or an array exceeds `limits`.
    pub fn of(
        utterances: &[Utterance],
        batching: &PaddedBatching,
        limits: &Limits,
    ) -> Result<Self> {
        Self::of_in(utterances, batching, limits, &mut in_matrix)
    }
}

/// Stores values in a new matrix.
pub(super) fn in_matrix(layout: &PaddedLayout, fill: &dyn Fn(&mut [u8])) -> Result<Matrix> {
    layout.fill_matrix(Matrix::default(), fill)
}

impl PaddedLayout {
    /// Stores values in the memory of a matrix, whose own are lost.
    ///
    /// # Errors
    /// None, for a layout of a batch.
    pub fn fill_matrix(&self, mut memory: Matrix, fill: &dyn Fn(&mut [u8])) -> Result<Matrix> {
        let rows = self.rows * self.lengths.len();
        fill(memory.reset(self.dtype, self.rank, rows, self.cols, &Limits::NONE)?);
        Ok(memory)
    }
}

impl<V> PaddedBatch<V> {
    /// Does the same as [`of`](PaddedBatch::of), with arrays in the memory that `store` makes.
    ///
    /// # Errors
    /// As for `of`, or `store` fails.
    pub fn of_in(
        utterances: &[Utterance],
        batching: &PaddedBatching,
        limits: &Limits,
        store: &mut PaddedStore<'_, V>,
    ) -> Result<Self> {
        for utt in utterances {
            check(utt, utterances.first()).map_err(|e| e.utterance(&utt.key))?;
        }
        Self::stored(utterances, batching, limits, store)
    }

    /// Joins utterances that were checked, with values in the memory that `store` makes.
    pub(super) fn stored(
        utterances: &[Utterance],
        batching: &PaddedBatching,
        limits: &Limits,
        store: &mut PaddedStore<'_, V>,
    ) -> Result<Self> {
        let mut field = |of: fn(&Utterance) -> Option<&Matrix>, fill: Fill| {
            let all: Vec<_> = utterances.iter().filter_map(of).collect();
            if all.is_empty() {
                return Ok(None);
            }
            let padded = Padded::new(all, fill, limits).map_err(|e| match utterances.first() {
                Some(first) => e.utterance(&first.key).continuable(),
                None => e,
            })?;
            let values = store(&padded.layout, &|into| padded.fill(into))?;
            let layout = padded.layout;
            Ok(Some(PaddedField { values, layout }))
        };
        let said = utterances.iter().map(|utt| utt.said().map(Cow::into_owned));
        let text: Vec<_> = said.collect();
        Ok(Self {
            keys: utterances.iter().map(|utt| utt.key.clone()).collect(),
            features: field(|utt| utt.features.as_ref(), Fill::Float(batching.padding))?,
            labels: field(
                |utt| utt.labels.as_ref(),
                Fill::Integer(batching.label_padding),
            )?,
            audio: field(|utt| Some(&utt.waveform()?.samples), Fill::Silence)?,
            rate: utterances.iter().find_map(|utt| Some(utt.waveform()?.rate)),
            text: text.iter().any(Option::is_some).then_some(text),
        })
    }
}

/// Checks that an utterance matches the first of a batch, and has nothing that a batch can't hold.
///
/// # Errors
/// It does not.
pub(super) fn check(utt: &Utterance, first: Option<&Utterance>) -> Result<()> {
    if utt.audio.is_some() && utt.waveform().is_none() {
        let message = "has sound as a file or a place, and a batch holds samples";
        return Err(Error::unfit(message).hint("the stage samples loads it"));
    }
    if let Some(other) = utt.others().find(|name| !matches!(*name, "audio" | "text")) {
        let message = format!("has {other}, which can't be part of a batch");
        return Err(
            Error::unfit(message).hint("the stage parts takes features, labels, audio, text")
        );
    }
    let Some(first) = first else { return Ok(()) };
    for (what, own, other) in [
        (
            "features",
            kind(utt.features.as_ref()),
            kind(first.features.as_ref()),
        ),
        (
            "labels",
            kind(utt.labels.as_ref()),
            kind(first.labels.as_ref()),
        ),
        ("audio", sound(utt), sound(first)),
    ] {
        if own != other {
            return Err(Error::unfit(format!(
                "has {own} as {what}, the batch {other}"
            )));
        }
    }
    Ok(())
}

/// Describes type, rank and width of features or labels.
fn kind(matrix: Option<&Matrix>) -> String {
    match matrix {
        Some(m) if m.rank() == Rank::Matrix => format!("rows of {} {}", m.cols(), m.dtype()),
        Some(m) => format!("{} values", m.dtype()),
        None => "nothing".to_owned(),
    }
}

/// Describes rate, channels and type of audio.
fn sound(utt: &Utterance) -> String {
    match utt.waveform() {
        Some(sound) => {
            let (channels, dtype) = (sound.samples.cols(), sound.samples.dtype());
            format!("{channels} channels of {dtype} at {} Hz", sound.rate)
        }
        None => "nothing".to_owned(),
    }
}
