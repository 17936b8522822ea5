//! Temporary serialisation of utterances, which preserves every bit of every field.

use std::io::Read;

use crate::error::{Error, Result};
use crate::model::Utterance;

/// The header before the bytes of an utterance, sufficient for sorting without decoding.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Head {
    /// What it is found or sorted by, such as the key.
    pub(crate) order: Vec<u8>,
    /// The size of everything after the head, in bytes.
    body: usize,
}

/// Appends the key, for utterances that are found or sorted by it.
pub(crate) fn by_key(utt: &Utterance, out: &mut Vec<u8>) {
    out.extend_from_slice(utt.key.as_bytes());
}

/// Appends an utterance to other bytes, with the bytes before it that `order` appends.
///
/// # Errors
/// It cannot be encoded.
pub(crate) fn append(
    utt: &Utterance,
    order: impl FnOnce(&Utterance, &mut Vec<u8>),
    out: &mut Vec<u8>,
) -> Result<()> {
    let start = out.len();
    out.resize(start + Head::ORDER, 0);
    order(utt, out);
    let body = out.len();
    *out = postcard::to_extend(utt, std::mem::take(out))
        .map_err(|e| Error::unsupported(format!("an utterance can't be kept: {e}")))?;
    let numbers = [body - start - Head::ORDER, out.len() - body].map(|n| n as u64);
    for (place, n) in out[start..body]
        .chunks_exact_mut(size_of::<u64>())
        .zip(numbers)
    {
        place.copy_from_slice(&n.to_le_bytes());
    }
    Ok(())
}

/// Decodes the utterance at the start of `from`.
///
/// # Errors
/// The bytes were not appended by this function's counterpart.
pub(crate) fn take(from: &[u8], utt: &mut Utterance) -> Result<()> {
    let mut rest = from;
    let head = Head::read(&mut rest)?;
    body(rest.get(..head.body).ok_or_else(changed)?, utt)
}

fn body(bytes: &[u8], utt: &mut Utterance) -> Result<()> {
    *utt = postcard::from_bytes(bytes).map_err(|_| changed())?;
    Ok(())
}

impl Head {
    /// The offset of what it is found by: after its length and the length of the body.
    pub(crate) const ORDER: usize = 2 * size_of::<u64>();

    /// Reads the head at the start of a stream.
    ///
    /// # Errors
    /// The stream fails or ends, or the bytes are invalid.
    pub(crate) fn read(stream: &mut impl Read) -> Result<Self> {
        let mut number = || {
            let mut bytes = [0; size_of::<u64>()];
            stream.read_exact(&mut bytes).map_err(failed)?;
            Ok::<_, Error>(u64::from_le_bytes(bytes))
        };
        let size = |n: u64| usize::try_from(n).map_err(|_| changed());
        let (len, body) = (size(number()?)?, size(number()?)?);
        let mut order = Vec::new();
        fill(stream, &mut order, len)?;
        Ok(Self { order, body })
    }

    /// Reads the utterance after it from a stream; `buffer` is scratch.
    ///
    /// # Errors
    /// The stream fails or ends, or the bytes are invalid.
    pub(crate) fn utterance(
        &self,
        stream: &mut impl Read,
        buffer: &mut Vec<u8>,
        utt: &mut Utterance,
    ) -> Result<()> {
        fill(stream, buffer, self.body)?;
        body(buffer, utt)
    }
}

fn fill(stream: &mut impl Read, buffer: &mut Vec<u8>, n: usize) -> Result<()> {
    buffer.clear();
    match stream
        .by_ref()
        .take(n as u64)
        .read_to_end(buffer)
        .map_err(failed)?
    {
        read if read == n => Ok(()),
        _ => Err(changed()),
    }
}

fn failed(error: std::io::Error) -> Error {
    Error::io("cannot read a temporary file", error)
}

fn changed() -> Error {
    Error::malformed("a temporary file is not as it was written")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::Locator;
    use crate::model::{
        Array, Audio, AudioReference, Decimal, Dtype, EncodedAudio, GaussPosterior, Limits, Lists,
        Matrix, NamedArray, Object, Rank, Segment, Sequences, Span, Sparse, Tag, Tier, Waveform,
    };

    fn lists<T: Clone>(all: &[&[T]]) -> Lists<T> {
        all.iter().collect()
    }

    fn utterances() -> Vec<Utterance> {
        let sparse = |dtype| Sparse {
            dtype,
            dim: 9,
            rows: lists(&[&[(3, 0.5)], &[]]),
        };
        let objects = [
            Object::Int(-3),
            Object::Bool(true),
            Object::IntLists(lists(&[&[1, 2], &[], &[3]])),
            Object::IntPairs(vec![[1, 2], [3, 4]]),
            Object::FloatPairs(vec![[0.5, -0.0]]),
            Object::Floats(vec![1.5]),
            Object::Posterior(lists(&[&[(1, 0.5), (2, 0.5)], &[]])),
            Object::GaussPosterior(GaussPosterior {
                ids: lists(&[&[1]]),
                vectors: lists(&[&[0.5, 0.25]]),
            }),
            Object::Token(b"a".to_vec()),
            Object::Tokens(lists(&[b"a", b"b"])),
            Object::SparseVector(sparse(Dtype::F32)),
            Object::SparseMatrix(sparse(Dtype::F64)),
            Object::opaque("fst", vec![0, 1, 255]),
        ];
        let alone = |object| Utterance {
            key: "object".into(),
            object: Some(object),
            ..Utterance::default()
        };
        let mut all: Vec<_> = objects.into_iter().map(alone).collect();
        let time = |text| Decimal::parse(text);
        let mut pair = Sequences::default();
        pair.push("a".into(), 1);
        pair.push("b".into(), 0);
        let mut full = Utterance {
            key: vec![0xff, 0].into(),
            features: Matrix::from_rows(&[0.5f32, f32::NAN], 2, Rank::Matrix).ok(),
            labels: Matrix::from_rows(&[-1i16], 1, Rank::Vector).ok(),
            audio: Some(Audio::Samples(Waveform {
                rate: 8000,
                samples: Matrix::from_rows(&[1u8, 2], 2, Rank::Matrix).unwrap(),
            })),
            tiers: vec![Tier {
                name: b"words".as_slice().into(),
                segments: vec![Segment {
                    score: time("-0.5"),
                    speaker: Some(b"ann".as_slice().into()),
                    ..Segment::new(Decimal::ZERO, time("0.250"), b"ah")
                }],
                points: false,
            }],
            text: Some(b"said".to_vec()),
            arrays: vec![NamedArray {
                name: "ivector".to_owned(),
                array: Array::new(Dtype::Bf16, &[2, 3, 4], &Limits::default()).unwrap(),
            }],
            sequences: Some(Box::new(pair.padded())),
            ..Utterance::default()
        };
        full.meta.frame_shift = time("0.010");
        full.meta.speaker = Some("ann".into());
        full.meta.end = time("3.5");
        full.meta.tags.push(Tag::new("spraak", *b"K", *b"v"));
        full.meta
            .tags
            .push(Tag::new("other".to_owned(), *b"L", *b""));
        all.push(full);
        for audio in [
            Audio::Encoded(EncodedAudio {
                format: "flac".to_owned(),
                bytes: b"fLaC".to_vec(),
                ..EncodedAudio::default()
            }),
            Audio::Reference(AudioReference {
                span: Span::new(time("0.45"), None),
                channel: Some(1),
                ..AudioReference::new(Locator::Command("sox a.flac -t wav -".to_owned()))
            }),
        ] {
            all.push(Utterance {
                audio: Some(audio),
                ..Utterance::default()
            });
        }
        all
    }

    #[test]
    fn every_field_comes_back() {
        let all = utterances();
        let mut bytes = Vec::new();
        for utt in &all {
            append(utt, by_key, &mut bytes).unwrap();
        }
        let (mut stream, mut buffer) = (bytes.as_slice(), Vec::new());
        let mut back = Utterance::default();
        for utt in &all {
            let start = stream;
            let head = Head::read(&mut stream).unwrap();
            assert_eq!(head.order, utt.key.as_bytes());
            head.utterance(&mut stream, &mut buffer, &mut back).unwrap();
            assert_eq!(&back, utt);
            take(start, &mut back).unwrap();
            assert_eq!(&back, utt);
        }
        assert!(stream.is_empty());
    }

    #[test]
    fn what_is_cut_is_an_error() {
        let mut bytes = Vec::new();
        append(&utterances().pop().unwrap(), by_key, &mut bytes).unwrap();
        let mut utt = Utterance::default();
        for len in 0..bytes.len() {
            assert!(take(&bytes[..len], &mut utt).is_err(), "{len}");
        }
    }
}
