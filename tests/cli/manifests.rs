//! Manifests: NeMo's, Lhotse's, and AudioFolders, from Kaldi's data directories and back.

use std::fs;

use crate::{Scratch, sample};

/// The tables of a data directory whose sound is at these places.
pub(crate) fn data(s: &Scratch, places: [&str; 2]) {
    for (name, text) in [
        (
            "wav.scp",
            format!("rec1 {}\nrec2 {}\n", places[0], places[1]),
        ),
        (
            "segments",
            "ann-1 rec1 0.0 0.4\nann-2 rec1 0.45 0.8\nbob-1 rec2 0.1 0.5\n".to_owned(),
        ),
        (
            "text",
            "ann-1 ONE TWO\nann-2 \u{dc}BER\nbob-1 THREE\n".to_owned(),
        ),
        ("utt2spk", "ann-1 ann\nann-2 ann\nbob-1 bob\n".to_owned()),
        ("spk2utt", "ann ann-1 ann-2\nbob bob-1\n".to_owned()),
        ("spk2gender", "ann f\nbob m\n".to_owned()),
        ("utt2lang", "ann-1 xx\nann-2 xx\nbob-1 xx\n".to_owned()),
        ("utt2uniq", "ann-1 u1\nann-2 u1\nbob-1 u2\n".to_owned()),
    ] {
        s.write(&format!("data/{name}"), text);
    }
}

/// Two recordings of speech, from the samples.
pub(crate) fn sounds(s: &Scratch) {
    let folder = sample("").replace("kaldi/", "wav/");
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    files.sort();
    for (from, to) in files.iter().zip(["audio/rec1.wav", "audio/rec2.wav"]) {
        s.write(to, fs::read(from).unwrap());
    }
}

/// The tables of the data directory are those of another, but for what another program derives.
fn same_tables(s: &Scratch, other: &str) {
    for name in [
        "segments",
        "text",
        "utt2spk",
        "spk2utt",
        "spk2gender",
        "utt2lang",
        "utt2uniq",
        "wav.scp",
    ] {
        let tables = [format!("data/{name}"), format!("{other}/{name}")];
        let [want, got] = tables.map(|name| String::from_utf8(s.read(&name)).unwrap());
        assert_eq!(want, got, "{other}/{name}");
    }
}

#[test]
fn a_data_directory_is_a_nemo_manifest_and_back_with_no_sound_opened() {
    let s = Scratch::new();
    // There is none, so that whoever opened it would fail.
    data(&s, ["nowhere/rec1.wav", "nowhere/rec2.wav"]);
    let said = s.ok("data nemo:train.json");
    assert!(!said.err.contains("not kept"), "{}", said.err);
    let text = String::from_utf8(s.read("train.json")).unwrap();
    let first = concat!(
        r#"{"audio_filepath": "nowhere/rec1.wav", "offset": 0.0, "duration": 0.4, "text": "ONE TWO", "#,
        r#""lang": "xx", "speaker": "ann", "gender": "f", "recording_id": "rec1", "utt_id": "ann-1", "#,
        r#""kaldi-data:utt2uniq": "u1"}"#
    );
    assert_eq!(text.lines().next(), Some(first));
    s.ok("train.json kaldi-data:back");
    same_tables(&s, "back");
    s.ok("train.json again.json");
    assert_eq!(s.read("again.json"), s.read("train.json"));
}

#[test]
fn a_data_directory_is_lhotse_manifests_and_back() {
    let s = Scratch::new();
    sounds(&s);
    data(&s, ["audio/rec1.wav", "audio/rec2.wav"]);
    for target in ["lhotse:folder", "lhotse:cuts.jsonl.gz", "lhotse:cuts.jsonl"] {
        let said = s.ok(&format!("data {target} --overwrite"));
        assert!(!said.err.contains("not kept"), "{}", said.err);
        s.ok(&format!("{target} kaldi-data:back --overwrite"));
        same_tables(&s, "back");
    }
    // Without the sound, what is known of it is enough.
    fs::remove_dir_all(s.path("audio")).unwrap();
    s.ok("folder lhotse:again");
    for name in ["recordings.jsonl.gz", "supervisions.jsonl.gz"] {
        assert_eq!(
            s.read(&format!("again/{name}")),
            s.read(&format!("folder/{name}"))
        );
    }
    let error = s.fails("data lhotse:new");
    assert!(
        error.contains("audio/rec1.wav: utterance ann-1: cannot open"),
        "{error}"
    );
}

#[test]
fn a_data_directory_is_an_audiofolder_and_whole_files_are_copied() {
    let s = Scratch::new();
    sounds(&s);
    data(&s, ["audio/rec1.wav", "audio/rec2.wav"]);
    s.ok("data audiofolder:folder");
    s.ok("folder kaldi-data:back");
    for name in [
        "text",
        "utt2spk",
        "spk2utt",
        "spk2gender",
        "utt2lang",
        "utt2uniq",
    ] {
        assert_eq!(
            s.read(&format!("back/{name}")),
            s.read(&format!("data/{name}"))
        );
    }
    // A stretch of 0.4 s at 16 kHz, 16 bits each, behind 44 bytes.
    assert_eq!(s.read("folder/ann-1.wav").len(), 44 + 2 * 6400);
    fs::remove_file(s.path("data/segments")).unwrap();
    s.write(
        "data/wav.scp",
        "ann-1 audio/rec1.wav\nann-2 audio/rec2.wav\nbob-1 audio/rec1.wav\n",
    );
    s.ok("data audiofolder:whole");
    assert_eq!(s.read("whole/ann-2.wav"), s.read("audio/rec2.wav"));
}

#[test]
fn paths_lead_to_the_sound_from_anywhere() {
    let s = Scratch::new();
    sounds(&s);
    s.write(
        "a/b/x.json",
        "{\"audio_filepath\": \"../../audio/rec1.wav\", \"duration\": 1}\n",
    );
    fs::create_dir(s.path("out")).unwrap();
    let name = |file: &str| {
        let text = String::from_utf8(s.read(file)).unwrap();
        let line: serde_json::Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
        line["audio_filepath"].as_str().unwrap().to_owned()
    };
    s.ok("a/b/x.json out/usual.json");
    assert_eq!(name("out/usual.json"), "../audio/rec1.wav");
    s.ok("a/b/x.json here.json");
    assert_eq!(name("here.json"), "audio/rec1.wav");
    s.ok("a/b/x.json out/asis.json,paths=asis");
    assert_eq!(name("out/asis.json"), "audio/rec1.wav");
    s.ok("a/b/x.json out/absolute.json,paths=absolute");
    assert!(name("out/absolute.json").starts_with('/'));
    s.ok("out/absolute.json out/relative.json,paths=relative");
    assert_eq!(name("out/relative.json"), "../audio/rec1.wav");
    s.ok("out/usual.json wav.ark --allow-loss all");
    assert!(
        s.fails("a/b/x.json x.json,paths=short")
            .contains("not a valid value")
    );
}

#[test]
fn sound_of_commands_is_named_by_lhotse_alone_and_runs_only_if_allowed() {
    let s = Scratch::new();
    sounds(&s);
    let recording = r#"{"id": "r", "sources": [{"type": "command", "channels": [0], "source": "cat audio/rec1.wav"}], "sampling_rate": 16000, "num_samples": 6400, "duration": 0.4}"#;
    s.write("m/recordings.jsonl", format!("{recording}\n"));
    let error = s.fails("m/recordings.jsonl nemo:x.json");
    assert!(error.contains("comes from a command"), "{error}");
    let error = s.fails("m/recordings.jsonl wav:out/");
    assert!(error.contains("cat audio/rec1.wav"), "{error}");
    assert!(!s.path("out").exists());
    s.ok("m/recordings.jsonl wav:out/ --allow-pipes");
    assert!(s.path("out/r.wav").exists());
}

#[test]
fn faults_have_their_line_and_the_rest_goes_on() {
    let s = Scratch::new();
    s.write(
        "x.json",
        "{\"audio_filepath\": \"a.wav\", \"duration\": 1}\n\n{\"audio_filepath\": \"b.wav\"}\n\
         {\"audio_filepath\": \"c.wav\", \"duration\": 1}\n",
    );
    let error = s.fails("x.json y.json");
    assert!(
        error.contains("error: x.json:3: has no duration"),
        "{error}"
    );
    let said = s.run("x.json y.json --on-error skip");
    assert!(said.err.contains("2 utterances"), "{}", said.err);
    assert_eq!(
        String::from_utf8(s.read("y.json")).unwrap().lines().count(),
        2
    );
}

#[test]
fn a_folder_of_manifests_is_not_called_as_another_file() {
    let s = Scratch::new();
    s.write(
        "x.json",
        "{\"audio_filepath\": \"a.wav\", \"duration\": 1, \"sampling_rate\": 8000}\n",
    );
    let error = s.fails("x.json lhotse:out.ark");
    assert!(
        error.contains("ends with .ark, but a folder would be written"),
        "{error}"
    );
    s.write("both/a_cuts.jsonl", "");
    s.write("both/b_cuts.jsonl", "");
    let error = s.fails("both x.jsonl");
    assert!(
        error.contains("expected one manifest of cuts, found 2"),
        "{error}"
    );
}

/// The reader of Lhotse folders reads all frames that the writer writes.
#[test]
fn features_of_another_length_than_their_sound_are_kept_whole_or_refused() {
    let s = Scratch::new();
    let samples = [0u8; 2 * 1440];
    let head = [
        &b"RIFF"[..],
        &(36 + 2880u32).to_le_bytes(),
        b"WAVEfmt \x10\0\0\0\x01\0\x01\0",
        &8000u32.to_le_bytes(),
        &16000u32.to_le_bytes(),
        b"\x02\0\x10\0data",
        &2880u32.to_le_bytes(),
    ];
    s.write("a.wav", [&head.concat()[..], &samples].concat());
    for (name, text) in [
        ("wav.scp", "a a.wav\n"),
        ("utt2spk", "a a\n"),
        ("spk2utt", "a a\n"),
        ("text", "a HI\n"),
        ("frame_shift", "0.01\n"),
        ("feats.scp", "a d/feats.ark:2\n"),
    ] {
        s.write(&format!("d/{name}"), text);
    }
    for (frames, fault) in [
        (30, ""),
        (20, ""),
        (19, ""),
        (18, ""),
        (17, ""),
        (9, ""),
        (7, "utterance a: its features end 0.110 s before its end"),
        (0, "utterance a: its features end 0.180 s before its end"),
    ] {
        let rows: Vec<_> = (0..frames).map(|row| format!("  {row} 1 \n")).collect();
        s.write("d/feats.ark", format!("a  [\n{}]\n", rows.concat()));
        for store in ["numpy_files", "lilcom_files", "lilcom_chunky"] {
            let line = format!(
                "d,parts=feats+wav+text out/ -t lhotse --co store={store} --overwrite --allow-loss all"
            );
            if !fault.is_empty() {
                let error = s.fails(&line);
                assert!(error.contains(fault), "{frames}: {error}");
                continue;
            }
            s.ok(&line);
            let said = s.ok("out/ back.jsonl --overwrite");
            let frames = format!("1 utterance, {frames} frames, 0 skipped");
            assert!(said.err.contains(&frames), "{line}: {}", said.err);
        }
    }
}

#[test]
fn features_are_read_from_archives_of_kaldi() {
    let s = Scratch::new();
    let line = |path: &str, key: &str, frames: u32| {
        let seconds = format!("{}.{:02}", frames / 100, frames % 100);
        format!(
            "{{\"type\": \"fbank\", \"num_frames\": {frames}, \"num_features\": 40, \"frame_shift\": 0.01, \
             \"sampling_rate\": 16000, \"start\": 0, \"duration\": {seconds}, \"storage_type\": \"kaldiio\", \
             \"storage_path\": \"{path}\", \"storage_key\": \"{key}\", \"recording_id\": \"{key}\"}}\n"
        )
    };
    let (script, archive) = (sample("fbank.scp"), sample("fbank.ark"));
    let lines = [
        line(&script, "ann-002", 227),
        line(&script, "ann-001", 291),
        line(&format!("{archive}:8"), "x", 291),
    ];
    s.write("features.jsonl", lines.concat());
    s.ok("features.jsonl back.ark");
    s.ok(&format!("{archive} want.ark"));
    let first = |name: &str, key: &str| s.ok(&format!("show {name} {key} --json")).out;
    assert_eq!(first("back.ark", "ann-002"), first("want.ark", "ann-002"));
    assert_eq!(first("back.ark", "ann-001"), first("want.ark", "ann-001"));
    // A place in an archive has no name.
    let named = first("want.ark", "ann-001").replace("ann-001", "x");
    assert_eq!(first("back.ark", "x"), named);
    s.write("features.jsonl", line(&script, "nobody", 291));
    let error = s.fails("features.jsonl new.ark");
    assert!(
        error.contains("utterance nobody: nobody is not in it"),
        "{error}"
    );
}

#[test]
fn features_without_sound_go_to_lhotse_alone() {
    let s = Scratch::new();
    let input = sample("fbank.scp");
    let labels = sample("ali.ark");
    let said = s.run(&format!("{input} lhotse:x/ --frame-shift 0.01")).err;
    assert!(said.contains("utterance ann-001: has no sound"), "{said}");
    assert!(
        said.contains("hint: rate=16000 writes features alone"),
        "{said}"
    );
    let said = s.run(&format!("{input} lhotse:x/,rate=8000")).err;
    assert!(said.contains("--frame-shift"), "{said}");
    let shift = "--frame-shift 0.01";
    let said = s.fails(&format!(
        "{input} --labels {labels} lhotse:x/,rate=8000 {shift}"
    ));
    assert!(said.contains("labels of 12 utterances"), "{said}");
    for (value, why) in [("0", "no sampling rate"), ("8k", "rate")] {
        let said = s.fails(&format!("{input} lhotse:x/,rate={value} {shift}"));
        assert!(said.contains(why), "{said}");
    }
    let said = s.fails(&format!("{input} lhotse:x.jsonl,rate=8000 {shift}"));
    assert!(said.contains("features alone go to a folder"), "{said}");
    assert!(s.names().is_empty());
    for store in ["numpy_files", "lilcom_files", "lilcom_chunky"] {
        s.ok(&format!(
            "{input} lhotse:{store}/,store={store},rate=8000 {shift}"
        ));
        s.ok(&format!("check {store}/"));
        let found = s.ok(&format!("info --json {store}/")).out;
        let facts: serde_json::Value = serde_json::from_str(&found).unwrap();
        let told = (
            &facts["format"],
            &facts["utterances"],
            &facts["frame_shift"],
        );
        assert_eq!(
            told,
            (&"lhotse".into(), &12.into(), &0.01.into()),
            "{found}"
        );
        s.ok(&format!("{store}/ {store}.ark --overwrite"));
        let most = if store == "numpy_files" {
            "0"
        } else {
            "0.015626"
        };
        s.ok(&format!("diff {input} {store}.ark --atol {most}"));
        // A manifest in front of its folder does not matter.
        s.ok(&format!("{store}/features.jsonl.gz {store}.2.ark"));
        assert_eq!(
            s.read(&format!("{store}.2.ark")),
            s.read(&format!("{store}.ark"))
        );
    }
    s.ok("numpy_files/ lhotse:again/,store=lilcom_chunky,rate=8000");
    assert_eq!(
        s.read("again/features.lca"),
        s.read("lilcom_chunky/features.lca")
    );
}

/// A file that is passed on as it is is measured by its header, whatever the manifest says.
#[test]
fn a_wrong_duration_is_told_of_files_that_are_copied() {
    let s = Scratch::new();
    sounds(&s);
    s.ok("audio m.json --to nemo");
    s.shell("sed '1s/\"duration\": [0-9.]*/\"duration\": 99/' m.json > wrong.json");
    for target in [
        "x.tar",
        "audiofolder:x/",
        "soundfolder:x/",
        "nemo-tarred:x/",
        "shar:x/",
        "wav:x/",
    ] {
        let right = s.ok(&format!("m.json {target}")).err;
        assert!(!right.contains("said to be"), "{target}: {right}");
        let said = s.ok(&format!("wrong.json {target} --overwrite")).err;
        assert!(said.contains("said to be 99 s"), "{target}: {said}");
        let seconds = |err: &str| {
            let last = err.lines().last().unwrap().to_owned();
            last.split_once(" of sound")
                .map(|(start, _)| start.to_owned())
        };
        assert_eq!(seconds(&said), seconds(&right), "{target}: {said}");
        s.shell("rm -rf x x.tar");
    }
}
