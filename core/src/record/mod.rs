//! Utterances as bytes, for as long as the program runs: every bit of every field comes back.

mod stored;

use std::io::Read;

use crate::model::{Meta, Tag, Utterance};
use crate::{Error, Result};

use stored::{Stored, put_list, split, take_matrix};

/// Turns utterances into bytes and back. What one made, only that one understands.
#[derive(Default)]
pub(crate) struct Records {
    /// Names of formats, which header lines refer to by their place.
    formats: Vec<&'static str>,
}

/// What stands before the bytes of an utterance.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) key: Vec<u8>,
    pub(crate) frames: u64,
    /// Bytes of all but the head.
    body: usize,
}

impl Records {
    /// Puts an utterance behind other bytes.
    pub(crate) fn put(&mut self, utt: &Utterance, out: &mut Vec<u8>) {
        put_list(utt.key.as_bytes(), out);
        utt.frames().put(out);
        let at = out.len();
        0usize.put(out);
        let start = out.len();
        utt.features.put(out);
        utt.labels.put(out);
        utt.audio.put(out);
        utt.segments.put(out);
        utt.text.put(out);
        utt.object.put(out);
        utt.meta.frame_shift.put(out);
        utt.meta.frame_offset.put(out);
        utt.meta.tags.len().put(out);
        for tag in &utt.meta.tags {
            let known = self.formats.iter().position(|name| *name == tag.format);
            let place = known.unwrap_or_else(|| {
                self.formats.push(tag.format);
                self.formats.len() - 1
            });
            place.put(out);
            tag.key.put(out);
            tag.value.put(out);
        }
        let mut len = Vec::with_capacity(8);
        (out.len() - start).put(&mut len);
        out[at..start].copy_from_slice(&len);
    }

    /// Takes the utterance at the front of `from`.
    ///
    /// # Errors
    /// The bytes are not those that were put.
    pub(crate) fn take(&self, mut from: &[u8], utt: &mut Utterance) -> Result<()> {
        Head::take(&mut from)
            .and_then(|head| self.body(&head, from, utt))
            .ok_or_else(changed)
    }

    fn body(&self, head: &Head, mut from: &[u8], utt: &mut Utterance) -> Option<()> {
        let from = &mut from;
        utt.key.set(&head.key);
        for matrix in [&mut utt.features, &mut utt.labels] {
            match bool::take(from)? {
                true if !take_matrix(matrix.get_or_insert_default(), from) => return None,
                true => {}
                false => *matrix = None,
            }
        }
        utt.audio = Stored::take(from)?;
        utt.segments = Stored::take(from)?;
        utt.text = Stored::take(from)?;
        utt.object = Stored::take(from)?;
        let (frame_shift, frame_offset) = Stored::take(from)?;
        let tags = (0..usize::take(from)?).map(|_| {
            Some(Tag {
                format: self.formats.get(usize::take(from)?).copied()?,
                key: Stored::take(from)?,
                value: Stored::take(from)?,
            })
        });
        utt.meta = Meta {
            tags: tags.collect::<Option<_>>()?,
            frame_shift,
            frame_offset,
        };
        Some(())
    }

    /// Reads the utterance behind `head` from a stream; `buffer` is scratch.
    ///
    /// # Errors
    /// The stream fails or ends, or the bytes are not those that were put.
    pub(crate) fn read(
        &self,
        head: &Head,
        stream: &mut impl Read,
        buffer: &mut Vec<u8>,
        utt: &mut Utterance,
    ) -> Result<()> {
        fill(stream, buffer, head.body)?;
        self.body(head, buffer, utt).ok_or_else(changed)
    }
}

impl Head {
    fn take(from: &mut &[u8]) -> Option<Self> {
        let len = usize::take(from)?;
        Some(Self {
            key: split(from, len)?.to_vec(),
            frames: Stored::take(from)?,
            body: Stored::take(from)?,
        })
    }

    /// Reads the head at the front of a stream.
    ///
    /// # Errors
    /// The stream fails or ends, or the bytes are not those that were put.
    pub(crate) fn read(stream: &mut impl Read, buffer: &mut Vec<u8>) -> Result<Self> {
        fill(stream, buffer, 8)?;
        let key = usize::take(&mut buffer.as_slice()).ok_or_else(changed)?;
        fill(stream, buffer, key)?;
        let key = buffer.clone();
        fill(stream, buffer, 16)?;
        let mut rest = buffer.as_slice();
        let (frames, body) = Stored::take(&mut rest).ok_or_else(changed)?;
        Ok(Self { key, frames, body })
    }
}

fn fill(stream: &mut impl Read, buffer: &mut Vec<u8>, n: usize) -> Result<()> {
    buffer.clear();
    let read = stream.by_ref().take(n as u64).read_to_end(buffer);
    match read.map_err(|e| Error::io("cannot read a temporary file", e))? {
        read if read == n => Ok(()),
        _ => Err(changed()),
    }
}

fn changed() -> Error {
    Error::malformed("a temporary file is not as it was written")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use crate::model::{
        Audio, Decimal, Dtype, GaussPosterior, Lists, Matrix, Object, Rank, Segment, Sparse,
    };

    fn lists<T: Clone>(all: &[&[T]]) -> Lists<T> {
        all.iter().collect()
    }

    fn utterances() -> Vec<Utterance> {
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
            Object::Tokens(lists(&[&b"a"[..], b"\xff"])),
            Object::SparseVector(Sparse {
                dtype: Dtype::F32,
                dim: 4,
                rows: lists(&[&[(3, 1.5)]]),
            }),
            Object::SparseMatrix(Sparse {
                dtype: Dtype::F64,
                dim: 0,
                rows: lists(&[&[]]),
            }),
        ];
        let kinds: Vec<_> = objects.iter().map(Object::kind).collect();
        assert_eq!(kinds, Object::KINDS, "every kind is here");
        let opaque = Object::OPAQUE.iter().map(|kind| Object::Opaque {
            kind,
            bytes: vec![0, 1],
        });
        let mut all: Vec<_> = objects
            .into_iter()
            .chain(opaque)
            .map(|object| Utterance {
                key: object.kind().into(),
                object: Some(object),
                ..Utterance::default()
            })
            .collect();
        for dtype in Dtype::ALL {
            for rank in [Rank::Scalar, Rank::Vector, Rank::Matrix] {
                let mut matrix = Matrix::default();
                let bytes = matrix
                    .reset(*dtype, rank, 3, 2, &Limits::default())
                    .unwrap();
                bytes.fill(0xff);
                all.push(Utterance {
                    features: Some(matrix),
                    ..Utterance::default()
                });
            }
        }
        all.push(Utterance {
            key: b"\x00\xff\n".as_slice().into(),
            labels: Some(Matrix::from_rows(&[1i32, 2], 1, Rank::Matrix).unwrap()),
            audio: Some(Audio {
                rate: 16000,
                samples: Matrix::from_rows(&[1i16, 2], 2, Rank::Matrix).unwrap(),
            }),
            segments: Some(vec![Segment {
                start: 0.5,
                end: None,
                label: b"ah".as_slice().into(),
            }]),
            text: Some(b"what was said".to_vec()),
            meta: Meta {
                frame_shift: Decimal::parse("0.010"),
                frame_offset: Decimal::parse("1e-3"),
                tags: ["a", "b", "a"]
                    .map(|format| Tag {
                        format,
                        key: b"k".to_vec(),
                        value: vec![0xff],
                    })
                    .to_vec(),
            },
            ..Utterance::default()
        });
        all
    }

    #[test]
    fn every_bit_comes_back() {
        let mut records = Records::default();
        let mut bytes = Vec::new();
        let all = utterances();
        all.iter().for_each(|utt| records.put(utt, &mut bytes));
        let mut utt = Utterance::default();
        let (mut stream, mut buffer) = (bytes.as_slice(), Vec::new());
        for expected in &all {
            records.take(stream, &mut utt).unwrap();
            assert_eq!(utt, *expected);
            let head = Head::read(&mut stream, &mut buffer).unwrap();
            assert_eq!(head.frames, expected.frames());
            records
                .read(&head, &mut stream, &mut buffer, &mut utt)
                .unwrap();
            assert_eq!(utt, *expected);
        }
        assert!(stream.is_empty() && Head::read(&mut stream, &mut buffer).is_err());
    }

    #[test]
    fn what_was_changed_is_an_error() {
        let (mut records, mut bytes) = (Records::default(), Vec::new());
        let all = utterances();
        records.put(all.last().unwrap(), &mut bytes);
        for len in 0..bytes.len() {
            let read = records.take(&bytes[..len], &mut Utterance::default());
            assert!(read.is_err(), "{len}");
        }
    }
}
