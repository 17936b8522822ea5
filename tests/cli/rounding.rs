//! What an output rounds is told, whether it was asked for or comes with the format.

use super::*;

/// Four doubles: one that a float holds, two that lose digits, one beyond all floats.
const DOUBLES: &str = r#"{"key":"a","features":{"dtype":"f64","shape":[2,2],"data":[[0.5,16777217],[0.1,1e300]]},"labels":null,"meta":{}}
{"key":"b","features":{"dtype":"f64","shape":[1,2],"data":[[1,2]]},"labels":null,"meta":{}}
"#;

#[test]
fn rounding_is_told_with_count_and_largest_error() {
    let s = Scratch::new();
    s.write("f64.jsonl", DOUBLES);
    s.write(
        "f32.jsonl",
        DOUBLES.replace("f64", "f32").replace("1e300", "7"),
    );
    let samples = [("0", "0"), ("100", "-3"), ("20000", "32767")];
    let samples = samples.map(|(l, r)| format!("[{l},{r}]")).join(",");
    s.write(
        "sound.jsonl",
        format!(r#"{{"key":"a","audio":{{"rate":8000,"dtype":"i16","shape":[3,2],"data":[{samples}]}},"meta":{{}}}}"#),
    );
    let mut seen = 0;
    for (line, told) in [
        (
            "f64.jsonl ark,t:a",
            &[
                "precision: 2 of 4 values in 1 utterance change, by up to 1.000e0 (text is read back as f32 unless dtype=f64)",
                "range: 1 of 4 values in 1 utterance are beyond the target's type (text is read back as f32 unless dtype=f64)",
            ][..],
        ),
        ("f64.jsonl ark,t:b --co dtype=f64", &[]),
        ("f64.jsonl ark:c", &[]),
        ("f32.jsonl ark,t:d", &[]),
        (
            "f32.jsonl ark,t:e --co digits=kaldi",
            &["precision: 1 of 4 values in 1 utterance change, by up to 4.000e0 (seven digits)"],
        ),
        (
            "f32.jsonl ark:f --co compress=7",
            &[
                "precision: 2 of 4 values in 1 utterance change, by up to 1.961e-3 (compressed)",
                "range: 3 of 6 values in 2 utterances are beyond the target's type (compressed)",
            ],
        ),
        ("f32.jsonl ark:g --co compress=keep", &[]),
        (
            "sound.jsonl s.spr,type=ULAW",
            &["precision: 4 of 6 values in 1 utterance change, by up to 6.430e2 (ULAW)"],
        ),
        (
            "sound.jsonl s.key,type=ALAW",
            &["precision: 6 of 6 values in 1 utterance change, by up to 5.110e2 (ALAW)"],
        ),
        ("sound.jsonl s2.spr", &[]),
    ] {
        let said = s.ok(line);
        let lines = said
            .err
            .lines()
            .filter_map(|l| l.strip_prefix("spr-convert: rounded: "));
        assert_eq!(lines.collect::<Vec<_>>(), told, "{line}");
        let said = s.ok(&format!("{line} --overwrite --json --report r.json"));
        for text in [said.out.as_bytes(), &s.read("r.json")[..]] {
            let summary: serde_json::Value = serde_json::from_slice(text).unwrap();
            let losses = summary["losses"].as_array().unwrap();
            assert_eq!(losses.len(), told.len(), "{line}: {losses:?}");
            for (loss, told) in losses.iter().zip(told) {
                let counted = format!(
                    "{}: {} of {} values",
                    loss["kind"].as_str().unwrap(),
                    loss["values"],
                    loss["of"]
                );
                assert!(told.starts_with(&counted), "{line}: {counted}");
                assert_eq!(loss["first"], "a", "{line}");
                let error = loss["max_abs_err"].as_f64().unwrap_or(f64::INFINITY);
                assert!(error > 0.0, "{line}: {loss}");
                assert!(
                    told.starts_with("range") || told.contains(&format!("{error:.3e}")),
                    "{line}: {error}"
                );
            }
        }
        fs::remove_file(s.path("r.json")).unwrap();
        seen += 1;
    }
    assert_eq!(seen, 10);
}

#[test]
fn rounding_is_the_same_whatever_the_number_of_threads_and_outputs() {
    let s = Scratch::new();
    let input = sample("fbank.ark");
    let rounded = |line: &str| {
        let said = s.ok(line);
        let lines = said.err.lines().filter(|l| l.contains(": rounded: "));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let one = rounded(&format!("{input} ark:a --co compress=2 -j 1"));
    assert!(
        one.len() == 1 && one[0].contains("in 12 utterances change"),
        "{one:?}"
    );
    for line in [
        format!("{input} ark,scp:b.ark,b.scp --co compress=2 -j 4"),
        format!("{input} ark,t:c.ark --co compress=2 -j 3"),
        format!("split {input} d.{{part}}.ark,compress=2 -n 3"),
    ] {
        assert_eq!(rounded(&line), one, "{line}");
    }
}

#[test]
fn what_labels_on_their_own_lose_is_told() {
    let s = Scratch::new();
    s.write(
        "in.jsonl",
        r#"{"key":"a","features":{"dtype":"f32","shape":[1,1],"data":[[1]]},"labels":[4294967296],"label_dtype":"i64","meta":{}}"#,
    );
    let said = s.ok("in.jsonl ark:o --labels-out ark:l --allow-loss range");
    assert!(
        said.err.contains("lost as allowed: range: 1 of 1 values"),
        "{}",
        said.err
    );
}

#[test]
fn values_that_lilcom_clips_need_permission() {
    let s = Scratch::new();
    s.write(
        "in.jsonl",
        r#"{"key":"a","features":{"dtype":"f32","shape":[2,2],"data":[[0.5,1],[0.25,3e19]]},"meta":{"frame_shift":0.01}}"#,
    );
    for (command, out) in [
        ("in.jsonl a.llc", "a.llc"),
        ("in.jsonl lhotse:l/,rate=8000,store=lilcom_files", "l"),
        ("in.jsonl shar:s/,rate=8000,features=lilcom", "s"),
    ] {
        s.fails(command);
        let said = s.run(command).err;
        assert!(said.contains("range: 1 of 4 values"), "{command}: {said}");
        assert!(said.contains("--allow-loss range"), "{command}: {said}");
        assert!(!s.path(out).exists(), "{command}");
        s.ok(&format!("{command} --allow-loss range"));
    }
}
