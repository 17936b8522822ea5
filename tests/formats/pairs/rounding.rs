//! What outputs round is told: as many values as come back changed, and the largest difference.

use std::fs;
use std::path::Path;

use spr_convert::builder::PlanBuilder;
use spr_convert::core::dispatch;
use spr_convert::core::format::{FormatInfo, Request};
use spr_convert::core::loss::{LossKind, LossReport};
use spr_convert::core::model::{Element, Object, Utterance, Wide};
use spr_convert::job::{Job, Outcome};
use spr_convert::{Error, builtin};

use super::env;

/// Outputs that must have rounded something, with the data that they round.
const ROUNDING: &[(&str, &str)] = &[
    ("kaldi,compress=auto", "f32"),
    ("kaldi,compress=1", "f32"),
    ("kaldi,compress=2", "f32"),
    ("kaldi,compress=3", "f32"),
    ("kaldi,compress=4", "f64"),
    ("kaldi,compress=5", "f64"),
    ("kaldi,compress=6", "f64"),
    ("kaldi,compress=7", "f64"),
    ("kaldi,text=true,compress=2", "f32"),
    ("kaldi,text=true", "f64"),
    ("kaldi,text=true", "f64 vectors"),
    ("kaldi,text=true", "f64 numbers"),
    ("kaldi,text=true", "sparse"),
    ("kaldi,text=true,digits=kaldi", "f32"),
    ("kaldi,text=true,digits=kaldi", "f64"),
    ("kaldi,text=true,digits=kaldi", "posterior"),
    ("kaldi,text=true,digits=kaldi", "pairs"),
    ("spr,type=ULAW", "sound"),
    ("spr,type=ALAW", "sound"),
    ("key,type=MULAW", "sound"),
    ("key,type=ALAW", "sound"),
];

/// Values that are hard to round, in the canonical form.
fn data() -> Vec<(&'static str, String)> {
    let wide =
        "[[0.1,-3.3333333333333335,16777217],[123.45678901234567,1e-3,0.5],[-70000,254.7,1e30]]";
    let sound = (0..400i32).map(|n| (n * 7919) % 65536 - 32768);
    let sound: Vec<_> = sound.map(|n| format!("[{n}]")).collect();
    let rows: Vec<_> = (0..20)
        .map(|n| format!("[{0}.123456789,-{0}e-3]", n * n))
        .collect();
    let matrix = |dtype, shape, data: &str| {
        format!(r#""features":{{"dtype":"{dtype}","shape":{shape},"data":{data}}},"labels":null"#)
    };
    let object = |kind, value| format!(r#""kind":"{kind}","value":{value}"#);
    let rows = format!("[{}]", rows.join(","));
    let all = [
        ("f32", matrix("f32", "[20,2]", &rows)),
        ("f64", matrix("f64", "[3,3]", wide)),
        ("f64 vectors", matrix("f64", "[3]", "[0.1,0.25,1e-9]")),
        ("f64 numbers", matrix("f64", "[]", "0.1")),
        (
            "posterior",
            object("posterior", "[[[1,0.123456789],[2,0.5]],[]]"),
        ),
        ("pairs", object("float-pair-vector", "[[0.123456789,1.5]]")),
        (
            "sparse",
            object(
                "sparse-vector",
                r#"{"dtype":"f64","dim":9,"entries":[[1,0.1],[3,0.5]]}"#,
            ),
        ),
        (
            "sound",
            format!(
                r#""audio":{{"rate":8000,"dtype":"i16","shape":[400,1],"data":[{}]}}"#,
                sound.join(",")
            ),
        ),
    ];
    let line = |key, rest: &str| format!("{{\"key\":\"{key}\",{rest},\"meta\":{{}}}}\n");
    all.into_iter()
        .map(|(name, rest)| (name, line("a", &rest)))
        .collect()
}

/// All numbers that an utterance holds.
fn numbers(utt: &Utterance) -> Vec<f64> {
    let mut all = Vec::new();
    let sound = utt.waveform().map(|sound| &sound.samples);
    for matrix in utt.features.iter().chain(sound) {
        dispatch!(matrix.dtype(), T => all.extend(
            matrix.values::<T>().unwrap().iter().map(|v| match v.to_wide() {
                Wide::Int(v) => v as f64,
                Wide::Float(v) => v,
            })
        ));
    }
    let wide = |values: &[f32]| values.iter().map(|v| f64::from(*v)).collect::<Vec<_>>();
    match &utt.object {
        Some(Object::Floats(values)) => all.extend(wide(values)),
        Some(Object::FloatPairs(pairs)) => all.extend(wide(pairs.as_flattened())),
        Some(Object::Posterior(frames)) => {
            all.extend(
                frames
                    .iter()
                    .flatten()
                    .map(|(_, weight)| f64::from(*weight)),
            );
        }
        Some(Object::SparseVector(sparse)) => {
            all.extend(sparse.rows.iter().flatten().map(|(_, value)| *value));
        }
        _ => {}
    }
    all
}

fn read(text: &str) -> Result<Vec<f64>, Error> {
    let (registry, env) = (builtin::registry(), env());
    let plan = PlanBuilder::new(&registry, &env).input(text)?.finish()?;
    let mut reader = plan.open(Request::all().samples(), &registry, &env)?.reader;
    let (mut all, mut utt) = (Vec::new(), Utterance::default());
    while reader.read(&mut utt)? {
        all.extend(numbers(&utt));
    }
    Ok(all)
}

fn convert(input: &Path, output: &str) -> Result<Outcome, Error> {
    let (registry, env) = (builtin::registry(), env());
    let mut builder = PlanBuilder::new(&registry, &env);
    let plan = builder
        .input(input.to_str().unwrap())?
        .output(output)?
        .finish()?;
    Job::new(plan).run(&registry, &env, &mut ())
}

/// Every choice that the options of a format leave, alone and in text.
fn choices(info: &FormatInfo) -> Vec<String> {
    let mut all = vec![String::new()];
    for option in info.options {
        let mut values: Vec<_> = option.value.split('|').collect();
        let lower = |value: &&str| value.bytes().all(|b| !b.is_ascii_uppercase());
        values.retain(lower);
        if !option.value.contains('|') {
            values.clear();
        }
        if option.name == "type" {
            values = vec!["ULAW", "MULAW", "ALAW"];
        }
        all.extend(
            values
                .iter()
                .map(|value| format!(",{}={value}", option.name)),
        );
    }
    let text = info.options.iter().any(|option| option.name == "text");
    let in_text = all.iter().filter(|choice| !choice.contains("text="));
    let in_text: Vec<_> = in_text
        .map(|choice| format!(",text=true{choice}"))
        .collect();
    all.extend(in_text.into_iter().filter(|_| text));
    all
}

/// What is wrong with what was told of values that became others.
fn fault(before: &[f64], after: &[f64], told: &[LossReport]) -> Option<String> {
    if before.len() != after.len() {
        return Some(format!("{} numbers of {}", after.len(), before.len()));
    }
    let changed = before.iter().zip(after).filter(|(a, b)| a != b);
    let lines = || told.iter().flat_map(LossReport::lines);
    let values: u64 = lines().map(|(_, line)| line.values).sum();
    let precise = lines().filter(|(kind, _)| *kind == LossKind::Precision);
    let error = precise
        .map(|(_, line)| line.max_abs_err)
        .fold(0.0, f64::max);
    let largest = changed
        .clone()
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, f64::max);
    let n = changed.count() as u64;
    // Values beyond a fixed range are counted, and differ by anything.
    let clipped = lines().any(|(kind, _)| kind == LossKind::Range);
    let right = values == n && (error == largest || clipped && error <= largest);
    (!right).then(|| format!("{n} values differ by up to {largest}, told {values} by {error}"))
}

#[test]
fn every_value_that_an_output_rounds_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let registry = builtin::registry();
    let (mut tried, mut rounded, mut faults) = (0, Vec::new(), Vec::new());
    for (name, text) in data() {
        let source = folder.path().join(format!("{name}.jsonl"));
        fs::write(&source, text).unwrap();
        let before = read(source.to_str().unwrap()).unwrap();
        assert!(!before.is_empty(), "{name}");
        for format in registry.formats() {
            for choice in choices(format.info()) {
                let what = format!("{}{choice}", format.info().name);
                let file = folder.path().join(format!("{tried}"));
                let output = format!("{}:{}", format.info().name, file.display());
                tried += 1;
                // What the target can't hold, or does not know, is refused as it should be.
                let Ok(outcome) = convert(&source, &format!("{output}{choice}")) else {
                    continue;
                };
                let reading = choice.split(',').filter(|pair| pair.starts_with("dtype="));
                let reading: String = reading.map(|pair| format!(",{pair}")).collect();
                // Headers that were left out are missed.
                let Ok(after) = read(&format!("{output}{reading}")) else {
                    assert!(choice.contains("header="), "{what}: {name}");
                    continue;
                };
                if !outcome.rounded.iter().all(LossReport::is_empty) {
                    rounded.push((what.clone(), name));
                }
                // Samples for which there is no such type become floats of the same loudness.
                let scale = match name == "sound" && choice.contains("unsigned=true") {
                    true => 1.0 / 32768.0,
                    false => 1.0,
                };
                let before: Vec<_> = before.iter().map(|value| value * scale).collect();
                let fault = fault(&before, &after, &outcome.rounded);
                faults.extend(fault.map(|fault| format!("{what}: {name}: {fault}")));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    for (what, name) in ROUNDING {
        let found = rounded.iter().any(|(w, n)| w == what && n == name);
        assert!(found, "{what} rounds {name} in silence, or not at all");
    }
    assert!(tried > 500, "{tried}");
}
