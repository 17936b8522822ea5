//! Sound that is named is loaded, cut, and compared with what is said of it.

use spr_core::adapt::Adapter;
use spr_core::bytes::{Locator, Urls};
use spr_core::format::{AudioCaps, Caps, Count, Keys, Reader};
use spr_core::model::{
    Audio, AudioReference, DatasetInfo, Decimal, Dtype, EncodedAudio, Matrix, Rank, RecordingFacts,
    Span, Utterance, Waveform,
};
use spr_core::recording::{facts, load, read, settle};
use spr_core::stage::ReaderExt;
use spr_core::{Error, ErrorKind, Remedy, Result};

use crate::toy_samples::pcm;
use crate::toys::World;

fn span(start: &str, end: &str) -> Span {
    Span::new(Decimal::parse(start), Decimal::parse(end))
}

fn first(seconds: &str) -> Span {
    Span::First(Decimal::parse(seconds).unwrap())
}

fn at(text: &str) -> Option<Decimal> {
    Some(Decimal::parse(text).unwrap())
}

/// Half a second of 10 Hz: the samples 1 to 5, and on the second channel -1 to -5.
const SAMPLES: [i16; 10] = [1, -1, 2, -2, 3, -3, 4, -4, 5, -5];

fn world() -> World {
    let sound = pcm(b"PCM1", 10, 2, &SAMPLES);
    let within = [b"???", &sound[..], b"!!"].concat();
    World::of([
        ("r.pcm", sound),
        ("within", within),
        ("two.pcm", pcm(b"PCM2", 10, 2, &SAMPLES)),
        ("other.pcm", pcm(b"PCM1", 10, 1, &[7])),
        ("silence", vec![0; 8]),
        ("now/wav/a.pcm", pcm(b"PCM1", 10, 1, &[8])),
        ("a.mp3", b"ID3 and so on".to_vec()),
    ])
}

fn named(file: &str, change: impl FnOnce(&mut AudioReference)) -> Utterance {
    let mut reference = AudioReference::new(Locator::file(file));
    change(&mut reference);
    Utterance {
        key: "a".into(),
        audio: Some(Audio::Reference(reference)),
        ..Utterance::default()
    }
}

fn samples(utt: &Utterance) -> Vec<i16> {
    let sound = utt.waveform().expect("no samples");
    sound.samples.as_slice().unwrap().to_vec()
}

/// The samples that a reference means, and the warnings.
fn loaded(change: impl FnOnce(&mut AudioReference)) -> Result<(Vec<i16>, Vec<String>)> {
    let world = world();
    let mut utt = named("r.pcm", change);
    load(&mut utt, &world.env)?;
    Ok((samples(&utt), world.warnings()))
}

#[test]
fn the_stretch_and_the_channel_that_are_named_are_loaded() {
    type Change = fn(&mut AudioReference);
    let cases: [(Change, &[i16]); 8] = [
        (|_| {}, &SAMPLES),
        (|r| r.channel = Some(1), &[-1, -2, -3, -4, -5]),
        (|r| r.span = span("0.2", ""), &[3, -3, 4, -4, 5, -5]),
        (|r| r.span = span("", "0.2"), &[1, -1, 2, -2]),
        (|r| r.span = span("0.1", "0.3"), &[2, -2, 3, -3]),
        (
            |r| (r.span, r.channel) = (span("0.1", "0.3"), Some(0)),
            &[2, 3],
        ),
        // Rounding to samples is no matter.
        (|r| r.span = span("0.4", "0.7"), &[5, -5]),
        (
            |r| {
                r.at = Locator::FileAt("within".into(), 3);
                (r.len, r.span) = (Some(29), span("0.4", ""));
            },
            &[5, -5],
        ),
    ];
    for (n, (change, expected)) in cases.into_iter().enumerate() {
        let (samples, warnings) = loaded(change).unwrap();
        assert_eq!(samples, expected, "{n}");
        assert_eq!(warnings, [""; 0], "{n}");
    }
}

#[test]
fn what_is_not_there_is_refused_with_its_file() {
    type Change = fn(&mut AudioReference);
    let cases: [(Change, &str); 8] = [
        (
            |r| r.channel = Some(2),
            "r.pcm: channel 2 was asked for, but there are only 2, counted from 0",
        ),
        (
            |r| r.span = span("0.6", ""),
            "r.pcm: starts at 0.6 s, the recording ends at 0.5 s",
        ),
        (
            |r| r.span = span("", "1.1"),
            "r.pcm: ends at 1.1 s, more than 0.5 s after the end of the recording, at 0.5 s",
        ),
        (
            |r| r.span = span("0.3", "0.1"),
            "r.pcm: starts at sample 3 and ends at sample 1",
        ),
        (
            |r| (r.span, r.shortest) = (span("0.4", ""), at("0.2")),
            "r.pcm: is 0.100 s long, and segments shorter than 0.2 s are left out",
        ),
        (
            |r| r.recording.rate = Some(16_000),
            "r.pcm: the sound has 10 Hz, said to be 16000",
        ),
        (
            |r| (r.span, r.recording.channels) = (span("0", ""), Some(1)),
            "r.pcm: the sound has 2 channels, said to be 1",
        ),
        (
            |r| r.at = Locator::file("silence"),
            "silence: holds no sound",
        ),
    ];
    for (change, expected) in cases {
        let error = loaded(change).unwrap_err();
        assert!(error.to_string().starts_with(&expected[..7]), "{error}");
        assert_eq!(error.message(), expected.split_once(": ").unwrap().1);
    }
}

#[test]
fn another_length_than_is_said_is_told() {
    type Change = fn(&mut AudioReference);
    let cases: [(Change, usize, &str); 9] = [
        (|r| r.recording.duration = at("0.59"), 10, ""),
        (
            |r| r.recording.duration = at("0.7"),
            10,
            "r.pcm: utterance a: the sound lasts 0.500 s, said to be 0.7 s",
        ),
        (
            |r| (r.recording.samples, r.recording.rate) = (Some(3), Some(10)),
            10,
            "r.pcm: utterance a: the sound lasts 0.500 s, said to be 0.3 s",
        ),
        // Of a span the recording, then the span itself.
        (
            |r| (r.span, r.duration) = (span("", "0.2"), at("0.4")),
            4,
            "r.pcm: utterance a: the sound lasts 0.200 s, said to be 0.4 s",
        ),
        (
            |r| (r.span, r.recording.duration) = (span("", "0.2"), at("0.9")),
            4,
            "r.pcm: utterance a: the sound lasts 0.500 s, said to be 0.9 s",
        ),
        (|r| r.span = first("0.505"), 10, ""),
        (
            |r| r.span = first("0.3"),
            6,
            "r.pcm: utterance a: the first 0.3 s are taken of a sound of 0.500 s",
        ),
        (
            |r| r.span = first("0.52"),
            10,
            "r.pcm: utterance a: the sound lasts 0.500 s, said to be 0.52 s",
        ),
        // A span that exceeds the recording is cut.
        (
            |r| r.span = span("0.4", "0.9"),
            2,
            "r.pcm: utterance a: ends at 0.9 s, 0.400 s after the end of the recording, where it is cut",
        ),
    ];
    for (n, (change, len, warning)) in cases.into_iter().enumerate() {
        let (samples, warnings) = loaded(change).unwrap();
        assert_eq!(samples.len(), len, "{n}");
        assert_eq!(warnings.join(" "), warning, "{n}");
    }
    let world = world();
    let utt = named("r.pcm", |r| r.recording.duration = at("0.7"));
    let loaded = read(&utt, &world.env).unwrap().unwrap();
    assert!(loaded.warning.is_some() && world.warnings().is_empty());
    assert_eq!(loaded.recording.unwrap().samples, Some(5));
}

#[test]
fn recordings_in_turn_are_opened_once_each_in_a_run() {
    let world = world();
    let cut = |file: &str, start: &str, env| {
        let mut utt = named(file, |r| {
            r.span = span(start, "0.4");
            r.recording.duration = at("0.9");
        });
        load(&mut utt, env).map(|()| samples(&utt))
    };
    let env = &world.env;
    assert_eq!(cut("r.pcm", "0.3", env).unwrap(), [4, -4]);
    assert_eq!(cut("two.pcm", "0.3", env).unwrap(), [4, -4]);
    world.store.remove("r.pcm");
    world.store.remove("two.pcm");
    assert_eq!(cut("r.pcm", "0.2", env).unwrap(), [3, -3, 4, -4]);
    assert_eq!(cut("two.pcm", "0", env).unwrap().len(), 8);
    assert_eq!(world.warnings().len(), 2, "the length of each is told once");
    assert!(
        cut("r.pcm", "0.2", &env.for_run())
            .unwrap_err()
            .is_missing()
    );
}

#[test]
fn sound_in_memory_is_decoded() {
    let world = world();
    let encoded = |format: &str, bytes: Vec<u8>| Utterance {
        audio: Some(Audio::Encoded(EncodedAudio {
            format: format.to_owned(),
            bytes,
            ..EncodedAudio::default()
        })),
        ..Utterance::default()
    };
    let mut utt = encoded("pcm", pcm(b"PCM1", 10, 1, &[3, 4]));
    let loaded = read(&utt, &world.env).unwrap().unwrap();
    assert_eq!(loaded.recording, None, "that is told of references");
    load(&mut utt, &world.env).unwrap();
    assert_eq!(samples(&utt), [3, 4]);
    // Samples stay, and so does nothing.
    load(&mut utt, &world.env).unwrap();
    assert_eq!(samples(&utt), [3, 4]);
    let mut nothing = Utterance::default();
    load(&mut nothing, &world.env).unwrap();
    assert_eq!(nothing, Utterance::default());
    let error = load(&mut encoded("flac", vec![]), &world.env).unwrap_err();
    let message = "holds an object of the format flac, which is not built in";
    assert_eq!(
        (error.kind(), error.message()),
        (ErrorKind::Unsupported, message)
    );
    let mut silence = encoded("pcm", vec![0; 8]);
    silence.origin.file = Some("x.ark".into());
    let error = load(&mut silence, &world.env).unwrap_err();
    assert_eq!(
        error.to_string(),
        "x.ark (pcm file in memory)@8: holds no sound"
    );
}

/// A stream of one utterance.
struct Once(Option<Utterance>, DatasetInfo);

impl Reader for Once {
    fn info(&self) -> &DatasetInfo {
        &self.1
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        let next = self.0.take();
        let more = next.is_some();
        *utt = next.unwrap_or_default();
        Ok(more)
    }
}

fn refused(utt: Utterance, world: &World) -> Error {
    let mut reader = Once(Some(utt), DatasetInfo::default()).samples(&world.env);
    let error = reader.read(&mut Utterance::default()).unwrap_err();
    assert!(error.can_continue());
    assert!(!reader.read(&mut Utterance::default()).unwrap());
    error
}

#[test]
fn a_file_that_is_missing_costs_its_utterance() {
    let world = world();
    let error = refused(named("gone.pcm", |_| {}), &world);
    assert!(
        error
            .to_string()
            .starts_with("gone.pcm: utterance a: cannot open"),
        "{error}"
    );
    assert!(error.is_missing());
    // Where it is now may be found by its folder.
    let mut moved = named("gone/wav/a.pcm", |_| {});
    moved.origin.file = Some("now/list".into());
    let error = refused(moved, &world);
    let (old, new) = ("gone".to_owned(), "now".to_owned());
    assert_eq!(error.remedy(), Some(&Remedy::MapPath { old, new }));
    // A command does not run.
    let error = refused(
        named("", |r| r.at = Locator::Command("echo".to_owned())),
        &world,
    );
    assert_eq!(error.remedy(), Some(&Remedy::AllowPipes));
}

#[test]
fn a_list_at_a_url_names_no_local_files() {
    let world = world();
    let mut utt = named("r.pcm", |_| {});
    utt.origin.file = Some("https://host/list".into());
    assert_eq!(refused(utt.clone(), &world).kind(), ErrorKind::Usage);
    let mut env = world.env.clone();
    env.urls = Urls::All;
    env.access = spr_core::bytes::Access::Typed;
    load(&mut utt, &env).unwrap_err();
}

#[test]
fn a_header_tells_facts_or_all_is_read() {
    let world = world();
    let expected = RecordingFacts {
        rate: Some(10),
        channels: Some(2),
        samples: Some(5),
        duration: None,
    };
    for file in ["r.pcm", "two.pcm"] {
        let of = |change: fn(&mut AudioReference)| {
            let utt = named(file, change);
            let reference = utt.audio.as_ref().unwrap().reference().unwrap();
            facts(reference, &utt.origin, &world.env)
        };
        assert_eq!(of(|r| r.span = span("0.1", "0.2")).unwrap(), expected);
        let error = of(|r| r.recording.rate = Some(11)).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("{file}: the sound has 10 Hz, said to be 11")
        );
    }
}

#[test]
fn first_seconds_become_a_stretch_or_all() {
    let settled = |file: &str, span: Span| {
        let world = world();
        let mut utt = named(file, |r| r.span = span);
        settle(&mut utt, false, &world.env)?;
        let span = utt.audio.as_ref().unwrap().reference().unwrap().span;
        Ok::<_, Error>((span, world.warnings().concat()))
    };
    let cut = "r.pcm: utterance a: ends at 0.8 s, 0.300 s after the end of the recording, where it is cut";
    for (given, expected, warning) in [
        (first("0.5"), Span::Whole, ""),
        (
            first("0.3"),
            span("0", "0.3"),
            "r.pcm: utterance a: the first 0.3 s are taken of a sound of 0.500 s",
        ),
        (
            first("0.7"),
            Span::Whole,
            "r.pcm: utterance a: the sound lasts 0.500 s, said to be 0.7 s",
        ),
        (span("0.2", "0.4"), span("0.2", "0.4"), ""),
        (span("0.2", "0.8"), span("0.2", "0.5"), cut),
    ] {
        assert_eq!(
            settled("r.pcm", given).unwrap(),
            (expected, warning.to_owned())
        );
    }
    assert!(settled("r.pcm", span("0.2", "1.8")).is_err());
    // What can't be looked at is taken as it is said to be.
    for file in ["gone.pcm", "https://host/r.pcm"] {
        assert_eq!(
            settled(file, first("0.3")).unwrap(),
            (first("0.3"), String::new())
        );
    }
    // The end that the metadata repeats follows; another one is left.
    for (end, expected) in [("0.8", "0.5"), ("0.7", "0.7")] {
        let mut utt = named("r.pcm", |r| r.span = span("0.2", "0.8"));
        (utt.meta.start, utt.meta.end) = (at("0.2"), at(end));
        settle(&mut utt, false, &world().env).unwrap();
        assert_eq!((utt.meta.start, utt.meta.end), (at("0.2"), at(expected)));
    }
    let world = world();
    let mut wrong = named("r.pcm", |r| {
        (r.span, r.recording.channels) = (first("0.5"), Some(1));
    });
    let error = settle(&mut wrong, false, &world.env).unwrap_err();
    assert_eq!(
        error.to_string(),
        "r.pcm: the sound has 2 channels, said to be 1"
    );
}

/// What an output of sound files makes of an utterance.
fn fitted(utt: Utterance, audio: AudioCaps, dtype: Option<Dtype>) -> Result<Audio> {
    let world = world();
    let mut caps = Caps::new(Count::Many, Keys::Words);
    caps.audio = audio;
    let mut adapter = Adapter::new(caps, dtype, false, &world.env);
    let mut utt = utt;
    adapter.apply(&mut utt)?;
    adapter.keep();
    assert!(adapter.report().is_empty());
    Ok(utt.audio.unwrap())
}

#[test]
fn files_are_taken_as_they_are_where_all_of_them_is_meant() {
    let mut caps = AudioCaps::samples(&[Dtype::I16]);
    caps.encoded = &["pcm", "mp3"];
    let bytes = |audio: &Audio| match audio {
        Audio::Encoded(encoded) => Some((encoded.format.clone(), encoded.bytes.len())),
        _ => None,
    };
    type Change = fn(&mut AudioReference);
    type Bytes = Option<(&'static str, usize)>;
    let cases: [(&str, Change, Bytes); 7] = [
        ("r.pcm", |_| {}, Some(("pcm", 29))),
        // A file that nothing here can decode is known by its first bytes.
        ("a.mp3", |_| {}, Some(("mp3", 13))),
        ("r.pcm", |r| r.channel = Some(0), None),
        ("r.pcm", |r| r.span = span("", "0.1"), None),
        ("r.pcm", |r| r.span = first("0.3"), None),
        ("r.pcm", |r| r.span = first("0.5"), Some(("pcm", 29))),
        // More is said than is there.
        ("r.pcm", |r| r.span = first("0.9"), Some(("pcm", 29))),
    ];
    for (n, (file, change, expected)) in cases.into_iter().enumerate() {
        let audio = fitted(named(file, change), caps, None).unwrap();
        let expected = expected.map(|(format, len)| (format.to_owned(), len));
        assert_eq!(bytes(&audio), expected, "{n}");
    }
    // Another type is asked for, which is no file as it is.
    let audio = fitted(named("r.pcm", |_| {}), caps, Some(Dtype::I16)).unwrap();
    assert!(audio.waveform().is_some());
    caps.encoded = &["flac"];
    let audio = fitted(named("r.pcm", |_| {}), caps, None).unwrap();
    assert!(audio.waveform().is_some());
}

#[test]
fn samples_that_an_output_has_no_place_for_are_refused() {
    let samples = Utterance {
        key: "a".into(),
        audio: Some(
            Waveform {
                rate: 10,
                samples: Matrix::from_rows(&[1i16], 1, Rank::Matrix).unwrap(),
            }
            .into(),
        ),
        ..Utterance::default()
    };
    let mut names = AudioCaps::NONE;
    names.references = true;
    let error = fitted(samples.clone(), names, None).unwrap_err();
    assert_eq!(
        error.to_string(),
        "utterance a: has samples, but the format can only name sound files"
    );
    assert_eq!(error.remedy(), Some(&Remedy::WriteSounds));
    let mut files = AudioCaps::NONE;
    files.encoded = &["mp3", "ogg"];
    let error = fitted(samples, files, None).unwrap_err();
    assert_eq!(
        error.message(),
        "has samples, but mp3 or ogg can't be encoded"
    );
    assert_eq!(error.hint_text().unwrap(), "write .flac or .wav instead");
}

#[test]
fn the_memory_of_a_file_that_was_written_is_used_again() {
    let world = world();
    let mut caps = Caps::new(Count::Many, Keys::Words);
    caps.audio.encoded = &["pcm"];
    let mut adapter = Adapter::new(caps, None, false, &world.env);
    let mut utt = named("r.pcm", |_| {});
    adapter.apply(&mut utt).unwrap();
    adapter.reclaim(&mut utt);
    assert!(utt.audio.is_none());
    let mut utt = named("other.pcm", |_| {});
    adapter.apply(&mut utt).unwrap();
    let Some(Audio::Encoded(encoded)) = utt.audio else {
        panic!("not as it is")
    };
    assert_eq!(encoded.bytes, pcm(b"PCM1", 10, 1, &[7]));
}
