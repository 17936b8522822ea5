//! Spellings of steps: data options, flags, stages and the library's builder make the same bytes.

use std::collections::BTreeSet;

use proptest::prelude::*;
use spr_convert::builder::PlanBuilder;
use spr_convert::builtin;
use spr_convert::core::bytes::Env;
use spr_convert::job::Job;
use spr_convert::step::{KINDS, option_keys};

use super::Scratch;
use super::sound::wave;

/// Data options that no single step stands for, or that need a model.
const OTHERS: [&str; 9] = [
    "partition",
    "stream",
    "seed",
    "label",
    "type",
    "round",
    "random",
    "ali-to",
    "model",
];

/// One step in three spellings.
#[derive(Clone, Debug)]
struct Spelt {
    /// The data option.
    key: &'static str,
    value: String,
    stage: String,
}

impl Spelt {
    fn new(key: &'static str, value: String, stage: String) -> Self {
        Self { key, value, stage }
    }

    /// The flag of the program, if the option has one.
    fn flag(&self) -> Option<String> {
        let mut options = KINDS.iter().flat_map(|kind| kind.options);
        let option = options.find(|option| option.key == self.key).unwrap();
        let flag = option.flag?;
        Some(format!("--{flag}={}", self.value))
    }
}

/// Steps on features and labels, in their order.
fn frames() -> impl Strategy<Value = Vec<Spelt>> {
    let spelt = |key, value: String| {
        let stage = format!("{key}({value})");
        Spelt::new(key, value, stage)
    };
    let pattern = "{speaker}-{name}";
    let speaker = Spelt::new(
        "speaker-from",
        pattern.to_owned(),
        format!("speaker('{pattern}')"),
    );
    let speaker = prop::option::of(Just(speaker));
    let shift =
        prop::option::of((1..50u32).prop_map(move |ms| spelt("frame-shift", format!("0.{ms:03}"))));
    let context = (0..4u32, 0..4u32, 0..3).prop_map(|(left, right, form)| match form {
        0 => Spelt::new("lcxt", left.to_string(), format!("context({left},0)")),
        1 => Spelt::new("rcxt", right.to_string(), format!("context(0,{right})")),
        _ => {
            let value = format!("{left}:{right}");
            Spelt::new("context", value, format!("context({left},{right})"))
        }
    });
    let ignore = (0..3u32).prop_map(move |label| spelt("ignore-label", label.to_string()));
    let map =
        (0..3u32, 5..9u32).prop_map(move |(from, to)| spelt("map-label", format!("{from}:{to}")));
    let all = (
        speaker,
        shift,
        prop::option::of(context),
        prop::option::of(ignore),
        prop::option::of(map),
    );
    all.prop_map(|(a, b, c, d, e)| [a, b, c, d, e].into_iter().flatten().collect())
}

/// Steps on sound; the values of one step are given together.
fn sound() -> impl Strategy<Value = (Vec<Spelt>, String)> {
    let channel = prop::option::of(prop::sample::select(vec!["0", "1", "mix"]));
    let rate = prop::option::of(prop::sample::select(vec!["8000", "11025", "22050"]));
    let values = (channel, rate, any::<bool>());
    values.prop_filter_map("nothing is computed", |(channel, rate, dithers)| {
        // Dither needs rounding: the mean of channels, or another rate.
        let rounds = rate.is_some() || channel == Some("mix");
        let dithers = dithers && rounds;
        let spelt =
            |key, value: &str, named: &str| Spelt::new(key, value.to_owned(), named.to_owned());
        let channel = channel.map(|value| spelt("channel", value, &format!("channel={value}")));
        let rate = rate.map(|value| spelt("resample", value, &format!("rate={value}")));
        let dither = dithers.then(|| spelt("dither", "True", "dither,seed=pdnn"));
        let all: Vec<_> = [channel, rate, dither].into_iter().flatten().collect();
        let named: Vec<_> = all.iter().map(|spelt| spelt.stage.clone()).collect();
        (!all.is_empty()).then(|| (all, format!("sound({})", named.join(","))))
    })
}

/// Writes a data set in each spelling, and returns the bytes of each.
fn written(s: &Scratch, input: &str, spelt: &[Spelt], stages: &str, rest: &[&str]) -> Vec<Vec<u8>> {
    let output = |n: usize| format!("out{n}.npz");
    let run = |n: usize, args: Vec<String>| {
        let name = output(n);
        let mut all: Vec<_> = args.iter().map(String::as_str).collect();
        all.extend([name.as_str(), "--overwrite", "--allow-loss=all", "--quiet"]);
        all.extend(rest);
        let said = s.run_args(&all);
        assert_eq!(said.status, 0, "{all:?}: {}", said.err);
        s.read(&name)
    };
    let options: Vec<_> = spelt
        .iter()
        .map(|one| format!(",{}={}", one.key, one.value))
        .collect();
    let by_options = run(0, vec![format!("{input}{}", options.concat())]);
    // An option without a flag stays an option.
    let mut by_flags = vec![input.to_owned()];
    for one in spelt {
        by_flags.push(match (one.key, one.flag()) {
            ("dither", _) => "--dither".to_owned(),
            (_, Some(flag)) => flag,
            (key, None) => format!("--io={key}={}", one.value),
        });
    }
    let by_flags = run(1, by_flags);
    let mut args = vec![input.to_owned()];
    if !stages.is_empty() {
        args.push(format!("--stages={stages}"));
    }
    let by_stages = run(2, args);
    let by_builder = built(s, input, stages, rest, &output(3));
    vec![by_options, by_flags, by_stages, by_builder]
}

/// Returns the bytes that the library writes for stages.
fn built(s: &Scratch, input: &str, stages: &str, rest: &[&str], output: &str) -> Vec<u8> {
    let (registry, env): (_, Env) = (builtin::registry(), builtin::env());
    let at = |name: &str| s.path(name).to_str().unwrap().to_owned();
    let mut builder = PlanBuilder::new(&registry, &env);
    builder.input(&at(input)).unwrap();
    if !stages.is_empty() {
        builder.stages(stages).unwrap();
    }
    for dtype in rest.iter().filter_map(|flag| flag.strip_prefix("--dtype=")) {
        builder.dtype(dtype.parse().unwrap());
    }
    builder.allow_named("all").unwrap().overwrite(true);
    let plan = builder.output(&at(output)).unwrap().finish().unwrap();
    Job::new(plan).run(&registry, &env, &mut ()).unwrap();
    s.read(output)
}

fn check_same(all: &[Vec<u8>]) -> Result<(), TestCaseError> {
    for other in &all[1..] {
        prop_assert!(
            all[0] == *other,
            "{} and {} bytes",
            all[0].len(),
            other.len()
        );
    }
    Ok(())
}

#[test]
fn every_data_option_is_drawn_or_named_as_another() {
    let drawn = [
        "speaker-from",
        "frame-shift",
        "lcxt",
        "rcxt",
        "context",
        "ignore-label",
        "map-label",
        "channel",
        "resample",
        "dither",
        "tier",
        "cut-by",
        "cut-key",
        "drop-labels",
        "gap",
        "pad",
        "join-by",
    ];
    let known: BTreeSet<_> = drawn.into_iter().chain(OTHERS).collect();
    assert_eq!(known, option_keys().into_iter().collect());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn steps_on_frames_are_alike(steps in frames()) {
        let s = Scratch::new();
        let line = |key: &str, from: u32| {
            let frames: Vec<_> = (from..from + 6).map(|n| format!("[{n},{}]", n * 2)).collect();
            let labels: Vec<_> = (from..from + 6).map(|n| (n % 3).to_string()).collect();
            let features = format!(
                "{{\"dtype\":\"f32\",\"shape\":[6,2],\"data\":[{}]}}", frames.join(",")
            );
            format!(
                "{{\"key\":\"{key}\",\"features\":{features},\"labels\":[{}],\"meta\":{{}}}}\n",
                labels.join(",")
            )
        };
        s.write("in.jsonl", format!("{}{}", line("ann-1", 0), line("bob-1", 9)));
        let stages: Vec<_> = steps.iter().map(|one| one.stage.clone()).collect();
        check_same(&written(&s, "in.jsonl", &steps, &stages.join("|"), &[]))?;
    }

    #[test]
    fn steps_on_sound_are_alike(
        (steps, stages) in sound(),
        dtype in prop::option::of(prop::sample::select(vec!["f32", "i16", "f64"])),
    ) {
        let s = Scratch::new();
        let samples: Vec<_> = (0..4000i32)
            .flat_map(|n| [n * 37 % 20001 - 10000, n * 91 % 16001 - 8000])
            .map(|n| i16::try_from(n).unwrap())
            .collect();
        s.write("in.wav", wave(16000, 2, &samples));
        let dtype = dtype.map(|dtype| format!("--dtype={dtype}"));
        let rest: Vec<_> = dtype.iter().map(String::as_str).collect();
        check_same(&written(&s, "in.wav", &steps, &stages, &rest))?;
    }
}

/// A tier of segments is picked by an option, a flag of the format, and a stage.
#[test]
fn a_tier_is_picked_alike() {
    let s = Scratch::new();
    let tier = |name: &str, text: &str| {
        format!(
            "{{\"name\":\"{name}\",\"segments\":[{{\"start\":0,\"end\":1,\"label\":\"{text}\"}}]}}"
        )
    };
    let tiers = [tier("words", "a"), tier("phones", "b")].join(",");
    s.write(
        "in.jsonl",
        format!("{{\"key\":\"a\",\"tiers\":[{tiers}],\"meta\":{{}}}}\n"),
    );
    s.ok("in.jsonl,tier=phones a.ctm --allow-loss all");
    s.ok("in.jsonl b.ctm --stages tier(phones) --allow-loss all");
    assert_eq!(s.read("a.ctm"), s.read("b.ctm"));
}

/// Recordings are cut and joined alike by options, flags, stages and the builder.
#[test]
fn recordings_are_cut_and_joined_alike() {
    let s = Scratch::new();
    let segment = |start: f64, end: f64, label: &str| {
        format!("{{\"start\":{start},\"end\":{end},\"label\":\"{label}\"}}")
    };
    let segments = [
        segment(0.0, 0.02, "a"),
        segment(0.02, 0.03, "sil"),
        segment(0.03, 0.05, "b"),
    ];
    let line = format!(
        "{{\"key\":\"r\",\"features\":{{\"dtype\":\"f32\",\"shape\":[5,1],\"data\":[[1],[2],[3],[4],[5]]}},\
         \"tiers\":[{{\"name\":\"words\",\"segments\":[{}]}}],\"meta\":{{\"frame_shift\":0.01}}}}\n",
        segments.join(",")
    );
    s.write("in.jsonl", line);
    let spelt = |key, value: &str| Spelt::new(key, value.to_owned(), String::new());
    let pattern = "{recording}_{start*100:04}";
    let cut = [
        spelt("cut-by", "words"),
        spelt("cut-key", pattern),
        spelt("drop-labels", "sil"),
        spelt("gap", "0.005"),
        spelt("pad", "0.01"),
    ];
    let stages = format!("cut(words,key='{pattern}',drop=sil,gap=0.005,pad=0.01)");
    let all = written(&s, "in.jsonl", &cut, &stages, &[]);
    check_same(&all).unwrap();
    s.ok("in.jsonl --cut-by words pieces.jsonl");
    let all = written(
        &s,
        "pieces.jsonl",
        &[spelt("join-by", "recording")],
        "join(recording)",
        &[],
    );
    check_same(&all).unwrap();
}
