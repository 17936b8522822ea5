//! WAV files inside containers.

use spr_core::bytes::{Env, SampleStream, Source};
use spr_core::format::{Caps, Claim, Keys, Nested, ObjectBounds};
use spr_core::model::{RecordingFacts, Utterance};
use spr_core::{Error, ErrorKind, Result};

use super::own_extent::PIPED;
use super::{KIND, read, starts};
use crate::stream::PlainStream;
use crate::writer::{Encoder, sound};

/// The numbers of bytes in which the header is searched, in turn.
const HEADS: [usize; 3] = [256, 4 << 10, 64 << 10];

/// A WAV file inside a container. If others may follow, as in Kaldi archives, it ends right after
/// the samples, as in Kaldi.
pub(super) struct NestedWave;

impl Nested for NestedWave {
    fn claim(&self, head: &[u8]) -> Claim {
        match starts(head) {
            true => Claim::Magic,
            false => Claim::No,
        }
    }

    fn read(
        &self,
        source: &mut Source,
        extent: ObjectBounds,
        utt: &mut Utterance,
        env: &Env,
    ) -> Result<()> {
        let head = read::open(source, extent, env).map_err(|e| e.file(source.name()))?;
        let sound = utt.take_waveform();
        head.read(source, sound, utt, env)
    }

    fn facts(&self, source: &mut Source, env: &Env) -> Result<RecordingFacts> {
        let head =
            read::open(source, ObjectBounds::Whole, env).map_err(|e| e.file(source.name()))?;
        head.expect(source)?;
        Ok(head.facts(source))
    }

    fn samples(&self, mut source: Source, env: &Env) -> Result<Box<dyn SampleStream>> {
        let head = read::open(&mut source, ObjectBounds::Whole, env);
        let head = head.map_err(|e| e.file(source.name()))?;
        Ok(Box::new(PlainStream::new(source, head, env)?))
    }

    fn pass(&self, source: &mut Source, env: &Env) -> Result<bool> {
        let quiet = env.listening(|_| {});
        for size in HEADS {
            let there = source.peek(size)?;
            let is_all = there.len() < size;
            let mut head = Source::from_bytes("", there.to_vec())?;
            let bytes = match read::open(&mut head, ObjectBounds::Own, &quiet) {
                Ok(opened) => opened.bytes(),
                Err(e) if e.kind() == ErrorKind::Truncated && !is_all => continue,
                Err(_) => None,
            };
            let Some(bytes) = bytes else {
                return Ok(false);
            };
            source.skip(head.offset())?;
            source.skip(bytes)?;
            return Ok(true);
        }
        Ok(false)
    }

    fn write(&self, utt: &Utterance, put: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        const CAPS: Caps = KIND.caps(Keys::Any);
        CAPS.check(utt)?;
        let samples = &sound(utt)?.samples;
        let what = match samples.as_bytes().len() {
            0 => "without samples",
            // Sizes of whole blocks that nearly fill this one are read as unknown.
            bytes if bytes + 8 * samples.cols() > PIPED as usize => "of that many samples",
            _ => return Encoder::new(&KIND).encode(utt, put),
        };
        Err(Error::unfit(format!(
            "has audio {what}, which a wave file inside another can't hold"
        )))
    }
}

#[cfg(test)]
mod tests {
    use spr_core::bytes::ByteOrder;
    use spr_core::model::{Matrix, Rank, Waveform};

    use super::*;

    fn riff(order: ByteOrder, format: &[u8], chunks: &[u8], size: u32, data: &[u8]) -> Vec<u8> {
        let long = |n: u32| match order {
            ByteOrder::Little => n.to_le_bytes(),
            ByteOrder::Big => n.to_be_bytes(),
        };
        let name: &[u8] = match order {
            ByteOrder::Little => b"RIFF",
            ByteOrder::Big => b"RIFX",
        };
        let fmt = long(u32::try_from(format.len()).unwrap());
        let (total, size) = (long(99), long(size));
        [
            name,
            &total,
            b"WAVEfmt ",
            &fmt,
            format,
            chunks,
            b"data",
            &size,
            data,
        ]
        .concat()
    }

    const MONO: [u8; 16] = [1, 0, 1, 0, 0x40, 0x1f, 0, 0, 0x80, 0x3e, 0, 0, 2, 0, 16, 0];
    const MONO_BIG: [u8; 16] = [0, 1, 0, 1, 0, 0, 0x1f, 0x40, 0, 0, 0x3e, 0x80, 0, 2, 0, 16];

    /// Reads the samples, their rate, and the position of their end.
    fn read_own(bytes: Vec<u8>) -> Result<(Vec<i16>, u32, u64)> {
        let mut source = Source::from_bytes("x", bytes).unwrap();
        let mut utt = Utterance::default();
        NestedWave.read(&mut source, ObjectBounds::Own, &mut utt, &Env::default())?;
        let sound = utt.waveform().unwrap();
        let samples = sound.samples.values::<i16>().unwrap().to_vec();
        Ok((samples, sound.rate, source.offset()))
    }

    #[test]
    fn headers_of_all_sorts() {
        let list = b"LIST\x0e\0\0\0INFOINAM\x02\0\0\0a\0";
        let little = riff(ByteOrder::Little, &MONO, list, 4, &[1, 0, 2, 0, 9]);
        let end = little.len() as u64 - 1;
        assert_eq!(read_own(little).unwrap(), (vec![1, 2], 8000, end));
        let odd = riff(ByteOrder::Little, &MONO, b"LIST\x03\0\0\0abc\0", 2, &[1, 0]);
        assert_eq!(read_own(odd).unwrap().0, [1]);
        let big = riff(ByteOrder::Big, &MONO_BIG, b"", 4, &[0, 1, 0, 2]);
        assert_eq!(read_own(big).unwrap().0, [1, 2]);
        let class = [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71];
        let mut format = [&MONO[..], &[22, 0, 16, 0, 4, 0, 0, 0, 1, 0], &class].concat();
        format[..2].copy_from_slice(&[0xfe, 0xff]);
        let extensible = riff(ByteOrder::Little, &format, b"", 2, &[5, 0]);
        assert_eq!(read_own(extensible).unwrap().0, [5]);
    }

    #[test]
    fn a_stream_is_the_last_of_an_archive() {
        for size in [0, PIPED, u32::MAX] {
            let bytes = riff(ByteOrder::Little, &MONO, b"", size, &[1, 0, 2, 0]);
            assert_eq!(read_own(bytes.clone()).unwrap().0, [1, 2]);
            let two = [&bytes[..], b"b RIFF\0\0\0\0WAVEfmt "].concat();
            let error = read_own(two).unwrap_err().to_string();
            assert!(error.contains("x@44: ") && error.contains("another entry follows"));
            // The next entry crosses the boundary of a block.
            let long = [
                &bytes[..44],
                &vec![0; (64 << 10) - 6],
                b"b RIFF\0\0\0\0WAVE",
            ]
            .concat();
            assert!(read_own(long).is_err());
        }
    }

    #[test]
    fn a_stream_of_three_channels_has_whole_blocks() {
        let mut format = MONO;
        (format[2], format[12]) = (3, 6);
        format[8..10].copy_from_slice(&48_000u16.to_le_bytes());
        let size = PIPED - PIPED % 6;
        assert_ne!(size, PIPED);
        let bytes = riff(ByteOrder::Little, &format, b"", size, &[1, 0, 2, 0, 3, 0]);
        assert_eq!(read_own(bytes).unwrap().0, [1, 2, 3]);
    }

    #[test]
    fn headers_may_not_contradict_themselves() {
        for (at, byte) in [(0, 7), (2, 0), (12, 4), (8, 0)] {
            let mut format = MONO;
            format[at] = byte;
            assert!(read_own(riff(ByteOrder::Little, &format, b"", 2, &[5, 0])).is_err());
        }
        assert!(read_own(riff(ByteOrder::Little, &MONO, b"", 3, &[5, 0, 1])).is_err());
        assert!(read_own(riff(ByteOrder::Little, &MONO, b"", 4, &[5, 0])).is_err());
    }

    #[test]
    fn objects_have_an_end() {
        let sound = |rows: usize| {
            let samples = Matrix::from_rows(&vec![1i16; rows], 1, Rank::Matrix).unwrap();
            Utterance {
                audio: Some(
                    Waveform {
                        rate: 8000,
                        samples,
                    }
                    .into(),
                ),
                ..Utterance::default()
            }
        };
        let write = |utt: &Utterance| {
            let mut bytes = Vec::new();
            NestedWave.write(utt, &mut |part| {
                bytes.extend_from_slice(part);
                Ok(())
            })?;
            Ok::<_, Error>(bytes)
        };
        let bytes = write(&sound(2)).unwrap();
        let mut expected = riff(ByteOrder::Little, &MONO, b"", 4, &[1, 0, 1, 0]);
        expected[4..8].copy_from_slice(&40u32.to_le_bytes());
        assert_eq!(bytes, expected);
        let error = write(&sound(0)).unwrap_err();
        assert!(error.to_string().contains("inside another"), "{error}");
    }
}
