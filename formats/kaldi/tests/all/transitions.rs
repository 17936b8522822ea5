//! Transition models: the phones and pdfs of transition ids, as Kaldi's own code gives them.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::fs;

use spr_core::bytes::{Env, Source};
use spr_core::format::{Format, LabelModels, LabelTable};
use spr_core::{ErrorKind, Result};
use spr_format_kaldi::FORMAT;

const CASES: [&str; 2] = ["ali-jobs", "ali-jobs-chain"];

fn fixture(case: &str, name: &str) -> Vec<u8> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/kaldi");
    fs::read(format!("{root}/{case}/{name}")).unwrap()
}

fn models() -> &'static dyn LabelModels {
    FORMAT.label_models().unwrap()
}

fn table(bytes: &[u8], unit: &str) -> Result<LabelTable> {
    let source = Source::from_bytes("final.mdl", bytes.to_vec())?;
    models().read(source, unit, &Env::default())
}

/// The labels of each utterance of a file in the canonical form.
fn labels(case: &str, name: &str) -> Vec<Vec<i64>> {
    let text = String::from_utf8(fixture(case, name)).unwrap();
    let labels = |line: &str| {
        let (_, rest) = line.split_once("\"labels\":[").unwrap();
        let (numbers, _) = rest.split_once(']').unwrap();
        numbers.split(',').map(|n| n.parse().unwrap()).collect()
    };
    text.lines().map(labels).collect()
}

#[test]
fn ids_are_what_kaldi_says() {
    for case in CASES {
        let ids = labels(case, "expect.jsonl");
        for unit in models().units() {
            let expected = labels(case, &format!("{unit}.jsonl"));
            for model in ["text.mdl", "binary.mdl"] {
                let table = table(&fixture(case, model), unit).unwrap();
                let found: Vec<Vec<i64>> = ids
                    .iter()
                    .map(|ids| {
                        ids.iter()
                            .map(|id| table.get(*id).unwrap().into())
                            .collect()
                    })
                    .collect();
                assert_eq!(found, expected, "{case} {model} {unit}");
                assert_eq!((table.get(0), table.get(-1)), (None, None));
            }
        }
    }
}

#[test]
fn models_are_known_by_their_start() {
    for case in CASES {
        for model in ["text.mdl", "binary.mdl"] {
            assert!(models().is_model(&fixture(case, model)));
        }
    }
    for other in [
        &b""[..],
        b"\0BFM ",
        b"<Topology>",
        b"<TransitionModelX",
        b"TransitionModel",
    ] {
        assert!(!models().is_model(other), "{other:?}");
    }
}

#[test]
fn a_cut_model_is_refused() {
    for case in CASES {
        for model in ["text.mdl", "binary.mdl"] {
            let bytes = fixture(case, model);
            let end = b"</TransitionModel>";
            let at = bytes.windows(end.len()).position(|w| w == end).unwrap() + end.len();
            assert!(table(&bytes[..=at], "phones").is_ok());
            for cut in 0..=at {
                let error = table(&bytes[..cut], "phones").unwrap_err();
                let kind = error.kind();
                assert!(
                    matches!(kind, ErrorKind::Truncated | ErrorKind::Malformed),
                    "{case} {model} {cut}: {error}"
                );
            }
        }
    }
}

/// A byte of a model, changed in every way: an error, or as many ids as there are probabilities.
#[test]
fn a_changed_model_does_no_harm() {
    for case in CASES {
        for model in ["text.mdl", "binary.mdl"] {
            let bytes = fixture(case, model);
            for at in 0..bytes.len() {
                for value in [0, b' ', b'9', 0x7f, 0xff, bytes[at] ^ 1] {
                    let mut bytes = bytes.clone();
                    bytes[at] = value;
                    let _ = table(&bytes, "pdfs");
                }
            }
        }
    }
}

#[test]
fn faults_are_told_with_their_place() {
    let start = "<TransitionModel>\n<Topology>\n<TopologyEntry>\n<ForPhones>\n1\n</ForPhones>\n";
    let entry = "<State> 0 <PdfClass> 0 <Transition> 0 0.5 <Transition> 1 0.5 </State>\n\
                 <State> 1 </State>\n</TopologyEntry>\n";
    let end = "</LogProbs>\n</TransitionModel>\n";
    let whole = |tuples: &str, probabilities: &str| {
        format!("{start}{entry}</Topology>\n{tuples}<LogProbs>\n {probabilities}\n{end}")
    };
    let triple = "<Triples> 1\n1 0 0\n</Triples>\n";
    assert!(table(whole(triple, "[ 0 -1 -1 ]").as_bytes(), "pdfs").is_ok());
    for (text, message) in [
        (
            whole(triple, "[ 0 -1 ]"),
            "has 2 log probabilities for 2 transition ids",
        ),
        (
            whole("<Triples> 1\n1 3 0\n</Triples>\n", "[ 0 -1 -1 ]"),
            "tuple 1: the topology has no state 3 of phone 1",
        ),
        (
            whole("<Triples> 1\n2 0 0\n</Triples>\n", "[ 0 -1 -1 ]"),
            "tuple 1: the topology has no state 0 of phone 2",
        ),
        (
            whole("<Triples> -1\n</Triples>\n", "[ 0 ]"),
            "expected a number of tuples",
        ),
        (
            whole("<Triples> 2\n1 0 0\n</Triples>\n", "[ 0 -1 -1 ]"),
            "expected an integer, found '</Triples>'",
        ),
        (
            format!(
                "{start}{entry}{}{entry}",
                &start[start.find("<TopologyEntry>").unwrap()..]
            ),
            "phone 1 has two entries",
        ),
        (
            format!("{start}<State> 1 </State>"),
            "expected state 0: states come in order",
        ),
        ("<TransitionModel> x".repeat(9), "expected <Topology>"),
    ] {
        let error = table(text.as_bytes(), "pdfs").unwrap_err();
        assert!(error.to_string().contains(message), "{error}");
        assert_eq!(error.file_name(), Some("final.mdl"));
    }
}

/// A count that is not true allocates nothing, and transitions that are many times over end at the
/// limit.
#[test]
fn absurd_sizes_are_refused() {
    let mut bytes = b"\0B<TransitionModel> <Topology> \x04".to_vec();
    bytes.extend(i32::MAX.to_le_bytes());
    let error = table(&bytes, "phones").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Truncated);
    let transitions = "<Transition> 0 0.1 ".repeat(4000);
    let triples = "1 0 0\n".repeat(4000);
    let text = format!(
        "<TransitionModel> <Topology> <TopologyEntry> <ForPhones> 1 </ForPhones> <State> 0 \
         {transitions}</State> </TopologyEntry> </Topology> <Triples> 4000\n{triples}</Triples> \
         <LogProbs> [ 0 ] </LogProbs> </TransitionModel> "
    );
    let phones: String = (1..=30_000).map(|phone| format!("{phone} ")).collect();
    let phones = format!(
        "<TransitionModel> <Topology> <TopologyEntry> <ForPhones> {phones}</ForPhones> <State> 0 \
         </State> </TopologyEntry> </Topology> "
    );
    let mut env = Env::default();
    env.limits.max_alloc = 1 << 20;
    for (text, what) in [(text, "transition ids"), (phones, "phones of a topology")] {
        let source = Source::from_bytes("final.mdl", text.into_bytes()).unwrap();
        let error = models().read(source, "phones", &env).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Limit, "{error}");
        assert!(error.to_string().contains(what), "{error}");
    }
}

#[test]
fn words_are_not_in_a_model() {
    assert!(models().missing_unit("words").unwrap().contains("lexicon"));
    assert_eq!(models().missing_unit("letters"), None);
    assert!(table(&fixture("ali-jobs", "text.mdl"), "words").is_err());
}
