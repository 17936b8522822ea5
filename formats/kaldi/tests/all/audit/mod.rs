//! What is wrong with data directories: each table, tables that contradict each other, and utterances
//! that are not what the tables say.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod lines;
mod script;
mod utterances;

use spr_core::Result;
use spr_core::bytes::Env;
use spr_core::format::{Auditor, Finding, Format};
use spr_format_kaldi::DATA;

use super::common::holding;

/// A directory without faults.
const FILES: [(&str, &str); 6] = [
    ("utt2spk", "a-1 a\na-2 a\nb-1 b\n"),
    ("spk2utt", "a a-1 a-2\nb b-1\n"),
    ("segments", "a-1 r1 0 0.5\na-2 r1 0.5 1\nb-1 r2 0 1\n"),
    ("text", "a-1 ONE\na-2 TWO\nb-1 THREE\n"),
    ("wav.scp", "r1 one.wav\nr2 cat two.wav |\n"),
    ("feats.scp", "a-1 f.ark:4\na-2 f.ark:9\nb-1 f.ark:15[0:3]\n"),
];

/// A table, and its text in place of that in [`FILES`]; without a text there is no such table.
type Change<'a> = (&'a str, Option<&'a str>);

/// Returns the directory with changes.
fn changed(changes: &[Change<'_>]) -> Vec<(String, String)> {
    let is_changed = |name: &str| changes.iter().any(|(other, _)| *other == name);
    let same = FILES.into_iter().filter(|(name, _)| !is_changed(name));
    let new = changes
        .iter()
        .filter_map(|(name, text)| Some((*name, (*text)?)));
    let files = same.chain(new);
    files
        .map(|(name, text)| (format!("d/{name}"), text.to_owned()))
        .collect()
}

/// Audits the tables of the directory `d`, and returns what was found and the auditor of its utterances.
fn audit(env: &Env) -> Result<(Vec<String>, Box<dyn Auditor>)> {
    let mut all = Vec::new();
    let mut found = |finding: Finding| all.push(shown(&finding));
    let audit = DATA.audit().unwrap();
    let auditor = audit.begin(Some(&"d".into()), env, &mut found)?;
    Ok((all, auditor))
}

fn begin(changes: &[Change<'_>]) -> Result<(Vec<String>, Box<dyn Auditor>)> {
    let files = changed(changes);
    let files: Vec<_> = files
        .iter()
        .map(|(name, text)| (name.as_str(), text))
        .collect();
    audit(&holding(&files))
}

fn shown(finding: &Finding) -> String {
    let (severity, sort) = (finding.severity.name(), finding.sort);
    format!("{severity} {sort}: {}", finding.error)
}

/// Asserts what is found in a directory, each by how it begins.
#[track_caller]
fn finds(changes: &[Change<'_>], want: &[&str]) {
    let (found, _) = begin(changes).unwrap();
    let same = found.len() == want.len()
        && found
            .iter()
            .zip(want)
            .all(|(found, want)| found.starts_with(want));
    assert!(same, "{changes:?}: {found:#?}");
}

#[test]
fn a_directory_without_faults() {
    finds(&[], &[]);
    let whole = [
        ("utt2lang", Some("a-1 nl\na-2 nl\nb-1 de\n")),
        ("utt2dur", Some("a-1 0.5\na-2 5e-1\nb-1 1\n")),
        ("utt2num_frames", Some("a-1 5\na-2 6\nb-1 10\n")),
        ("utt2uniq", Some("a-1 x\na-2 x\nb-1 b-1\n")),
        ("utt2warp", Some("a-1 0.9\na-2 1\nb-1 1.1\n")),
        ("spk2gender", Some("a f\nb m\n")),
        ("spk2warp", Some("a 0.51\nb 1.49\n")),
        ("reco2dur", Some("r1 1\nr2 1\n")),
        ("reco2file_and_channel", Some("r1 r A\nr2 r 1\n")),
        ("cmvn.scp", Some("a c.ark:3\nb c.ark:40\n")),
        ("vad.scp", Some("a-1 v.ark:4\na-2 v.ark:9\nb-1 v.ark:15\n")),
        ("frame_shift", Some("0.01\n")),
        // Of these some utterances may have no line.
        ("utt2gender", Some("b-1 m\n")),
        ("utt2category", Some("a-2 CLEAN\n")),
    ];
    finds(&whole, &[]);
}

#[test]
fn files_that_are_missing() {
    let told = "is not there, and validate_data_dir.sh has to be told so";
    for (name, want) in [
        (
            "utt2spk",
            vec!["fault missing: d/utt2spk: is missing".to_owned()],
        ),
        (
            "spk2utt",
            vec!["fault missing: d/spk2utt: is missing".to_owned()],
        ),
        ("text", vec![format!("note missing: d/text: {told}")]),
        (
            "feats.scp",
            vec![format!("note missing: d/feats.scp: {told}")],
        ),
        (
            "wav.scp",
            vec![
                "fault missing: d/segments: the recordings it names have no wav.scp".to_owned(),
                format!("note missing: d/wav.scp: {told}"),
            ],
        ),
    ] {
        let want: Vec<_> = want.iter().map(String::as_str).collect();
        finds(&[(name, None)], &want);
    }
    let told =
        "fault missing: d/text.gz: is compressed, and Kaldi's scripts read plain tables only";
    let (found, _) = begin(&[("text", None), ("text.gz", Some("a-1 X\n"))]).unwrap();
    assert_eq!(found.first().map(String::as_str), Some(told));
    finds(
        &[
            ("text.gz", Some("not read")),
            ("utt2spk.bz2", Some("neither")),
        ],
        &[
            "note missing: d/utt2spk.bz2: is not read, as utt2spk is there",
            "note missing: d/text.gz: is not read, as text is there",
        ],
    );
}

#[test]
fn speakers_of_utterances() {
    for (list, inverse, want) in [
        (
            "a-1 a\na-2 a\nb-1 a\n",
            "a a-1 a-2 b-1\n",
            &["note speakers: d/utt2spk: all utterances have one speaker, a"][..],
        ),
        (
            "a-1 b\na-2 a\nb-1 b\n",
            "a a-2\nb a-1 b-1\n",
            &["fault order: d/utt2spk:2: utterance a-2: speaker a comes after b"],
        ),
        (
            "a-1 a\na-2 a c\nb-1 b\n",
            "a a-1\nb b-1\n",
            &["fault lines: d/utt2spk:2: utterance a-2: expected one word after the key"],
        ),
        (
            "a-1 a\na-2\nb-1 b\n",
            "a a-1\nb b-1\n",
            &["fault lines: d/utt2spk:2: utterance a-2: expected one word after the key"],
        ),
    ] {
        finds(&[("utt2spk", Some(list)), ("spk2utt", Some(inverse))], want);
    }
}

#[test]
fn utterances_of_speakers() {
    let order = "is listed where utt2spk has a-1, and validate_data_dir.sh compares the order";
    let order =
        ["a-2", "b-1"].map(|key| format!("fault order: d/spk2utt:1: utterance {key}: {order}"));
    let is_listed = "is not listed, but utt2spk has it";
    let not_listed = format!("fault speakers: d/spk2utt:1: utterance a: a-2 {is_listed}");
    for (inverse, want) in [
        ("a a-1\nb b-1\n", &[not_listed.as_str()][..]),
        (
            "a a-1 a-2 a-2\nb b-1\n",
            &["fault speakers: d/spk2utt:1: utterance a: a-2 is listed twice"],
        ),
        (
            "a a-1 a-2 z\nb b-1\n",
            &["fault speakers: d/spk2utt:1: utterance a: z is listed, but not by utt2spk"],
        ),
        (
            "a a-1 a-2\n",
            &["fault speakers: d/spk2utt: utterance b: has no line for this speaker of utt2spk"],
        ),
        (
            "a a-1 a-2\nb b-1\nc x\n",
            &["fault speakers: d/spk2utt:3: utterance c: x is listed, but not by utt2spk"],
        ),
        ("a a-2 a-1\nb b-1\n", &[&order[0]]),
        (
            "b b-1\na a-1 a-2\n",
            &[
                "fault order: d/spk2utt:2: utterance a: comes after b: the file is not sorted",
                &order[1],
            ],
        ),
        (
            "a a-1 a-2\na a-1 a-2\nb b-1\n",
            &["fault duplicates: d/spk2utt:2: utterance a: appears twice, in line 1, too"],
        ),
    ] {
        finds(&[("spk2utt", Some(inverse))], want);
    }
    // Without the one, only the lines of the other can be wrong.
    finds(
        &[("utt2spk", None), ("spk2utt", Some("b x\na y\n"))],
        &[
            "fault missing: d/utt2spk: is missing",
            "fault order: d/spk2utt:2: utterance a: comes after b: the file is not sorted",
        ],
    );
}
