//! Plans over all steps and formats: shards make the whole, or the plan is refused by the step's name;
//! and the steps that `--explain` names are those that are built.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, OnceLock};

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use spr_convert::builder::PlanBuilder;
use spr_convert::core::bytes::{Env, MemoryStore};
use spr_convert::core::format::{Registry, Request};
use spr_convert::core::model::Utterance;
use spr_convert::explain;
use spr_convert::job::Job;
use spr_convert::shard::{Shard, ShardSettings};
use spr_convert::step::{KINDS, Step, Steps};
use spr_convert::{Result, builtin};

use super::logging;

/// A way to write each step of the table that leaves utterances.
pub(super) const WRITTEN: &[&str] = &[
    "select('*-s0')",
    "select(regex=^u[0-5])",
    "select(keys=some.list)",
    "without('u4-*')",
    "length(2-5)",
    "seconds(0.02-)",
    "where('frames > 2 and not key ~ \"u4\"')",
    "speakers(s1)",
    "per-speaker(2)",
    "hours(1)",
    "first(5)",
    "slice(2,7)",
    "sample(4,seed=2)",
    "sample(1s,seed=2,by=speaker)",
    "shard(1,2)",
    "unique",
    "unique(first)",
    "unique(last)",
    "sort(key)",
    "sort(frames)",
    "sort(speaker,-frames)",
    "check",
    "check(dim=3)",
    "parts(features,labels)",
    "rename('s/u/utt/')",
    "rename(map=names.map)",
    "rename(prefix=x-)",
    "samples",
    "sound(rate=4000)",
    "sound(channel=mix,dither,seed=3)",
    "frame-shift(0.01)",
    "speaker('{name}-{speaker}')",
    "tier(words)",
    "cut(words)",
    "join(recording)",
    "ali-to(phones,model=final.mdl)",
    "ali-to(pdfs,model=final.mdl)",
    "frames(0)",
    "columns(0,2)",
    "cmvn",
    "cmvn(speaker,vars)",
    "cmvn(global)",
    "cmvn-stats(speaker)",
    "context(1)",
    "ignore-label(1)",
    "map-label(2:0)",
    "shuffle(3,seed=1)",
    "prefetch",
];

/// A transition model with four transition ids, of two phones.
pub(super) const MODEL: &str = "<TransitionModel>\n<Topology>\n<TopologyEntry>\n<ForPhones>\n1 2\n</ForPhones>\n\
    <State> 0 <PdfClass> 0 <Transition> 0 0.5 <Transition> 1 0.5 </State>\n<State> 1 </State>\n\
    </TopologyEntry>\n</Topology>\n<Triples> 2\n1 0 0\n2 0 1\n</Triples>\n<LogProbs>\n \
    [ 0 -1 -1 -1 -1 ]\n</LogProbs>\n</TransitionModel>\n";

/// Data options of an input, with what a refusal calls them.
const OPTIONS: &[(&str, &str)] = &[
    ("", ""),
    (",context=1", ""),
    (",ignore-label=1", ""),
    (",map-label=2:0", ""),
    (",frame-shift=0.01", ""),
    (",resample=4000", ""),
    (",random=True", "random=True"),
    (",partition=64k", "partition"),
    (",stream=True", "stream"),
];

/// How many utterances there are.
const COUNT: usize = 9;

/// Data sets in the canonical form: all that an utterance may have, and less of it, for formats that
/// hold no more.
const BASES: [(&str, &[&str]); 5] = [
    (
        "in.jsonl",
        &["features", "labels", "audio", "tiers", "text"],
    ),
    ("frames.jsonl", &["features", "labels"]),
    ("sound.jsonl", &["audio"]),
    ("tiers.jsonl", &["tiers"]),
    ("text.jsonl", &["text"]),
];

/// The utterances with these fields.
fn lines(fields: &[&str]) -> Vec<u8> {
    let mut lines = String::new();
    for n in 0..COUNT {
        let (frames, speaker) = (1 + n * 5 % 7, n % 2);
        let rows = (0..frames).map(|i| format!("[{n},{i}.5,{}]", i * n));
        let labels = (0..frames).map(|i| (1 + (i + n) % 4).to_string());
        let samples = (0..frames * 80).map(|i| format!("[{}]", (i * 7 + n) % 100));
        let [rows, labels, samples] = [rows.collect(), labels.collect(), samples.collect()]
            .map(|all: Vec<String>| all.join(","));
        let (end, length) = (frames as f64 / 100.0, frames * 80);
        let all = [
            (
                "features",
                format!("{{\"dtype\":\"f32\",\"shape\":[{frames},3],\"data\":[{rows}]}}"),
            ),
            ("labels", format!("[{labels}]")),
            (
                "audio",
                format!(
                    "{{\"rate\":8000,\"dtype\":\"i16\",\"shape\":[{length},1],\"data\":[{samples}]}}"
                ),
            ),
            (
                "tiers",
                format!(
                    "[{{\"name\":\"words\",\"segments\":\
                     [{{\"start\":0,\"end\":{end},\"label\":\"w{n}\"}}]}}]"
                ),
            ),
            ("text", format!("\"w{n}\"")),
        ];
        lines.push_str(&format!("{{\"key\":\"u{n}-s{speaker}\","));
        for (name, value) in all.iter().filter(|(name, _)| fields.contains(name)) {
            lines.push_str(&format!("\"{name}\":{value},"));
        }
        lines.push_str(&format!(
            "\"meta\":{{\"speaker\":\"s{speaker}\",\"frame_shift\":0.01}}}}\n"
        ));
    }
    lines.into_bytes()
}

/// The files that all jobs read, and the arguments of inputs and outputs by format.
struct Corpus {
    files: Vec<(String, Vec<u8>)>,
    inputs: BTreeMap<&'static str, String>,
    outputs: BTreeMap<&'static str, String>,
}

impl Corpus {
    /// The data in each format: written by the format itself, or, where it only names sound or does
    /// not encode it, by hand.
    fn make() -> Self {
        let store = MemoryStore::new();
        for (name, fields) in BASES {
            store.insert(name, lines(fields));
        }
        store.insert("some.list", b"u0-s0\nu3-s1\nu8-s0\n".to_vec());
        let names = (0..COUNT).map(|n| format!("u{n}-s{} n{n}\n", n % 2));
        store.insert("names.map", names.collect::<String>().into_bytes());
        store.insert("final.mdl", MODEL.as_bytes().to_vec());
        let (registry, env) = surroundings(&store);
        let (mut inputs, mut outputs) = (BTreeMap::new(), BTreeMap::new());
        for format in registry.formats() {
            let info = format.info();
            let forms = |base: &str| {
                let file = info.extensions.first();
                let file = file.map(|extension| format!("{}:{base}.{extension}", info.name));
                let folder = format!("{}:{base}/", info.name);
                file.into_iter().chain([folder]).collect::<Vec<_>>()
            };
            let base = format!("in-{}", info.name);
            let works = |argument: &String, from: &str| {
                let job = job(from, argument, &[], &registry, &env);
                job.is_ok_and(|job| job.run(&registry, &env, &mut ()).is_ok())
                    && read(argument, &registry, &env).is_ok_and(|utts| utts.len() == COUNT)
            };
            let forms_of = |base: &str| forms(base).into_iter();
            let made = BASES
                .iter()
                .find_map(|(from, _)| forms_of(&base).position(|form| works(&form, from)));
            if let Some(form) = made {
                inputs.extend(forms_of(&base).nth(form).map(|form| (info.name, form)));
            }
            let output = forms_of(&format!("out-{}", info.name)).nth(made.unwrap_or_default());
            outputs.extend(output.map(|form| (info.name, form)));
        }
        named(&store, &mut inputs);
        by_hand(&store, &mut inputs);
        // None of the data above becomes a file of these.
        for name in ["mp3", "ogg", "sphinx"] {
            outputs.insert(name, format!("{name}:out-{name}/"));
        }
        // Its files have a name, not an extension.
        outputs.insert("festvox", "festvox:out-festvox.data".to_owned());
        let files = store.locations().into_iter();
        let files = files.map(|at| (at.to_string(), store.get(at).unwrap()));
        Self {
            files: files.collect(),
            inputs,
            outputs,
        }
    }

    fn get() -> &'static Self {
        static CORPUS: OnceLock<Corpus> = OnceLock::new();
        CORPUS.get_or_init(Self::make)
    }

    fn store(&self) -> MemoryStore {
        let store = MemoryStore::new();
        for (name, bytes) in &self.files {
            store.insert(name.as_str(), bytes.clone());
        }
        store
    }
}

/// Adds inputs of formats with demands that the data do not meet: thirteen columns, speakers with
/// times, a name without an extension.
fn by_hand(store: &MemoryStore, inputs: &mut BTreeMap<&'static str, String>) {
    let (mut stm, mut prompts) = (String::new(), String::new());
    for n in 0..COUNT {
        let key = format!("u{n}-s{}", n % 2);
        let count = u16::try_from(13 * (1 + n * 5 % 7)).unwrap();
        let values = (0..count).flat_map(|i| (f32::from(i) / 2.0).to_le_bytes());
        let mut bytes = u32::from(count).to_le_bytes().to_vec();
        bytes.extend(values);
        store.insert(format!("in-sphinx/{key}.mfc"), bytes);
        // Of one speaker, whose name comes first, so that the keys are in order.
        stm.push_str(&format!("{key} 1 s0 0.00 1.00 w{n}\n"));
        prompts.push_str(&format!("( {key} \"w{n}\" )\n"));
    }
    store.insert("in-stm.stm", stm.into_bytes());
    inputs.insert("sphinx", "sphinx:in-sphinx/".to_owned());
    inputs.insert("stm", "stm:in-stm.stm".to_owned());
    store.insert("in-festvox.data", prompts.into_bytes());
    inputs.insert("festvox", "festvox:in-festvox.data".to_owned());
}

/// Adds inputs that no job makes of samples: lists of sound files, and sound that is not encoded.
fn named(store: &MemoryStore, inputs: &mut BTreeMap<&'static str, String>) {
    let (mut nemo, mut recordings) = (String::new(), String::new());
    for n in 0..COUNT {
        let (key, length) = (format!("u{n}-s{}", n % 2), (1 + n * 5 % 7) * 80);
        let (at, seconds) = (format!("in-wav/{key}.wav"), length as f64 / 8000.0);
        nemo.push_str(&format!(
            "{{\"audio_filepath\":\"{at}\",\"duration\":{seconds},\"text\":\"w{n}\"}}\n"
        ));
        recordings.push_str(&format!(
            "{{\"id\":\"{key}\",\"sources\":[{{\"type\":\"file\",\"channels\":[0],\
             \"source\":\"{at}\"}}],\"sampling_rate\":8000,\"num_samples\":{length},\
             \"duration\":{seconds},\"channel_ids\":[0]}}\n"
        ));
    }
    store.insert("in-nemo.json", nemo.into_bytes());
    store.insert("in-lhotse.jsonl", recordings.into_bytes());
    inputs.insert("nemo", "nemo:in-nemo.json".to_owned());
    inputs.insert("lhotse", "lhotse:in-lhotse.jsonl".to_owned());
    for name in ["mp3", "ogg"] {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/lossy");
        let sound = std::fs::read(root.join(format!("mono.{name}"))).unwrap();
        for n in 0..3 {
            store.insert(format!("in-{name}/u{n}-s0.{name}"), sound.clone());
        }
        inputs.insert(name, format!("{name}:in-{name}/"));
    }
}

fn surroundings(store: &MemoryStore) -> (Registry, Env) {
    let mut env = builtin::env().with_store(Arc::new(store.clone()));
    // All is built by the thread that asks what was built.
    env.threads = 1;
    (builtin::registry(), env.listening(|_| {}))
}

fn job(input: &str, output: &str, steps: &[Step], registry: &Registry, env: &Env) -> Result<Job> {
    let mut builder = PlanBuilder::new(registry, env);
    builder.input(input)?.output(output)?;
    for step in steps {
        builder.step(step.clone());
    }
    let plan = builder.overwrite(true).allow_named("all")?.finish()?;
    Ok(Job::new(plan))
}

/// The utterances of a data set.
fn read(argument: &str, registry: &Registry, env: &Env) -> Result<Vec<Utterance>> {
    let plan = PlanBuilder::new(registry, env).input(argument)?.finish()?;
    let mut request = Request::all();
    request.samples = true;
    let mut reader = plan.open(request, registry, env)?.reader;
    let (mut utts, mut utt) = (Vec::new(), Utterance::default());
    while reader.read(&mut utt)? {
        utts.push(utt.clone());
    }
    Ok(utts)
}

/// What becomes of a plan.
#[derive(Debug, PartialEq)]
enum Outcome {
    /// The shards make the whole.
    Same,
    /// It looks across utterances.
    Refused(String),
    /// As a whole it can't be done.
    Failed,
}

/// Returns the utterances that a job writes, and the options that the record of a shard holds because they
/// change bytes.
fn written(job: &Job) -> Result<(Vec<Utterance>, Option<String>)> {
    let (registry, env) = surroundings(&Corpus::get().store());
    let outcome = job.run(&registry, &env, &mut ())?;
    let utts = match outcome.written.utterances {
        0 => Vec::new(),
        _ => read(&outcome.output, &registry, &env)?,
    };
    Ok((utts, outcome.shard.map(|shard| shard.record.options)))
}

/// Runs a plan as a whole and in shards, and compares what comes of it, and what is explained with
/// what is built.
fn tried(input: &str, output: &str, steps: &[Step], of: u64) -> Outcome {
    let (registry, env) = surroundings(&Corpus::get().store());
    let Ok(whole) = job(input, output, steps, &registry, &env) else {
        return Outcome::Failed;
    };
    let told = explain::plan(whole.plan(), &registry, &env);
    logging::logged();
    let expected = written(&whole);
    let built = logging::logged();
    if let Some(what) = whole.plan().across() {
        return Outcome::Refused(what);
    }
    let Ok((expected, _)) = expected else {
        return Outcome::Failed;
    };
    compare_steps(&told.unwrap(), &built, steps);
    let (mut joined, mut identities) = (Vec::new(), BTreeSet::new());
    for number in 1..=of {
        let shard = ShardSettings::new(Shard::new(number, of).unwrap());
        let part = written(&whole.clone().shard(shard));
        let (utts, identity) = part.unwrap_or_else(|e| panic!("{input} {output} {steps:?}: {e}"));
        joined.extend(utts);
        identities.insert(identity.unwrap());
    }
    assert_eq!(joined, expected, "{input} {output} {steps:?}");
    assert_eq!(identities.len(), 1, "{input} {output} {steps:?}");
    Outcome::Same
}

/// Compares the steps that were explained with those that were built, by the program's log.
fn compare_steps(told: &[explain::Line], built: &[String], steps: &[Step]) {
    let told: Vec<_> = told.iter().flat_map(|line| line.steps.clone()).collect();
    let built = built.iter();
    let mut built: Vec<_> = built
        .filter_map(|line| line.strip_prefix("DEBUG spr_engine: step "))
        .collect();
    // What comes before such a step is built a second time.
    if steps.iter().any(Step::reads_twice) {
        let mut seen = BTreeSet::new();
        built.retain(|step| seen.insert(*step));
        assert_eq!(seen, told.iter().map(String::as_str).collect());
        return;
    }
    assert_eq!(told, built);
}

fn steps(texts: &[&str]) -> Vec<Step> {
    let all = texts.iter().map(|text| text.parse::<Steps>().unwrap());
    all.flat_map(Steps::into_vec).collect()
}

#[test]
fn every_step_that_leaves_utterances_is_tried() {
    let tried: BTreeSet<_> = steps(WRITTEN).iter().map(Step::name).collect();
    let all = KINDS.iter().filter(|kind| kind.gives.is_none());
    assert_eq!(tried, all.map(|kind| kind.name).collect());
}

#[test]
fn every_format_is_tried() {
    let corpus = Corpus::get();
    let all: BTreeSet<_> = builtin::registry().names().into_iter().collect();
    assert_eq!(corpus.inputs.keys().copied().collect::<BTreeSet<_>>(), all);
    assert_eq!(corpus.outputs.keys().copied().collect::<BTreeSet<_>>(), all);
}

/// Fails unless each name has come out well at least once.
fn check_all<'a>(names: impl Iterator<Item = &'a str>, well: &BTreeSet<&str>) {
    let never: Vec<_> = names.filter(|name| !well.contains(name)).collect();
    assert!(never.is_empty(), "never came out well: {never:?}");
}

#[test]
fn shards_of_every_step_make_the_whole_or_are_refused() {
    logging::listen();
    let corpus = Corpus::get();
    let mut well = BTreeSet::new();
    for text in WRITTEN {
        let step = steps(&[text]);
        for input in corpus.inputs.values() {
            match tried(input, "out.jsonl", &step, 2) {
                Outcome::Failed => {}
                Outcome::Same => {
                    assert!(!step[0].looks_across(), "{text}");
                    well.insert(*text);
                }
                Outcome::Refused(what) => {
                    assert_eq!(what, format!("the step {}", step[0].name()));
                    well.insert(*text);
                }
            }
        }
    }
    check_all(WRITTEN.iter().copied(), &well);
}

#[test]
fn shards_of_every_pair_of_formats_make_the_whole() {
    logging::listen();
    let corpus = Corpus::get();
    let (mut read, mut written) = (BTreeSet::new(), BTreeSet::new());
    for (from, input) in &corpus.inputs {
        for (to, output) in &corpus.outputs {
            if tried(input, output, &[], 2) == Outcome::Same {
                read.insert(*from);
                written.insert(*to);
            }
        }
    }
    check_all(corpus.inputs.keys().copied(), &read);
    check_all(corpus.outputs.keys().copied(), &written);
}

#[test]
fn shards_of_random_plans_make_the_whole_or_are_refused() {
    logging::listen();
    let corpus = Corpus::get();
    let names = |all: &BTreeMap<&'static str, String>| all.values().cloned().collect::<Vec<_>>();
    let plans = (
        prop::collection::vec(prop::sample::select(WRITTEN), 0..4),
        prop::sample::select(names(&corpus.inputs)),
        prop::sample::select(OPTIONS),
        prop::sample::select(names(&corpus.outputs)),
        1u64..5,
    );
    let mut runner = TestRunner::new(Config::with_cases(400));
    let (same, refused) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    let run = runner.run(&plans, |(texts, input, (option, name), output, of)| {
        let steps = steps(&texts);
        match tried(&format!("{input}{option}"), &output, &steps, of) {
            Outcome::Failed => {}
            Outcome::Same => {
                prop_assert!(name.is_empty() && !steps.iter().any(Step::looks_across));
                same.set(same.get() + 1);
            }
            Outcome::Refused(what) => {
                let step = |step: &Step| step.looks_across() && what.ends_with(step.name());
                prop_assert!(what == name || steps.iter().any(step), "{what}");
                refused.set(refused.get() + 1);
            }
        }
        Ok(())
    });
    run.unwrap();
    let counts = (same.get(), refused.get());
    assert!(counts.0 > 20 && counts.1 > 100, "{counts:?}");
}
