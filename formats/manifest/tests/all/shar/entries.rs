//! Folders made entry by entry: arrays of other forms, and cuts that their entries contradict.

use spr_core::bytes::{Env, Locator, MemoryStore, Part, Source};
use spr_core::format::{Format, Medium, Options, Probe, Request, Score};
use spr_core::model::{Audio, Key, Matrix, Rank, Tag, Utterance, Waveform};
use spr_format_manifest::SHAR;
use spr_syntax::lilcom::Encoder;
use spr_syntax::tar::TarWriter;
use spr_testkit::damaged::with_member_kind;
use spr_testkit::generate;

use super::{plain, read_all, surroundings, write};
use crate::common::{file_of, rows};

/// The members of a tar file.
type Members<'a> = &'a [(&'a str, Vec<u8>)];

/// A shard of cuts, and the members of its tar files by their fields.
struct Shard<'a> {
    cuts: &'a [String],
    tars: &'a [(&'a str, Members<'a>)],
}

/// Returns a tar file.
fn tar(members: Members<'_>, store: &MemoryStore, env: &Env) -> Vec<u8> {
    let env = env.clone().with_store(env.store().clone());
    let output = env.output(&Locator::file("made.tar"));
    let mut writer = TarWriter::new(output.create(Part::Main, false).unwrap());
    for (name, data) in members {
        writer.append(name.as_bytes(), data).unwrap();
    }
    writer.finish().unwrap();
    output.commit().unwrap();
    store.remove("made.tar").unwrap()
}

/// Reads a shard, and returns the keys and the errors.
fn read(shard: &Shard<'_>, pairs: &[(&str, &str)]) -> (Vec<Utterance>, Vec<String>) {
    let (store, env) = surroundings();
    let cuts = shard.cuts.join("\n") + "\n";
    store.insert("d/cuts.000000.jsonl", cuts.into_bytes());
    for (field, members) in shard.tars {
        let bytes = tar(members, &store, &env);
        store.insert(format!("d/{field}.000000.tar"), bytes);
    }
    match read_all(Request::all(), pairs, &env) {
        Ok((utts, errors)) => (utts, errors.iter().map(ToString::to_string).collect()),
        Err(error) => (Vec::new(), vec![error.to_string()]),
    }
}

/// A cut of 0.12 s with more fields.
fn cut(more: &str) -> String {
    format!(
        r#"{{"id": "c", "start": 0, "duration": 0.12, "channel": 0, "supervisions": [], "type": "MonoCut"{more}}}"#
    )
}

/// The description of features of 12 frames of two columns.
fn described(shift: &str) -> String {
    format!(
        r#"{{"type": "fbank", "num_frames": 12, "num_features": 2, "frame_shift": {shift}, "sampling_rate": 8000, "start": 0, "duration": 0.12, "storage_type": "shar", "storage_path": "", "storage_key": "", "recording_id": "c", "channels": 0}}"#
    )
}

fn npy(matrix: Matrix) -> Vec<u8> {
    file_of(&spr_format_numpy::FORMAT, &[], "a", matrix)
}

fn labels(n: i32) -> Vec<u8> {
    let values: Vec<i32> = (0..n).collect();
    npy(Matrix::from_rows(&values, 1, Rank::Vector).unwrap())
}

const LABELS: &str = r#"{"array": {"storage_type": "shar", "storage_path": "", "storage_key": "", "shape": [12]}, "temporal_dim": 0, "frame_shift": 0.02, "start": 0}"#;
const ARRAY: &str =
    r#"{"storage_type": "shar", "storage_path": "", "storage_key": "", "shape": [12, 2]}"#;

#[test]
fn arrays_that_are_not_as_said_are_named() {
    let encoder = Encoder::new(-5, false).unwrap();
    let (mut lilcom, _) = encoder
        .encode(rows(12, 2).values::<f32>().unwrap(), &[12, 2])
        .unwrap();
    lilcom.push(0);
    let vector = npy(Matrix::from_rows(&[1f32; 12], 1, Rank::Vector).unwrap());
    let features = || described("0.01");
    let sources = r#"{"id": "c", "sources": [], "sampling_rate": 8000}"#.to_owned();
    for (field, name, data, meta, message) in [
        (
            "features",
            "c.bin",
            Vec::new(),
            features(),
            "an array in a file .bin, expected .npy or .llc",
        ),
        (
            "features",
            "c.npy",
            vector,
            features(),
            "features of 1 axes, expected frames and columns",
        ),
        (
            "features",
            "c.npy",
            npy(rows(12, 3)),
            features(),
            "features of 3 columns, said to be 2",
        ),
        (
            "features",
            "c.npy",
            npy(rows(13, 2)),
            features(),
            "features of 13 frames, said to be 12",
        ),
        (
            "features",
            "c.llc",
            lilcom,
            features(),
            "the file goes on after the last value",
        ),
        (
            "emb",
            "c.npy",
            npy(rows(12, 3)),
            ARRAY.to_owned(),
            "an array of [12, 3], said to be [12, 2]",
        ),
        (
            "emb",
            "c.npy",
            npy(rows(12, 2)),
            features(),
            "the field emb has features, of which an utterance has one",
        ),
        (
            "emb",
            "c.wav",
            Vec::new(),
            sources,
            "the field emb has sound, of which an utterance has one",
        ),
    ] {
        let members = [(name, data), ("c.json", meta.into_bytes())];
        let shard = Shard {
            cuts: &[cut("")],
            tars: &[(field, &members)],
        };
        let (utts, errors) = read(&shard, &[]);
        assert!(
            utts.is_empty() && errors.len() == 1,
            "{message}: {errors:?}"
        );
        assert!(errors[0].contains(message), "{message}: {errors:?}");
    }
}

#[test]
fn entries_must_be_those_that_the_cut_says() {
    let none = || vec![("c.nodata", Vec::new()), ("c.nometa", Vec::new())];
    let custom = |value: &str| cut(&format!(", \"custom\": {{\"emb\": {value}}}"));
    // Nothing is there, and the cut says so or says something else.
    let tars = none();
    let shard = |cut: String| {
        read(
            &Shard {
                cuts: &[cut],
                tars: &[("emb", &tars)],
            },
            &[],
        )
    };
    let (utts, errors) = shard(cut(""));
    assert_eq!((utts.len(), errors), (1, Vec::new()));
    let (_, errors) = shard(custom(ARRAY));
    assert!(
        errors[0].contains("has no data, but the cut says that there are some"),
        "{errors:?}"
    );
    let (utts, errors) = shard(custom("5"));
    assert_eq!(errors, [""; 0]);
    assert_eq!(utts[0].meta.tags, [Tag::new("manifest", "emb", "5")]);
    // Of an array inside another description.
    let members = [
        ("c.npy", labels(12)),
        ("c.json", LABELS.as_bytes().to_vec()),
    ];
    for (told, message) in [
        ("[12]", None),
        ("[13]", Some("shape is [13] here, [12] in d/emb.000000.tar")),
    ] {
        let line = custom(&LABELS.replace("[12]", told));
        let shard = Shard {
            cuts: &[line],
            tars: &[("emb", &members)],
        };
        let (utts, errors) = read(&shard, &[]);
        assert_eq!(utts.len(), usize::from(message.is_none()));
        assert!(
            errors
                .iter()
                .all(|error| message.is_some_and(|m| error.contains(m))),
            "{errors:?}"
        );
    }
    // Values of lines are those of the cut.
    for (value, is_same) in [("[1, 2]", true), ("[1,2]", true), ("[1, 3]", false)] {
        let (store, env) = surroundings();
        store.insert(
            "d/cuts.000000.jsonl",
            (custom("[1, 2]") + "\n").into_bytes(),
        );
        store.insert(
            "d/emb.000000.jsonl",
            format!("{{\"cut_id\": \"c\", \"emb\": {value}}}\n").into_bytes(),
        );
        let (utts, errors) = read_all(Request::all(), &[], &env).unwrap();
        assert_eq!(utts.len(), usize::from(is_same), "{errors:?}");
        let message = "emb is another value here than in d/emb.000000.jsonl";
        assert!(
            errors
                .iter()
                .all(|error| error.to_string().contains(message)),
            "{errors:?}"
        );
    }
}

#[test]
fn labels_and_features_have_one_frame_shift() {
    let members = [
        ("c.npy", labels(12)),
        ("c.json", LABELS.as_bytes().to_vec()),
    ];
    let features = [
        ("c.npy", npy(rows(12, 2))),
        ("c.json", described("0.01").into_bytes()),
    ];
    let shard = Shard {
        cuts: &[cut("")],
        tars: &[("features", &features), ("labels", &members)],
    };
    let (_, errors) = read(&shard, &[]);
    assert!(
        errors[0].contains("labels every 0.02 s, features every 0.01 s"),
        "{errors:?}"
    );
    let (utts, errors) = read(&shard, &[("labels", "none")]);
    assert_eq!((utts[0].arrays.len(), errors), (1, Vec::new()));
    // Numbers that are no integers, or of more axes, are arrays.
    let floats = npy(Matrix::from_rows(&[0.5f32; 12], 1, Rank::Vector).unwrap());
    let members = [("c.npy", floats), ("c.json", LABELS.as_bytes().to_vec())];
    let shard = Shard {
        cuts: &[cut("")],
        tars: &[("labels", &members)],
    };
    let (utts, errors) = read(&shard, &[]);
    assert_eq!(
        (utts[0].labels.is_none(), utts[0].arrays.len(), errors),
        (true, 1, Vec::new())
    );
    let (_, errors) = read(&shard, &[("labels", "labels")]);
    assert!(
        errors[0].contains("labels are integers with a frame shift, this array is not"),
        "{errors:?}"
    );
}

#[test]
fn a_cut_of_several_supervisions_is_divided() {
    let said = |id: &str, start: &str| {
        format!(
            r#"{{"id": "{id}", "recording_id": "c", "start": {start}, "duration": 0.05, "channel": 0, "text": "of {id}"}}"#
        )
    };
    let line = cut("").replace(
        "\"supervisions\": []",
        &format!(
            "\"supervisions\": [{}, {}]",
            said("s", "0.01"),
            said("t", "0.06")
        ),
    );
    let features = [
        ("c.npy", npy(rows(12, 2))),
        ("c.json", described("0.01").into_bytes()),
    ];
    let told = LABELS.replace("0.02", "0.01");
    let members = [("c.npy", labels(12)), ("c.json", told.into_bytes())];
    let shard = Shard {
        cuts: std::slice::from_ref(&line),
        tars: &[("features", &features), ("labels", &members)],
    };
    let (utts, errors) = read(&shard, &[]);
    assert_eq!(errors, [""; 0]);
    let of = |n: usize| {
        let features = utts[n].features.as_ref().unwrap();
        let labels = utts[n].labels.as_ref().unwrap();
        let first: Vec<_> = features
            .values::<f32>()
            .unwrap()
            .iter()
            .step_by(2)
            .copied()
            .collect();
        (
            utts[n].key.to_string(),
            first,
            labels.values::<i32>().unwrap().to_vec(),
        )
    };
    assert_eq!(
        of(0),
        (
            "s".to_owned(),
            vec![1.0, 2.0, 3.0, 4.0, 5.0],
            vec![1, 2, 3, 4, 5]
        )
    );
    assert_eq!(
        of(1),
        (
            "t".to_owned(),
            vec![6.0, 7.0, 8.0, 9.0, 10.0],
            vec![6, 7, 8, 9, 10]
        )
    );
    // By nothing else could they be divided.
    let shard = Shard {
        cuts: std::slice::from_ref(&line),
        tars: &[("labels", &members)],
    };
    let (_, errors) = read(&shard, &[]);
    let message = "labels of several utterances without features, by which they would be divided";
    assert!(errors[0].contains(message), "{errors:?}");
    let array = [
        ("c.npy", npy(rows(12, 2))),
        ("c.json", ARRAY.as_bytes().to_vec()),
    ];
    let shard = Shard {
        cuts: &[line],
        tars: &[("emb", &array)],
    };
    let (_, errors) = read(&shard, &[]);
    assert!(
        errors[0].contains("the field emb is an array of several utterances"),
        "{errors:?}"
    );
}

#[test]
fn sound_is_as_its_description_says() {
    let wav = generate::encoded("wav", 4).bytes;
    let recording = |samples: u32, channels: &str| {
        format!(
            r#"{{"id": "c", "sources": [{{"type": "shar", "channels": {channels}, "source": ""}}], "sampling_rate": 8000, "num_samples": {samples}, "duration": {}, "channel_ids": {channels}}}"#,
            f64::from(samples) / 8000.0
        )
    };
    let shard = |meta: String, channel: &str| {
        let members = [
            ("c.wav", wav.clone()),
            ("c.json", meta.clone().into_bytes()),
        ];
        let line = format!(
            r#"{{"id": "c", "start": 0, "duration": 0.000625, "channel": {channel}, "supervisions": [], "recording": {meta}, "type": "MultiCut"}}"#
        );
        read(
            &Shard {
                cuts: &[line],
                tars: &[("recording", &members)],
            },
            &[],
        )
    };
    let (utts, errors) = shard(recording(5, "[0]"), "0");
    assert_eq!((utts[0].meta.channel.is_none(), errors), (true, Vec::new()));
    let (_, errors) = shard(recording(6, "[0]"), "0");
    assert!(
        errors[0].contains("num_samples is said to be 6, the sound has 5"),
        "{errors:?}"
    );
    let (_, errors) = shard(recording(5, "[0, 1]"), "[0, 1]");
    assert!(
        errors[0].contains("channels is said to be 2, the sound has 1"),
        "{errors:?}"
    );
    // Channels of other numbers are told.
    let (utts, errors) = shard(recording(5, "[3]"), "3");
    assert_eq!(
        (&utts[0].meta.channel, errors),
        (&Some(Key::from("3")), Vec::new())
    );
}

#[test]
fn a_member_that_is_no_file_is_named() {
    let (store, env) = surroundings();
    write(&[plain("a", 1), plain("b", 2)], &[("sound", "wav")], &env).unwrap();
    let at = "d/recording.000000.tar";
    let bytes = store.remove(at).unwrap();
    store.insert(at, with_member_kind(bytes, 0, b'2'));
    let (utts, errors) = read_all(Request::all(), &[], &env).unwrap();
    assert_eq!(utts.len(), 1);
    assert!(
        errors[0].to_string().contains("a member that is no file"),
        "{errors:?}"
    );
}

#[test]
fn only_a_folder_is_a_shar() {
    let (store, env) = surroundings();
    store.insert("d/recording.000000.tar", Vec::new());
    let error = read_all(Request::all(), &[], &env).unwrap_err();
    assert_eq!(
        error.to_string(),
        "d: has no cuts.000000.jsonl.gz, but other files of that shard or field"
    );
    store.remove("d/recording.000000.tar");
    store.insert("d/README", Vec::new());
    let error = read_all(Request::all(), &[], &env).unwrap_err();
    assert_eq!(error.to_string(), "d: has no cuts.000000.jsonl.gz in it");
    let source = Source::from_bytes("cuts.jsonl", Vec::new()).unwrap();
    let opened = Request::all().open(&SHAR, source, &Options::default(), &env);
    let error = opened.map(|_| ()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "cuts.jsonl: is a file, a Shar is a folder with cuts.000000.jsonl.gz in it"
    );
    let output = env.output(&Locator::file("x.tar"));
    let created = SHAR.create(output, &Options::default(), &Default::default(), &env);
    assert_eq!(
        created.map(|_| ()).unwrap_err().to_string(),
        "x.tar: a Shar is a folder"
    );
    let probe = Probe {
        head: b"{}",
        whole: true,
        len: None,
        path: None,
    };
    assert_eq!(SHAR.probe(&probe), Score::No);
    let fast = Utterance {
        audio: Some(Audio::Samples(Waveform {
            rate: 192_000,
            samples: Matrix::from_rows(&[1i16, 2], 1, Rank::Matrix).unwrap(),
        })),
        ..plain("a", 1)
    };
    let caps = |pairs: &[(&str, &str)]| {
        SHAR.caps(&super::options(pairs), Medium::Folder)
            .unwrap()
            .check(&fast)
    };
    let error = caps(&[]).unwrap_err().to_string();
    assert!(
        error.contains("has 192000 samples a second, which FLAC is not written with"),
        "{error}"
    );
    assert!(caps(&[("sound", "wav")]).is_ok());
}

#[test]
fn what_no_file_of_the_folder_holds_is_told() {
    let whole = crate::lhotse::recording("r");
    let placeholder = whole.replace("\"file\"", "\"shar\"");
    let features = described("0.01");
    for (more, duration, told, at) in [
        (
            format!(", \"recording\": {whole}"),
            "2.0",
            None,
            Some("r.wav"),
        ),
        (
            format!(", \"recording\": {whole}"),
            "0.5",
            Some(
                "the field recording is outside the folder, which does not say where cuts start in it, and is left out",
            ),
            None,
        ),
        (
            format!(", \"recording\": {placeholder}"),
            "2.0",
            Some("the field recording has no file in the folder, and is left out"),
            None,
        ),
        (
            format!(", \"features\": {features}"),
            "0.12",
            Some("the field features has no file in the folder, and is left out"),
            None,
        ),
        (
            format!(", \"custom\": {{\"emb\": {ARRAY}, \"snr\": 1}}"),
            "0.12",
            Some("the field emb has no file in the folder, and is left out"),
            None,
        ),
    ] {
        let (store, env) = surroundings();
        let line = cut(&more).replacen("0.12", duration, 1);
        store.insert(
            "d/cuts.000000.jsonl",
            (line.clone() + "\n" + &line.replacen("\"c\"", "\"e\"", 1) + "\n").into_bytes(),
        );
        let found = crate::common::read_folder(&SHAR, "d", Request::all(), &env);
        // Of two cuts, it is told once.
        let told: Vec<_> = told.iter().map(|told| format!("d: {told}")).collect();
        assert_eq!(found.warnings, told);
        let utts = found.whole();
        assert_eq!((utts.len(), utts[0].features.is_none()), (2, true));
        let place = utts[0].audio.as_ref().and_then(Audio::reference);
        assert_eq!(place.map(|place| place.at.to_string()).as_deref(), at);
        let tags = utts[0]
            .meta
            .tags
            .iter()
            .filter(|tag| tag.format == "manifest");
        assert_eq!(tags.count(), usize::from(more.contains("snr")));
    }
}
