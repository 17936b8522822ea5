//! Utterances that are not what the tables say.

use spr_core::Error;
use spr_core::model::{Decimal, Key, Matrix, Rank, RecordingFacts, Tag, Utterance, Waveform};

use super::*;

/// An utterance of 3 frames of 0.01 s.
fn utterance(key: &str) -> Utterance {
    let mut utt = Utterance {
        key: key.into(),
        ..Utterance::default()
    };
    utt.features = Some(Matrix::from_rows(&[1f32, 2., 3.], 1, Rank::Matrix).unwrap());
    utt.meta.frame_shift = Decimal::parse("0.01");
    utt
}

/// Returns what the auditor of a directory finds in utterances, one after the other.
fn compares(changes: &[Change<'_>], utts: &[(Utterance, Option<RecordingFacts>)]) -> Vec<String> {
    let (_, mut auditor) = begin(changes).unwrap();
    let mut all = Vec::new();
    for (utt, recording) in utts {
        auditor.utterance(utt, *recording, &mut |finding| all.push(shown(&finding)));
    }
    auditor
        .finish(&|_| true, &mut |_| panic!("nothing is left"))
        .unwrap();
    all
}

#[test]
fn frames_are_counted() {
    let counts = [("utt2num_frames", Some("a-1 3\na-2 4\nb-1 4\n"))];
    let mut text = utterance("b-1");
    text.features = None;
    let found = compares(
        &counts,
        &[
            (utterance("a-1"), None),
            (utterance("a-2"), None),
            (text, None),
            (utterance("z"), None),
        ],
    );
    assert_eq!(
        found,
        ["fault labels: d/feats.scp: utterance a-2: 3 frames, but 4 by d/utt2num_frames"]
    );
}

#[test]
fn frames_are_as_long_as_their_segments() {
    let segment = |end: &str| {
        let mut utt = utterance("a-1");
        (utt.meta.start, utt.meta.end) = (Decimal::parse("1"), Decimal::parse(end));
        utt
    };
    for (end, want) in [
        ("1.03", None),
        ("1.13", None),
        ("1.14", Some("the frames last 0.030 s, the segment 0.140 s")),
    ] {
        let found = compares(&[], &[(segment(end), None)]);
        let want =
            want.map(|want| format!("fault durations: d/frame_shift: utterance a-1: {want}"));
        assert_eq!(found, Vec::from_iter(want));
    }
}

#[test]
fn durations_are_measured() {
    let with = |mut utt: Utterance, table: &str, value: &str| {
        utt.meta.tags.push(Tag::new("kaldi-data", table, value));
        utt
    };
    // By frames, of which there are 0.03 s.
    let frames = |value| with(utterance("a-1"), "utt2dur", value);
    // By the segment, of 1.5 s.
    let segment = |value| {
        let mut utt = utterance("a-1");
        (utt.meta.start, utt.meta.end) = (Decimal::parse("0.5"), Decimal::parse("2"));
        utt.meta.frame_shift = Decimal::parse("0.5");
        with(utt, "utt2dur", value)
    };
    // By sound of 0.5 s.
    let sound = |value| {
        let mut utt = segment(value);
        let samples = Matrix::from_rows(&[0i16; 4000], 1, Rank::Matrix).unwrap();
        utt.audio = Some(
            Waveform {
                rate: 8000,
                samples,
            }
            .into(),
        );
        utt
    };
    for (utt, want) in [
        (frames("0.13"), None),
        (
            frames("0.131"),
            Some("the utterance lasts 0.030 s, said to be 0.131 s"),
        ),
        (segment("1.41"), None),
        (segment("1.59"), None),
        (
            segment("1.39"),
            Some("the segment lasts 1.500 s, said to be 1.39 s"),
        ),
        (sound("0.55"), None),
        (
            sound("1.5"),
            Some("the sound lasts 0.500 s, said to be 1.5 s"),
        ),
        (frames("x"), None),
        (with(utterance("a-1"), "utt2uniq", "9"), None),
    ] {
        let found = compares(&[], &[(utt, None)]);
        let want = want.map(|want| format!("fault durations: d/utt2dur: utterance a-1: {want}"));
        assert_eq!(found, Vec::from_iter(want));
    }
    // A recording is told once.
    let of = |key: &str, recording: &str| {
        let mut utt = with(utterance(key), "reco2dur", "3");
        utt.meta.recording = Some(recording.into());
        utt
    };
    let facts = |seconds: u64| {
        Some(RecordingFacts {
            rate: Some(8000),
            samples: Some(8000 * seconds),
            ..RecordingFacts::default()
        })
    };
    let utts = [
        (of("a-1", "r1"), facts(2)),
        (of("a-2", "r1"), facts(2)),
        (of("b-1", "r2"), facts(3)),
        (of("b-2", "r3"), None),
        (with(utterance("c"), "reco2dur", "3"), facts(4)),
    ];
    let want = [("r1", 2), ("c", 4)];
    let want = want.map(|(key, is)| {
        format!("fault durations: d/reco2dur: utterance {key}: the recording lasts {is}.000 s, said to be 3 s")
    });
    assert_eq!(compares(&[], &utts), want);
}

#[test]
fn what_the_reader_says_again() {
    let (_, auditor) = begin(&[
        ("text", Some("a-1 A\na-2 \u{1}\n")),
        ("cmvn.scp", Some("a x\nb x\n")),
    ])
    .unwrap();
    let place = |error: Error| error.file("d/text");
    for (error, repeats) in [
        (place(Error::malformed("x")).line(2), true),
        (place(Error::malformed("x")).line(1), false),
        (place(Error::unfit("x")).utterance(&Key::from("b-1")), true),
        (place(Error::unfit("x")).utterance(&Key::from("a-1")), false),
        (place(Error::unfit("of all of it")), true),
        (place(Error::malformed("damage")), false),
        (Error::unfit("x").file("d/segments"), false),
        (Error::unfit("is left out").file("d"), true),
        (Error::unfit("x").file("e"), false),
    ] {
        assert_eq!(auditor.repeats(&error), repeats, "{error}");
    }
    assert_eq!(auditor.members().len(), 1);
    let (name, at) = auditor.members().remove(0);
    assert_eq!((name, at), ("kaldi", "d/cmvn.scp".into()));
}
