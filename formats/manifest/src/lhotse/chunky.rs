//! The store `lilcom_chunky`: streams of lilcom one behind the other, each with the next 500 frames
//! of an utterance. The key is the offset of the first, and the length of each in bytes.

use std::ops::Range;

use spr_core::bytes::{Env, Location, Locator};
use spr_core::model::{Dtype, Matrix, Rank};
use spr_core::{Error, Result};
use spr_syntax::lilcom::Decoder;

/// The frames of every chunk but the last.
pub(super) const FRAMES: usize = 500;

/// The place of the chunks of an utterance in their file.
#[derive(Debug, PartialEq, Eq)]
struct Chunks {
    /// The offset of each, and the end of the last.
    ends: Vec<u64>,
}

impl Chunks {
    /// Parses a key.
    fn parse(key: &str) -> Option<Self> {
        let mut ends = Vec::new();
        let mut at = 0u64;
        for word in key.split(',') {
            let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
            at = at.checked_add(word.parse().ok().filter(|_| is_number)?)?;
            ends.push(at);
        }
        Some(Self { ends })
    }

    fn count(&self) -> usize {
        self.ends.len() - 1
    }
}

/// Reads the frames `wanted` of an utterance of the shape `rows` × `cols`. No other chunks are
/// read than those with these frames.
///
/// # Errors
/// The key is none of this store, or the chunks are damaged, of another shape, or of another
/// length than the key says.
pub(super) fn read(
    file: &Location,
    key: &str,
    (rows, cols): (usize, usize),
    wanted: Range<usize>,
    env: &Env,
) -> Result<Matrix> {
    let wrong = |message: String| Error::malformed(message).file(file.to_string());
    let chunks = Chunks::parse(key).ok_or_else(|| {
        wrong(format!(
            "storage_key is '{key}', expected an offset and the lengths of chunks"
        ))
    })?;
    if chunks.count() != rows.div_ceil(FRAMES) {
        let told = chunks.count();
        return Err(wrong(format!(
            "storage_key '{key}' names {told} chunks, {rows} frames have {}",
            rows.div_ceil(FRAMES)
        )));
    }
    let mut all = Matrix::default();
    all.start(Dtype::F32, Rank::Matrix, cols);
    if wanted.is_empty() {
        return Ok(all);
    }
    let numbers = wanted.start / FRAMES..wanted.end.div_ceil(FRAMES);
    let at = Locator::FileAt(file.clone(), chunks.ends[numbers.start]);
    let mut source = env.open_from(None, &at)?;
    let mut chunk = Matrix::default();
    for n in numbers {
        let first = n * FRAMES;
        let frames = FRAMES.min(rows - first);
        let start = source.offset();
        source.expect(chunks.ends[n + 1] - start)?;
        let decoder = Decoder::open(&mut source)?;
        let shape = decoder.header().shape.clone();
        if shape != [frames as u64, cols as u64] {
            let message = format!("chunk {n} has the shape {shape:?}, expected [{frames}, {cols}]");
            return Err(wrong(message).byte(start));
        }
        decoder.read(&mut chunk, &env.limits)?;
        let (end, told) = (source.offset(), chunks.ends[n + 1]);
        if end != told {
            return Err(wrong(format!(
                "chunk {n} has {} bytes, storage_key says {}",
                end - start,
                told - start
            ))
            .byte(start));
        }
        let from = wanted.start.saturating_sub(first).min(frames);
        let to = (wanted.end - first).min(frames);
        all.extend_from(&chunk.values::<f32>()?[from * cols..to * cols], &env.limits)?;
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::Chunks;

    #[test]
    fn keys_are_an_offset_and_lengths() {
        let ends = |key: &str| Chunks::parse(key).map(|chunks| chunks.ends);
        assert_eq!(ends("0,1124,1021,19"), Some(vec![0, 1124, 2145, 2164]));
        assert_eq!(ends("7"), Some(vec![7]));
        for wrong in [
            "",
            "a",
            "0,",
            "0, 4",
            "-1,4",
            "+1,4",
            "0,18446744073709551616",
        ] {
            assert_eq!(ends(wrong), None, "{wrong}");
        }
    }
}
