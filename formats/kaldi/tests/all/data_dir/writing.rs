//! The written files, byte by byte.

use std::sync::Arc;

use spr_core::bytes::{Env, Locator, MemoryStore};
use spr_core::format::{Format, Options, Registry};
use spr_core::loss::LossKind;
use spr_core::model::{
    About, Audio, AudioReference, Decimal, Dtype, Key, Matrix, Rank, Span, Tag, Utterance, Waveform,
};
use spr_core::{Limits, Result};
use spr_format_kaldi::DATA;

use super::read;
use spr_core::format::Request;

/// The result of writing.
pub(super) struct WriteResult {
    store: MemoryStore,
    pub(super) warnings: Vec<String>,
    pub(super) lost: Vec<(LossKind, u64)>,
}

impl WriteResult {
    pub(super) fn file(&self, name: &str) -> String {
        let bytes = self.store.get(format!("out/{name}"));
        String::from_utf8(bytes.unwrap_or_else(|| panic!("no {name}"))).unwrap()
    }

    pub(super) fn names(&self) -> Vec<String> {
        let all = self.store.locations().into_iter();
        let mut names: Vec<_> = all.map(|at| at.to_string()).collect();
        names
            .iter_mut()
            .for_each(|name| *name = name.replacen("out/", "", 1));
        names.sort();
        names
    }
}

pub(super) fn write(utts: &[Utterance], options: &[(&str, &str)]) -> Result<WriteResult> {
    let store = MemoryStore::new();
    let formats: [&'static dyn Format; 2] = [&spr_format_audio::WAV, &spr_format_audio::FLAC];
    let env = Env::default().with_formats(Registry::new(formats));
    let (env, warnings) = spr_testkit::listening(&env.with_store(Arc::new(store.clone())));
    let options = Options::new(DATA.info(), options.iter().copied())?;
    let output = env.output(&Locator::folder("out"));
    let mut writer = DATA.create(output.clone(), &options, &About::default(), &env)?;
    for utt in utts {
        writer.write(utt)?;
    }
    let written = writer.finish()?;
    assert_eq!(written.utterances, utts.len() as u64);
    output.commit()?;
    let lost = written
        .rounded
        .lines()
        .map(|(kind, line)| (kind, line.utterances));
    let warnings = warnings.lock().unwrap().clone();
    Ok(WriteResult {
        store,
        warnings,
        lost: lost.collect(),
    })
}

pub(super) fn utt(key: &str, speaker: Option<&str>) -> Utterance {
    let mut utt = Utterance {
        key: key.into(),
        text: Some(key.to_uppercase().into_bytes()),
        ..Utterance::default()
    };
    utt.meta.speaker = speaker.map(Key::from);
    utt
}

pub(super) fn stretch(key: &str, file: &str, start: &str, end: &str) -> Utterance {
    let mut utt = utt(key, Some("s"));
    utt.audio = Some(Audio::Reference(AudioReference {
        span: Span::new(Decimal::parse(start), Decimal::parse(end)),
        ..AudioReference::new(Locator::file(file))
    }));
    utt
}

pub(super) fn features(mut utt: Utterance, rows: usize) -> Utterance {
    let values: Vec<_> = (0..rows).map(|n| n as f32).collect();
    utt.features = Some(Matrix::from_rows(&values, 1, Rank::Matrix).unwrap());
    utt
}

pub(super) fn samples(mut utt: Utterance) -> Utterance {
    let mut samples = Matrix::from_rows(&[1i16, -2, 3, 4], 1, Rank::Matrix).unwrap();
    samples.cast(Dtype::I16, &Limits::default()).unwrap();
    utt.audio = Some(
        Waveform {
            rate: 8000,
            samples,
        }
        .into(),
    );
    utt
}

#[test]
fn tables_are_sorted_by_bytes() {
    let written = write(
        &[
            utt("b-2", Some("b")),
            utt("a_1", Some("a")),
            utt("a-1", Some("a")),
            utt("\u{e9}", Some("\u{e9}")),
        ],
        &[],
    )
    .unwrap();
    assert_eq!(written.names(), ["spk2utt", "text", "utt2spk"]);
    assert_eq!(
        written.file("utt2spk"),
        "a-1 a\na_1 a\nb-2 b\n\u{e9} \u{e9}\n"
    );
    assert_eq!(written.file("spk2utt"), "a a-1 a_1\nb b-2\n\u{e9} \u{e9}\n");
    assert_eq!(
        written.file("text"),
        "a-1 A-1\na_1 A_1\nb-2 B-2\n\u{e9} \u{c9}\n"
    );
    assert!(written.warnings.is_empty(), "{:?}", written.warnings);
}

#[test]
fn who_has_no_speaker_is_its_own() {
    let written = write(&[utt("x", None), utt("y-1", Some("y"))], &[]).unwrap();
    assert_eq!(written.file("utt2spk"), "x x\ny-1 y\n");
    assert_eq!(
        written.warnings,
        ["out: 1 of 2 utterances have no speaker: each is its own"]
    );
}

#[test]
fn speakers_out_of_order_are_told() {
    let written = write(
        &[utt("ann_x", Some("ann")), utt("ann1_y", Some("ann1"))],
        &[],
    )
    .unwrap();
    assert_eq!(written.file("utt2spk"), "ann1_y ann1\nann_x ann\n");
    assert_eq!(written.file("spk2utt"), "ann ann_x\nann1 ann1_y\n");
    assert!(
        written.warnings[0].contains("speaker ann comes after ann1"),
        "{:?}",
        written.warnings
    );
}

#[test]
fn stretches_have_recordings() {
    let mut named = stretch("a", "x/one.wav", "0.45", "0.80");
    named.meta.recording = Some("rec".into());
    let utts = [
        named,
        stretch("b", "x/two.wav", "0", "1.5"),
        stretch("c", "y/two.wav", "0.5", ""),
        stretch("d", "x/two.wav", "2", "2.05"),
    ];
    let written = write(&utts, &[]).unwrap();
    assert_eq!(
        written.file("segments"),
        "a rec 0.45 0.80\nb two 0 1.5\nc two-2 0.5 -1\nd two 2 2.05\n"
    );
    assert_eq!(
        written.file("wav.scp"),
        "rec x/one.wav\ntwo x/two.wav\ntwo-2 y/two.wav\n"
    );
    assert!(!written.names().contains(&"utt2dur".to_owned()));
    let about: Vec<_> = written.warnings.iter().map(|w| &w[..27]).collect();
    assert_eq!(
        about,
        ["out/segments: utterance c: ", "out/segments: utterance d: "]
    );
    let mut other = stretch("e", "z/three.wav", "0", "1");
    other.meta.recording = Some("rec".into());
    let error = write(&[utts[0].clone(), other], &[]).err().unwrap();
    assert!(
        error
            .to_string()
            .contains("the recording rec was another one before"),
        "{error}"
    );
}

#[test]
fn whole_recordings_need_no_segments() {
    let mut whole = stretch("a", "one.wav", "", "");
    if let Some(Audio::Reference(sound)) = &mut whole.audio {
        sound.recording.duration = Decimal::parse("1.5");
    }
    let mut command = utt("b", Some("s"));
    command.audio = Some(Audio::Reference(AudioReference::new(Locator::Command(
        "cat b.wav".into(),
    ))));
    let written = write(&[whole.clone(), command], &[]).unwrap();
    assert_eq!(written.file("wav.scp"), "a one.wav\nb cat b.wav |\n");
    assert_eq!(written.names(), ["spk2utt", "text", "utt2spk", "wav.scp"]);
    let written = write(&[whole], &[]).unwrap();
    assert_eq!(
        (written.file("utt2dur"), written.file("reco2dur")),
        ("a 1.5\n".into(), "a 1.5\n".into())
    );
}

#[test]
fn numbers_and_samples_stand_in_the_directory() {
    let utts = [
        features(samples(utt("b", Some("b"))), 2),
        features(samples(utt("a", Some("a"))), 3),
    ];
    for (paths, folder) in [("found", "out/"), ("relative", "")] {
        let written = write(&utts, &[("paths", paths)]).unwrap();
        let wav = format!("a {folder}wav/a.wav\nb {folder}wav/b.wav\n");
        assert_eq!(written.file("wav.scp"), wav);
        let scp = written.file("feats.scp");
        assert_eq!(
            scp,
            format!("a {folder}data/feats.ark:27\nb {folder}data/feats.ark:2\n")
        );
        assert_eq!(written.file("utt2num_frames"), "a 3\nb 2\n");
        assert_eq!(written.file("utt2dur"), "a 0.0005\nb 0.0005\n");
        assert!(
            written
                .store
                .get("out/wav/a.wav")
                .unwrap()
                .starts_with(b"RIFF")
        );
    }
}

#[test]
fn tables_of_some_are_named_losses_or_stand_apart() {
    let mut one = utt("a", Some("s"));
    one.meta.language = Some("nl".into());
    one.meta.gender = Some("male".into());
    one.meta.tags = vec![
        Tag::new("kaldi-data", "utt2uniq", "a-0"),
        Tag::new("kaldi-data", "utt2category", "CLEAN"),
    ];
    let two = utt("b", Some("t"));
    let written = write(&[one.clone(), two], &[]).unwrap();
    assert_eq!(
        written.names(),
        ["spk2utt", "text", "utt2category", "utt2gender", "utt2spk"]
    );
    assert_eq!(written.lost, [(LossKind::Metadata, 1)]);
    let written = write(&[one], &[]).unwrap();
    assert_eq!(written.file("spk2gender"), "s m\n");
    assert_eq!(written.file("utt2lang"), "a nl\n");
    assert_eq!(written.file("utt2uniq"), "a a-0\n");
    assert!(written.lost.is_empty());
}

#[test]
fn what_no_directory_holds_is_refused() {
    let with = |change: fn(&mut Utterance)| {
        let mut other = utt("b", Some("b"));
        change(&mut other);
        other
    };
    let first = || features(utt("a", Some("a")), 1);
    for (utts, fault) in [
        (
            vec![with(|u| u.text = Some(b"a <s> b".to_vec()))],
            "the text has <s>",
        ),
        (
            vec![with(|u| u.text = Some(b"a\nb".to_vec()))],
            "the text holds \\n",
        ),
        (
            vec![with(|u| u.meta.speaker = Some("Ann B".into()))],
            "the speaker 'Ann B' is not one word",
        ),
        (
            vec![with(|u| u.key = "a b".into())],
            "the key holds byte 0x20",
        ),
        (
            vec![first(), utt("b", None)],
            "has no features, unlike the utterances before it",
        ),
        (
            vec![utt("a", None), features(utt("b", None), 1)],
            "has features, unlike",
        ),
        (
            vec![
                utt("a", None),
                with(|u| u.meta.frame_shift = Decimal::parse("0.01")),
            ],
            "a frame shift of 0.01 s, the utterances before it no frame shift",
        ),
        (
            vec![utt("a", None), stretch("b", "b.wav", "", "")],
            "has sound, unlike",
        ),
        (
            vec![stretch("b", " b.wav", "", "")],
            "could not read the file called",
        ),
        (
            vec![samples(utt("../b", None))],
            "can't be the name of a sound file",
        ),
        (vec![utt("a", None), utt("a", None)], "comes twice"),
    ] {
        let error = write(&utts, &[])
            .err()
            .unwrap_or_else(|| panic!("no error: {fault}"));
        assert!(error.to_string().contains(fault), "{fault}: {error}");
    }
}

#[test]
fn values_that_break_the_rules_of_their_tables_are_losses() {
    for (name, good, bad) in [
        ("utt2uniq", "x", "a\nb"),
        ("utt2uniq", "x", "a b"),
        ("utt2dur", "0.5", "0"),
        ("utt2warp", "1", "9"),
        ("spk2warp", "1", "x"),
        ("spk2sid", "1", "1 2"),
        ("reco2dur", "1", "-1"),
        ("reco2file_and_channel", "r A", "r C"),
    ] {
        let [mut one, mut two] =
            ["a", "b"].map(|key| stretch(key, &format!("{key}.wav"), "0", "1"));
        one.meta.tags = vec![Tag::new("kaldi-data", name, good)];
        two.meta.tags = vec![Tag::new("kaldi-data", name, bad)];
        let written = write(&[one, two], &[]).unwrap();
        assert_eq!(written.file("utt2spk"), "a s\nb s\n", "{name}");
        assert_eq!(written.lost.len(), 1, "{name}: {:?}", written.lost);
        let is_there = written.names().contains(&name.to_owned());
        assert_eq!(is_there, name == "utt2dur", "{name}");
    }
    let mut one = utt("a", Some("s"));
    (one.meta.gender, one.meta.language) = (Some("not m".into()), Some("x y".into()));
    let written = write(&[one], &[]).unwrap();
    assert_eq!(written.names(), ["spk2utt", "text", "utt2spk"]);
    assert_eq!(written.lost, [(LossKind::Metadata, 1)]);
}

#[test]
fn blanks_that_no_table_keeps_are_refused() {
    let mut none = utt("b", Some("b"));
    none.text = None;
    none.meta.tags = vec![Tag::new("kaldi-data", "utt2uniq", "b-0")];
    let with_text = |text: &str| {
        let mut one = features(utt("a", Some("a")), 1);
        one.text = Some(text.into());
        write(&[one, features(none.clone(), 1)], &[])
    };
    for text in ["ONE\u{a0}TWO", "ONE TWO ", " ONE"] {
        let error = with_text(text).err().unwrap().to_string();
        assert!(error.contains("blanks in the text"), "{text:?}: {error}");
    }
    let written = with_text("ONE TWO").unwrap();
    assert_eq!(written.file("text"), "a ONE TWO\nb\n");
    assert_eq!(written.warnings.len(), 1, "{:?}", written.warnings);
}

#[test]
fn what_is_written_reads_as_it_was() {
    let files = [
        ("utt2spk", "a-1 a\na-2 a\nb-1 b\n"),
        ("text", "a-1 ONE\na-2\nb-1 TWO THREE\n"),
        ("wav.scp", "rec1 one.wav\nrec2 cat two.wav |\n"),
        (
            "segments",
            "a-1 rec1 0.0 0.50\na-2 rec1 0.5 1\nb-1 rec2 0.1 0.7\n",
        ),
        ("spk2gender", "a f\nb m\n"),
        ("utt2lang", "a-1 nl\na-2 nl\nb-1 de\n"),
        ("utt2uniq", "a-1 x-1\na-2 x-2\nb-1 b-1\n"),
        ("utt2dur", "a-1 0.5\na-2 0.495\nb-1 0.6\n"),
        ("reco2dur", "rec1 1.5\nrec2 3.1\n"),
        ("reco2file_and_channel", "rec1 r A\nrec2 r B\n"),
        ("spk2warp", "a 0.9\nb 1.1\n"),
    ];
    let utts = read(&files, Request::all(), &[]).unwrap().utts();
    let written = write(&utts, &[]).unwrap();
    for (name, text) in files {
        assert_eq!(written.file(name), text, "{name}");
    }
    assert_eq!(written.file("spk2utt"), "a a-1 a-2\nb b-1\n");
    assert!(written.lost.is_empty() && written.warnings.is_empty());
}
