//! What an output can't hold is refused with the words that name it.

mod frames;
mod spoken;

use spr_core::bytes::Locator;
use spr_core::format::{
    ArrayCaps, AudioCaps, Caps, Count, Empty, FeatureCaps, Keys, LabelCaps, Objects, Recordings,
    Rule, SegmentCaps, Tags,
};
use spr_core::model::{
    Array, Audio, AudioReference, Decimal, Dtype, EncodedAudio, Matrix, NamedArray, Object, Rank,
    Segment, SourceField, Tag, Tier, Utterance, Waveform,
};
use spr_core::{Error, Limits};

/// Everything that there is.
fn full() -> Caps {
    let mut caps = Caps::new(Count::Many, Keys::Words);
    let mut features = FeatureCaps::new(&[Dtype::F32]);
    (features.vectors, features.scalars) = (true, true);
    caps.features = Some(features);
    caps.labels = Some(LabelCaps::new(&[Dtype::I32]));
    caps.audio = AudioCaps::samples(&[Dtype::I16, Dtype::I32]);
    (caps.audio.encoded, caps.audio.references) = (&["wav"], true);
    caps.segments = Some(SegmentCaps::ALL);
    caps.arrays = Some(ArrayCaps::new(&[Dtype::F32]));
    caps.objects = Objects::All;
    caps.source = SourceField::ALL;
    caps.tags = Tags::Any;
    (caps.text, caps.frame_shift, caps.frame_offset) = (true, true, true);
    (caps.empty, caps.columnless) = (Empty::Kept, true);
    caps
}

fn matrix(rows: usize, cols: usize) -> Matrix {
    let mut matrix = Matrix::from_rows(&vec![0.5f32; rows * cols], cols, Rank::Matrix).unwrap();
    matrix.reshape(Rank::Matrix, rows, cols).unwrap();
    matrix
}

fn labels(rows: usize, cols: usize) -> Matrix {
    let rank = match cols {
        1 => Rank::Vector,
        _ => Rank::Matrix,
    };
    Matrix::from_rows(&vec![3i32; rows * cols], cols, rank).unwrap()
}

fn at(text: &str) -> Decimal {
    Decimal::parse(text).unwrap()
}

/// Two frames of two columns with labels.
fn framed() -> Utterance {
    Utterance {
        key: "a".into(),
        features: Some(matrix(2, 2)),
        labels: Some(labels(2, 1)),
        ..Utterance::default()
    }
}

/// Two words with a score and a speaker, and their text.
fn spoken() -> Utterance {
    let mut first = Segment::new(at("0"), Some(at("0.5")), b"one");
    (first.score, first.speaker) = (Some(at("0.9")), Some(b"ann"[..].into()));
    let mut second = first.clone();
    (second.start, second.end) = (at("0.5"), None);
    let mut utt = Utterance {
        key: "a".into(),
        tiers: vec![Tier::only(vec![first, second])],
        text: Some(b"one two".to_vec()),
        ..Utterance::default()
    };
    utt.meta.speaker = Some("ann".into());
    utt.meta.recording = Some("rec".into());
    utt.meta.tags = vec![Tag::new("toy", "sex", "f")];
    utt.meta.frame_shift = Some(at("0.01"));
    utt.meta.frame_offset = Some(at("0.005"));
    utt
}

/// Two samples of two channels.
fn sound() -> Utterance {
    let samples = Matrix::from_rows(&[1i16, 2, 3, 4], 2, Rank::Matrix).unwrap();
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

fn array(dtype: Dtype, shape: &[usize]) -> NamedArray {
    NamedArray {
        name: "x".to_owned(),
        array: Array::new(dtype, shape, &Limits::default()).unwrap(),
    }
}

type Case = (fn(&mut Caps), fn(&mut Utterance), &'static str);

/// Each pair of changes makes `utt`, which fits, one that is refused with these words; without words
/// it still fits.
fn refused(of: fn() -> Utterance, cases: &[Case]) {
    full().check(&of()).unwrap();
    for (n, (less, more, words)) in cases.iter().enumerate() {
        let (mut caps, mut utt) = (full(), of());
        less(&mut caps);
        more(&mut utt);
        let checked = caps.check(&utt).map_err(|error| error.message().to_owned());
        match *words {
            "" => assert_eq!(checked, Ok(()), "{n}"),
            words => assert_eq!(checked.unwrap_err(), words, "{n}"),
        }
    }
}

const SAME: fn(&mut Utterance) = |_| {};

#[test]
fn names() {
    refused(
        framed,
        &[
            (
                |_| {},
                |u| u.key = "a b".into(),
                "the key holds byte 0x20, which the format can't hold",
            ),
            (|c| c.keys = Keys::Any, |u| u.key = "a b".into(), ""),
            (|c| c.keys = Keys::FileName, |u| u.key = "../a".into(), ""),
            (
                |c| (c.keys, c.utf8) = (Keys::Any, true),
                |u| u.key = b"\xff"[..].into(),
                "the key is not UTF-8, which the format can't hold",
            ),
            (
                |c| c.key_rule = Rule::new("of b", |_| Err(Error::unfit("no b"))),
                SAME,
                "no b",
            ),
        ],
    );
}

fn samples(utt: &mut Utterance) -> &mut Waveform {
    utt.audio.as_mut().unwrap().waveform_mut().unwrap()
}

#[test]
fn sounds() {
    let encoded = |u: &mut Utterance| {
        u.audio = Some(Audio::Encoded(EncodedAudio {
            format: "flac".to_owned(),
            ..EncodedAudio::default()
        }));
    };
    refused(
        sound,
        &[
            (
                |c| c.audio.dtypes = &[],
                SAME,
                "has audio, which the format can't hold",
            ),
            (
                |c| c.audio.dtypes = &[Dtype::F32],
                SAME,
                "has samples of i16, which the format can't hold",
            ),
            (
                |_| {},
                |u| samples(u).rate = 0,
                "has audio without a rate or without channels",
            ),
            (
                |_| {},
                |u| samples(u).samples = Matrix::from_rows(&[1i16], 1, Rank::Vector).unwrap(),
                "has audio without a rate or without channels",
            ),
            (
                |c| c.audio.bits = 15,
                SAME,
                "has samples of i16, the format holds 15 bits of them",
            ),
            (|c| c.audio.bits = 16, SAME, ""),
            (
                |c| c.audio.max_channels = 1,
                SAME,
                "has 2 channels, the format holds at most 1",
            ),
            (|c| c.audio.max_channels = 2, SAME, ""),
            (
                |c| c.audio.needs_samples = true,
                |u| {
                    let samples = &mut samples(u).samples;
                    let made = samples.reset(Dtype::I16, Rank::Matrix, 0, 2, &Limits::default());
                    assert!(made.is_ok());
                },
                "has sound without samples, which the format can't hold",
            ),
            (|c| c.audio.needs_samples = true, SAME, ""),
            (
                |c| c.audio.rates = Rule::new("of 16 kHz", |_| Err(Error::unfit("8 kHz"))),
                SAME,
                "8 kHz",
            ),
            (
                |_| {},
                encoded,
                "has a flac file, which the format can't hold",
            ),
            (|c| c.audio.encoded = &["wav", "flac"], encoded, ""),
            (
                |c| c.audio.references = false,
                |u| u.audio = Some(Audio::Reference(AudioReference::new(Locator::file("a")))),
                "has sound that is somewhere else, which the format can't hold",
            ),
            (
                |_| {},
                |u| u.audio = Some(Audio::Reference(AudioReference::new(Locator::file("a")))),
                "",
            ),
        ],
    );
}

#[test]
fn objects_and_arrays() {
    let object = || Utterance {
        key: "a".into(),
        object: Some(Object::Int(3)),
        ..Utterance::default()
    };
    refused(
        object,
        &[
            (
                |c| c.objects = Objects::None,
                SAME,
                "has an object of kind int32, which the format can't hold",
            ),
            (
                |c| c.objects = Objects::Kinds(&["token"]),
                SAME,
                "has an object of kind int32, which the format can't hold",
            ),
            (
                |c| c.objects = Objects::Kinds(&["token", "int32"]),
                SAME,
                "",
            ),
            (
                |_| {},
                |u| u.features = Some(matrix(1, 1)),
                "has an object that does not stand alone",
            ),
            (
                |_| {},
                |u| u.labels = Some(labels(1, 1)),
                "has an object that does not stand alone",
            ),
            (
                |_| {},
                |u| u.text = Some(b"a".to_vec()),
                "has an object that does not stand alone",
            ),
            (
                |_| {},
                |u| u.sequences = Some(Box::default()),
                "has the frames of several utterances, which the format can't hold",
            ),
        ],
    );
    let arrays = || Utterance {
        key: "a".into(),
        arrays: vec![array(Dtype::F32, &[2, 3])],
        ..Utterance::default()
    };
    const REFUSAL: &str = "has the array 'x' of f32 and 2 dimensions, which the format can't hold";
    fn caps(c: &mut Caps) -> &mut ArrayCaps {
        c.arrays.as_mut().unwrap()
    }
    refused(
        arrays,
        &[
            (|c| c.arrays = None, SAME, REFUSAL),
            (|c| caps(c).max_rank = 1, SAME, REFUSAL),
            (|c| caps(c).max_rank = 2, SAME, ""),
            (|c| caps(c).min_rank = 3, SAME, REFUSAL),
            (|c| caps(c).min_rank = 2, SAME, ""),
            (|c| caps(c).name = Some("y"), SAME, REFUSAL),
            (|c| caps(c).name = Some("x"), SAME, ""),
            (
                |_| {},
                |u| u.arrays = vec![array(Dtype::I16, &[])],
                "has the array 'x' of i16 and 0 dimensions, which the format can't hold",
            ),
            (
                |_| {},
                |u| u.arrays.push(array(Dtype::F32, &[1])),
                "has two arrays called 'x'",
            ),
            (
                |c| caps(c).max_count = 0,
                SAME,
                "has 1 arrays, the format holds at most 0",
            ),
        ],
    );
}
