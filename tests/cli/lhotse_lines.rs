//! Lines of Lhotse's manifests that are wrong, absurd, or contradict themselves, the sound or another
//! file.

use crate::Scratch;
use crate::check_sound::wave;
use crate::manifest_lines::{Comes, Found, try_out};
use Comes::{Refused, Taken, Told};

/// A cut of half of a recording of a second.
const CUT: &str = concat!(
    r#"{"id": "u1", "start": 0.0, "duration": 0.5, "channel": 0, "supervisions": [{"id": "u1", "#,
    r#""recording_id": "r1", "start": 0.0, "duration": 0.5, "channel": 0, "text": "ONE"}], "#,
    r#""recording": {"id": "r1", "sources": [{"type": "file", "channels": [0], "#,
    r#""source": "r1.wav"}], "sampling_rate": 1000, "num_samples": 1000, "duration": 1.0, "#,
    r#""channel_ids": [0]}, "type": "MonoCut"}"#,
    "\n"
);

/// A part of the line, what stands in its place, and what comes of it.
const LHOTSE: &[(&str, &str, Comes, Found)] = &[
    (r#""id": "u1""#, r#""id": "u1""#, Taken, None),
    (
        r#""num_samples": 1000, "duration": 1.0"#,
        r#""num_samples": 1000, "duration": 34.0"#,
        Refused("the recording r1 has 1 s of samples, and a duration of 34.0 s"),
        Some(("fault", "and a duration of 34.0 s")),
    ),
    (
        r#""num_samples": 1000, "duration": 1.0"#,
        r#""num_samples": 800, "duration": 0.8"#,
        Told("the sound lasts 1.000 s, said to be 0.8 s"),
        Some(("fault", "the sound has 1000 samples, said to be 800")),
    ),
    (
        r#""num_samples": 1000"#,
        r#""num_samples": -1"#,
        Refused("num_samples is not a count: -1"),
        Some(("fault", "num_samples is not a count")),
    ),
    (
        r#""sampling_rate": 1000, "num_samples": 1000"#,
        r#""sampling_rate": 2000, "num_samples": 2000"#,
        Refused("the sound has 1000 Hz, said to be 2000"),
        Some(("fault", "the sound has 1000 Hz, said to be 2000")),
    ),
    (
        r#""sampling_rate": 1000"#,
        r#""sampling_rate": 0"#,
        Refused("sampling_rate is 0"),
        Some(("fault", "sampling_rate is 0")),
    ),
    (
        r#""channels": [0]"#,
        r#""channels": [0, 1]"#,
        Refused("the sound has 1 channels, said to be 2"),
        Some(("fault", "the sound has 1 channels, said to be 2")),
    ),
    (
        r#""source": "r1.wav""#,
        r#""source": """#,
        Refused("a source that does not say where it is"),
        Some(("fault", "a source that does not say where it is")),
    ),
    (
        r#""id": "u1", "start": 0.0, "duration": 0.5"#,
        r#""id": "u1", "start": 34, "duration": 0.5"#,
        Refused("lasts from 34 to 34.5 s of a recording of 1 s"),
        Some(("fault", "lasts from 34 to 34.5 s of a recording of 1 s")),
    ),
    (
        r#""id": "u1", "start": 0.0, "duration": 0.5"#,
        r#""id": "u1", "start": 0.0, "duration": 34"#,
        Refused("lasts from 0.0 to 34 s of a recording of 1 s"),
        Some(("fault", "lasts from 0.0 to 34 s of a recording of 1 s")),
    ),
    (
        r#""id": "u1", "start": 0.0, "duration": 0.5"#,
        r#""id": "u1", "start": -0.1, "duration": 0.5"#,
        Refused("starts -0.1 s before its recording"),
        Some(("fault", "starts -0.1 s before its recording")),
    ),
    (
        r#""duration": 0.5, "channel": 0, "supervisions""#,
        r#""duration": 0.5, "channel": 3, "supervisions""#,
        Refused("the channels [3] are not one of"),
        Some(("fault", "the channels [3] are not one of")),
    ),
    (
        r#""text": "ONE""#,
        r#""text": """#,
        Taken,
        Some(("note", "the text is empty")),
    ),
    (
        r#""text": "ONE""#,
        r#""text": "ONE", "alignment": {"word": [["ONE", 0.0, 34.0]]}"#,
        Taken,
        Some((
            "fault",
            "the segment 'ONE' ends at 34 s, the sound at 0.500 s",
        )),
    ),
];

#[test]
fn cuts_of_lhotse() {
    let s = Scratch::new();
    s.write("r1.wav", wave(1000));
    for (part, other, comes, found) in LHOTSE {
        assert!(CUT.contains(part), "{part}");
        s.write("cuts.jsonl", CUT.replacen(part, other, 1));
        try_out(&s, "cuts.jsonl", other, comes, *found);
    }
}

/// Parts of a cut that come back as they were.
const CUTS_KEPT: &[(&str, &str)] = &[
    (r#""id": "u1""#, r#""id": "u1""#),
    (r#""recording_id": "r1""#, r#""recording_id": "r1-before""#),
    (
        r#""channel": 0, "text": "ONE""#,
        r#""channel": 1, "text": "ONE""#,
    ),
    (
        r#""channel": 0, "text": "ONE""#,
        r#""channel": [0, 1], "text": "ONE""#,
    ),
    (
        concat!(
            r#"{"id": "u1", "recording_id": "r1", "start": 0.0, "duration": 0.5, "#,
            r#""channel": 0, "text": "ONE"}"#
        ),
        "",
    ),
    (
        r#""text": "ONE""#,
        r#""text": "ONE", "speaker": "a", "custom": {"snr": 1.5}"#,
    ),
];

#[test]
fn cuts_of_lhotse_survive() {
    let s = Scratch::new();
    s.write("r1.wav", wave(1000));
    for (part, other) in CUTS_KEPT {
        assert!(CUT.contains(part), "{part}");
        let cut = CUT.replacen(part, other, 1);
        s.write("cuts.jsonl", &cut);
        s.ok("cuts.jsonl lhotse:out.jsonl --overwrite");
        assert_eq!(String::from_utf8(s.read("out.jsonl")).unwrap(), cut);
        s.ok("select cuts.jsonl lhotse:out.jsonl --first 1 --overwrite");
        assert_eq!(String::from_utf8(s.read("out.jsonl")).unwrap(), cut);
    }
}

/// A channel of a recording of two, in one file and in a file each.
#[test]
fn channels_of_lhotse() {
    let s = Scratch::new();
    s.write("r1.wav", wave(1000));
    s.write("r2.wav", wave(1000));
    let two = concat!(
        r#"[{"type": "file", "channels": [0], "source": "r1.wav"}, "#,
        r#"{"type": "file", "channels": [1], "source": "r2.wav"}]"#
    );
    let one = r#"[{"type": "file", "channels": [0], "source": "r1.wav"}]"#;
    let cut = CUT
        .replace(one, two)
        .replace("\"channel_ids\": [0]", "\"channel_ids\": [0, 1]");
    let cut = cut.replace("\"duration\": 0.5", "\"duration\": 1.0");
    s.write(
        "cuts.jsonl",
        cut.replace("\"channel\": 0", "\"channel\": 1"),
    );
    s.ok("cuts.jsonl out/ --to wav --allow-loss all");
    let said = s.ok("check cuts.jsonl");
    assert!(said.out.contains("nothing wrong"), "{}", said.out);
    s.ok("cuts.jsonl lhotse:out.jsonl");
    let written = String::from_utf8(s.read("out.jsonl")).unwrap();
    let source = r#"[{"type": "file", "channels": [0], "source": "r2.wav"}]"#;
    assert!(
        written.contains(source) && written.contains("MonoCut"),
        "{written}"
    );
}

/// Recordings that no supervision is of.
#[test]
fn recordings_without_supervisions_are_told() {
    let s = Scratch::new();
    let recording = |id: &str| {
        let start = CUT.find("{\"id\": \"r1\"").unwrap();
        let end = CUT.find(", \"type\": \"MonoCut\"").unwrap();
        CUT[start..end].replace("\"id\": \"r1\"", &format!("\"id\": \"{id}\"")) + "\n"
    };
    let said = r#"{"id": "u1", "recording_id": "r1", "start": 0.0, "duration": 0.5, "channel": 0}"#;
    s.write("r1.wav", wave(1000));
    s.write("l/supervisions.jsonl", format!("{said}\n"));
    for (others, told) in [
        (
            &["r9"][..],
            "the recording r9 has no supervision, and is ignored",
        ),
        (
            &["r9", "r8"],
            "2 recordings have no supervision, and are ignored: r8, …",
        ),
    ] {
        let others: String = others.iter().map(|id| recording(id)).collect();
        s.write("l/recordings.jsonl", recording("r1") + &others);
        let said = s.ok("l out.jsonl --overwrite");
        let told = format!("l/recordings.jsonl: {told}");
        assert!(said.err.contains(&told), "{}", said.err);
        let said = s.ok("check l");
        assert!(said.out.contains(&format!("note: {told}")), "{}", said.out);
    }
    s.write("l/recordings.jsonl", recording("r1"));
    assert!(
        !s.ok("l out.jsonl --overwrite")
            .err
            .contains("no supervision")
    );
}

/// Features whose frames are not where or as many as their manifest says.
#[test]
fn features_of_lhotse() {
    let s = Scratch::new();
    let rows: Vec<_> = (0..50).map(|n| format!("[{n}]")).collect();
    let features = format!(
        "{{\"dtype\":\"f32\",\"shape\":[50,1],\"data\":[{}]}}",
        rows.join(",")
    );
    s.write(
        "in.jsonl",
        format!("{{\"key\":\"u1\",\"features\":{features},\"meta\":{{}}}}\n"),
    );
    s.ok("in.jsonl f/ --to npy");
    let own = concat!(
        r#""features": {"type": "fbank", "num_frames": 50, "num_features": 1, "#,
        r#""frame_shift": 0.01, "sampling_rate": 1000, "start": 0.0, "duration": 0.5, "#,
        r#""storage_type": "numpy_files", "storage_path": "f", "storage_key": "u1.npy"}, "#,
        r#""recording": "#
    );
    let cut = CUT.replace(r#""recording": "#, own);
    for (part, other, comes) in [
        ("", "", None),
        (
            r#""start": 0.0, "duration": 0.5, "channel""#,
            r#""start": 0.2, "duration": 0.3, "channel""#,
            None,
        ),
        (
            r#""frame_shift": 0.01"#,
            r#""frame_shift": 0.02"#,
            Some("has 50 frames of 0.02 s, 1.000 s in all, and a duration of 0.5 s"),
        ),
        (
            r#""duration": 0.5, "storage"#,
            r#""duration": 34, "storage"#,
            Some("0.500 s in all, and a duration of 34 s"),
        ),
        (
            r#""num_frames": 50"#,
            r#""num_frames": 49"#,
            Some("50 rows, the manifest says 49"),
        ),
        (
            r#""num_features": 1"#,
            r#""num_features": 2"#,
            Some("1 columns, the manifest says 2"),
        ),
        (
            r#""start": 0.0, "duration": 0.5, "channel""#,
            r#""start": 0.3, "duration": 0.5, "channel""#,
            Some("its features end 0.300 s before its end"),
        ),
        (
            r#""start": 0.0, "duration": 0.5, "storage"#,
            r#""start": 0.2, "duration": 0.5, "storage"#,
            Some("its features start at 0.2 s, behind its start"),
        ),
        (
            r#""frame_shift": 0.01"#,
            r#""frame_shift": 0"#,
            Some("frame_shift is 0"),
        ),
    ] {
        assert!(cut.contains(part), "{part}");
        s.write("cuts.jsonl", cut.replacen(part, other, 1));
        let said = s.run("cuts.jsonl out.ark --allow-loss all --overwrite");
        let checked = s.run("check cuts.jsonl");
        match comes {
            None => assert!(
                said.status == 0 && checked.status <= 1,
                "{other}: {}",
                said.err
            ),
            Some(words) => {
                assert!(
                    said.status == 2 && said.err.contains(words),
                    "{other}: {}",
                    said.err
                );
                assert!(
                    checked.status == 1 && checked.out.contains(words),
                    "{}",
                    checked.out
                );
            }
        }
    }
}

/// Cuts that contradict each other about their recording share no table of recordings.
#[test]
fn recordings_that_contradict_each_other_are_not_merged() {
    let s = Scratch::new();
    s.write("a.jsonl", CUT);
    let other = CUT.replace("\"id\": \"u1\"", "\"id\": \"u2\"");
    s.write("b.jsonl", &other);
    s.ok("merge a.jsonl b.jsonl -o lhotse:out");
    for (from, to, told) in [
        (
            r#""num_samples": 1000, "duration": 1.0"#,
            r#""num_samples": 900, "duration": 0.9"#,
            "the recording r1 is 900 samples of 1 channels at 1000 Hz, and was 1000 samples",
        ),
        (
            "r1.wav",
            "r2.wav",
            "the recording r1 was in another place before",
        ),
    ] {
        s.write("b.jsonl", other.replace(from, to));
        let error = s.fails("merge a.jsonl b.jsonl -o lhotse:both");
        assert!(
            error.contains("utterance u2") && error.contains(told),
            "{error}"
        );
    }
    // Each cut has a recording of its own.
    s.write(
        "b.jsonl",
        other.replace("\"num_samples\": 1000", "\"num_samples\": 950"),
    );
    s.ok("merge a.jsonl b.jsonl -o lhotse:both.jsonl");
    assert!(
        String::from_utf8(s.read("both.jsonl"))
            .unwrap()
            .contains("\"num_samples\": 950")
    );
}
