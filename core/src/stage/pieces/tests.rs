//! Parts of recordings, joined.

use super::*;
use crate::bytes::Locator;
use crate::model::{
    Audio, AudioReference, Decimal, Key, Matrix, Rank, Segment, Span, Tier, Waveform,
};
use crate::stage::tests::List;

fn time(text: &str) -> Option<Decimal> {
    Decimal::parse(text)
}

/// A part of a recording, from a word `RECORDING:START:END:TEXT[:SPEAKER]`.
fn part(word: &str) -> Utterance {
    let fields: Vec<_> = word.split(':').collect();
    let mut utt = Utterance {
        key: word.into(),
        text: Some(fields[3].as_bytes().to_vec()).filter(|text| !text.is_empty()),
        ..Utterance::default()
    };
    let meta = &mut utt.meta;
    meta.recording = Some(fields[0].into());
    (meta.start, meta.end) = (time(fields[1]), time(fields[2]));
    meta.speaker = fields.get(4).map(|name| Key::from(*name));
    utt
}

fn parts(words: &str) -> Vec<Utterance> {
    words.split(' ').map(part).collect()
}

/// The recordings as `KEY TIER START:END:LABEL:SPEAKER …`, and the messages of faults.
fn shown(mut reader: impl Reader) -> Vec<String> {
    let (mut all, mut utt) = (Vec::new(), Utterance::default());
    loop {
        match reader.read(&mut utt) {
            Ok(false) => return all,
            Ok(true) => {
                let segment = |s: &Segment| {
                    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                    let speaker = s.speaker.as_deref().map(text).unwrap_or_default();
                    let end = s.end.map(|end| end.to_string()).unwrap_or_default();
                    format!(" {}:{end}:{}:{speaker}", s.start, text(&s.label))
                };
                let tier = |tier: &Tier| {
                    let segments: String = tier.segments.iter().map(segment).collect();
                    format!(" {}{segments}", Key::from(&*tier.name))
                };
                let tiers: String = utt.tiers.iter().map(tier).collect();
                all.push(format!("{}{tiers}", utt.key));
            }
            Err(error) => {
                all.push(error.to_string());
                if !error.can_continue() {
                    return all;
                }
            }
        }
    }
}

fn join(utterances: impl IntoIterator<Item = Utterance>) -> Vec<String> {
    shown(JoinPieces::new(List::of(utterances), &Env::default()))
}

#[test]
fn parts_become_segments_of_their_recording() {
    let joined = join(parts("r:0:1:hi:ann r:2:3::bob r:3:: s:0:1:yes"));
    assert_eq!(
        joined,
        ["r  0:1:hi:ann 2:3:bob:bob 3::r:3:::", "s  0:1:yes:"]
    );
    let mut two = parts("r:5:6:b r:1:2:a");
    two[0].tiers = vec![Tier::only(vec![Segment::new(
        Decimal::ZERO,
        time("0.5"),
        b"x",
    )])];
    assert_eq!(join(two.clone()), ["r  5:5.5:x: segments 1:2:a: 5:6:b:"]);
    two[1].meta.channel = Some("2".into());
    two[0].tiers.clear();
    assert_eq!(join(two), ["r 2 1:2:a: 1 5:6:b:"]);
}

#[test]
fn faults_cost_their_recording() {
    let mut other = part("r:0:1:a");
    other.meta.recording = None;
    let mut unplaced = part("r:0:1:a");
    unplaced.meta.start = None;
    let mut all = parts("s:0:1:a");
    all.push(unplaced);
    all.extend(parts("r:1:2:b t:0:1:a s:1:2:b"));
    all.push(other);
    let joined = join(all);
    assert_eq!(
        joined,
        [
            "utterance r:0:1:a: is not a part of a recording",
            "s  0:1:a: 1:2:b:",
            "utterance r:0:1:a: has no known place in its recording",
            "t  0:1:a:",
        ]
    );
}

fn with_sound(word: &str, values: &[i16]) -> Utterance {
    let samples = Matrix::from_rows(values, 1, Rank::Matrix).unwrap();
    Utterance {
        audio: Some(Audio::from(Waveform { rate: 2, samples })),
        ..part(word)
    }
}

#[test]
fn samples_must_follow_each_other() {
    let first = with_sound("r:0:1:a", &[1, 2]);
    for (start, fault) in [("1", None), ("1.5", Some("1.5 s")), ("0.5", Some("0.5 s"))] {
        let second = with_sound(&format!("r:{start}:2:b"), &[3, 4]);
        let mut reader = JoinPieces::new(List::of([first.clone(), second]), &Env::default());
        let mut whole = Utterance::default();
        let read = reader.read(&mut whole);
        match fault {
            None => {
                assert!(read.unwrap());
                let sound = whole.waveform().unwrap();
                assert_eq!(sound.samples.as_slice::<i16>().unwrap(), [1, 2, 3, 4]);
                assert_eq!((whole.meta.start, whole.meta.recording), (None, None));
            }
            Some(place) => {
                let error = read.unwrap_err();
                let message = format!(
                    "starts at {place} in its recording, but the sound before it ends at 1 s"
                );
                assert_eq!(error.message(), message);
                assert!(error.can_continue());
            }
        }
    }
    let silent = part("r:1:2:b");
    let message =
        "utterance r:1:2:b: has other kinds of data than the parts of its recording before it";
    assert_eq!(join([first, silent]), [message]);
}

#[test]
fn parts_of_a_file_become_the_file() {
    let of_file = |word: &str, file: &str| {
        let utt = part(word);
        let span = Span::new(utt.meta.start, utt.meta.end);
        let at = Locator::file(file);
        Utterance {
            audio: Some(Audio::Reference(AudioReference {
                span,
                ..AudioReference::new(at)
            })),
            ..utt
        }
    };
    let (first, second) = (of_file("r:5:6:a", "r.wav"), of_file("r:1:2:b", "r.wav"));
    let mut reader = JoinPieces::new(List::of([first.clone(), second]), &Env::default());
    let mut whole = Utterance::default();
    assert!(reader.read(&mut whole).unwrap());
    let audio = whole.audio.unwrap();
    assert_eq!(
        audio.reference().unwrap(),
        &AudioReference::new(Locator::file("r.wav"))
    );
    let other = of_file("r:1:2:b", "s.wav");
    assert_eq!(
        join([first, other]),
        ["utterance r:5:6:a: is a part of r.wav, others of s.wav"]
    );
}

#[test]
fn lines_in_any_order_are_segments_of_recordings() {
    let lines = parts("b:2:3:x a:10:11:y b:0:1:z a:9:10:w ab:0:1:v");
    let found = shown(segments_by_recording(List::of(lines), &Env::default()));
    assert_eq!(
        found,
        ["b  0:1:z: 2:3:x:", "a  9:10:w: 10:11:y:", "ab  0:1:v:"]
    );
    let mut tiered = part("r:0:1:x");
    tiered.meta.recording = None;
    tiered.tiers = vec![Tier::only(Vec::new())];
    let found = shown(segments_by_recording(List::of([tiered]), &Env::default()));
    assert_eq!(found, ["r:0:1:x "]);
}
