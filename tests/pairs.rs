//! Every reader with every writer: what passes comes back the same, what does not is refused by
//! the name of the loss.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use std::fs;
use std::path::Path;

use spr_convert::argument::{Input, Target};
use spr_convert::core::Limits;
use spr_convert::core::bytes::Env;
use spr_convert::core::model::{Dtype, FrameGrid, Object, Segment, Utterance};
use spr_convert::job::{Job, Outcome};
use spr_convert::{Error, ErrorKind, builtin};

/// Name and the ending of an output of that format.
const FORMATS: [(&str, &str); 11] = [
    ("kaldi", ".ark"),
    ("pfile", ".pfile"),
    ("pickle", ".pkl"),
    ("spr", ".spr/"),
    ("key", ".key/"),
    ("jsonl", ".jsonl"),
    ("wav", ".wav/"),
    ("sphere", ".sph/"),
    ("au", ".au/"),
    ("segments of spr", ".seg"),
    ("corpus of spr", ".cor"),
];

/// What should come of writing a data set in a format.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Expect {
    /// Everything comes back.
    Same,
    /// The loss of this name is refused.
    Loss(&'static str),
    /// Refused, and no flag helps.
    Refused,
}
use Expect::{Loss, Refused, Same};

struct Data {
    name: &'static str,
    jsonl: &'static str,
    /// In the order of `FORMATS`.
    expect: [Expect; 11],
}

const DATA: [Data; 15] = [
    Data {
        name: "f32",
        jsonl: r#"{"key":"a","features":{"dtype":"f32","shape":[2,3],"data":[[1,-2.5,0.1],[3,"nan","-inf"]]},"labels":null,"meta":{}}
{"key":"b-é","features":{"dtype":"f32","shape":[1,3],"data":[[1e-40,3.4028235e38,-0]]},"labels":null,"meta":{}}
"#,
        expect: [
            Same, Same, Same, Same, Same, Same, Refused, Refused, Refused, Refused, Refused,
        ],
    },
    Data {
        name: "f64",
        jsonl: r#"{"key":"a","features":{"dtype":"f64","shape":[1,2],"data":[[0.1,1e300]]},"labels":null,"meta":{}}
"#,
        expect: [
            Same,
            Loss("precision"),
            Same,
            Same,
            Same,
            Same,
            Refused,
            Refused,
            Refused,
            Refused,
            Refused,
        ],
    },
    Data {
        name: "f64 that fits f32",
        jsonl: r#"{"key":"a","features":{"dtype":"f64","shape":[1,2],"data":[[0.5,1]]},"labels":null,"meta":{}}
"#,
        expect: [
            Same, Same, Same, Same, Same, Same, Refused, Refused, Refused, Refused, Refused,
        ],
    },
    Data {
        name: "i32",
        jsonl: r#"{"key":"a","features":{"dtype":"i32","shape":[1,2],"data":[[2147483647,-5]]},"labels":null,"meta":{}}
"#,
        expect: [
            Same,
            Loss("precision"),
            Same,
            Same,
            Same,
            Same,
            Refused,
            Refused,
            Refused,
            Refused,
            Refused,
        ],
    },
    Data {
        name: "u64",
        jsonl: r#"{"key":"a","features":{"dtype":"u64","shape":[1,2],"data":[[18446744073709551615,0]]},"labels":null,"meta":{}}
"#,
        expect: [
            Loss("precision"),
            Loss("precision"),
            Same,
            Same,
            Loss("precision"),
            Same,
            Refused,
            Refused,
            Refused,
            Refused,
            Refused,
        ],
    },
    Data {
        name: "labelled",
        jsonl: r#"{"key":"a","features":{"dtype":"f32","shape":[2,1],"data":[[1],[2]]},"labels":[7,-1],"meta":{}}
{"key":"b","features":{"dtype":"f32","shape":[1,1],"data":[[3]]},"labels":[0],"meta":{}}
"#,
        expect: [
            Loss("labels"),
            Same,
            Same,
            Loss("labels"),
            Loss("labels"),
            Same,
            Refused,
            Refused,
            Refused,
            Refused,
            Refused,
        ],
    },
    Data {
        name: "labels alone",
        jsonl: r#"{"key":"a","features":null,"labels":[7,-1],"meta":{}}
"#,
        expect: [
            Same, Same, Refused, Refused, Refused, Same, Refused, Refused, Refused, Same, Refused,
        ],
    },
    Data {
        name: "vectors",
        jsonl: r#"{"key":"a","features":{"dtype":"f32","shape":[2],"data":[1,2]},"labels":null,"meta":{}}
{"key":"b","features":{"dtype":"f32","shape":[1],"data":[0.25]},"labels":null,"meta":{}}
"#,
        expect: [
            Same,
            Loss("rank"),
            Same,
            Loss("rank"),
            Loss("rank"),
            Same,
            Refused,
            Refused,
            Refused,
            Refused,
            Refused,
        ],
    },
    Data {
        name: "two widths",
        jsonl: r#"{"key":"a","features":{"dtype":"f32","shape":[1,2],"data":[[1,2]]},"labels":null,"meta":{}}
{"key":"b","features":{"dtype":"f32","shape":[1,3],"data":[[1,2,3]]},"labels":null,"meta":{}}
"#,
        expect: [
            Same, Refused, Refused, Same, Same, Same, Refused, Refused, Refused, Refused, Refused,
        ],
    },
    Data {
        name: "audio of 16 bits",
        jsonl: r#"{"key":"a","audio":{"rate":16000,"dtype":"f32","shape":[3,2],"data":[[0.5,-1],[0,0.25],[-0.125,0]]},"meta":{}}
{"key":"b","audio":{"rate":8000,"dtype":"u8","shape":[2,1],"data":[[128],[255]]},"meta":{}}
"#,
        expect: [
            Same, Refused, Refused, Same, Same, Same, Same, Same, Same, Refused, Refused,
        ],
    },
    Data {
        name: "audio of more bits",
        jsonl: r#"{"key":"a","audio":{"rate":16000,"dtype":"f32","shape":[1,2],"data":[[0.1,-1]]},"meta":{}}
"#,
        expect: [
            Loss("precision"),
            Refused,
            Refused,
            Same,
            Same,
            Same,
            Same,
            Same,
            Same,
            Refused,
            Refused,
        ],
    },
    Data {
        name: "segments that are frame labels",
        jsonl: r#"{"key":"a","segments":[{"start":0,"end":0.02,"label":"7"},{"start":0.02,"end":0.03,"label":"-1"}],"meta":{}}
{"key":"b","segments":[{"start":0,"end":0.29,"label":"0"}],"meta":{}}
"#,
        expect: [
            Same, Same, Refused, Refused, Refused, Same, Refused, Refused, Refused, Same, Refused,
        ],
    },
    Data {
        name: "segments",
        jsonl: r#"{"key":"a","segments":[{"start":0.5,"end":0.75,"label":"ah"},{"start":1.25,"end":null,"label":"b"}],"meta":{}}
"#,
        expect: [
            Refused, Refused, Refused, Refused, Refused, Same, Refused, Refused, Refused, Same,
            Refused,
        ],
    },
    Data {
        name: "segments beside features",
        jsonl: r#"{"key":"a","features":{"dtype":"f32","shape":[2,1],"data":[[1],[2]]},"segments":[{"start":0,"end":null,"label":"7"}],"text":"b","meta":{}}
"#,
        expect: [
            Loss("segments"),
            Loss("labels"),
            Loss("labels"),
            Loss("segments"),
            Loss("segments"),
            Same,
            Refused,
            Refused,
            Refused,
            Refused,
            Refused,
        ],
    },
    Data {
        name: "text",
        jsonl: r#"{"key":"a","text":"one two","meta":{}}
{"key":"b","text":"","meta":{}}
{"key":"c","text":"\u00e9t\u00e9","meta":{}}
"#,
        expect: [
            Same, Refused, Refused, Refused, Refused, Same, Refused, Refused, Refused, Refused,
            Same,
        ],
    },
];

fn convert(input: &Path, output: &str) -> Result<Outcome, Error> {
    let registry = builtin::registry();
    let inputs = Input::parse(input.to_str().unwrap(), None, &[], &registry)?;
    let target = Target::parse(output, None, &[], &registry)?;
    Job::new(inputs, target).run(&registry, &Env::default(), &mut ())
}

/// All utterances, features and labels in types that hold any of the others.
fn read(path: &Path) -> Vec<Utterance> {
    let mut reader = spr_convert::open(path.to_str().unwrap()).unwrap();
    let mut all = Vec::new();
    let mut utt = Utterance::default();
    while reader.read(&mut utt).unwrap() {
        all.push(utt.clone());
    }
    all
}

/// The same numbers, whatever type holds them.
fn same_values(a: &[Utterance], b: &[Utterance]) -> bool {
    let text = |u: &Utterance| {
        let mut lines = vec![u.key.to_string()];
        // As floats, so that samples of other types agree if they are as loud.
        let mut audio = u.audio.clone().unwrap_or_default();
        audio.cast(Dtype::F64, &Limits::default()).unwrap();
        lines.push(format!("{} samples a second", audio.rate));
        // Frame labels and segments are the same in two forms, as are text and words.
        let grid = FrameGrid::usual();
        let runs = u.labels.as_ref().and_then(|l| Segment::of_labels(l, &grid));
        let labels = u.labels.clone().filter(|_| runs.is_none());
        lines.extend(u.segments.iter().chain(&runs).map(|s| format!("{s:?}")));
        lines.extend(u.text.iter().map(|text| format!("{text:?}")));
        match &u.object {
            Some(Object::Tokens(words)) => {
                let words: Vec<_> = words.iter().collect();
                lines.push(format!("{:?}", words.join(&b' ')));
            }
            other => assert_eq!(*other, None),
        }
        for matrix in [&u.features, &labels, &Some(audio.samples)]
            .into_iter()
            .flatten()
        {
            lines.push(format!(
                "{:?} {} {}",
                matrix.rank(),
                matrix.rows(),
                matrix.cols()
            ));
            spr_convert::core::dispatch!(matrix.dtype(), T => {
                for value in matrix.as_slice::<T>().unwrap() {
                    let mut out = Vec::new();
                    // As f64 text, so that 1 and 1.0 agree and nothing is rounded below 2^53.
                    spr_convert::core::model::Element::print(*value, &mut out);
                    let text = String::from_utf8(out).unwrap();
                    lines.push(match text.parse::<f64>() {
                        Ok(number) if number.fract() == 0.0 => format!("{number}"),
                        _ => text,
                    });
                }
            });
        }
        lines
    };
    a.iter().map(text).eq(b.iter().map(text))
}

#[test]
fn every_pair() {
    let folder = tempfile::tempdir().unwrap();
    let mut pairs = 0;
    for data in &DATA {
        let base = folder.path().join(format!("{}.jsonl", data.name));
        fs::write(&base, data.jsonl).unwrap();
        for (i, (from, ending)) in FORMATS.iter().enumerate() {
            let source = folder.path().join(format!("{} {from}{ending}", data.name));
            let first = convert(&base, source.to_str().unwrap());
            check(data, "jsonl", FORMATS[i].0, data.expect[i], &first, &source);
            if data.expect[i] != Same {
                continue;
            }
            let original = read(&source);
            assert!(
                same_values(&read(&base), &original),
                "{}: jsonl -> {from}: {original:?}",
                data.name
            );
            for (j, (to, ending)) in FORMATS.iter().enumerate() {
                let target = folder
                    .path()
                    .join(format!("{} {from} {to}{ending}", data.name));
                let result = convert(&source, target.to_str().unwrap());
                check(data, from, to, data.expect[j], &result, &target);
                if data.expect[j] == Same {
                    let back = read(&target);
                    assert!(
                        same_values(&original, &back),
                        "{}: {from} -> {to}: {original:?} {back:?}",
                        data.name
                    );
                }
                pairs += 1;
            }
        }
    }
    assert_eq!(pairs, 682, "pairs tried");
}

fn check(
    data: &Data,
    from: &str,
    to: &str,
    expect: Expect,
    result: &Result<Outcome, Error>,
    target: &Path,
) {
    let pair = format!("{}: {from} -> {to}", data.name);
    match (expect, result) {
        (Same, Ok(_)) => return,
        (Loss(kind), Err(e)) if e.kind() == ErrorKind::Loss => {
            assert!(
                e.hint_text().unwrap().contains(kind),
                "{pair}: {e} {:?}",
                e.hint_text()
            );
        }
        (Refused, Err(e)) if e.kind() == ErrorKind::Unfit => {}
        (_, Err(e)) => panic!("{pair}: expected {expect:?}, got {e}"),
        (_, Ok(_)) => panic!("{pair}: expected {expect:?}, went through"),
    }
    assert!(!target.exists(), "{pair}: left {}", target.display());
}
