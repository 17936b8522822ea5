//! Decoding of Vorbis packets.

use spr_core::bytes::{ByteOrder, Env, ObjectBounds, Source};
use spr_core::model::{Dtype, Matrix, RecordingFacts, Tag};
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
    /// The decoder after the first page of audio, and the samples of one packet and of one page.
    decoder: Option<Decoder>,
    samples: Vec<f32>,
    all: Vec<f32>,
    /// The number of decoded samples per channel.
    decoded: u64,
    /// The position of the first sample according to the pages, once one has it.
    first: Option<i128>,
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
            decoder: None,
            samples: Vec::new(),
            all: Vec::new(),
            decoded: 0,
            first: None,
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

impl Stream {
    /// Decodes the packets of a page into `all`.
    fn packets(&mut self, page: &Page) -> Result<()> {
        let decoder = match &mut self.decoder {
            Some(decoder) => decoder,
            None => self.decoder.insert(decoder(&self.setup)?),
        };
        self.all.clear();
        for packet in &page.packets {
            decoder.decode(packet, &mut self.samples)?;
            self.all.extend_from_slice(&self.samples);
        }
        self.decoded += self.all.len() as u64 / u64::from(self.channels);
        Ok(())
    }

    /// Returns the part of `all` that counts by its page, whose last sample has the number `told`.
    fn counted(&mut self, told: u64) -> Option<std::ops::Range<usize>> {
        let channels = self.channels as usize;
        let count = |rows: i128| usize::try_from(rows).unwrap_or(usize::MAX);
        let (mut kept, start) = (
            0..self.all.len(),
            i128::from(told) - i128::from(self.decoded),
        );
        match self.first {
            // Samples before the first only start the decoder.
            None if start < 0 && !self.pages.ended => {
                kept.start = count(-start).saturating_mul(channels).min(kept.end);
                self.decoded = told;
                self.first = Some(0);
            }
            None => self.first = Some(start.max(0)),
            Some(_) => {}
        }
        if self.pages.ended {
            let end = i128::from(told) - self.first.unwrap_or_default();
            let behind = i128::from(self.decoded) - end;
            let behind = count((behind >= 0).then_some(behind)?).saturating_mul(channels);
            kept.end = kept.end.saturating_sub(behind).max(kept.start);
        }
        Some(kept)
    }
}

/// Creates the decoder that these header packets describe.
fn decoder(setup: &[u8]) -> Result<Decoder> {
    let mut params = AudioCodecParameters::new();
    params.for_codec(CODEC_ID_VORBIS);
    params.with_extra_data(setup.into());
    let options = AudioDecoderOptions::default();
    Decoder::new(|| VorbisDecoder::try_new(&params, &options))
}

/// Fails unless the file ends here.
fn end(source: &mut Source) -> Result<()> {
    if source.at_end()? {
        return Ok(());
    }
    Err(match source.peek(4)? == super::page::MAGIC {
        true => source
            .error(ErrorKind::Unsupported, "another stream follows the first")
            .hint("make one of them: `ffmpeg -i FILE OUT.wav`"),
        false => source.malformed("the file goes on after the sound"),
    })
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
    fn facts(&self) -> RecordingFacts {
        RecordingFacts {
            rate: Some(self.rate),
            channels: Some(self.channels),
            samples: None,
            duration: None,
        }
    }

    fn dtype(&self) -> Dtype {
        Dtype::F32
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
        samples: &mut Matrix,
        env: &Env,
    ) -> Result<bool> {
        let Some(page) = self.next(source, env)? else {
            return match extent {
                ObjectBounds::Whole => end(source).map(|()| false),
                ObjectBounds::Own => Ok(false),
            };
        };
        let place = |e: Error| e.file(source.name()).byte(source.offset());
        self.packets(&page).map_err(place)?;
        let kept = match page.samples {
            Some(told) => self.counted(told),
            None => Some(0..self.all.len()),
        };
        let Some(kept) = kept else {
            return Err(source.malformed("packets of sound are missing before this"));
        };
        let kept = &self.all[kept];
        let held = samples.as_bytes().len() + 4 * kept.len();
        source.hold("audio", held as u64, &env.limits)?;
        samples.extend_from(kept, &env.limits).map_err(place)?;
        Ok(true)
    }
}
