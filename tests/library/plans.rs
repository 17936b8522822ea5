//! Plans: alike however they are made, whole in JSON, and what a shard of one does.

use std::sync::Arc;

use proptest::prelude::*;
use spr_convert::argument::{Input, Target};
use spr_convert::builtin;
use spr_convert::core::bytes::{Env, MemoryStore};
use spr_convert::core::format::Registry;
use spr_convert::explain;
use spr_convert::job::Job;
use spr_convert::plan::order::Order;
use spr_convert::plan::{Plan, Work};
use spr_convert::shard::{Hashes, Shard, ShardBalance, Weights};
use spr_convert::step::{KINDS, Step, Steps};

/// Features and labels of some utterances.
fn data() -> Vec<u8> {
    let mut lines = String::new();
    for n in 0..9usize {
        let frames = 1 + n * 5 % 7;
        let rows: Vec<_> = (0..frames)
            .map(|i| format!("[{n},{i}.5,{}]", i * n))
            .collect();
        let labels: Vec<_> = (0..frames).map(|i| (1 + (i + n) % 4).to_string()).collect();
        let (rows, labels) = (rows.join(","), labels.join(","));
        lines.push_str(&format!(
            "{{\"key\":\"s{}-u{n}\",\"features\":{{\"dtype\":\"f32\",\"shape\":[{frames},3],\
             \"data\":[{rows}]}},\"labels\":[{labels}],\"meta\":{{\"speaker\":\"s{}\"}}}}\n",
            n % 2,
            n % 2
        ));
    }
    lines.into_bytes()
}

/// A transition model with four transition ids, of two phones.
const MODEL: &str = "<TransitionModel>\n<Topology>\n<TopologyEntry>\n<ForPhones>\n1 2\n</ForPhones>\n\
    <State> 0 <PdfClass> 0 <Transition> 0 0.5 <Transition> 1 0.5 </State>\n<State> 1 </State>\n\
    </TopologyEntry>\n</Topology>\n<Triples> 2\n1 0 0\n2 0 1\n</Triples>\n<LogProbs>\n \
    [ 0 -1 -1 -1 -1 ]\n</LogProbs>\n</TransitionModel>\n";

fn surroundings() -> (Registry, Env, MemoryStore) {
    let store = MemoryStore::new();
    store.insert("in.jsonl", data());
    store.insert("some.list", b"s0-u0\ns1-u3\ns0-u8\n".to_vec());
    store.insert("names.map", b"s0-u0 x\n".to_vec());
    store.insert("final.mdl", MODEL.as_bytes().to_vec());
    let env = builtin::env().with_store(Arc::new(store.clone()));
    (builtin::registry(), env, store)
}

fn job(steps: &[Step], output: &str, registry: &Registry, env: &Env) -> Job {
    let inputs = Input::parse("in.jsonl", None, &[], registry, env).unwrap();
    let target = Target::parse(output, None, &[], registry, env).unwrap();
    let mut job = Job::new(inputs, &target).overwrite(true);
    job.plan.steps = steps.to_vec();
    job.plan.policy.allow_all();
    job
}

/// A way to write each step of the table that leaves utterances.
const WRITTEN: &[&str] = &[
    "select('s0-*')",
    "select(regex=u[0-5])",
    "select(keys=some.list)",
    "without('*-u4')",
    "length(2-5)",
    "speakers(s1)",
    "per-speaker(2)",
    "hours(1)",
    "first(5)",
    "sample(4,seed=2)",
    "shard(1,2)",
    "unique",
    "unique(first)",
    "sort(key)",
    "sort(frames)",
    "check",
    "check(dim=3)",
    "parts(features,labels)",
    "rename('s/u/utt/')",
    "rename(prefix=x-)",
    "samples",
    "sound(rate=8000)",
    "frame-shift(0.01)",
    "tier(words)",
    "ali-to(phones,model=final.mdl)",
    "ali-to(pdfs,model=final.mdl)",
    "frames(0)",
    "columns(0,2)",
    "context(1)",
    "ignore-label(1)",
    "map-label(2:0)",
    "shuffle(3,seed=1)",
    "prefetch",
];

#[test]
fn every_step_that_leaves_utterances_is_tried() {
    let tried: std::collections::BTreeSet<_> = WRITTEN
        .iter()
        .flat_map(|text| text.parse::<Steps>().unwrap().into_vec())
        .map(|step| step.name())
        .collect();
    let all: std::collections::BTreeSet<_> = KINDS
        .iter()
        .filter(|kind| kind.gives.is_none())
        .map(|kind| kind.name)
        .collect();
    assert_eq!(tried, all);
}

/// What a run writes, or the error.
fn written(job: &Job, output: &str) -> Result<Vec<u8>, String> {
    let (registry, env, store) = surroundings();
    let outcome = job.run(&registry, &env, &mut ());
    outcome.map_err(|e| e.to_string())?;
    Ok(store.get(output).unwrap())
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec(prop::sample::select(WRITTEN), 0..4).prop_map(|texts| {
        texts
            .iter()
            .flat_map(|text| text.parse::<Steps>().unwrap().into_vec())
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn shards_make_the_whole_or_are_refused(
        steps in steps(),
        of in 1u64..5,
        output in prop::sample::select(&["out.jsonl", "ark,t:out.ark"][..]),
    ) {
        let (registry, env, _) = surroundings();
        let whole = job(&steps, output, &registry, &env);
        let file = output.rsplit(':').next().unwrap();
        let across = whole.plan.across();
        prop_assert_eq!(across.is_some(), steps.iter().any(Step::looks_across));
        if let Some(what) = across {
            prop_assert!(steps.iter().any(|step| what.ends_with(step.name())), "{what}");
            return Ok(());
        }
        let Ok(expected) = written(&whole, file) else { return Ok(()) };
        let weights = Weights::of(&whole.plan.inputs, (ShardBalance::Auto, false), (None, &Hashes::default()), &registry, &env).unwrap();
        let mut joined = Vec::new();
        for number in 1..=of {
            let shard = Shard::new(number, of).unwrap();
            let mut own = whole.clone();
            own.plan.inputs = weights.leave(own.plan.inputs, shard, (&registry, &env));
            prop_assert_eq!(own.plan.identity(Some(shard)), whole.plan.identity(Some(shard)));
            joined.extend(written(&own, file).unwrap());
        }
        prop_assert_eq!(joined, expected);
    }

    #[test]
    fn what_is_explained_is_what_is_built(steps in steps(), context in 0usize..3) {
        let (registry, env, _) = surroundings();
        let mut job = job(&steps, "out.jsonl", &registry, &env);
        if context > 0 {
            let step = Step::new("context", [("left", context.to_string())]).unwrap();
            job.plan.inputs[0].add_step(step);
        }
        let order = Order::of(&job.plan, true).unwrap();
        let work = order.each.iter().flatten().chain(&order.steps);
        let built: Vec<_> = work
            .filter_map(|work| match work {
                Work::Step(step) => Some(step.to_string()),
                _ => None,
            })
            .collect();
        let Ok(lines) = explain::plan(&job.plan, &registry, &env) else { return Ok(()) };
        let told: Vec<_> = lines.into_iter().flat_map(|line| line.steps).collect();
        prop_assert_eq!(told, built);
    }

    #[test]
    fn plans_are_whole_in_json(steps in steps()) {
        let (registry, env, _) = surroundings();
        let plan = job(&steps, "out.jsonl", &registry, &env).plan;
        let text = serde_json::to_string(&plan).unwrap();
        let read: Plan = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(serde_json::to_string(&read).unwrap(), text);
        prop_assert_eq!(read.identity(None), plan.identity(None));
        prop_assert_eq!(&read.steps, &plan.steps);
    }

    #[test]
    fn steps_are_read_as_they_are_written(steps in steps()) {
        let text: Vec<_> = steps.iter().map(ToString::to_string).collect();
        prop_assume!(!text.is_empty());
        let read: Steps = text.join("|").parse().unwrap();
        prop_assert_eq!(read.into_vec(), steps);
    }
}

#[test]
fn options_flags_and_stages_are_spellings_of_one_step() {
    let (registry, env, _) = surroundings();
    for (option, stage) in [
        (("context", "5:1"), "context(5,1)"),
        (("lcxt", "2"), "context(2,0)"),
        (("ignore-label", "0:3-9"), "ignore-label(0:3-9)"),
        (("map-label", "1:0/4-6:2"), "map-label(1:0/4-6:2)"),
        (("frame-shift", "0.01"), "frame-shift(0.01)"),
        (("channel", "mix"), "channel(mix)"),
        (("resample", "8000"), "resample(8000)"),
        (("tier", "words"), "tier(words)"),
        // The model lies beside the data.
        (("ali-to", "pdfs"), "ali-to(pdfs,model=final.mdl)"),
    ] {
        let pair = (option.0.to_owned(), option.1.to_owned());
        let inputs = Input::parse("in.jsonl", None, &[pair], &registry, &env).unwrap();
        assert_eq!(inputs[0].steps, stage.parse::<Steps>().unwrap().into_vec());
    }
}
