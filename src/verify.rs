//! Reading an output back before it gets its name, and what it is compared by.

use std::fmt::{self, Write as _};

use spr_core::bytes::{Access, Env, Output};
use spr_core::format::{Caps, Count, Keys, Reader};
use spr_core::model::{Dtype, Matrix, Utterance};
use spr_core::stage::FolderReader;
use spr_core::{Error, Result};
use twox_hash::XxHash3_128;

use crate::argument::Target;

/// A running hash over utterances in a form that is the same however they are stored: names,
/// types, shapes, values, header fields. Every NaN counts as the same.
///
/// Where the order is not kept, as in a folder, the sum of the hashes of the utterances counts.
pub(crate) struct Digest {
    keys: bool,
    ordered: bool,
    /// Whether utterances stay apart; otherwise only the rows count, one after the other.
    apart: bool,
    sum: u128,
    rows: [XxHash3_128; 2],
    /// What each utterance brought, to name the first that differs.
    steps: Vec<u64>,
    scratch: Vec<u8>,
}

impl Digest {
    /// A digest of what an output with `caps` keeps.
    pub(crate) fn new(caps: &Caps, folder: bool) -> Self {
        Self {
            keys: caps.keys != Keys::None && (caps.count == Count::Many || folder),
            ordered: !folder,
            apart: caps.boundaries,
            sum: 0,
            rows: [XxHash3_128::new(), XxHash3_128::new()],
            steps: Vec::new(),
            scratch: Vec::new(),
        }
    }

    fn like(other: &Self) -> Self {
        Self {
            rows: [XxHash3_128::new(), XxHash3_128::new()],
            steps: Vec::new(),
            scratch: Vec::new(),
            ..*other
        }
    }

    /// Adds an utterance.
    pub(crate) fn add(&mut self, utt: &Utterance) {
        if !self.apart {
            for (hash, matrix) in self.rows.iter_mut().zip([&utt.features, &utt.labels]) {
                if let Some(matrix) = matrix {
                    hash.write(bytes(matrix, &mut self.scratch));
                }
            }
            return;
        }
        let mut hash = Canonical(XxHash3_128::new());
        if self.ordered {
            hash.number(self.steps.len() as u64);
        }
        if self.keys {
            hash.field(utt.key.as_bytes());
        }
        for (matrix, ranked) in [(&utt.features, true), (&utt.labels, false)] {
            let Some(matrix) = matrix else {
                hash.number(0);
                continue;
            };
            hash.shape(matrix, ranked);
            hash.field(bytes(matrix, &mut self.scratch));
        }
        if let Some(audio) = &utt.audio {
            hash.debug(&("audio", &audio.rate));
            hash.shape(&audio.samples, false);
            hash.field(bytes(&audio.samples, &mut self.scratch));
        }
        for segment in utt.segments.iter().flatten() {
            hash.debug(&("segment", segment));
        }
        if let Some(text) = &utt.text {
            hash.debug(&"text");
            hash.field(text);
        }
        if let Some(object) = &utt.object {
            hash.debug(object);
        }
        hash.debug(&(&utt.meta.frame_shift, &utt.meta.frame_offset));
        for tag in &utt.meta.tags {
            hash.field(&tag.key);
            hash.field(&tag.value);
        }
        let hash = hash.0.finish_128();
        self.sum = self.sum.wrapping_add(hash);
        let low = hash.to_le_bytes();
        let [a, b, c, d, e, f, g, h, ..] = low;
        self.steps
            .push(u64::from_le_bytes([a, b, c, d, e, f, g, h]));
    }

    /// The hash of all utterances, in hexadecimal.
    pub(crate) fn text(&self) -> String {
        let mut all = XxHash3_128::new();
        all.write(&self.sum.to_le_bytes());
        for hash in &self.rows {
            all.write(&hash.finish_128().to_le_bytes());
        }
        format!("xxh3-128:{:032x}", all.finish_128())
    }
}

/// One utterance being hashed; every field brings its length.
struct Canonical(XxHash3_128);

impl Canonical {
    fn number(&mut self, n: u64) {
        self.0.write(&n.to_le_bytes());
    }

    fn field(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.write(bytes);
    }

    fn shape(&mut self, matrix: &Matrix, ranked: bool) {
        self.debug(&(matrix.dtype(), ranked.then(|| matrix.rank())));
        self.number(matrix.rows() as u64);
        self.number(matrix.cols() as u64);
    }

    fn debug(&mut self, value: &impl fmt::Debug) {
        // Hashing can't fail.
        let _ = write!(self, "{value:?};");
    }
}

impl fmt::Write for Canonical {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.write(text.as_bytes());
        Ok(())
    }
}

/// The bytes of a matrix in little-endian order with every NaN the same; `scratch` takes them if
/// they are not as stored.
fn bytes<'a>(matrix: &'a Matrix, scratch: &'a mut Vec<u8>) -> &'a [u8] {
    let nan = match matrix.dtype() {
        Dtype::F32 => has_nan(matrix.as_slice::<f32>(), |v| v.is_nan()),
        Dtype::F64 => has_nan(matrix.as_slice::<f64>(), |v| v.is_nan()),
        _ => false,
    };
    if !nan && cfg!(target_endian = "little") {
        return matrix.as_bytes();
    }
    scratch.clear();
    if let Some(values) = matrix.as_slice::<f32>() {
        let plain = values
            .iter()
            .map(|v| if v.is_nan() { f32::NAN } else { *v });
        plain.for_each(|v| scratch.extend_from_slice(&v.to_le_bytes()));
    } else if let Some(values) = matrix.as_slice::<f64>() {
        let plain = values
            .iter()
            .map(|v| if v.is_nan() { f64::NAN } else { *v });
        plain.for_each(|v| scratch.extend_from_slice(&v.to_le_bytes()));
    } else {
        for value in matrix.as_bytes().chunks(matrix.dtype().size()) {
            scratch.extend(value.iter().rev());
        }
    }
    scratch
}

fn has_nan<T>(values: Option<&[T]>, is_nan: impl Fn(&T) -> bool) -> bool {
    values.is_some_and(|values| values.iter().any(is_nan))
}

/// Says whether `target` can be read back at all, before anything is done.
///
/// # Errors
/// It goes to a pipe, or its values change on purpose.
pub(crate) fn check(target: &Target, output: &Output) -> Result<()> {
    if !output.is_folder() && output.path().is_none() {
        return Err(Error::usage("what goes into a pipe can't be read back")
            .file(target.text())
            .hint("write to a file, or leave out --verify"));
    }
    if target.is_compressed() {
        return Err(
            Error::usage("compress= changes values, so that they can't be compared")
                .file(target.text())
                .hint("leave out --verify"),
        );
    }
    Ok(())
}

/// Reads what was finished, but has no final name yet, and compares it with what was written.
///
/// # Errors
/// It can't be read, or differs.
pub(crate) fn read_back(target: &Target, output: &Output, want: &Digest, env: &Env) -> Result<()> {
    let differs = || {
        let message = "read back, it is not what was written; nothing is kept";
        Error::malformed(message).file(output.name())
    };
    let mut env = env.seeing(output);
    env.access = Access::Safe;
    let options = target.options()?;
    // The last that was finished is what users open.
    let Some((path, temporary)) = output.staged().pop() else {
        return match want.steps.is_empty() {
            true => Ok(()),
            false => Err(differs()),
        };
    };
    let format = target.format();
    let mut reader: Box<dyn Reader> = if output.is_folder() {
        Box::new(FolderReader::open(&temporary, format, &[], options, env)?)
    } else {
        format.open(env.open_file(&path)?, &options, &env)?
    };
    let mut got = Digest::like(want);
    got.sum = 0;
    let mut utt = Utterance::default();
    while reader.read(&mut utt).map_err(|e| e.context("read back"))? {
        got.add(&utt);
        let n = got.steps.len();
        if want.ordered && n > 0 && want.steps.get(n - 1) != got.steps.last() {
            return Err(differs().utterance(&utt.key));
        }
    }
    match got.text() == want.text() && got.steps.len() == want.steps.len() {
        true => Ok(()),
        false => Err(differs()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtin;
    use spr_core::format::{Options, Place};
    use spr_core::model::Rank;

    fn digest(utts: &[Utterance], folder: bool) -> String {
        let format = builtin::registry().get("jsonl").unwrap();
        let caps = format.caps(&Options::default(), Place::File).unwrap();
        let mut digest = Digest::new(&caps, folder);
        utts.iter().for_each(|utt| digest.add(utt));
        digest.text()
    }

    fn utterance(key: &str, values: &[f32], cols: usize) -> Utterance {
        Utterance {
            key: key.into(),
            features: Some(Matrix::from_rows(values, cols, Rank::Matrix).unwrap()),
            ..Utterance::default()
        }
    }

    #[test]
    fn every_difference_counts_but_that_of_nans() {
        let a = utterance("a", &[1.0, f32::NAN, 3.0, 4.0], 2);
        let whole = digest(std::slice::from_ref(&a), false);
        let other_nan = utterance("a", &[1.0, f32::from_bits(0xffc0_1234), 3.0, 4.0], 2);
        assert_eq!(digest(&[other_nan], false), whole);
        let mut labelled = a.clone();
        labelled.labels = Some(Matrix::from_rows(&[1i32, 2], 1, Rank::Matrix).unwrap());
        for other in [
            utterance("b", &[1.0, f32::NAN, 3.0, 4.0], 2),
            utterance("a", &[1.0, f32::NAN, 3.0, 4.5], 2),
            utterance("a", &[1.0, f32::NAN, 3.0, 4.0], 4),
            labelled,
        ] {
            assert_ne!(digest(&[other], false), whole);
        }
        assert_ne!(digest(&[a.clone(), a.clone()], false), whole);
        assert_ne!(digest(&[], false), whole);
    }

    #[test]
    fn the_order_counts_but_in_folders() {
        let (a, b) = (utterance("a", &[1.0], 1), utterance("b", &[2.0], 1));
        let (ab, ba) = ([a.clone(), b.clone()], [b, a]);
        assert_ne!(digest(&ab, false), digest(&ba, false));
        assert_eq!(digest(&ab, true), digest(&ba, true));
    }
}
