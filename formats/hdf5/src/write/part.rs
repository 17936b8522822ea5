//! The fields of an utterance as datasets.

use std::borrow::Cow;

use spr_core::model::{Array, Matrix, Rank, Utterance};
use spr_core::{Error, Result};
use spr_syntax::tiers;

use super::message;
use crate::names::Role;

/// The bytes of a dataset.
pub(super) enum Content<'a> {
    Numbers(&'a Matrix),
    Text(Cow<'a, [u8]>),
}

/// A field with its shape.
pub(super) struct Part<'a> {
    pub(super) role: Role,
    pub(super) shape: Vec<u64>,
    pub(super) content: Content<'a>,
    /// The sampling rate of sound.
    pub(super) rate: Option<u32>,
}

impl Part<'_> {
    /// Returns the message of its type.
    ///
    /// # Errors
    /// HDF5 has no such type here.
    pub(super) fn datatype(&self) -> Result<Vec<u8>> {
        match &self.content {
            Content::Numbers(values) => message::number_type(values.dtype()),
            Content::Text(text) => message::text_type(text.len().max(1)),
        }
    }
}

fn shape(matrix: &Matrix) -> Vec<u64> {
    let (rows, cols) = (matrix.rows() as u64, matrix.cols() as u64);
    match matrix.rank() {
        Rank::Scalar => Vec::new(),
        Rank::Vector => vec![rows],
        Rank::Matrix => vec![rows, cols],
    }
}

/// Returns the segments of an utterance as JSON, if it has some.
///
/// # Errors
/// A label is not UTF-8.
pub(super) fn segments(utt: &Utterance) -> Result<Option<Vec<u8>>> {
    if utt.tiers.is_empty() {
        return Ok(None);
    }
    let mut json = Vec::new();
    tiers::write_list(&utt.tiers, &mut json)?;
    Ok(Some(json))
}

/// Returns the fields of an utterance. Text and segments are fields only if there is nothing else
/// that they could be attributes of.
///
/// # Errors
/// There is nothing in it, or a label is not UTF-8.
pub(super) fn parts(utt: &Utterance) -> Result<Vec<Part<'_>>> {
    let mut parts = Vec::new();
    let mut add = |role, shape, content, rate| {
        parts.push(Part {
            role,
            shape,
            content,
            rate,
        });
    };
    if let Some(features) = &utt.features {
        let numbers = Content::Numbers(features);
        add(Role::Features, shape(features), numbers, None);
    }
    if let Some(labels) = &utt.labels {
        add(Role::Labels, shape(labels), Content::Numbers(labels), None);
    }
    if let Some(waveform) = utt.waveform() {
        let samples = &waveform.samples;
        let mut shape = vec![samples.rows() as u64, samples.cols() as u64];
        if samples.cols() == 1 {
            shape.truncate(1);
        }
        let numbers = Content::Numbers(samples);
        add(Role::Audio, shape, numbers, Some(waveform.rate));
    }
    for named in &utt.arrays {
        let shape = named.array.shape().iter().map(|n| *n as u64).collect();
        let numbers = Content::Numbers(Array::values(&named.array));
        add(Role::Array, shape, numbers, None);
    }
    if parts.is_empty() {
        let (role, text) = match (&utt.text, segments(utt)?) {
            (Some(text), _) => (Role::Text, Cow::Borrowed(text.as_slice())),
            (None, Some(json)) => (Role::Segments, Cow::Owned(json)),
            (None, None) => {
                return Err(Error::unfit("there is nothing in it that could be stored"));
            }
        };
        parts.push(Part {
            role,
            shape: Vec::new(),
            content: Content::Text(text),
            rate: None,
        });
    }
    Ok(parts)
}
