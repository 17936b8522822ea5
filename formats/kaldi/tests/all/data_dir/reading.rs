//! The fields read from a directory, and their files.

use spr_core::bytes::Locator;
use spr_core::format::{FieldSet, Request, Subset, WholeFolder};
use spr_core::model::{Audio, Decimal, Key, Span, Utterance};
use spr_format_kaldi::DATA;

use super::read;

const FILES: &[(&str, &str)] = &[
    ("utt2spk", "a-1 a\na-2 a\nb-1 b\n"),
    ("text", "a-1 ONE\na-2\nb-1 TWO THREE\n"),
    ("wav.scp", "rec1 one.wav\nrec2 cat two.wav |\n"),
    (
        "segments",
        "a-1 rec1 0.0 0.50\na-2 rec1 0.5 1\nb-1 rec2 0.1 -1\n",
    ),
    ("feats.scp", "a-1 f.ark\na-2 f.ark\nb-1 f.ark\n"),
    ("f.ark", " [\n 1 2\n 3 4 ]\n"),
    ("spk2gender", "a f\nb m\n"),
    ("utt2lang", "a-1 nl\na-2 nl\nb-1 de\n"),
    ("utt2dur", "a-1 0.5\na-2 0.495\nb-1 3\n"),
    ("utt2uniq", "a-1 x-1\na-2 x-2\nb-1 b-1\n"),
    ("reco2dur", "rec1 1.5\nrec2 3.1\n"),
    ("reco2file_and_channel", "rec1 r A\nrec2 r B\n"),
    ("utt2num_frames", "a-1 2\na-2 2\nb-1 2\n"),
    ("frame_shift", "0.250\n"),
];

fn without<'a>(names: &[&str]) -> Vec<(&'a str, &'a str)> {
    let files = FILES.iter().filter(|(name, _)| !names.contains(name));
    files.copied().collect()
}

fn time(text: &str) -> Option<Decimal> {
    Decimal::parse(text)
}

#[test]
fn everything_that_is_known() {
    let utts = read(FILES, Request::all(), &[]).unwrap().utts();
    let utt = &utts[1];
    assert_eq!(utt.text.as_deref(), Some(&b""[..]));
    assert_eq!(
        utt.features.as_ref().unwrap().values::<f32>().unwrap(),
        [1.0, 2.0, 3.0, 4.0]
    );
    let Some(Audio::Reference(sound)) = &utt.audio else {
        panic!("no reference");
    };
    assert_eq!(sound.at, Locator::file("one.wav"));
    assert_eq!(sound.span, Span::new(time("0.5"), time("1")));
    let word = |text: &str| Some(Key::from(text));
    let meta = &utt.meta;
    assert_eq!(
        (&meta.speaker, &meta.gender, &meta.language),
        (&word("a"), &word("f"), &word("nl"))
    );
    assert_eq!(
        (&meta.recording, meta.start, meta.end),
        (&word("rec1"), time("0.5"), time("1"))
    );
    assert_eq!(meta.frame_shift.unwrap().to_string(), "0.250");
    let tags = |n: usize| -> Vec<_> {
        let tags = utts[n].meta.tags.iter();
        tags.map(|tag| format!("{}={}", tag.key.escape_ascii(), tag.value.escape_ascii()))
            .collect()
    };
    assert_eq!(
        tags(0),
        ["utt2uniq=x-1", "reco2dur=1.5", "reco2file_and_channel=r A"]
    );
    assert_eq!(tags(1)[0], "utt2dur=0.495");
    let Some(Audio::Reference(sound)) = &utts[2].audio else {
        panic!("no reference");
    };
    assert_eq!(sound.at, Locator::Command("cat two.wav".into()));
    assert_eq!(sound.span, Span::new(time("0.1"), None));
}

#[test]
fn the_form_that_is_held_is_taken() {
    let sound = FieldSet {
        features: false,
        ..FieldSet::ALL
    };
    let features = FieldSet {
        audio: false,
        ..FieldSet::ALL
    };
    let neither = FieldSet {
        audio: false,
        features: false,
        ..FieldSet::ALL
    };
    for (forms, options, expected) in [
        (FieldSet::ALL, &[][..], (true, true, true)),
        (sound, &[], (false, true, true)),
        (features, &[], (true, false, true)),
        (neither, &[], (false, false, true)),
        (sound, &[("parts", "feats+text")], (true, false, true)),
        (FieldSet::ALL, &[("parts", "wav")], (false, true, false)),
    ] {
        let got = read(FILES, Request::all().forms(forms), options).unwrap();
        let left = got
            .warnings
            .iter()
            .filter(|warning| warning.contains("is left out"))
            .count();
        assert_eq!(
            left,
            usize::from(options.is_empty() && expected.0 != expected.1)
        );
        for utt in got.utts() {
            let there = (
                utt.features.is_some(),
                utt.audio.is_some(),
                utt.text.is_some(),
            );
            assert_eq!(there, expected, "{forms:?} {options:?}");
            assert_eq!(utt.meta.frame_shift.is_some(), expected.0);
        }
    }
    let utts = read(FILES, Request::all().samples(), &[]).unwrap().utts();
    assert!(
        utts.iter()
            .all(|utt| utt.features.is_some() && utt.audio.is_none())
    );
    // Files that are not read may be missing.
    let gone = without(&["f.ark"]);
    assert_eq!(
        read(&gone, Request::all().forms(sound), &[])
            .unwrap()
            .utts()
            .len(),
        3
    );
}

#[test]
fn parts_are_those_that_there_are() {
    for (parts, fault) in [
        ("wav", "there is no wav.scp"),
        ("sound", "'sound' is not a part"),
        ("", "'' is not a part"),
        ("text+", "'' is not a part"),
    ] {
        let error = read(&without(&["wav.scp"]), Request::all(), &[("parts", parts)]).err();
        assert!(error.unwrap().to_string().contains(fault), "{parts}");
    }
}

#[test]
fn lists_stand_in_for_one_another() {
    for gone in [
        &["utt2spk"][..],
        &["utt2spk", "segments", "wav.scp"],
        &["utt2spk", "text", "feats.scp"],
    ] {
        let utts = read(&without(gone), Request::all(), &[]).unwrap().utts();
        let keys: Vec<_> = utts.iter().map(|utt| utt.key.to_string()).collect();
        assert_eq!(keys, ["a-1", "a-2", "b-1"], "{gone:?}");
        assert!(utts.iter().all(|utt| utt.meta.speaker.is_none()));
    }
    let waves = read(
        &[
            ("wav.scp", "r1 a.wav\nr2 b.wav:7\n"),
            ("text", "r1 A\nr2 B\n"),
        ],
        Request::all(),
        &[],
    );
    let utts = waves.unwrap().utts();
    let Some(Audio::Reference(sound)) = &utts[1].audio else {
        panic!("no reference");
    };
    assert_eq!(sound.at, Locator::FileAt("b.wav".into(), 7));
    assert!(utts[1].meta.recording.is_none());
}

#[test]
fn genders_may_go_by_utterance() {
    let mut files = without(&["spk2gender"]);
    files.push(("utt2gender", "a-1 female\na-2 female\nb-1 male\n"));
    let utts = read(&files, Request::all(), &[]).unwrap().utts();
    assert_eq!(utts[2].meta.gender, Some(Key::from("male")));
}

#[test]
fn files_are_found_from_the_working_folder_or_beside_the_table() {
    let mut files = without(&["wav.scp", "segments", "feats.scp"]);
    files.push((
        "wav.scp",
        "a-1 sound/1.wav\na-2 sound/2.wav\nb-1 /abs/3.wav\n",
    ));
    files.push(("sound/1.wav", ""));
    files.push(("sound/2.wav", ""));
    let utts = read(&files, Request::all(), &[]).unwrap().utts();
    let places = utts.iter().map(|utt| match &utt.audio {
        Some(Audio::Reference(sound)) => sound.at.to_string(),
        _ => panic!("no reference"),
    });
    let places: Vec<_> = places.collect();
    assert_eq!(places, ["d/sound/1.wav", "d/sound/2.wav", "/abs/3.wav"]);
}

#[test]
fn what_nobody_wants_is_not_missed() {
    let request = Request::all().keys(|key| key.as_bytes() == b"b-1");
    let read = read(FILES, request, &[]).unwrap();
    assert_eq!(
        (read.keys(), read.warnings.len()),
        (vec!["b-1".to_owned()], 0)
    );
}

#[test]
fn a_folder_without_tables_is_none() {
    let error = read(&[("x", "")], Request::all(), &[]).err().unwrap();
    assert!(error.to_string().contains("has none of utt2spk"), "{error}");
    assert!(!DATA.fits(&["x"]));
}

#[test]
fn what_is_left_out_is_told() {
    let neither = FieldSet {
        audio: false,
        features: false,
        ..FieldSet::ALL
    };
    for (gone, told) in [
        (
            &[][..],
            "d: wav.scp and feats.scp are left out as the target holds neither sound nor features",
        ),
        (
            &["feats.scp"],
            "d: wav.scp is left out as the target holds neither sound nor features",
        ),
        (
            &["wav.scp", "segments", "reco2dur", "reco2file_and_channel"],
            "d: feats.scp is left out as the target holds neither sound nor features",
        ),
    ] {
        let got = read(&without(gone), Request::all().forms(neither), &[]).unwrap();
        assert_eq!(got.warnings, [told], "{gone:?}");
        assert_eq!(got.keys(), ["a-1", "a-2", "b-1"]);
    }
    let mut files = without(&["text"]);
    let others = ["text", "text.gz", "stm", "utt2lang.bz2", "other.gz"];
    files.extend(others.map(|name| (name, "a-1 X\na-2 X\nb-1 X\n")));
    let got = read(&files, Request::all(), &[]).unwrap();
    assert_eq!(
        got.warnings,
        ["d: other.gz, stm, text.gz, utt2lang.bz2 are left out"]
    );
    assert_eq!(got.utts()[0].text.as_deref(), Some(&b"X"[..]));
}

#[test]
fn durations_are_lengths_where_nothing_else_tells_them() {
    let tables = ["wav.scp", "segments", "reco2dur", "reco2file_and_channel"];
    let utts = read(&without(&tables), Request::all(), &[("parts", "text")]);
    let utts = utts.unwrap().utts();
    let lengths: Vec<_> = utts
        .iter()
        .map(|utt| (utt.meta.start, utt.meta.end))
        .collect();
    let of = |end| (time("0"), time(end));
    assert_eq!(lengths, [of("0.5"), of("0.495"), of("3")]);
    // Of features their number of frames tells it.
    let utts = read(&without(&tables), Request::all(), &[]).unwrap().utts();
    assert!(utts.iter().all(|utt| utt.meta.start.is_none()));
    let value = &utts[0].meta.tags[0];
    assert_eq!(
        (&value.key[..], &value.value[..]),
        (&b"utt2dur"[..], &b"0.5"[..])
    );
}

#[test]
fn a_run_of_lines_ends_before_the_others() {
    let run = Request::all().share(Subset::Run { first: 1, end: 2 });
    let got = read(FILES, run, &[]).unwrap();
    assert_eq!((got.keys(), got.warnings), (vec!["a-2".to_owned()], vec![]));
}

#[test]
fn a_frame_shift_at_fault_costs_itself_alone() {
    let mut files = without(&["frame_shift"]);
    files.push(("frame_shift", "0.01\n0.02\n"));
    let error = read(&files, Request::all(), &[]).err().unwrap();
    assert_eq!(error.to_string(), "d/frame_shift:2: more than one number");
    let salvaged = read(&files, Request::all().damaged(), &[]).unwrap();
    assert_eq!(salvaged.errors(), ["d/frame_shift:2: more than one number"]);
    assert_eq!(salvaged.keys(), ["a-1", "a-2", "b-1"]);
    let known = |utt: &&Utterance| utt.meta.frame_shift.is_some();
    assert_eq!(salvaged.entries.iter().flatten().filter(known).count(), 0);
}
