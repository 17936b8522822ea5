//! Lines of manifests that are wrong, absurd, or contradict themselves, the sound or another file:
//! each is refused or told by a conversion that loads the sound, and by `check`.

use super::check_sound::wave;
use super::{Said, Scratch};

/// What comes of a line.
pub(crate) enum Comes {
    /// It is refused with these words.
    Refused(&'static str),
    /// The sound is taken, and these words warn of it.
    Told(&'static str),
    /// The sound is taken.
    Taken,
}
use Comes::{Refused, Taken, Told};

/// What `check` finds: a fault, a note, or nothing.
pub(crate) type Found = Option<(&'static str, &'static str)>;

/// Converts `input` to sound, and checks it.
pub(crate) fn try_out(s: &Scratch, input: &str, line: &str, comes: &Comes, found: Found) {
    let _ = std::fs::remove_dir_all(s.path("out"));
    let said = s.run(&format!("{input} out/ --to wav --allow-loss all"));
    let Said { status, err, .. } = &said;
    match comes {
        Refused(words) => assert!(*status == 2 && err.contains(words), "{line}: {err}"),
        Told(words) => assert!(*status == 0 && err.contains(words), "{line}: {err}"),
        Taken => assert!(*status == 0 && !err.contains("warning:"), "{line}: {err}"),
    }
    let said = s.run(&format!("check {input}"));
    let findings = said.out.lines().filter(|told| {
        let kinds = ["fault: ", "note: "];
        kinds.iter().any(|kind| told.starts_with(kind))
    });
    let findings: Vec<_> = findings.collect();
    match found {
        None => assert!(
            said.status == 0 && findings.is_empty(),
            "{line}: {}",
            said.out
        ),
        Some((kind, words)) => {
            let status = i32::from(kind == "fault");
            assert_eq!(said.status, status, "{line}: {}", said.out);
            let is_it = |told: &&str| told.starts_with(kind) && told.contains(words);
            assert!(
                findings.len() == 1 && findings.iter().all(is_it),
                "{line}: {}",
                said.out
            );
        }
    }
}

/// Fields beside the name of a sound of a second at 1000 Hz.
const NEMO: &[(&str, Comes, Found)] = &[
    (r#""duration": 1.0, "text": "A""#, Taken, None),
    (r#""duration": 1.005, "text": "A""#, Taken, None),
    (
        r#""duration": 0.5, "text": "A""#,
        Told("the first 0.5 s are taken of a sound of 1.000 s"),
        Some(("note", "the first 0.5 s are taken of a sound of 1.000 s")),
    ),
    (
        r#""duration": 1.05, "text": "A""#,
        Told("the sound lasts 1.000 s, said to be 1.05 s"),
        Some(("note", "the sound lasts 1.000 s, said to be 1.05 s")),
    ),
    (
        r#""duration": 999, "text": "A""#,
        Told("the sound lasts 1.000 s, said to be 999 s"),
        Some(("fault", "the sound lasts 1.000 s, said to be 999 s")),
    ),
    // What NeMo takes all of.
    (
        r#""duration": 0, "text": "A""#,
        Told("the sound lasts 1.000 s, said to be 0 s"),
        Some(("fault", "the sound lasts 1.000 s, said to be 0 s")),
    ),
    (
        r#""offset": 0.2, "duration": 0, "text": "A""#,
        Told("the sound lasts 0.800 s, said to be 0 s"),
        Some(("fault", "the sound lasts 0.800 s, said to be 0 s")),
    ),
    (
        r#""duration": -1, "text": "A""#,
        Refused("duration is negative: -1"),
        Some(("fault", "duration is negative")),
    ),
    (
        r#""duration": "0.4", "text": "A""#,
        Refused("duration is not a number"),
        Some(("fault", "duration is not a number")),
    ),
    (
        r#""duration": 1e400, "text": "A""#,
        Refused("duration is not a number"),
        Some(("fault", "duration is not a number")),
    ),
    (
        r#""duration": null, "text": "A""#,
        Refused("has no duration"),
        Some(("fault", "has no duration")),
    ),
    (
        r#""offset": -0.1, "duration": 0.3, "text": "A""#,
        Refused("offset is negative: -0.1"),
        Some(("fault", "offset is negative")),
    ),
    (
        r#""offset": 34, "duration": 1, "text": "A""#,
        Refused("starts at 34 s, the recording ends at 1 s"),
        Some(("fault", "starts at 34 s")),
    ),
    (
        r#""offset": 0.2, "duration": 34, "text": "A""#,
        Refused("ends at 34.2 s, more than 0.5 s after the end"),
        Some(("fault", "ends at 34.2 s")),
    ),
    (
        r#""offset": 0.8, "duration": 0.4, "text": "A""#,
        Told("ends at 1.2 s, 0.200 s after the end of the recording, where it is cut"),
        Some((
            "note",
            "0.200 s after the end of the recording, where it is cut",
        )),
    ),
    (r#""duration": 1, "channel": 0, "text": "A""#, Taken, None),
    (
        r#""duration": 1, "channel": 1, "text": "A""#,
        Refused("channel 1 was asked for"),
        Some(("fault", "channel 1 was asked for")),
    ),
    (
        r#""duration": 1, "channel": -1, "text": "A""#,
        Refused("channel is not a count: -1"),
        Some(("fault", "channel is not a count")),
    ),
    (
        r#""duration": 1, "channel": 1.5, "text": "A""#,
        Refused("channel is not a count: 1.5"),
        Some(("fault", "channel is not a count")),
    ),
    (
        r#""duration": 1, "sampling_rate": 1000, "text": "A""#,
        Taken,
        None,
    ),
    (
        r#""duration": 1, "sampling_rate": 2000, "text": "A""#,
        Refused("the sound has 1000 Hz, said to be 2000"),
        Some(("fault", "the sound has 1000 Hz, said to be 2000")),
    ),
    (
        r#""duration": 1, "sampling_rate": 0, "text": "A""#,
        Refused("sampling_rate is 0"),
        Some(("fault", "sampling_rate is 0")),
    ),
    (
        r#""duration": 1, "text": """#,
        Taken,
        Some(("note", "the text is empty")),
    ),
    (
        r#""duration": 1, "text": 7"#,
        Refused("text is not text: 7"),
        Some(("fault", "text is not text")),
    ),
    (
        r#""duration": 1, "text": "A", "text": "B""#,
        Refused("the field 'text' appears twice"),
        Some(("fault", "appears twice")),
    ),
];

#[test]
fn lines_of_nemo() {
    let s = Scratch::new();
    s.write("r1.wav", wave(1000));
    for (fields, comes, found) in NEMO {
        s.write(
            "m.json",
            format!("{{\"audio_filepath\": \"r1.wav\", {fields}}}\n"),
        );
        try_out(&s, "m.json", fields, comes, *found);
    }
    for (line, words) in [
        (
            r#"{"audio_filepath": "", "duration": 1}"#,
            "audio_filepath is empty",
        ),
        (
            r#"{"audio_filepath": null, "duration": 1}"#,
            "has no audio_filepath",
        ),
        (
            r#"{"audio_filepath": 7, "duration": 1}"#,
            "audio_filepath is not text",
        ),
        (
            r#"{"audio_filepath": "r2.wav", "duration": 1}"#,
            "cannot open",
        ),
        (r#"{"audio_filepath": "r1.wav", "dura"#, "inside the object"),
    ] {
        s.write("m.json", format!("{line}\n"));
        try_out(&s, "m.json", line, &Refused(words), Some(("fault", words)));
    }
}

/// NeMo's own way to leave out lines is told.
#[test]
fn lines_to_be_left_out_are_told() {
    let s = Scratch::new();
    let line = |n: u32, skip: &str| {
        format!("{{\"audio_filepath\": \"r{n}.wav\", \"duration\": 1.0{skip}}}\n")
    };
    let skip = ", \"_skipme\": true";
    s.write(
        "m.json",
        [line(1, skip), line(2, ", \"_skipme\": 0"), line(3, skip)].concat(),
    );
    let said = s.ok("m.json out.json");
    let told = "m.json: 2 lines are marked with _skipme and left out";
    assert!(said.err.contains(told), "{}", said.err);
    assert_eq!(String::from_utf8(s.read("out.json")).unwrap(), line(2, ""));
}

/// Lines that are written as they were read.
const KEPT: &[&str] = &[
    r#""id": "x""#,
    r#""utt_id": "x""#,
    r#""id": 7"#,
    r#""utt_id": 7"#,
    r#""id": "r1""#,
    r#""utt_id": "r1""#,
    r#""utt_id": "y", "id": "x""#,
    r#""utt_id": "y", "id": "y""#,
    r#""utt_id": "y", "id": null"#,
    r#""id": """#,
    r#""id": "007""#,
    r#""id": null"#,
    r#""id": 1.5"#,
    r#""id": [1]"#,
    r#""normalized_text": "b""#,
    r#""audio_filename": "other.wav""#,
    r#""gender": null"#,
    r#""channel": "1""#,
    r#""channel": [0, 1]"#,
    r#""lang": "nl", "speaker": "a", "gender": "f""#,
    r#""rttm_filepath": "x.rttm", "num_speakers": 2, "snr": 1.50"#,
];

#[test]
fn lines_of_nemo_survive() {
    let s = Scratch::new();
    for fields in KEPT {
        let start = "\"audio_filepath\": \"r1.wav\", \"duration\": 1.0, \"text\": \"a\"";
        s.write("m.json", format!("{{{start}, {fields}}}\n"));
        for line in [
            "m.json out.json --overwrite",
            "select m.json out.json --first 1 --overwrite",
        ] {
            s.ok(line);
            let [want, got] = ["m.json", "out.json"].map(|name| String::from_utf8(s.read(name)));
            assert_eq!(got, want, "{line}");
        }
    }
}

/// Segments of label files that end after the sound are faults wherever they come from.
#[test]
fn segments_end_with_the_sound() {
    let s = Scratch::new();
    s.write("r1.wav", wave(1000));
    for (file, text) in [
        ("a.rttm", "SPEAKER r1 1 0.1 34.0 <NA> <NA> ann <NA> <NA>\n"),
        ("a.ctm", "r1 1 0.1 34.0 ann\n"),
        ("r1.lab", "1000000 341000000 ann\n"),
    ] {
        s.write(file, text);
        let said = s.run(&format!("check r1.wav --labels {file}"));
        let fault =
            "fault: r1.wav: utterance r1: the segment 'ann' ends at 34.1 s, the sound at 1.000 s";
        assert!(
            said.status == 1 && said.out.contains(fault),
            "{file}: {}",
            said.out
        );
        s.ok(&format!("r1.wav both.jsonl --labels {file} --overwrite"));
        let said = s.run("check both.jsonl");
        assert!(
            said.status == 1 && said.out.contains("ends at 34.1 s"),
            "{}",
            said.out
        );
    }
    s.write("a.rttm", "SPEAKER r1 1 0.1 0.9 <NA> <NA> ann <NA> <NA>\n");
    s.ok("check r1.wav --labels a.rttm");
    // Sound without samples is told of any file.
    s.write("empty.wav", wave(0));
    let said = s.ok("check empty.wav");
    assert!(
        said.out
            .contains("note: empty.wav: utterance empty: the sound has no samples")
    );
}

/// Tables of AudioFolders that are cut, or that leave sound unnamed.
#[test]
fn tables_of_audiofolders() {
    let s = Scratch::new();
    s.write("f/r1.wav", wave(1000));
    s.write("f/r2.wav", wave(1001));
    let lines = "{\"file_name\": \"r1.wav\"}\n{\"file_name\": \"r2.wav\"}\n";
    for (table, text, comes, found) in [
        ("jsonl", lines, Taken, None),
        (
            "csv",
            "file_name,text\nr1.wav,A\nr2.wav,\"B\n\"\n",
            Taken,
            None,
        ),
        (
            "jsonl",
            &lines[..24],
            Told("f/r2.wav: is in no table, and is ignored"),
            Some(("note", "f/r2.wav: is in no table, and is ignored")),
        ),
        (
            "csv",
            "file_name,text\nr1.wav,A\nr2.wav,B",
            Refused("f/metadata.csv:3: the last row has no line end and may be cut off"),
            Some(("fault", "has no line end")),
        ),
        (
            "csv",
            "file_name,text\nr1.wav,A\nr2.wav,\"B\n",
            Refused("f/metadata.csv:3: the last row ends inside quotes and may be cut off"),
            Some(("fault", "ends inside quotes")),
        ),
        (
            "jsonl",
            "{\"file_name\": \"\"}\n",
            Refused("file_name is empty"),
            Some(("fault", "file_name is empty")),
        ),
    ] {
        let name = format!("f/metadata.{table}");
        s.write(&name, text);
        try_out(&s, "f", text, &comes, found);
        std::fs::remove_file(s.path(&name)).unwrap();
    }
    s.write("f/metadata.jsonl", lines);
    s.write("f/metadata.csv", "file_name\nr1.wav\n");
    let error = s.fails("f out/ --to wav");
    assert!(error.contains("one folder has one table"), "{error}");
}
