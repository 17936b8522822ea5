//! Files of coded sound with tags around them, pages of Ogg in disorder, and codecs that are not read.
#![cfg(all(feature = "flac", feature = "mp3", feature = "vorbis"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use spr_core::Limits;
use spr_core::bytes::{Env, Locator, MemoryStore, ObjectBounds, Source};
use spr_core::format::{Claim, Format, Options, Probe, Score, create};
use spr_core::model::{About, Matrix, Rank, Utterance, Waveform};
use spr_format_audio::{FLAC, MP3, OGG};
use spr_testkit::write_memory;

use super::headers::read;
use super::lossy::file;

/// Returns an ID3 tag of so many bytes behind its header.
fn id3(bytes: usize) -> Vec<u8> {
    let size = [
        0,
        0,
        u8::try_from(bytes >> 7).unwrap(),
        u8::try_from(bytes & 0x7f).unwrap(),
    ];
    [b"ID3\x04\0\0", &size[..], &vec![7; bytes]].concat()
}

fn sound() -> Utterance {
    let samples = Matrix::from_rows(&[1i16, -2, 3, 400], 1, Rank::Matrix).unwrap();
    Utterance {
        key: "a".into(),
        audio: Some(
            Waveform {
                rate: 8000,
                samples,
            }
            .into(),
        ),
        ..Utterance::default()
    }
}

fn flac() -> Vec<u8> {
    write_memory(&FLAC, &[], &[sound()]).unwrap()
}

#[test]
fn tags_around_flac_are_ignored() {
    let plain = flac();
    let tag = [b"TAG", &[b'x'; 125][..]].concat();
    let before = "x@140: an ID3 tag before the sound, which is ignored";
    let behind = |at: usize| format!("x@{at}: an ID3 tag after the samples, which is ignored");
    for (bytes, told) in [
        (plain.clone(), vec![]),
        ([&id3(130)[..], &plain].concat(), vec![before.to_owned()]),
        (
            [&id3(30)[..], &id3(90), &plain].concat(),
            vec![before.to_owned()],
        ),
        ([&plain[..], &tag].concat(), vec![behind(plain.len())]),
    ] {
        let (utt, warnings) = read(&FLAC, &bytes, Limits::default());
        assert_eq!(utt.unwrap().audio, sound().audio);
        assert_eq!(warnings, told);
    }
    let junk = [&plain[..], &tag[..127]].concat();
    let error = read(&FLAC, &junk, Limits::default())
        .0
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("the file goes on after the samples"),
        "{error}"
    );
    // Behind a tag the first bytes don't tell the codec.
    let error = read(&MP3, &[&id3(40)[..], &plain].concat(), Limits::default())
        .0
        .unwrap_err();
    assert!(
        error.to_string().contains("holds FLAC behind an ID3 tag"),
        "{error}"
    );
}

#[test]
fn first_bytes_tell_the_format() {
    let score = |format: &dyn Format, head: &[u8]| {
        format.probe(&Probe {
            head,
            whole: false,
            len: None,
            path: None,
        })
    };
    let (mp3, ogg, flac) = (file("mono.mp3"), file("mono.ogg"), flac());
    for (head, format) in [
        (mp3.clone(), Some("mp3")),
        ([&id3(40)[..], &mp3].concat(), Some("mp3")),
        // As far as it can be seen.
        (id3(2000), Some("mp3")),
        (mp3[..40].to_vec(), Some("mp3")),
        ([&mp3[..40], &[0; 2000]].concat(), None),
        ([&id3(40)[..], &flac].concat(), Some("flac")),
        (b"ID3 and so on".to_vec(), None),
        (ogg, Some("ogg")),
        (flac.clone(), Some("flac")),
        (b"Og".to_vec(), None),
    ] {
        let scores = [&MP3 as &dyn Format, &OGG, &FLAC]
            .map(|format| (format.info().name, score(format, &head)));
        let certain: Vec<_> = scores
            .iter()
            .filter(|(_, score)| *score == Score::Certain)
            .collect();
        let names: Vec<_> = certain.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, Vec::from_iter(format), "{scores:?}");
    }
}

#[test]
fn lossy_sound_is_not_encoded() {
    let told = "has audio, which the format can't hold";
    for format in [&MP3 as &'static dyn Format, &OGG] {
        let env = Env::default().with_store(std::sync::Arc::new(MemoryStore::new()));
        let output = env.output(&Locator::file("x"));
        let about = About::default();
        let mut writer = create(format, output, &Options::default(), &about, &env).unwrap();
        let error = writer.write(&sound()).unwrap_err().to_string();
        assert!(error.contains(told), "{error}");
        let nested = format.nested().unwrap();
        let error = nested
            .write(&sound(), &mut |_| panic!("nothing is written"))
            .unwrap_err();
        assert!(error.to_string().contains(told), "{error}");
    }
}

#[test]
fn sound_inside_containers_needs_an_end() {
    let env = Env::default();
    for (format, bytes, has_end) in [
        (&FLAC as &'static dyn Format, flac(), true),
        (&OGG, file("mono.ogg"), true),
        (&MP3, file("mono.mp3"), false),
    ] {
        let nested = format.nested().unwrap();
        let name = format.info().name;
        assert_eq!(nested.claim(&bytes), Claim::Magic, "{name}");
        assert_eq!(nested.claim(b"other"), Claim::No, "{name}");
        let mut source = Source::from_bytes("x", [&bytes[..], b"next"].concat()).unwrap();
        assert!(!nested.pass(&mut source, &env).unwrap());
        assert_eq!(source.offset(), 0);
        let mut utt = Utterance::default();
        let read = nested.read(&mut source, ObjectBounds::Own, &mut utt, &env);
        match has_end {
            true => assert_eq!(source.peek(9).unwrap(), b"next", "{name}"),
            false => {
                let error = read.unwrap_err().to_string();
                assert!(error.contains("as it has no end of its own"), "{error}");
            }
        }
    }
}

/// The checksum of a page, of which its own four bytes are 0.
fn checksum(page: &[u8]) -> u32 {
    page.iter().fold(0, |sum: u32, byte| {
        (0..8).fold(sum ^ u32::from(*byte) << 24, |sum, _| {
            let carry = if sum >> 31 == 1 { 0x04c1_1db7 } else { 0 };
            sum << 1 ^ carry
        })
    })
}

/// Returns a page with one packet of less than 255 bytes.
fn page(flags: u8, serial: u32, number: u32, packet: &[u8]) -> Vec<u8> {
    let mut page = [
        b"OggS\0",
        &[flags][..],
        &[0; 8],
        &serial.to_le_bytes(),
        &number.to_le_bytes(),
    ]
    .concat();
    page.extend([0, 0, 0, 0, 1, u8::try_from(packet.len()).unwrap()]);
    page.extend(packet);
    let sum = checksum(&page).to_le_bytes();
    page[22..26].copy_from_slice(&sum);
    page
}

/// The first packet of Vorbis sound: one channel, 8000 samples a second.
const FIRST: &[u8] = b"\x01vorbis\0\0\0\0\x01\x40\x1f\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x88\x01";

#[test]
fn codecs_that_are_not_decoded_are_named() {
    for (packet, told) in [
        (
            &b"OpusHead\x01\x01"[..],
            "holds Opus sound, which is not decoded",
        ),
        (b"Speex   1.2", "holds Speex sound, which is not decoded"),
        (
            b"\x7fFLAC\x01",
            "holds FLAC sound in an Ogg file, which is not decoded",
        ),
        (b"\x80theora", "holds a film, which is not decoded"),
        (b"fishead\0", "holds several streams, which is not decoded"),
        (b"other", "holds no Vorbis sound, which is not decoded"),
    ] {
        let error = read(&OGG, &page(2, 7, 0, packet), Limits::default())
            .0
            .unwrap_err();
        assert_eq!(error.to_string(), format!("x@0: {told}"));
        assert!(error.hint_text().unwrap().contains("ffmpeg"));
    }
}

#[test]
fn pages_in_disorder_are_errors() {
    let texts = b"\x03vorbis\0\0\0\0\0\0\0\0\x01";
    let broken = "x@0: the packets before the sound are broken";
    let zeros = |at: usize| {
        let mut first = FIRST.to_vec();
        first[at] = 0;
        page(2, 7, 0, &first)
    };
    let first = page(2, 7, 0, FIRST);
    let after = first.len();
    let heads = |first: &[u8], second: &[u8], third: &[u8]| {
        [first, &page(0, 7, 1, second), &page(4, 7, 2, third)].concat()
    };
    for (bytes, told) in [
        (
            page(6, 7, 0, FIRST),
            "x@58: the file holds no sound".to_owned(),
        ),
        (
            [&first[..], &page(0, 8, 1, texts)].concat(),
            format!("x@{after}: holds several streams, which are not taken apart"),
        ),
        (
            [&first[..], &page(0, 7, 2, texts)].concat(),
            format!("x@{after}: pages are missing before this one"),
        ),
        (
            [&first[..], &page(2, 7, 1, texts)].concat(),
            format!("x@{after}: pages are missing before this one"),
        ),
        (
            [&first[..], &page(1, 7, 1, texts)].concat(),
            format!("x@{after}: pages are missing before this one"),
        ),
        (
            page(0, 7, 0, FIRST),
            "x@0: pages are missing before this one".to_owned(),
        ),
        (heads(&first, b"no texts", b"\x05vorbis"), broken.to_owned()),
        (heads(&first, texts, b"no setup"), broken.to_owned()),
        // No channel.
        (heads(&zeros(11), texts, b"\x05vorbis"), broken.to_owned()),
    ] {
        let error = read(&OGG, &bytes, Limits::default())
            .0
            .unwrap_err()
            .to_string();
        assert_eq!(error, told);
    }
    let mut changed = file("mono.ogg");
    let at = changed.len() - 9;
    changed[at] ^= 1;
    let error = read(&OGG, &changed, Limits::default())
        .0
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("a damaged page: its checksum is wrong"),
        "{error}"
    );
}
