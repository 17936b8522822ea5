//! Spans of a long recording: every rule, order, share and sum measures the span.

use serde_json::{Value, json};

use super::sound::wave;
use crate::Scratch;

/// The number of spans.
const SPANS: usize = 200;

/// Data sets of the spans of a recording of 600 s, each of 2 s, as three formats name them.
fn data_sets(s: &Scratch) -> [&'static str; 3] {
    const RATE: u32 = 1000;
    s.write("long.wav", wave(RATE, 1, &vec![100; 600 * 1000]));
    let starts = || (0..SPANS).map(|n| 3 * n);
    let written = |line: &dyn Fn(usize, usize) -> String| -> String {
        starts()
            .enumerate()
            .map(|(n, start)| line(n, start))
            .collect()
    };
    s.write(
        "kaldi/wav.scp",
        format!("rec {}\n", s.path("long.wav").display()),
    );
    s.write(
        "kaldi/segments",
        written(&|n, start| format!("rec-{n:03} rec {start} {}\n", start + 2)),
    );
    s.write(
        "kaldi/utt2spk",
        written(&|n, _| format!("rec-{n:03} rec\n")),
    );
    s.write("kaldi/text", written(&|n, _| format!("rec-{n:03} words\n")));
    let nemo = |n: usize, start: usize| {
        let line = json!({
            "audio_filepath": "long.wav", "offset": start, "duration": 2, "text": "words", "utt_id": n,
        });
        format!("{line}\n")
    };
    s.write("nemo.jsonl", written(&nemo));
    let recording = json!({
        "id": "rec", "sampling_rate": RATE, "num_samples": 600_000, "duration": 600.0, "channel_ids": [0],
        "sources": [{"type": "file", "channels": [0], "source": "long.wav"}],
    });
    s.write("recordings.jsonl", format!("{recording}\n"));
    let lhotse = |n: usize, start: usize| {
        let line = json!({
            "id": format!("rec-{n:03}"), "recording_id": "rec", "start": start, "duration": 2.0, "channel": 0,
            "text": "words",
        });
        format!("{line}\n")
    };
    s.write("supervisions.jsonl", written(&lhotse));
    ["kaldi", "nemo.jsonl", "supervisions.jsonl"]
}

/// Returns the output of the program.
fn ok(s: &Scratch, line: &str) -> String {
    let said = s.shell(&format!("spr-convert {line}"));
    assert_eq!(said.status, 0, "{line}: {}{}", said.out, said.err);
    said.out
}

/// The lines of a file.
fn lines(s: &Scratch, name: &str) -> usize {
    String::from_utf8(s.read(name)).unwrap().lines().count()
}

/// The utterances that are left of a data set.
fn left(s: &Scratch, rules: &str) -> usize {
    ok(s, &format!("ls {rules}")).lines().count()
}

#[test]
fn rules_measure_the_span() {
    let s = Scratch::new();
    for data in data_sets(&s) {
        for (rule, count) in [
            ("--max-seconds 30", SPANS),
            ("--min-seconds 5", 0),
            ("--where 'seconds > 0.25'", SPANS),
            ("--where 'seconds > 2'", 0),
            (
                "--where 'seconds = 2 and rate = 1000 and channels = 1'",
                SPANS,
            ),
        ] {
            assert_eq!(left(&s, &format!("{data} {rule}")), count, "{data} {rule}");
        }
        for (rule, count) in [
            ("--max-seconds 30", SPANS),
            ("--stages 'seconds(-30)'", SPANS),
            ("--stages 'seconds(5-)'", 0),
            ("--stages 'samples|seconds(2-2)'", SPANS),
            ("--stages 'hours(0.01)'", 18),
        ] {
            ok(
                &s,
                &format!("{data} out.jsonl --overwrite --allow-loss all {rule}"),
            );
            assert_eq!(lines(&s, "out.jsonl"), count, "{data} {rule}");
        }
    }
}

#[test]
fn sums_and_shares_measure_the_span() {
    let s = Scratch::new();
    for data in data_sets(&s) {
        for verb in ["stats", "info"] {
            let facts: Value =
                serde_json::from_str(&ok(&s, &format!("{verb} --json {data}"))).unwrap();
            let seconds = ["seconds", "duration"].map(|name| facts[name].as_f64());
            assert_eq!(
                seconds.into_iter().flatten().next(),
                Some(400.0),
                "{verb} {data}"
            );
            assert_eq!(
                facts["sound"]["seconds"],
                json!({"min": 2.0, "mean": 2.0, "max": 2.0})
            );
        }
        let listed = ok(&s, &format!("ls {data} --columns seconds,rate"));
        assert!(
            listed
                .lines()
                .all(|line| line.split_whitespace().eq(["2.000", "1000"])),
            "{listed}"
        );
        ok(
            &s,
            &format!(
                "split {data} part.{{part}}.jsonl --parts 4 --balance seconds --allow-loss all --overwrite"
            ),
        );
        for part in 0..4 {
            assert_eq!(
                lines(&s, &format!("part.{part}.jsonl")),
                SPANS / 4,
                "{data}"
            );
        }
        ok(
            &s,
            &format!("select {data} some.jsonl --random 100s --allow-loss all --overwrite"),
        );
        assert_eq!(lines(&s, "some.jsonl"), 50, "{data}");
    }
}

#[test]
fn a_list_of_sound_shows_what_headers_and_tables_say() {
    let s = Scratch::new();
    data_sets(&s);
    let listed = ok(&s, "ls kaldi rec-007");
    assert_eq!(listed, "rec-007  2.000  1000  1  rec  words\n");
    s.write("gone/wav.scp", "a /nowhere/a.wav\nb long.wav\n");
    s.write("gone/utt2dur", "a 1.5\n");
    let listed = ok(&s, "ls gone");
    assert_eq!(
        listed,
        "a    1.500     -  -  -  -\nb  600.000  1000  1  -  -\n"
    );
}

#[test]
fn the_level_of_named_sound_is_measured_where_it_is_asked_for() {
    let s = Scratch::new();
    data_sets(&s);
    let levels = ok(&s, "ls kaldi rec-001 --columns dtype,zeros,peak_db");
    assert!(levels.starts_with("i16  0  -50.3"), "{levels}");
    assert_eq!(
        left(&s, "kaldi --where 'peak_db < -50 and zeros = 0'"),
        SPANS
    );
    assert_eq!(left(&s, "kaldi --where 'peak_db > -50'"), 0);
}

/// Formats of data sets that name recordings, and what they say of the span from 0.8 s to 1 s.
const NAMING: [(&str, &str, &str); 4] = [
    ("kaldi-data:out", "out/segments", "r-1 r 0.8 1\n"),
    (
        "nemo:out.json",
        "out.json",
        r#""offset": 0.8, "duration": 0.2,"#,
    ),
    (
        "lhotse:out.jsonl",
        "out.jsonl",
        r#""start": 0.8, "duration": 0.2,"#,
    ),
    ("jsonl:out.jsonl", "out.jsonl", r#""start":0.8,"end":1"#),
];

/// Writes a recording of a second, and a span of it in two formats.
fn one_span(s: &Scratch, start: &str, end: &str, duration: &str) -> [&'static str; 2] {
    s.write("r.wav", wave(1000, 1, &[100; 1000]));
    s.write("one/wav.scp", "r r.wav\n");
    s.write("one/segments", format!("r-1 r {start} {end}\n"));
    s.write("one/utt2spk", "r-1 r\n");
    let line = format!(
        r#"{{"audio_filepath": "r.wav", "offset": {start}, "duration": {duration}, "utt_id": "r-1"}}"#
    );
    s.write("one.json", line + "\n");
    ["one", "one.json"]
}

#[test]
fn outputs_that_name_recordings_cut_spans_at_their_end() {
    let s = Scratch::new();
    for data in one_span(&s, "0.8", "1.2", "0.4") {
        for (to, file, span) in NAMING {
            let said = s.run(&format!("{data} {to} --allow-loss all --overwrite"));
            let warning =
                "r.wav: utterance r-1: ends at 1.2 s, 0.200 s after the end of the recording";
            assert!(
                said.status == 0 && said.err.contains(warning),
                "{data} {to}: {}",
                said.err
            );
            let written = String::from_utf8(s.read(file)).unwrap();
            assert!(written.contains(span), "{data} {to}: {written}");
            assert!(!written.contains("1.2"), "{data} {to}: {written}");
        }
    }
    for data in one_span(&s, "0.8", "1.6", "0.8") {
        for (to, ..) in NAMING {
            let said = s.run(&format!("{data} {to} --allow-loss all --overwrite"));
            let fault = "utterance r-1: ends at 1.6 s, more than 0.5 s after the end of the recording, at 1 s";
            assert!(
                said.status == 2 && said.err.contains(fault),
                "{data} {to}: {}",
                said.err
            );
        }
    }
}

#[test]
fn spans_of_recordings_that_are_missing_stay() {
    let s = Scratch::new();
    for data in one_span(&s, "0.8", "1.6", "0.8") {
        std::fs::remove_file(s.path("r.wav")).unwrap();
        for (to, file, span) in [
            ("kaldi-data:out", "out/segments", "r-1 r 0.8 1.6\n"),
            (
                "nemo:out.json",
                "out.json",
                r#""offset": 0.8, "duration": 0.8,"#,
            ),
            ("jsonl:out.jsonl", "out.jsonl", r#""start":0.8,"end":1.6"#),
        ] {
            let said = s.run(&format!("{data} {to} --allow-loss all --overwrite"));
            assert_eq!(said.status, 0, "{data} {to}: {}", said.err);
            let written = String::from_utf8(s.read(file)).unwrap();
            assert!(written.contains(span), "{data} {to}: {written}");
        }
        s.write("r.wav", wave(1000, 1, &[100; 1000]));
    }
}

#[test]
fn a_supervision_in_a_longer_cut_is_its_span_in_every_output() {
    let s = Scratch::new();
    s.write("r.wav", wave(1000, 1, &[100; 1000]));
    let cut = json!({
        "id": "r-1", "start": 0.75, "duration": 0.25, "channel": 0,
        "supervisions": [{
            "id": "s", "recording_id": "r", "start": 0.05, "duration": 0.2, "channel": 0, "text": "words",
        }],
        "recording": {
            "id": "r", "sampling_rate": 1000, "num_samples": 1000, "duration": 1.0, "channel_ids": [0],
            "sources": [{"type": "file", "channels": [0], "source": "r.wav"}],
        },
        "type": "MonoCut",
    });
    s.write("cuts.jsonl", format!("{cut}\n"));
    for (to, file, span) in NAMING {
        s.ok(&format!(
            "lhotse:cuts.jsonl {to} --allow-loss all --overwrite"
        ));
        let written = String::from_utf8(s.read(file)).unwrap();
        assert!(written.contains(span), "{to}: {written}");
    }
}
