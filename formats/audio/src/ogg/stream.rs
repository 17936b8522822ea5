//! Decoding of Vorbis packets.

use spr_core::bytes::{ByteOrder, Env, ObjectBounds, Source};
use spr_core::model::{AudioFacts, Dtype, Rank, Tag, Waveform};
use spr_core::{Error, ErrorKind, Result};
use symphonia::core::codecs::audio::well_known::CODEC_ID_VORBIS;
use symphonia::core::codecs::audio::{AudioCodecParameters, AudioDecoderOptions};
use symphonia::default::codecs::VorbisDecoder;

use super::NAME;
use super::page::{Page, Pages};
use crate::coded::library::Decoder;
use crate::coded::{CodedFile, comments};

/// The first bytes of the three header packets.
const FIRST: &[u8] = b"\x01vorbis";
const COMMENTS: &[u8] = b"\x03vorbis";
const SETUP: &[u8] = b"\x05vorbis";
/// The first bytes of other codecs in Ogg files, for messages.
const OTHERS: [(&[u8], &str); 5] = [
    (b"OpusHead", "Opus sound"),
    (b"Speex   ", "Speex sound"),
    (b"\x7fFLAC", "FLAC sound in an Ogg file"),
    (b"\x80theora", "a film"),
    (b"fishead\0", "several streams"),
];

/// A file read up to the audio.
pub(super) struct Stream {
    rate: u32,
    channels: u32,
    /// The largest number of samples per channel in a packet.
    longest: u64,
    pages: Pages,
    /// The first and third header packets, which the decoder needs.
    setup: Vec<u8>,
    tags: Vec<Tag>,
    /// Audio packets on the last header page, which should be none.
    rest: Page,
}

impl Stream {
    /// Reads everything before the audio.
    pub(super) fn open(source: &mut Source, env: &Env) -> Result<Self> {
        let (mut pages, mut heads, mut rest) = (Pages::default(), Vec::new(), Page::default());
        let at = source.offset();
        while heads.len() < 3 {
            let Some(mut page) = pages.next(source, env)? else {
                return Err(source.malformed("the file holds no sound"));
            };
            let more = 3 - heads.len();
            let kept = page.packets.len().min(more);
            heads.extend(page.packets.drain(..kept));
            if let Some(first) = heads.first() {
                known(first).map_err(|e| e.file(source.name()).byte(at))?;
            }
            rest = page;
        }
        let broken = || {
            Error::malformed("the packets before the sound are broken")
                .file(source.name())
                .byte(at)
        };
        let [first, comments, setup] = heads.as_slice() else {
            return Err(broken());
        };
        let (rate, channels, longest) = shape(first).ok_or_else(broken)?;
        let texts = comments.strip_prefix(COMMENTS).ok_or_else(broken)?;
        if !setup.starts_with(SETUP) {
            return Err(broken());
        }
        let mut tags = Vec::new();
        if let Err(e) = comments::read(texts, NAME, &mut tags, &env.limits) {
            env.warn(&e.file(source.name()).byte(at));
        }
        Ok(Self {
            rate,
            channels,
            longest,
            pages,
            setup: [&first[..], setup].concat(),
            tags,
            rest,
        })
    }

    /// Returns the next page with audio packets.
    fn next(&mut self, source: &mut Source, env: &Env) -> Result<Option<Page>> {
        let rest = std::mem::take(&mut self.rest);
        match rest.packets.is_empty() {
            true => self.pages.next(source, env),
            false => Ok(Some(rest)),
        }
    }
}

/// Rejects other codecs by name.
fn known(first: &[u8]) -> Result<()> {
    if first.starts_with(FIRST) {
        return Ok(());
    }
    let other = OTHERS.iter().find(|(start, _)| first.starts_with(start));
    let name = other.map_or("no Vorbis sound", |(_, name)| name);
    Err(
        Error::unsupported(format!("holds {name}, which is not decoded"))
            .hint("decode it first: `ffmpeg -i FILE OUT.wav`"),
    )
}

/// Returns the rate, the channels and the largest packet from the first header packet.
fn shape(first: &[u8]) -> Option<(u32, u32, u64)> {
    /// The offset of the block sizes.
    const BLOCKS: usize = 16;
    let rest = first.strip_prefix(FIRST)?.strip_prefix(&[0; 4])?;
    let (&channels, rest) = rest.split_first()?;
    let rate = ByteOrder::Little.read_u32(*rest.first_chunk()?);
    let longest = (1 << (rest.get(BLOCKS)? >> 4)) / 2;
    (rate > 0 && channels > 0).then_some((rate, u32::from(channels), longest))
}

impl CodedFile for Stream {
    fn facts(&self) -> AudioFacts {
        AudioFacts {
            rate: Some(self.rate),
            channels: Some(self.channels),
            samples: None,
            duration: None,
        }
    }

    fn count(&mut self, source: &mut Source, env: &Env) -> Result<Option<u64>> {
        let (mut packets, mut first, mut last) = (0, None, None);
        while let Some(page) = self.next(source, env)? {
            packets += page.packets.len() as u64;
            last = page.samples.or(last);
            first = first.or(page.samples.map(|told| told <= packets * self.longest));
        }
        // If the first page has more samples than it may count, the file was cut out of a longer
        // one, and only the packets determine where it starts.
        Ok(last.filter(|_| first == Some(true)))
    }

    fn tags(&mut self) -> Vec<Tag> {
        std::mem::take(&mut self.tags)
    }

    fn decode(
        &mut self,
        source: &mut Source,
        extent: ObjectBounds,
        sound: &mut Waveform,
        env: &Env,
    ) -> Result<()> {
        let channels = self.channels as usize;
        sound.rate = self.rate;
        sound.samples.start(Dtype::F32, Rank::Matrix, channels);
        let mut params = AudioCodecParameters::new();
        params.for_codec(CODEC_ID_VORBIS);
        params.with_extra_data(self.setup.clone().into());
        let options = AudioDecoderOptions::default();
        let place = |source: &Source, e: Error| e.file(source.name()).byte(source.offset());
        let mut decoder = Decoder::new(|| VorbisDecoder::try_new(&params, &options))
            .map_err(|e| place(source, e))?;
        // The position of the first sample according to the pages, once one has it.
        let mut first: Option<i128> = None;
        let (mut decoded, mut samples, mut all) = (0u64, Vec::new(), Vec::new());
        while let Some(page) = self.next(source, env)? {
            all.clear();
            for packet in &page.packets {
                decoder
                    .decode(packet, &mut samples)
                    .map_err(|e| place(source, e))?;
                all.extend_from_slice(&samples);
            }
            decoded += (all.len() / channels) as u64;
            let mut kept = &all[..];
            if let Some(told) = page.samples {
                let start = i128::from(told) - i128::from(decoded);
                match first {
                    // Samples before the first only start the decoder.
                    None if start < 0 && !self.pages.ended => {
                        let skip = usize::try_from(-start).unwrap_or(usize::MAX);
                        kept = kept
                            .get(skip.saturating_mul(channels)..)
                            .unwrap_or_default();
                        decoded = told;
                        first = Some(0);
                    }
                    None => first = Some(start.max(0)),
                    Some(_) => {}
                }
                let end = i128::from(told) - first.unwrap_or_default();
                if self.pages.ended {
                    let behind = i128::from(decoded) - end;
                    if behind < 0 {
                        return Err(source.malformed("packets of sound are missing before this"));
                    }
                    let behind = usize::try_from(behind).unwrap_or(usize::MAX);
                    let keep = kept.len().saturating_sub(behind.saturating_mul(channels));
                    kept = &kept[..keep];
                }
            }
            let held = sound.samples.as_bytes().len() + 4 * kept.len();
            source.hold("audio", held as u64, &env.limits)?;
            let out = sound.samples.extend_from(kept, &env.limits);
            out.map_err(|e| place(source, e))?;
        }
        match extent {
            ObjectBounds::Whole if !source.at_end()? => {
                Err(match source.peek(4)? == super::page::MAGIC {
                    true => source
                        .error(ErrorKind::Unsupported, "another stream follows the first")
                        .hint("make one of them: `ffmpeg -i FILE OUT.wav`"),
                    false => source.malformed("the file goes on after the sound"),
                })
            }
            _ => Ok(()),
        }
    }
}
