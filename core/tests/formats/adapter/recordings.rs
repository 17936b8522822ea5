//! Segments of recordings become what the output has: recordings, or segments of them.

use super::*;

fn joined(speakers: bool) -> Caps {
    caps(|caps| {
        let mut segments = SegmentCaps::PLAIN;
        segments.speakers = speakers;
        caps.segments = Some(segments);
        caps.recordings = Recordings::Joined;
    })
}

#[test]
fn stretches_become_times_of_their_recording() {
    let fitted = fit(joined(true), [stretch("a")]);
    assert_eq!(fitted.losses, ["keys of 1 utterance"]);
    let utt = fitted.one();
    assert_eq!(utt.key, "rec".into());
    assert_eq!(shown(&utt), ["1.5-2 one ann", "2-3 two ann"]);
    assert!(utt.meta.is_empty(), "{:?}", utt.meta);
    // A segment keeps its own speaker; without places for speakers the utterance loses hers.
    let mut own = stretch("rec");
    own.tiers[0].segments[0].speaker = Some(b"bob"[..].into());
    let utt = fit(joined(true), [own]).one();
    assert_eq!(shown(&utt), ["1.5-2 one bob", "2-3 two ann"]);
    let fitted = fit(joined(false), [stretch("rec")]);
    assert_eq!(fitted.losses, ["metadata of 1 utterance (speaker)"]);
    assert_eq!(shown(&fitted.one()), ["1.5-2 one ", "2-3 two "]);
    // An end before the start of the last segment is none.
    let mut short = stretch("rec");
    short.meta.end = Some(at("1.9"));
    assert_eq!(shown(&fit(joined(true), [short]).one())[1], "2- two ann");
    // A whole recording stays as it is.
    let mut whole = stretch("a");
    whole.meta.recording = None;
    let fitted = fit(joined(true), [whole]);
    assert_eq!(shown(&fitted.one()), ["0-0.5 one ", "0.5- two "]);
}

#[test]
fn stretches_that_can_not_be_joined_are_refused() {
    let mut long = stretch("a");
    long.meta.start = Some(at("1e60"));
    let fitted = fit(joined(true), [long]);
    let message = format!(
        "utterance a: the time 0.5 + {} has too many digits",
        at("1e60")
    );
    assert_eq!(fitted.refused(), [message]);
    let mut spaced = stretch("a");
    spaced.meta.recording = Some("r c".into());
    assert_eq!(fit(joined(true), [spaced]).refused().len(), 1);
    // Two whole recordings of one name would be one; two stretches may be.
    let whole = |key: &str| {
        let mut utt = stretch(key);
        utt.meta = Default::default();
        utt
    };
    let utts = [
        whole("a"),
        stretch("s"),
        whole("b"),
        stretch("t"),
        whole("a"),
    ];
    let fitted = fit(joined(true), utts);
    assert_eq!(
        fitted.refused(),
        ["utterance a: a second utterance with this name"]
    );
    let error = fitted.utts.last().unwrap().as_ref().err().unwrap();
    assert_eq!(error.remedy(), Some(&Remedy::KeepOnlyOne));
    let apart = caps(|caps| caps.segments = Some(SegmentCaps::ALL));
    let fitted = fit(apart, [whole("a"), whole("a")]);
    assert!(fitted.refused().is_empty(), "each has its own times");
}

/// Text of stretches, beside everything that tells how long they are.
fn of_text() -> Caps {
    caps(|caps| {
        caps.text = true;
        caps.recordings = Recordings::Stretches;
        caps.source = &[SourceField::Recording, SourceField::Place];
        caps.segments = Some(SegmentCaps::PLAIN);
        caps.features = Some(FeatureCaps::new(&[Dtype::F32]));
        caps.audio = AudioCaps::samples(&[Dtype::I16]);
    })
}

#[test]
fn text_becomes_that_of_a_stretch() {
    let said = |change: &dyn Fn(&mut Utterance)| {
        let mut utt = Utterance {
            key: "a".into(),
            text: Some(b"one".to_vec()),
            ..Utterance::default()
        };
        change(&mut utt);
        utt
    };
    let named = |change: fn(&mut AudioReference)| {
        move |utt: &mut Utterance| {
            let mut audio = AudioReference::new(Locator::file("r.pcm"));
            change(&mut audio);
            utt.audio = Some(Audio::Reference(audio));
        }
    };
    type Change<'a> = &'a dyn Fn(&mut Utterance);
    let cases: [(Change<'_>, &str); 9] = [
        // The file tells, unless what names it does.
        (&named(|_| {}), "a 0-0.5"),
        (
            &named(|r| r.span = Span::new(Some(at("0.2")), None)),
            "a 0-0.3",
        ),
        (&named(|r| r.recording.duration = Some(at("7"))), "a 0-7"),
        (
            &named(|r| r.span = Span::new(Some(at("0.2")), Some(at("0.3")))),
            "a 0-0.1",
        ),
        (
            &|utt| {
                let samples = Matrix::from_rows(&[1i16, 2], 1, Rank::Matrix).unwrap();
                utt.audio = Some(Waveform { rate: 10, samples }.into());
            },
            "a 0-0.2",
        ),
        (
            &|utt| {
                utt.features = features("", &[1f32, 2.0, 3.0], 1).features;
                utt.meta.frame_shift = Some(at("0.02"));
            },
            "a 0-0.06",
        ),
        (
            &|utt| {
                utt.tiers = vec![Tier::only(vec![
                    Segment::new(at("0"), Some(at("0.9")), b"x"),
                    Segment::new(at("0.9"), Some(at("0.8")), b"y"),
                ])]
            },
            "a 0-0.9",
        ),
        // What is known stays.
        (&|utt| utt.meta = stretch("a").meta, "rec 1.5-3"),
        (
            &|utt| {
                named(|_| {})(utt);
                utt.meta.start = Some(at("2"));
            },
            "a 2-2.5",
        ),
    ];
    for (change, expected) in cases {
        let fitted = fit(of_text(), [said(change)]);
        let meta = &fitted.one().meta;
        let place = [meta.start, meta.end].map(|time| time.unwrap().to_string());
        let shown = format!("{} {}", meta.recording.as_ref().unwrap(), place.join("-"));
        assert_eq!(shown, expected);
    }
    for (change, remedy) in [
        (
            &(|_: &mut Utterance| {}) as &dyn Fn(&mut Utterance),
            Remedy::JoinText,
        ),
        (
            &|utt| utt.features = features("", &[1f32], 1).features,
            Remedy::TellFrameShift,
        ),
    ] {
        let fitted = fit(of_text(), [said(change)]);
        let message = "utterance a: its length is not known, but the format must state it";
        assert_eq!(fitted.refused(), [message]);
        assert_eq!(
            fitted.utts[0].as_ref().err().unwrap().remedy(),
            Some(&remedy)
        );
    }
    // Without text it is none that is stored so.
    let mut utt = said(&named(|_| {}));
    utt.text = None;
    let utt = fit(of_text(), [utt]).one();
    assert!(utt.meta.is_empty() && utt.audio.is_some());
}
