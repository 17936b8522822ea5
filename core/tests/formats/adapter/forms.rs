//! Values, shapes and labels that fit, and data in another form.

use super::*;

#[test]
fn values_are_cast_to_what_is_held() {
    let plain = || framed(|_, _| {});
    let dtype = |utt: &Utterance| utt.features.as_ref().unwrap().dtype();
    for (utt, expected, losses) in [
        (features("a", &[1i16], 1), Dtype::I16, vec![]),
        // All its values fit, of the same kind.
        (features("a", &[1u8], 1), Dtype::I16, vec![]),
        (features("a", &[1.0f64], 1), Dtype::F32, vec![]),
        (
            features("a", &[0.1f64, 0.5], 1),
            Dtype::F32,
            vec!["precision: 1 of 2 values in 1 utterance change, by up to 1.490e-9"],
        ),
        // The most digits.
        (
            features("a", &[16_777_217i32], 1),
            Dtype::F32,
            vec!["precision: 1 of 1 values in 1 utterance change, by up to 1.000e0"],
        ),
    ] {
        let fitted = fit(plain(), [utt]);
        assert_eq!(fitted.losses, losses);
        assert_eq!(dtype(&fitted.one()), expected);
    }
    // One type for all: the first's.
    let same = || framed(|caps, _| caps.same_dtype = true);
    let fitted = fit(
        same(),
        [features("a", &[1i16], 1), features("b", &[2u8], 1)],
    );
    assert_eq!(dtype(fitted.utts[1].as_ref().unwrap()), Dtype::I16);
    let fitted = fit(
        same(),
        [features("a", &[1i16], 1), features("b", &[0.5f32], 1)],
    );
    let message = "utterance b: holds f32, the utterances before it have i16";
    assert_eq!(fitted.refused(), [message]);
    assert_eq!(
        fitted.utts[1].as_ref().err().unwrap().remedy(),
        Some(&Remedy::OneType)
    );
    let fitted = fit(
        same(),
        [features("a", &[0.5f32], 1), features("b", &[0.1f64], 1)],
    );
    assert_eq!(fitted.losses.len(), 1, "floats are rounded");
}

#[test]
fn a_type_that_is_asked_for_is_told_where_there_is_none() {
    let world = World::of([]);
    let caps = framed(|_, _| {});
    let mut adapter = Adapter::new(caps, Some(Dtype::F16), false, &world.env);
    for key in ["a", "b"] {
        let mut utt = features(key, &[0.1f32], 1);
        adapter.apply(&mut utt).unwrap();
        adapter.keep();
        // 0.1 as a 16-bit float is 0.0999755859375.
        let values = utt.features.unwrap();
        assert_eq!(values.as_slice::<f32>().unwrap(), [0.099_975_586]);
    }
    let message = "utterance a: the format holds no f16: rounded to it, written as f32";
    assert_eq!(world.warnings(), [message], "once");
    let lines: Vec<_> = adapter
        .report()
        .lines()
        .map(|(kind, line)| describe(kind, line))
        .collect();
    assert_eq!(
        lines,
        ["precision: 2 of 2 values in 2 utterances change, by up to 2.442e-5"]
    );
}

#[test]
fn shapes_that_are_not_held_are_changed_or_refused() {
    let mut single = features("a", &[1f32], 1);
    single
        .features
        .as_mut()
        .unwrap()
        .reshape(Rank::Scalar, 1, 1)
        .unwrap();
    let mut vector = features("b", &[1f32, 2.0], 1);
    vector
        .features
        .as_mut()
        .unwrap()
        .reshape(Rank::Vector, 2, 1)
        .unwrap();
    let fitted = fit(framed(|_, _| {}), [single.clone(), vector.clone()]);
    assert_eq!(
        fitted.losses,
        ["rank (number, vector or matrix) of 2 utterances"]
    );
    let held = framed(|caps, _| (caps.vectors, caps.scalars) = (true, true));
    let fitted = fit(held, [single, vector]);
    assert_eq!(fitted.losses, [""; 0]);
    let ranks: Vec<_> = fitted
        .utts
        .iter()
        .map(|utt| utt.as_ref().unwrap().features.as_ref().unwrap().rank())
        .collect();
    assert_eq!(ranks, [Rank::Scalar, Rank::Vector]);
    for (caps, refusal) in [
        (
            framed(|caps, _| caps.max_cols = 1),
            "utterance a: 2 columns, the format holds at most 1",
        ),
        (
            {
                let mut caps = framed(|_, _| {});
                caps.max_rows = 1;
                caps
            },
            "utterance a: 2 frames, the format holds at most 1",
        ),
        (
            caps(|caps| caps.text = true),
            "utterance a: has features, which the format can't hold",
        ),
    ] {
        let fitted = fit(caps, [features("a", &[1f32, 2.0, 3.0, 4.0], 2)]);
        assert_eq!(fitted.refused(), [refusal]);
    }
    let wide = framed(|caps, _| caps.same_dim = true);
    let fitted = fit(
        wide,
        [features("a", &[1f32, 2.0], 2), features("b", &[1f32], 1)],
    );
    let message = "utterance b: 1 columns, the utterances before it have 2";
    assert_eq!(fitted.refused(), [message]);
}

#[test]
fn no_frames_are_kept_without_a_shape_or_refused() {
    let empty = || {
        let mut utt = features("a", &[] as &[f32], 1);
        utt.features
            .as_mut()
            .unwrap()
            .reshape(Rank::Matrix, 0, 3)
            .unwrap();
        utt
    };
    let of = |how| {
        let mut caps = framed(|_, _| {});
        caps.empty = how;
        caps
    };
    let fitted = fit(of(Empty::Refused), [empty()]);
    assert_eq!(
        fitted.refused(),
        ["utterance a: has no frames, which the format can't hold"]
    );
    let fitted = fit(of(Empty::Shapeless), [empty()]);
    assert_eq!(
        fitted.losses,
        ["metadata of 1 utterance (columns of an empty matrix)"]
    );
    assert_eq!(fitted.one().features.unwrap().cols(), 0);
    let fitted = fit(of(Empty::Kept), [empty()]);
    assert_eq!(fitted.losses, [""; 0]);
    assert_eq!(fitted.one().features.unwrap().cols(), 3);
}

#[test]
fn labels_fit_those_before_or_are_lost() {
    let same = |caps: &mut LabelCaps| caps.same_columns = true;
    let both = |key: &str| Utterance {
        labels: labels(key, &[7]).labels,
        ..features(key, &[1f32], 1)
    };
    let mut two = both("a");
    two.labels = Some(Matrix::from_rows(&[1i32, 2], 2, Rank::Matrix).unwrap());
    for (caps, utt, losses) in [
        (framed(|_, _| {}), both("a"), vec![]),
        (
            framed(|_, l| l.with_features = false),
            both("a"),
            vec!["labels of 1 utterance"],
        ),
        (
            framed(|_, l| l.max_columns = 1),
            two.clone(),
            vec!["labels of 1 utterance (2 a frame)"],
        ),
        (framed(|_, l| l.max_columns = 2), two.clone(), vec![]),
    ] {
        let fitted = fit(caps, [utt]);
        assert_eq!(fitted.losses, losses);
        assert_eq!(fitted.one().labels.is_none(), !losses.is_empty());
    }
    let fitted = fit(framed(|_, l| l.alone = false), [labels("a", &[1])]);
    assert_eq!(
        fitted.refused(),
        ["utterance a: holds labels alone, the format only beside features"]
    );
    assert_eq!(
        fitted.utts[0].as_ref().err().unwrap().remedy(),
        Some(&Remedy::JoinLabels)
    );
    // Columns and types of all.
    let fitted = fit(framed(|_, l| same(l)), [both("b"), two]);
    assert_eq!(
        fitted.refused(),
        ["utterance a: 2 labels per frame, the utterances before it have 1"]
    );
    let wide = Utterance {
        labels: Some(Matrix::from_rows(&[3i64], 1, Rank::Vector).unwrap()),
        ..both("b")
    };
    let eight = framed(|_, l| {
        same(l);
        l.dtypes = &[Dtype::I32, Dtype::I64];
    });
    let fitted = fit(eight, [both("a"), wide.clone()]);
    assert_eq!(
        fitted.refused(),
        ["utterance b: labels of i64, the utterances before it have i32"]
    );
    assert_eq!(
        fitted.utts[1].as_ref().err().unwrap().remedy(),
        Some(&Remedy::LabelType)
    );
    // One that is asked for, into which those before fit.
    let eight = framed(|_, l| l.dtypes = &[Dtype::I64]);
    let asked = |adapter: Adapter| adapter.label_dtype(Some(Dtype::I64));
    let fitted = fit_as(eight, [both("a"), wide], asked);
    assert!(fitted.refused().is_empty());
    assert_eq!(
        fitted.utts[0]
            .as_ref()
            .unwrap()
            .labels
            .as_ref()
            .unwrap()
            .dtype(),
        Dtype::I64
    );
    // All have labels or none has.
    let all = || framed(|f, _| f.same_dim = true);
    let bare = |key| features(key, &[1f32], 1);
    let fitted = fit(all(), [both("a"), bare("b"), both("c")]);
    assert_eq!(
        fitted.refused(),
        ["utterance b: has no labels, but the utterances before it have"]
    );
    let fitted = fit(all(), [bare("a"), both("b"), bare("c")]);
    assert_eq!(
        fitted.refused(),
        ["utterance b: has labels, but the utterances before it have none"]
    );
    let fitted = fit(framed(|_, _| {}), [bare("a"), both("b")]);
    assert!(fitted.refused().is_empty());
    let mut unlike = both("a");
    unlike.labels = labels("a", &[1, 2]).labels;
    let fitted = fit(framed(|_, _| {}), [unlike]);
    assert_eq!(
        fitted.refused(),
        ["utterance a: 1 frames of features, but labels for 2"]
    );
}

#[test]
fn segments_and_labels_stand_in_for_each_other() {
    let numbers = || Utterance {
        key: "a".into(),
        tiers: vec![Tier::only(vec![
            Segment::new(at("0"), Some(at("0.02")), b"7"),
            Segment::new(at("0.02"), Some(at("0.03")), b"8"),
        ])],
        ..Utterance::default()
    };
    let usual = "utterance a: no frame shift is known, 0.01 s is taken";
    let fitted = fit(framed(|_, _| {}), [numbers()]);
    assert_eq!(
        (&*fitted.warnings.concat(), fitted.losses.len()),
        (usual, 0)
    );
    let utt = fitted.one();
    assert_eq!(utt.labels.unwrap().as_slice::<i32>().unwrap(), [7, 7, 8]);
    assert!(utt.tiers.is_empty());
    // Back again, with the frame shift that was taken.
    let mut segments = caps(|caps| caps.segments = Some(SegmentCaps::PLAIN));
    segments.frame_shift = true;
    let utt = fit(segments, [labels("a", &[7, 7, 8])]).one();
    assert_eq!(shown(&utt), ["0-0.02 7 ", "0.02-0.03 8 "]);
    assert_eq!(utt.meta.frame_shift, Some(at("0.01")));
    // What has no number, or several tiers, is lost.
    let mut named = numbers();
    named.tiers[0].segments[1].label = b"ah"[..].into();
    let fitted = fit(framed(|_, _| {}), [named.clone()]);
    let message = "utterance a: holds segments, and no frame labels in their place: the label 'ah' of a segment is not a number";
    assert_eq!(fitted.refused(), [message]);
    named.features = features("a", &[1f32], 1).features;
    let fitted = fit(framed(|_, _| {}), [named]);
    assert_eq!(
        fitted.losses,
        ["segments of 1 utterance (the label 'ah' of a segment is not a number)"]
    );
    let mut several = numbers();
    several.tiers.push(Tier::default());
    let fitted = fit(framed(|_, _| {}), [several]);
    let message = "utterance a: holds segments, and no frame labels in their place: there are 2 tiers of them";
    assert_eq!(fitted.refused(), [message]);
}

#[test]
fn words_and_text_stand_in_for_each_other() {
    let text = |bytes: &[u8]| Utterance {
        key: "a".into(),
        text: Some(bytes.to_vec()),
        ..Utterance::default()
    };
    let tokens = |words: &[&[u8]]| Utterance {
        key: "a".into(),
        object: Some(Object::Tokens(words.iter().copied().collect())),
        ..Utterance::default()
    };
    let of_text = || caps(|caps| caps.text = true);
    let of_words = || caps(|caps| caps.objects = Objects::Kinds(&["token-vector"]));
    let said = |utt: Utterance| String::from_utf8(utt.text.unwrap()).unwrap();
    assert_eq!(
        said(fit(of_text(), [tokens(&[b"one", b"two"])]).one()),
        "one two"
    );
    assert_eq!(said(fit(of_text(), [tokens(&[])]).one()), "");
    let one = Utterance {
        object: Some(Object::Token(b"one".to_vec())),
        ..tokens(&[])
    };
    assert_eq!(said(fit(of_text(), [one]).one()), "one");
    let words = fit(of_words(), [text(b"one two")]).one();
    assert_eq!(words, tokens(&[b"one", b"two"]));
    assert_eq!(fit(of_words(), [text(b"")]).one(), tokens(&[]));
    // Blanks that would be lost.
    let fitted = fit(of_words(), [text(b"one  two")]);
    assert_eq!(
        fitted.refused(),
        [
            "utterance a: holds only text with other blanks or characters in it, the format holds it \
             as words with single blanks between them"
        ]
    );
    let fitted = fit(of_text(), [tokens(&[b"one two"])]);
    assert_eq!(
        fitted.refused(),
        ["utterance a: has text, which the format can't hold"]
    );
    let remedy = Remedy::ListFormats("text".into());
    assert_eq!(
        fitted.utts[0].as_ref().err().unwrap().remedy(),
        Some(&remedy)
    );
    let number = Utterance {
        object: Some(Object::Int(3)),
        ..tokens(&[])
    };
    let fitted = fit(of_text(), [number]);
    assert_eq!(
        fitted.refused(),
        ["utterance a: holds an object of kind int32, which the format can't hold"]
    );
}

#[test]
fn blanks_of_a_text_are_made_single_where_that_helps() {
    let mut of_text = caps(|caps| caps.text = true);
    of_text.text_rule = Rule::new("of single blanks", |text: &[u8]| {
        match text.windows(2).any(|two| two == b"  ") || text.contains(&b'\t') {
            true => Err(Error::unfit("has several blanks")),
            false => Ok(()),
        }
    });
    for (text, expected, losses) in [
        (&b"one  two\t"[..], &b"one two"[..], 1),
        (b"one two", b"one two", 0),
        // A line end is no blank, and may be what does not fit.
        (b"one  two\n", b"one two\n", 1),
        (b"\xff  a", b"\xff a", 1),
    ] {
        let utt = Utterance {
            key: "a".into(),
            text: Some(text.to_vec()),
            ..Utterance::default()
        };
        let fitted = fit(of_text, [utt]);
        assert_eq!(
            fitted.losses,
            vec!["metadata of 1 utterance (blanks of the text)"; losses]
        );
        assert_eq!(fitted.one().text.unwrap(), expected);
    }
}
