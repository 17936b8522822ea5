//! What was asked for and changes nothing, as no utterance has what it works on.

use crate::{Scratch, sample};

#[test]
fn what_changes_nothing_is_told() {
    let s = Scratch::new();
    s.ok(&format!("{} sound.jsonl", sample("../wav")));
    s.ok(&format!("{} features.ark", sample("fbank.ark")));
    s.ok(&format!("{} labels.ark", sample("ali.ark")));
    s.ok("merge sound.jsonl features.ark mixed.jsonl --duplicates first");
    s.shell("> none.jsonl");
    let sound = [
        ("--rate 8000", "sound(rate=8000)"),
        ("--channel 0", "sound(channel=0)"),
        ("--stages resample(8000)", "sound(rate=8000)"),
    ];
    let features = [
        ("--context 2", "context(2,2)"),
        ("--lcxt 2", "context(2,0)"),
        ("--stages columns(0)", "columns(0)"),
    ];
    let mut told = 0;
    for (inputs, asked, what) in [
        (
            ["features.ark", "labels.ark"].as_slice(),
            sound.as_slice(),
            "sound",
        ),
        (&["sound.jsonl", "labels.ark"], &features, "features"),
        (
            &["labels.ark"],
            &[("--dtype f64", "the type f64")],
            "features or sound",
        ),
        (
            &["features.ark", "sound.jsonl"],
            &[("--label-dtype i64", "the type i64 of labels")],
            "labels",
        ),
    ] {
        for (input, (words, step)) in inputs
            .iter()
            .flat_map(|input| asked.iter().map(move |a| (input, a)))
        {
            let said = s.ok(&format!("{input} x.jsonl {words} --overwrite")).err;
            let warning = format!("warning: {step} changes nothing: no utterance has {what}\n");
            assert_eq!(said.matches(&warning).count(), 1, "{input} {words}: {said}");
            for input in ["mixed.jsonl", "none.jsonl"] {
                let said = s.ok(&format!("{input} x.jsonl {words} --overwrite"));
                let silent = words.contains("label-dtype") && input == "mixed.jsonl";
                assert_eq!(
                    said.err.contains("changes nothing"),
                    silent,
                    "{input} {words}: {}",
                    said.err
                );
            }
            told += 1;
        }
    }
    assert_eq!(told, 15);
}
