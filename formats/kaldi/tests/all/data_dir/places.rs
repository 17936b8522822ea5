//! Directories that are written: names of files, recordings, and values that are one line for several
//! utterances.

use spr_core::bytes::{Env, Locator, MemoryStore, Source};
use spr_core::format::{Format, Medium, Options, Probe, Request, Score};
use spr_core::loss::LossKind;
use spr_core::model::{
    About, Audio, AudioReference, Decimal, EncodedAudio, RecordingFacts, Tag, Utterance,
};
use spr_format_kaldi::DATA;

use super::writing::{features, stretch, utt, write};

/// Returns an utterance with the whole sound at a place.
fn sound(key: &str, at: Locator) -> Utterance {
    let mut utt = utt(key, Some("s"));
    utt.audio = Some(Audio::Reference(AudioReference::new(at)));
    utt
}

fn refused(utts: &[Utterance], options: &[(&str, &str)]) -> String {
    let error = write(utts, options).err().unwrap();
    error.to_string()
}

#[test]
fn files_are_named_as_the_option_says() {
    let utts = [
        sound("a", Locator::file("wav/one.wav")),
        sound("b", Locator::file("wav/two.wav")),
        sound("c", Locator::file("out/three.wav")),
        sound("d", Locator::FileAt("ark/z.ark".into(), 12)),
        sound("e", Locator::Command(" cat wav/x.wav ".into())),
    ];
    for (paths, want) in [
        (
            "found",
            "a wav/one.wav\nb wav/two.wav\nc out/three.wav\nd ark/z.ark:12\ne cat wav/x.wav |\n",
        ),
        (
            "relative",
            "a ../wav/one.wav\nb ../wav/two.wav\nc three.wav\nd ../ark/z.ark:12\ne cat wav/x.wav |\n",
        ),
    ] {
        let written = write(&utts, &[("paths", paths)]).unwrap();
        assert_eq!(written.file("wav.scp"), want, "{paths}");
    }
    let error = refused(&utts, &[("paths", "near")]);
    assert!(error.contains("paths"), "{error}");
}

#[test]
fn places_without_a_name_are_refused() {
    for (at, told) in [
        (
            Locator::file("~/x.wav"),
            "Kaldi could not read the file called '~/x.wav'",
        ),
        (
            Locator::file("a\nb.wav"),
            "Kaldi could not read the file called 'a\\nb.wav'",
        ),
        (
            Locator::file("x.wav|"),
            "Kaldi could not read the file called 'x.wav|'",
        ),
    ] {
        let error = refused(&[sound("a", at)], &[]);
        assert!(error.contains(told), "{error}");
    }
}

#[test]
fn sound_of_other_formats_is_doubted() {
    let utts = [
        sound("a", Locator::file("x.FLAC")),
        sound("b", Locator::file("x.wav")),
    ];
    let told = "x.FLAC: is flac, and Kaldi reads WAV files alone, or what a command makes of it";
    assert_eq!(write(&utts, &[]).unwrap().warnings, [told]);
    let command = sound("a", Locator::Command("flac -cd x.flac".into()));
    assert_eq!(write(&[command], &[]).unwrap().warnings, [""; 0]);
}

#[test]
fn sound_files_are_kept_as_they_are() {
    let mut utt = utt("a", Some("s"));
    let facts = RecordingFacts {
        rate: Some(8000),
        samples: Some(2000),
        ..RecordingFacts::default()
    };
    let bytes = b"RIFF, as it was".to_vec();
    utt.audio = Some(Audio::Encoded(EncodedAudio {
        format: "wav".to_owned(),
        bytes,
        facts,
    }));
    let written = write(&[utt], &[]).unwrap();
    assert_eq!(written.file("wav/a.wav"), "RIFF, as it was");
    assert_eq!(written.file("wav.scp"), "a out/wav/a.wav\n");
    assert_eq!(written.file("utt2dur"), "a 0.25\n");
}

#[test]
fn recordings_are_in_one_place() {
    let mut one = stretch("b", "y.wav", "0", "1");
    one.meta.recording = Some("a".into());
    let error = refused(&[sound("a", Locator::file("x.wav")), one.clone()], &[]);
    assert!(
        error.contains("recording") && error.contains('a'),
        "{error}"
    );
    // A recording without sound has no line, nor has the place in it.
    let mut lost = utt("a", Some("s"));
    lost.meta.recording = Some("r".into());
    lost.meta.channel = Some("2".into());
    lost.meta.start = Some(Decimal::ZERO);
    let written = write(&[lost], &[]).unwrap();
    assert_eq!(written.names(), ["spk2utt", "text", "utt2spk"]);
    assert_eq!(written.lost, [(LossKind::Metadata, 1)]);
    let mut channel = one;
    if let Some(Audio::Reference(sound)) = &mut channel.audio {
        sound.channel = Some(1);
    }
    let written = write(&[channel], &[]).unwrap();
    assert_eq!(written.file("segments"), "b a 0 1 1\n");
    let told = "out/segments: utterance b: has the number of a channel, which validate_data_dir.sh refuses";
    assert_eq!(written.warnings, [told]);
}

#[test]
fn speakers_and_recordings_have_one_value_in_a_table() {
    let with = |mut utt: Utterance, table: &str, value: &str| {
        utt.meta.tags.push(Tag::new("kaldi-data", table, value));
        utt
    };
    let warped = |key, value| with(utt(key, Some("s")), "spk2warp", value);
    let lasting = |key, value| with(stretch(key, "r.wav", "0", "1"), "reco2dur", value);
    let gendered = |key, gender: &str| {
        let mut utt = utt(key, Some("s"));
        utt.meta.gender = Some(gender.into());
        utt
    };
    for (same, other, told) in [
        (
            [warped("a", "0.9"), warped("b", "0.9")],
            warped("c", "1.1"),
            "out/spk2warp: speaker s has the values '0.9' and '1.1'",
        ),
        (
            [lasting("a", "3"), lasting("b", "3")],
            lasting("c", "3.5"),
            "out/reco2dur: recording r has the values '3' and '3.5'",
        ),
        (
            [gendered("a", "f"), gendered("b", "female")],
            gendered("c", "m"),
            "out/spk2gender: speaker s has the values 'f' and 'm'",
        ),
    ] {
        let written = write(&same, &[]).unwrap();
        let (table, values) = told.strip_prefix("out/").unwrap().split_once(": ").unwrap();
        let lines = written.file(table);
        assert_eq!(lines.lines().count(), 1, "{table}: {lines}, not {values}");
        let [one, two] = same;
        assert_eq!(refused(&[one, two, other], &[]), told);
    }
}

#[test]
fn directories_of_few_fields() {
    let none = write(&[], &[]).unwrap();
    assert_eq!(none.names(), ["spk2utt", "utt2spk"]);
    assert_eq!(
        (none.file("utt2spk"), none.file("spk2utt")),
        (String::new(), String::new())
    );
    let mut shifted = features(utt("a", Some("s")), 2);
    shifted.meta.frame_shift = Decimal::parse("0.0125");
    let written = write(&[shifted], &[]).unwrap();
    assert_eq!(written.file("frame_shift"), "0.0125\n");
    assert_eq!(written.file("utt2num_frames"), "a 2\n");
}

#[test]
fn a_directory_is_no_file() {
    let env = Env::default().with_store(std::sync::Arc::new(MemoryStore::new()));
    let options = Options::default();
    let told = "x: a Kaldi data directory is a folder, and this is none";
    let output = env.output(&Locator::file("x"));
    let written = DATA
        .create(output, &options, &About::default(), &env)
        .err()
        .unwrap();
    assert_eq!(written.to_string(), told);
    let source = Source::from_bytes("x", b"a a\n".to_vec()).unwrap();
    let read = DATA
        .open(source, &options, &mut Request::all(), &env)
        .err()
        .unwrap();
    assert_eq!(read.to_string(), told);
    let head = Probe {
        head: b"a a\n",
        whole: true,
        len: None,
        path: None,
    };
    assert_eq!(DATA.probe(&head), Score::No);
    let odd = Options::new(DATA.info(), [("paths", "near")]).unwrap();
    assert!(DATA.caps(&odd, Medium::File).is_err());
}
