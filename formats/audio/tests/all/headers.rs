//! What headers of sound files say: facts without reading samples, texts, codings, and what is no sound
//! that can be decoded.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use spr_core::bytes::{Env, Source};
use spr_core::format::{Format, Options, Request};
use spr_core::model::{RecordingFacts, Utterance};
use spr_core::{ErrorKind, Limits, Result};
use spr_format_audio::{AU, SPHERE, WAV};

/// Reads a file, and returns the warnings as well.
pub(crate) fn read(
    format: &'static dyn Format,
    bytes: &[u8],
    limits: Limits,
) -> (Result<Utterance>, Vec<String>) {
    let (mut env, warnings) = spr_testkit::listening(&Env::default());
    env.limits = limits;
    let read = || {
        let source = Source::from_bytes("x", bytes.to_vec())?;
        let opened = Request::all().open(format, source, &Options::default(), &env)?;
        let (mut reader, mut utt) = (opened.into_stream()?, Utterance::default());
        assert!(reader.read(&mut utt)?);
        assert!(!reader.read(&mut Utterance::default())?);
        Ok(utt)
    };
    let utt = read();
    let warnings = warnings.lock().unwrap().clone();
    (utt, warnings)
}

/// Returns the error of a file.
fn refused(format: &'static dyn Format, bytes: &[u8]) -> String {
    read(format, bytes, Limits::default())
        .0
        .unwrap_err()
        .to_string()
}

fn samples(utt: &Utterance) -> Vec<i16> {
    utt.waveform()
        .unwrap()
        .samples
        .values::<i16>()
        .unwrap()
        .to_vec()
}

fn chunk(name: &[u8; 4], bytes: &[u8]) -> Vec<u8> {
    let size = u32::try_from(bytes.len()).unwrap().to_le_bytes();
    [name, &size[..], bytes, &[0][..bytes.len() % 2]].concat()
}

/// Returns a WAV file of these chunks.
fn wave(chunks: &[Vec<u8>]) -> Vec<u8> {
    let all = [b"WAVE".to_vec(), chunks.concat()].concat();
    [
        b"RIFF",
        &u32::try_from(all.len()).unwrap().to_le_bytes()[..],
        &all,
    ]
    .concat()
}

/// Returns the format chunk of one channel with 8000 samples a second.
fn fmt(tag: u16, bits: u16) -> Vec<u8> {
    let block = bits.div_ceil(8);
    let speed = 8000 * u32::from(block);
    let fields = [tag.to_le_bytes(), [1, 0]].concat();
    chunk(
        b"fmt ",
        &[
            &fields[..],
            &8000u32.to_le_bytes(),
            &speed.to_le_bytes(),
            &block.to_le_bytes(),
            &bits.to_le_bytes(),
        ]
        .concat(),
    )
}

fn data() -> Vec<u8> {
    chunk(b"data", &[1, 0, 2, 0, 3, 0])
}

/// Returns an AU file with a note of no text.
fn au(size: u32, encoding: u32, samples: &[u8]) -> Vec<u8> {
    let head = [24, size, encoding, 8000, 1].map(u32::to_be_bytes).concat();
    [b".snd", &head[..], samples].concat()
}

/// Returns a SPHERE file with these lines.
fn sphere(lines: &str, samples: &[u8]) -> Vec<u8> {
    let mut head = format!("NIST_1A\n   1024\n{lines}end_head\n").into_bytes();
    head.resize(1024, b' ');
    [&head[..], samples].concat()
}

const LINES: &str = "sample_count -i 3\nsample_rate -i 8000\nsample_n_bytes -i 2\n\
                     sample_byte_format -s2 01\n";

#[test]
fn facts_need_no_samples() {
    let facts = |format: &dyn Format, bytes: Vec<u8>| {
        let mut source = Source::from_bytes("x", bytes).unwrap();
        format.nested().unwrap().facts(&mut source, &Env::default())
    };
    let three = |samples| RecordingFacts {
        rate: Some(8000),
        channels: Some(1),
        samples,
        duration: None,
    };
    for (format, bytes, counted) in [
        (&WAV as &dyn Format, wave(&[fmt(1, 16), data()]), Some(3)),
        (&AU, au(6, 3, &[0, 1, 0, 2, 0, 3]), Some(3)),
        // A size that is not known.
        (&AU, au(u32::MAX, 3, &[0, 1, 0, 2]), Some(2)),
        (&SPHERE, sphere(LINES, &[1, 0, 2, 0, 3, 0]), Some(3)),
        // The file decides, not its header.
        (&SPHERE, sphere(LINES, &[1, 0, 2, 0]), Some(2)),
    ] {
        let name = format.info().name;
        assert_eq!(facts(format, bytes).unwrap(), three(counted), "{name}");
    }
    let mut cut = wave(&[fmt(1, 16), data()]);
    cut.pop();
    let error = facts(&WAV, cut).unwrap_err();
    assert_eq!(
        (error.kind(), error.file_name()),
        (ErrorKind::Truncated, Some("x"))
    );
    for format in [&WAV as &dyn Format, &AU, &SPHERE] {
        let error = facts(format, b"no header of any kind, but bytes".to_vec()).unwrap_err();
        assert_eq!(error.file_name(), Some("x"), "{error}");
    }
}

#[test]
fn texts_at_fault_cost_themselves_alone() {
    let entry = |name: &[u8; 4], text: &str| chunk(name, text.as_bytes());
    let list = |entries: &[Vec<u8>]| chunk(b"LIST", &[b"INFO".to_vec(), entries.concat()].concat());
    let texts = |list: Vec<u8>, limits: Limits| {
        let (utt, warnings) = read(&WAV, &wave(&[fmt(1, 16), list, data()]), limits);
        let utt = utt.unwrap();
        assert_eq!(samples(&utt), [1, 2, 3]);
        let tags = utt.meta.tags.iter();
        let tags =
            tags.map(|tag| format!("{}={}", tag.key.escape_ascii(), tag.value.escape_ascii()));
        (tags.collect::<Vec<_>>(), warnings)
    };
    let two = [entry(b"INAM", "odd"), entry(b"ICMT", "even\0\0")];
    let (tags, warnings) = texts(list(&two), Limits::default());
    assert_eq!(
        (tags, warnings),
        (vec!["INAM=odd".to_owned(), "ICMT=even".to_owned()], vec![])
    );
    // Not a list of texts.
    let other = chunk(b"LIST", b"adtlnote\x01\0\0\0x");
    let told = "x: the metadata in chunks is not read: adtl".to_owned();
    assert_eq!(texts(other, Limits::default()), (vec![], vec![told]));
    // The second entry says that it is longer than the list.
    let mut long = two.concat();
    long[16] = 200;
    let (tags, warnings) = texts(list(&[long]), Limits::default());
    assert_eq!(tags, ["INAM=odd"]);
    assert_eq!(
        warnings,
        ["x@44: the list of texts is broken; what follows in it is passed over"]
    );
    // Bytes of a list over the limit are not even read.
    let small = Limits {
        max_header: 29,
        ..Limits::default()
    };
    let (tags, warnings) = texts(list(&two), small);
    assert_eq!((tags.len(), warnings.len()), (0, 1));
    assert_eq!(
        warnings,
        ["x@44: a list of texts over the limit, which is passed over"]
    );
    let just = Limits {
        max_header: 30,
        ..Limits::default()
    };
    assert_eq!(texts(list(&two), just).0.len(), 2);
    // Many small ones take more memory than their bytes.
    let many = vec![entry(b"INAM", ""); 1000];
    let little = Limits {
        max_alloc: 60_000,
        ..Limits::default()
    };
    let (tags, warnings) = texts(list(&many), little);
    assert!((100..1000).contains(&tags.len()), "{}", tags.len());
    let told = "x@44: texts over the limit of memory; from some on they are passed over";
    assert_eq!(warnings, [told]);
}

/// However many kinds of chunks there are, a few are named.
#[test]
fn chunks_that_are_not_read_are_bounded() {
    let mut chunks = vec![fmt(1, 16)];
    for name in b'a'..=b'z' {
        chunks.push(chunk(&[name; 4], &[0; 6]));
    }
    chunks.push(data());
    let (utt, warnings) = read(&WAV, &wave(&chunks), Limits::default());
    assert_eq!(samples(&utt.unwrap()), [1, 2, 3]);
    let told = "x: the metadata in chunks is not read: \
                aaaa, bbbb, cccc, dddd, eeee, ffff, gggg, hhhh and others";
    assert_eq!(warnings, [told]);
}

#[test]
fn chunks_behind_the_samples() {
    let whole = |behind: &[Vec<u8>]| {
        let chunks = [&[fmt(1, 16), data()][..], behind].concat();
        read(&WAV, &wave(&chunks), Limits::default())
    };
    let (utt, warnings) = whole(&[chunk(b"LIST", b"INFOINAM\x01\0\0\0x\0")]);
    assert_eq!((utt.unwrap().meta.tags.len(), warnings), (1, vec![]));
    for (behind, told) in [
        (data(), "a second chunk of samples"),
        (fmt(1, 16), "a second fmt chunk"),
    ] {
        assert_eq!(
            whole(&[behind]).0.unwrap_err().to_string(),
            format!("x@50: {told}")
        );
    }
    let file = wave(&[fmt(1, 16), data()]);
    let error = read(&WAV, &[&file[..], &file].concat(), Limits::default())
        .0
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "x@50: another wave file follows the first"
    );
    assert_eq!(
        error.hint_text().as_deref(),
        Some("all=false reads only the first")
    );
    let (utt, warnings) = read(&WAV, &[&file[..], b"TAG x"].concat(), Limits::default());
    assert_eq!(samples(&utt.unwrap()), [1, 2, 3]);
    assert!(
        warnings[0].contains("more follows the end of the wave file ('TAG ')"),
        "{warnings:?}"
    );
    // A chunk that is cut costs itself.
    let mut cut = wave(&[fmt(1, 16), data(), chunk(b"bext", &[1; 20])]);
    cut.truncate(cut.len() - 4);
    let (utt, warnings) = read(&WAV, &cut, Limits::default());
    assert_eq!(samples(&utt.unwrap()), [1, 2, 3]);
    assert!(
        warnings[0].contains("after the samples, which are intact"),
        "{warnings:?}"
    );
}

#[test]
fn codings_that_are_not_decoded_are_named() {
    for (tag, bits, told) in [
        (1, 40, "plain samples of 40 bits"),
        (3, 16, "float samples of 16 bits"),
        (6, 16, "A-law samples of 16 bits"),
        (7, 16, "mu-law samples of 16 bits"),
        (2, 4, "samples coded as Microsoft ADPCM"),
        (0x11, 4, "samples coded as IMA ADPCM"),
        (0x31, 0, "samples coded as GSM 6.10"),
        (0x14, 3, "samples coded as G.72x ADPCM"),
        (0x40, 4, "samples coded as G.72x ADPCM"),
        (0x45, 4, "samples coded as G.72x ADPCM"),
        (0x64, 4, "samples coded as G.72x ADPCM"),
        (0x50, 0, "samples coded as MPEG"),
        (0x55, 0, "samples coded as MPEG"),
        (0x1234, 16, "samples of the wave format 0x1234"),
    ] {
        let error = refused(&WAV, &wave(&[fmt(tag, bits), data()]));
        assert!(error.ends_with(told), "{tag:#x}: {error}");
    }
    for (encoding, told) in [
        (8, "samples of the encoding 8"),
        (23, "samples of the encoding 23"),
    ] {
        let error = refused(&AU, &au(2, encoding, &[0, 0]));
        assert_eq!(error, format!("x@12: {told}"));
    }
    let coded = LINES.to_owned() + "sample_coding -s26 pcm,embedded-shorten-v2.00\n";
    let error = refused(&SPHERE, &sphere(&coded, &[0; 6]));
    assert!(
        error.contains("samples coded as pcm,embedded-shorten-v2.00"),
        "{error}"
    );
}

#[test]
fn companded_samples_are_what_the_standard_says() {
    // G.711: the codes of the smallest and the largest values.
    let (a_law, a_values) = ([0xd5, 0x55, 0xaa, 0x2a], [8, -8, 32256, -32256]);
    let (mu_law, mu_values) = ([0xff, 0x7e, 0x80, 0x00], [0, -8, 32124, -32124]);
    let lines = |coding: &str| {
        let n = coding.len();
        format!(
            "sample_count -i 4\nsample_rate -i 8000\nsample_n_bytes -i 1\nchannel_count -i 1\n\
             sample_coding -s{n} {coding}\n"
        )
    };
    for (format, bytes, values) in [
        (
            &WAV as &'static dyn Format,
            wave(&[fmt(6, 8), chunk(b"data", &a_law)]),
            a_values,
        ),
        (&WAV, wave(&[fmt(7, 8), chunk(b"data", &mu_law)]), mu_values),
        (&AU, au(4, 27, &a_law), a_values),
        (&AU, au(4, 1, &mu_law), mu_values),
        (&SPHERE, sphere(&lines("alaw"), &a_law), a_values),
        (&SPHERE, sphere(&lines("a-law"), &a_law), a_values),
        (&SPHERE, sphere(&lines("ulaw"), &mu_law), mu_values),
        (&SPHERE, sphere(&lines("mu-law"), &mu_law), mu_values),
    ] {
        let utt = read(format, &bytes, Limits::default()).0.unwrap();
        assert_eq!(samples(&utt), values, "{}", format.info().name);
    }
}

#[test]
fn both_orders_of_bytes() {
    let little = {
        let head = [24, 4, 3, 8000, 1].map(u32::to_le_bytes).concat();
        [b"dns.", &head[..], &[1, 0, 0xfe, 0xff]].concat()
    };
    let big = LINES.replace("-s2 01", "-s2 10");
    let widened = "sample_count -i 2\nsample_rate -i 8000\nsample_n_bytes -i 2\nsample_byte_format -s2 01\n\
                   ; a comment\n\nchannel_count -i 1\n";
    for (format, bytes, values) in [
        (&AU as &'static dyn Format, little, &[1, -2][..]),
        (
            &SPHERE,
            sphere(&big, &[0, 1, 0xff, 0xfe, 0, 3]),
            &[1, -2, 3],
        ),
        (&SPHERE, sphere(widened, &[1, 0, 2, 0]), &[1, 2]),
    ] {
        let (utt, _) = read(format, &bytes, Limits::default());
        assert_eq!(samples(&utt.unwrap()), values, "{}", format.info().name);
    }
    let packed = read(
        &AU,
        &au(6, 4, &[0, 0, 1, 0xff, 0xff, 0xfe]),
        Limits::default(),
    )
    .0
    .unwrap();
    let wide = packed
        .waveform()
        .unwrap()
        .samples
        .values::<i32>()
        .unwrap()
        .to_vec();
    // 24 bits stand at the top of 32.
    assert_eq!(wide, [1 << 8, -2 << 8]);
}

#[test]
fn headers_of_sphere_that_say_too_little_or_too_much() {
    let without = |line: &str| LINES.replace(line, "");
    for (lines, told) in [
        (
            without("sample_byte_format -s2 01\n"),
            "the header has no sample_byte_format",
        ),
        (LINES.replace("-s2 01", "-s3 xyz"), "sample_byte_format xyz"),
        (
            without("sample_rate -i 8000\n"),
            "the header has no valid sample_rate",
        ),
        (
            LINES.replace("8000", "0"),
            "the header has no valid sample_rate",
        ),
        (
            LINES.to_owned() + "channel_count -i 0\n",
            "the header says 0 channels",
        ),
        (
            LINES.to_owned() + "channel_count -i 70000\n",
            "the header says 70000 channels",
        ),
        (
            LINES.to_owned() + "sample_rate -i 8000\n",
            "the header has two lines sample_rate",
        ),
        (
            LINES.to_owned() + "nonsense\n",
            "'nonsense' is not a line of a SPHERE header",
        ),
    ] {
        let error = refused(&SPHERE, &sphere(&lines, &[0; 6]));
        assert!(
            error.starts_with('x') && error.contains(told),
            "{told}: {error}"
        );
    }
    let mut endless = sphere(LINES, &[0; 6]);
    let at = endless.windows(8).position(|w| w == b"end_head").unwrap();
    endless[at..at + 8].copy_from_slice(b"        ");
    let error = refused(&SPHERE, &endless);
    assert_eq!(error, "x@1024: the header has no end_head");
}
