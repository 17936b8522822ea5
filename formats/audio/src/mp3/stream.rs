//! Decoding of the frames.

use spr_core::bytes::{Env, ObjectBounds, Source};
use spr_core::model::{Dtype, Matrix, RecordingFacts, Tag};
use spr_core::{ErrorKind, Remedy, Result};
use symphonia::core::codecs::audio::well_known::CODEC_ID_MP3;
use symphonia::core::codecs::audio::{AudioCodecParameters, AudioDecoderOptions};
use symphonia::default::codecs::MpaDecoder;

use super::frame::{HEADER, Header, HeaderMatch, InfoFrame, header, is_mixed, told};
use crate::coded::CodedFile;
use crate::coded::library::Decoder;
use crate::id3;

/// The hint about sound that only other programs decode.
const ELSEWHERE: &str = "decode it first: `ffmpeg -i FILE OUT.wav`";
/// The tags of other programs after the audio: their first bytes, and their size if it is fixed.
const TAGS: [(&[u8], Option<u64>); 4] = [
    (b"TAG", Some(128)),
    (b"APETAGEX", None),
    (b"LYRICSBEGIN", None),
    (b"ID3", None),
];

/// A file read up to the first audio frame.
pub(super) struct Stream {
    first: Header,
    told: InfoFrame,
    /// The number of audio frames that were decoded, and the decoder after the first.
    frames: u64,
    decoder: Option<Decoder>,
    /// The samples of one frame, and those that may be padding at the end.
    samples: Vec<f32>,
    last: Vec<f32>,
}

impl Stream {
    /// Reads the tags before the audio, and the info frame.
    pub(super) fn open(source: &mut Source) -> Result<Self> {
        id3::skip(source)?;
        if source.peek(id3::FLAC.len())? == id3::FLAC {
            let message = "holds FLAC behind an ID3 tag, which is not MP3";
            let error = source.error(ErrorKind::Ambiguous, message);
            return Err(error.suggest(Remedy::ReadAs(vec!["flac"])));
        }
        let first = match header(source.peek(HEADER)?) {
            HeaderMatch::Header(first) => first,
            HeaderMatch::Other(name) => {
                let error = source.error(
                    ErrorKind::Unsupported,
                    format!("holds {name}, which is not decoded"),
                );
                return Err(error.hint(ELSEWHERE));
            }
            HeaderMatch::Nothing => return Err(source.malformed("no MP3 frame starts here")),
        };
        let told = told(source.peek(first.len)?, &first);
        if told.is_some() {
            source.skip(first.len as u64)?;
        }
        Ok(Self {
            first,
            told: told.unwrap_or_default(),
            frames: 0,
            decoder: None,
            samples: Vec::new(),
            last: Vec::new(),
        })
    }

    /// Returns the header of the next frame, if there is one.
    fn next(&self, source: &mut Source, env: &Env) -> Result<Option<Header>> {
        let head = source.peek(HEADER)?;
        match header(head) {
            HeaderMatch::Header(next) if next.fits(&self.first) => return Ok(Some(next)),
            HeaderMatch::Header(_) => {
                return Err(source.malformed("the rate or the channels change here"));
            }
            _ if head.is_empty() => {}
            _ => passed(source, env)?,
        }
        match self.told.frames {
            Some(told) if self.frames < told => {
                let message = format!("the file ends after {} of {told} frames", self.frames);
                Err(source.error(ErrorKind::Truncated, message))
            }
            _ => Ok(None),
        }
    }

    /// Decodes a frame, which is not consumed, into `samples`.
    fn frame(&mut self, source: &mut Source, header: &Header) -> Result<()> {
        let frame = source.peek(header.len)?;
        if frame.len() < header.len {
            let message = format!("the file ends in a frame, behind {}", self.frames);
            return Err(source.error(ErrorKind::Truncated, message));
        }
        // The library decodes these to noise far above full scale.
        if is_mixed(frame, header) {
            let message = "holds MP3 frames with mixed blocks, which are not decoded";
            let error = source.error(ErrorKind::Unsupported, message);
            return Err(error.hint(ELSEWHERE));
        }
        let decoder = match &mut self.decoder {
            Some(decoder) => decoder,
            None => self.decoder.insert(decoder()?),
        };
        let decoded = decoder.decode(frame, &mut self.samples);
        decoded.map_err(|e| e.file(source.name()).byte(source.offset()))?;
        match self.samples.len() as u64 == header.rows * u64::from(header.channels) {
            true => Ok(()),
            false => Err(source.malformed("damaged sound: a frame of another length")),
        }
    }

    /// Returns the number of samples per channel in `frames` frames, without padding.
    fn rows(&self, frames: u64) -> u64 {
        let told = self.told;
        // If there are more frames than declared, the padding is not in the last one.
        let behind = if told.frames.is_some_and(|n| n < frames) {
            0
        } else {
            told.behind
        };
        (frames * self.first.rows).saturating_sub(told.before + behind)
    }
}

/// Skips the tags after the audio, with a warning.
fn passed(source: &mut Source, env: &Env) -> Result<()> {
    const LONGEST: usize = 16;
    let head = source.peek(LONGEST)?;
    let known = TAGS.iter().find(|(start, _)| head.starts_with(start));
    if known.is_none() {
        let message = match head.len() < HEADER && head.starts_with(b"\xff") {
            true => return Err(source.error(ErrorKind::Truncated, "the file ends in a frame")),
            false => "no MP3 frame starts here, where one should",
        };
        return Err(source.malformed(message));
    }
    env.warn(&source.error(ErrorKind::Unfit, "a tag after the sound, which is ignored"));
    if let Some((_, Some(size))) = known {
        source.skip(*size)?;
        return match source.at_end()? {
            true => Ok(()),
            false => passed(source, env),
        };
    }
    loop {
        let left = source.peek(HEADER.max(4096))?.len() as u64;
        if left == 0 {
            return Ok(());
        }
        source.skip(left)?;
    }
}

impl CodedFile for Stream {
    fn facts(&self) -> RecordingFacts {
        RecordingFacts {
            rate: Some(self.first.rate),
            channels: Some(self.first.channels),
            samples: self.told.frames.map(|frames| self.rows(frames)),
            duration: None,
        }
    }

    fn dtype(&self) -> Dtype {
        Dtype::F32
    }

    fn count(&mut self, source: &mut Source, env: &Env) -> Result<Option<u64>> {
        while let Some(next) = self.next(source, env)? {
            source.skip(next.len as u64)?;
            self.frames += 1;
        }
        Ok(Some(self.rows(self.frames)))
    }

    fn tags(&mut self) -> Vec<Tag> {
        Vec::new()
    }

    fn decode(
        &mut self,
        source: &mut Source,
        extent: ObjectBounds,
        samples: &mut Matrix,
        env: &Env,
    ) -> Result<bool> {
        if extent == ObjectBounds::Own {
            let message = "an MP3 file that others follow, as it has no end of its own";
            return Err(source.error(ErrorKind::Unsupported, message));
        }
        let Some(next) = self.next(source, env)? else {
            return Ok(false);
        };
        self.frame(source, &next)?;
        let channels = self.first.channels as usize;
        let count = |rows: u64| usize::try_from(rows).unwrap_or(usize::MAX);
        let before = self.told.before.saturating_sub(self.frames * next.rows);
        let before = count(before).saturating_mul(channels);
        self.last
            .extend(self.samples.get(before..).unwrap_or_default());
        self.frames += 1;
        // Samples that are padding if no more frames follow are kept back.
        let end = self.rows(self.told.frames.unwrap_or(0).max(self.frames));
        let held = self.last.len() / channels;
        let first = (self.frames * next.rows).saturating_sub(self.told.before) - held as u64;
        let kept = count(end.saturating_sub(first)).min(held) * channels;
        source.hold(
            "audio",
            (samples.as_bytes().len() + 4 * kept) as u64,
            &env.limits,
        )?;
        samples
            .extend_from(&self.last[..kept], &env.limits)
            .map_err(|e| e.file(source.name()).byte(source.offset()))?;
        self.last.drain(..kept);
        source.skip(next.len as u64)?;
        Ok(true)
    }
}

/// Creates a decoder.
fn decoder() -> Result<Decoder> {
    let mut params = AudioCodecParameters::new();
    params.for_codec(CODEC_ID_MP3);
    let options = AudioDecoderOptions::default();
    Decoder::new(|| MpaDecoder::try_new(&params, &options))
}
