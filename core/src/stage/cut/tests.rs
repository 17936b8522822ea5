//! Cutting compared with what it should be.

use super::*;
use crate::bytes::Locator;
use crate::error::ErrorKind;
use crate::model::{
    Audio, AudioReference, Decimal, Matrix, Rank, RecordingFacts, Segment, Span, Tier, Waveform,
};
use crate::number::random::Rng;
use crate::stage::JoinPieces;
use crate::stage::tests::List;

fn time(text: &str) -> Decimal {
    Decimal::parse(text).unwrap()
}

/// Segments from words `START:END:LABEL[:SPEAKER]`.
fn segments(text: &str) -> Vec<Segment> {
    let one = |word: &str| {
        let parts: Vec<_> = word.split(':').collect();
        Segment {
            speaker: parts.get(3).map(|name| name.as_bytes().into()),
            ..Segment::new(
                time(parts[0]),
                Decimal::parse(parts[1]),
                parts[2].as_bytes(),
            )
        }
    };
    text.split_whitespace().map(one).collect()
}

fn tier(name: &str, text: &str) -> Tier {
    Tier {
        name: name.as_bytes().into(),
        ..Tier::only(segments(text))
    }
}

fn recording(tiers: Vec<Tier>) -> Utterance {
    Utterance {
        key: "rec".into(),
        tiers,
        ..Utterance::default()
    }
}

/// The results of reading everything: an utterance, or a message.
fn read(mut reader: impl Reader) -> Vec<Result<Utterance, String>> {
    let (mut all, mut utt) = (Vec::new(), Utterance::default());
    loop {
        match reader.read(&mut utt) {
            Ok(false) => return all,
            Ok(true) => all.push(Ok(std::mem::take(&mut utt))),
            Err(error) => {
                assert!(
                    error.can_continue() && error.kind() == ErrorKind::Unfit,
                    "{error}"
                );
                all.push(Err(error.message().to_owned()));
            }
        }
    }
}

fn cut(utt: Utterance, rules: &CutRules) -> Vec<Result<Utterance, String>> {
    read(Cut::new(List::of([utt]), rules.clone(), &Env::default()))
}

/// Pieces as `START:END:TEXT:SPEAKER`, or the message of a fault.
fn shown(pieces: &[Result<Utterance, String>]) -> String {
    let one = |piece: &Result<Utterance, String>| match piece {
        Ok(utt) => {
            let text = utt.text.as_deref().map(String::from_utf8_lossy);
            let end = utt.meta.end.map(|end| end.to_string());
            let speaker = utt.meta.speaker.as_ref().map(ToString::to_string);
            format!(
                "{}:{}:{}:{}",
                utt.meta.start.unwrap(),
                end.unwrap_or_default(),
                text.unwrap_or("-".into()),
                speaker.unwrap_or_default()
            )
        }
        Err(message) => format!("[{message}]"),
    };
    pieces.iter().map(one).collect::<Vec<_>>().join(" ")
}

fn rules(by: &str) -> CutRules {
    CutRules::new(CutBy::from(by))
}

#[test]
fn segments_become_utterances_by_the_rules() {
    let pausing = "0:0.4:a 0.5:0.9:b 1.5:2:c";
    let with = |gap: &str, pad: &str, dropped: &str| CutRules {
        gap: Decimal::parse(gap),
        pad: Decimal::parse(pad).unwrap_or_default(),
        dropped: dropped
            .split(',')
            .map(|label| label.as_bytes().into())
            .collect(),
        ..rules("segments")
    };
    for (segments, rules, expected) in [
        (pausing, with("", "", ""), "0:0.4:a: 0.5:0.9:b: 1.5:2:c:"),
        (pausing, with("0.1", "", ""), "0:0.9:a b: 1.5:2:c:"),
        (
            pausing,
            with("0.09", "", ""),
            "0:0.4:a: 0.5:0.9:b: 1.5:2:c:",
        ),
        (pausing, with("", "0.1", ""), "0:0.5:a: 0.4:1:b: 1.4:2.1:c:"),
        (pausing, with("0.6", "0.5", "b"), "0:0.9:a: 1:2.5:c:"),
        (pausing, with("9", "", "b,c"), "0:0.4:a:"),
        // In order of their starts, whatever the order in the file.
        ("1:2:b 0:1:a", with("0", "", ""), "0:2:a b:"),
        // One that is in another one ends no later.
        ("0:5:a 1:2:b", with("0", "", ""), "0:5:a b:"),
        (
            "0:1:a:x 1:2:b:y 2:3:c:y",
            with("0", "", ""),
            "0:1:a:x 1:3:b c:y",
        ),
        (
            "0:1:x:x 1:2:x:x 2:3:y:y",
            with("0", "", ""),
            "0:2:-:x 2:3:-:y",
        ),
        ("0:1:a 1:-:b", with("", "", ""), "0:1:a: 1::b:"),
        (
            "1:1:a 2:1:b 2:3:c",
            with("", "", ""),
            "[its segment at 1 s has no length] [its segment 'b' at 2 s has times that are out of order] 2:3:c:",
        ),
        ("1:1:a", with("", "0.25", ""), "0.75:1.25:a:"),
        ("", with("", "", ""), ""),
    ] {
        let pieces = cut(recording(vec![tier("", segments)]), &rules);
        assert_eq!(shown(&pieces), expected, "{segments}");
    }
}

#[test]
fn tiers_are_picked_by_name_or_content() {
    let words = || tier("words", "0:1:hello");
    let phones = || tier("phones", "0:0.5:h");
    let turns = || tier("who", "0:2:ann:ann");
    let points = || Tier {
        points: true,
        ..tier("bells", "1:1:x")
    };
    for (tiers, by, expected) in [
        (vec![words()], "segments", "0:1:hello:"),
        (vec![words(), points()], "segments", "0:1:hello:"),
        (
            vec![phones(), words()],
            "segments",
            "[has 2 tiers of segments, expected one]",
        ),
        (
            vec![phones(), tier("segments", "0:3:x")],
            "segments",
            "0:3:x:",
        ),
        (vec![phones(), words()], "text", "0:1:hello:"),
        (vec![turns(), phones()], "text", "0:0.5:h:"),
        (vec![turns(), phones()], "speaker", "0:2:-:ann"),
        (
            vec![tier("", "0:1:ann 1:2:bob")],
            "speaker",
            "0:1:-:ann 1:2:-:bob",
        ),
        (vec![tier("", "0:1:hi:ann")], "speaker", "0:1:hi:ann"),
        (
            vec![phones(), words()],
            "speaker",
            "[has no single tier of speakers among 2]",
        ),
        (vec![phones(), words()], "phones", "0:0.5:h:"),
        (vec![phones(), words()], "word", "[has no tier 'word']"),
        (
            vec![words(), words()],
            "words",
            "[has several tiers 'words']",
        ),
        (
            vec![points()],
            "bells",
            "[cannot be cut by the points in time of the tier 'bells']",
        ),
        (
            vec![points()],
            "segments",
            "[has points in time, not segments]",
        ),
        (vec![], "segments", "[has no segments to cut it by]"),
    ] {
        let pieces = cut(recording(tiers.clone()), &rules(by));
        assert_eq!(shown(&pieces), expected, "{by} {tiers:?}");
    }
}

#[test]
fn other_tiers_are_cut_to_the_piece() {
    let tiers = vec![
        tier("words", "0:1:a 1:2:b"),
        tier("phones", "0:0.5:x 0.5:1.5:y 1.5:2:z"),
    ];
    let pieces = cut(recording(tiers), &rules("words"));
    let phones = |n: usize| pieces[n].as_ref().unwrap().tiers.clone();
    assert_eq!(phones(0), [tier("phones", "0:0.5:x 0.5:1:y")]);
    assert_eq!(phones(1), [tier("phones", "0:0.5:y 0.5:1:z")]);
}

fn reference(span: Span, samples: Option<u64>) -> Utterance {
    let facts = RecordingFacts {
        rate: Some(1000),
        channels: Some(1),
        samples,
        duration: None,
    };
    Utterance {
        audio: Some(Audio::Reference(AudioReference {
            span,
            recording: facts,
            shortest: Decimal::parse("0.1"),
            ..AudioReference::new(Locator::file("a.wav"))
        })),
        ..recording(vec![tier("", "1:2:a 2.5:3.25:b")])
    }
}

#[test]
fn references_get_spans_within_their_own() {
    let spans = |utt: Utterance, rules: &CutRules| -> Vec<_> {
        let span = |piece: Result<Utterance, String>| {
            let audio = piece?.audio.unwrap();
            let span = audio.reference().unwrap().span;
            Ok(format!("{}-{}", span.start(), span.end().unwrap()))
        };
        cut(utt, rules)
            .into_iter()
            .map(span)
            .collect::<Result<Vec<_>, String>>()
            .unwrap_or_else(|e| vec![e])
    };
    let plain = rules("segments");
    let padded = CutRules {
        pad: time("1.5"),
        ..plain.clone()
    };
    let between = |end| Span::new(Some(time("10")), Decimal::parse(end));
    assert_eq!(
        spans(reference(Span::Whole, None), &plain),
        ["1-2", "2.5-3.25"]
    );
    assert_eq!(
        spans(reference(between("20"), None), &plain),
        ["11-12", "12.5-13.25"]
    );
    assert_eq!(
        spans(reference(between("13.5"), None), &padded),
        ["10-13.5", "11-13.5"]
    );
    assert_eq!(
        spans(reference(Span::Whole, Some(3100)), &padded),
        ["0-3.1", "1-3.1"]
    );
    // The end of the utterance is 0.25 s before that of the segment, or too far.
    assert_eq!(
        spans(reference(between("13"), None), &plain),
        ["11-12", "12.5-13"]
    );
    assert_eq!(
        spans(reference(Span::First(time("3")), None), &plain),
        ["1-2", "2.5-3"]
    );
    let far = spans(reference(between("12.6"), None), &plain);
    assert!(far[0].contains("more than 0.5 s after the end"), "{far:?}");
    let pieces = cut(reference(Span::Whole, None), &plain);
    let audio = pieces[0].as_ref().unwrap().audio.clone().unwrap();
    assert_eq!(audio.reference().unwrap().shortest, None, "words are short");
}

#[test]
fn a_place_in_the_recording_is_that_of_the_sound() {
    let mut nested = reference(Span::new(Some(time("10")), Some(time("20"))), None);
    nested.key = "utt".into();
    nested.meta.recording = Some("tape".into());
    (nested.meta.start, nested.meta.end) = (Some(time("10")), Some(time("20")));
    nested.meta.speaker = Some("ann".into());
    nested.meta.gender = Some("f".into());
    nested.tiers = vec![tier("", "1:2:a 2:3:b:bob")];
    nested.text = Some(b"all of it".to_vec());
    let pattern = "{recording}/{key}/{start}-{end}/{n}";
    let rules = CutRules {
        keys: KeyPattern::parse(pattern).unwrap(),
        ..rules("segments")
    };
    let pieces = cut(nested, &rules);
    assert_eq!(shown(&pieces), "11:12:a:ann 12:13:b:bob");
    let facts = |n: usize| {
        let utt = pieces[n].as_ref().unwrap();
        (utt.key.to_string(), utt.meta.gender.is_some())
    };
    assert_eq!(facts(0), ("tape/utt/11-12/0".to_owned(), true));
    assert_eq!(facts(1), ("tape/utt/12-13/1".to_owned(), false));
}

#[test]
fn keys_that_clash_and_fields_that_cannot_be_cut_are_errors() {
    let rules = CutRules {
        keys: KeyPattern::parse("{start:.1}").unwrap(),
        ..rules("segments")
    };
    let pieces = cut(recording(vec![tier("", "1:2:a 1.01:3:b 2:3:c")]), &rules);
    assert_eq!(
        shown(&pieces),
        "1:2:a: [a second piece would have the key 1.0] 2:3:c:"
    );
    let two = List::of(["r", "s"].map(|key| Utterance {
        key: key.into(),
        ..recording(vec![tier("", "1:2:a")])
    }));
    let pieces = read(Cut::new(two, rules.clone(), &Env::default()));
    assert_eq!(
        shown(&pieces),
        "1:2:a: [a second piece would have the key 1.0]"
    );
    let arrays = Utterance {
        arrays: vec![crate::model::NamedArray::default()],
        ..recording(vec![tier("", "1:2:a")])
    };
    let pieces = cut(arrays, &rules);
    assert_eq!(shown(&pieces), "[has arrays, which cannot be cut by times]");
}

/// Samples, features and labels, each of which is its own number.
fn numbered(rate: u32, samples: usize, shift: &str, rows: usize) -> Utterance {
    let count = |n: usize| {
        (0..n)
            .map(|n| i32::try_from(n).unwrap())
            .collect::<Vec<_>>()
    };
    let sound = Matrix::from_rows(&count(samples), 1, Rank::Matrix).unwrap();
    let mut utt = Utterance {
        key: "rec".into(),
        audio: Some(Audio::Samples(Waveform {
            rate,
            samples: sound,
        })),
        features: Some(Matrix::from_rows(&count(rows * 2), 2, Rank::Matrix).unwrap()),
        labels: Some(Matrix::from_rows(&count(rows), 1, Rank::Vector).unwrap()),
        ..Utterance::default()
    };
    utt.meta.frame_shift = Decimal::parse(shift);
    utt
}

fn values(matrix: Option<&Matrix>) -> Vec<i32> {
    matrix.unwrap().as_slice::<i32>().unwrap().to_vec()
}

fn range(from: usize, to: usize) -> Vec<i32> {
    (from..to).map(|n| i32::try_from(n).unwrap()).collect()
}

/// Random cuts, compared with numbers that are computed from whole milliseconds.
#[test]
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "small numbers"
)]
fn random_cuts_have_the_right_samples_and_rows() {
    let mut rng = Rng::Seeded(7).generator();
    let mut next = |n: u64| usize::try_from(rng.up_to(n - 1)).unwrap();
    for round in 0..1000 {
        let rate = [8000, 16_000, 11_025, 44_100][next(4)];
        let shift = [10, 16, 25][next(3)];
        let length = 500 + next(1500);
        let samples = length * rate / 1000;
        let rows = length / shift;
        let start = next(length as u64 - 100);
        let end = start + 1 + next((length - start) as u64 - 60);
        let mut utt = numbered(
            u32::try_from(rate).unwrap(),
            samples,
            &format!("0.{shift:03}"),
            rows,
        );
        let milli = |n: usize| Decimal::new(i64::try_from(n).unwrap(), -3);
        utt.tiers = vec![Tier::only(vec![Segment::new(
            milli(start),
            Some(milli(end)),
            b"x",
        )])];
        let pieces = cut(utt, &rules("segments"));
        // To the nearest, the later of two.
        let near = |n: usize, of: usize| (2 * n + of) / (2 * of);
        let (first, last) = (near(start, shift), near(end, shift).min(rows));
        if first == last {
            assert!(
                pieces[0].as_ref().unwrap_err().ends_with("has no frames"),
                "{round}"
            );
            continue;
        }
        let piece = pieces[0].as_ref().unwrap();
        // The nearest sample in floats, as Kaldi computes it.
        let sample = |n: usize| (n as f64 / 1000.0 * rate as f64 + 0.5) as usize;
        let (from, to) = (sample(start), sample(end).min(samples));
        let sound = piece.waveform().unwrap();
        assert_eq!(values(Some(&sound.samples)), range(from, to), "{round}");
        assert_eq!(
            values(piece.features.as_ref()),
            range(2 * first, 2 * last),
            "{round}"
        );
        assert_eq!(values(piece.labels.as_ref()), range(first, last), "{round}");
    }
}

#[test]
fn frames_may_end_a_little_before_the_sound() {
    for (rows, fits) in [(100, true), (97, true), (60, true), (49, false)] {
        let mut utt = numbered(1000, 1000, "0.01", rows);
        utt.tiers = vec![tier("", "0:0.3:a 0.3:1:b")];
        let pieces = cut(utt, &rules("segments"));
        let last = pieces[1].as_ref().ok().map(|piece| piece.frames());
        assert_eq!(last, fits.then_some(rows as u64 - 30), "{rows}");
    }
    let mut offset = numbered(1000, 1000, "0.01", 100);
    offset.meta.frame_offset = Decimal::parse("0.005");
    offset.tiers = vec![tier("", "0.302:0.5:a")];
    let pieces = cut(offset, &rules("segments"));
    let piece = pieces[0].as_ref().unwrap();
    assert_eq!(values(piece.labels.as_ref()), range(30, 50));
    assert_eq!(piece.meta.frame_offset, Decimal::parse("0.003"));
}

/// Joins segments without pauses to the recording that they were cut from.
#[test]
fn joining_undoes_cutting() {
    let mut rng = Rng::Seeded(11).generator();
    for round in 0..500 {
        let mut next = |n: u64| usize::try_from(rng.up_to(n - 1)).unwrap();
        let frames = 10 + next(90);
        let last = frames * 10;
        let mut ends: Vec<_> = (0..next(9)).map(|_| next(last as u64)).collect();
        ends.extend([0, last]);
        ends.sort_unstable();
        ends.dedup();
        // A piece without a frame is an error.
        if ends.windows(2).any(|ends| ends[1] - ends[0] < 10) {
            continue;
        }
        let mut utt = numbered(8000, frames * 80, "0.01", frames);
        let milli = |n: usize| Decimal::new(i64::try_from(n).unwrap(), -3);
        let label = |n: usize| format!("w{n}");
        let all = ends.windows(2).enumerate();
        let all =
            all.map(|(n, e)| Segment::new(milli(e[0]), Some(milli(e[1])), label(n).as_bytes()));
        utt.tiers = vec![Tier::only(all.collect())];
        let pieces = Cut::new(List::of([utt.clone()]), rules("segments"), &Env::default());
        let whole = read(JoinPieces::new(Box::new(pieces), &Env::default()));
        assert_eq!(whole, [Ok(utt)], "{round}");
    }
}
