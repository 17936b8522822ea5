//! Plans: alike however they are made, and whole in JSON.

use std::sync::Arc;

use proptest::prelude::*;
use spr_convert::builder::PlanBuilder;
use spr_convert::builtin;
use spr_convert::core::bytes::{Env, MemoryStore};
use spr_convert::core::format::Registry;
use spr_convert::plan::Plan;
use spr_convert::step::{Step, Steps};

use super::TWO;
use super::shards::{MODEL, WRITTEN};

fn surroundings() -> (Registry, Env) {
    let store = MemoryStore::new();
    store.insert("in.jsonl", TWO.as_bytes().to_vec());
    store.insert("final.mdl", MODEL.as_bytes().to_vec());
    (
        builtin::registry(),
        builtin::env().with_store(Arc::new(store)),
    )
}

fn plan(steps: &[Step], output: &str, registry: &Registry, env: &Env) -> Plan {
    let mut builder = PlanBuilder::new(registry, env);
    builder.input("in.jsonl").unwrap().output(output).unwrap();
    for step in steps {
        builder.step(step.clone());
    }
    let builder = builder.overwrite(true).allow_named("all").unwrap();
    builder.finish().unwrap()
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
    fn plans_are_whole_in_json(steps in steps()) {
        let (registry, env) = surroundings();
        let plan = plan(&steps, "out.jsonl", &registry, &env);
        let text = serde_json::to_string(&plan).unwrap();
        let read: Plan = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(serde_json::to_string(&read).unwrap(), text);
        prop_assert_eq!(read.identity(None), plan.identity(None));
        prop_assert_eq!(read.steps(), plan.steps());
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
    let (registry, env) = surroundings();
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
        let mut builder = PlanBuilder::new(&registry, &env);
        let builder = builder
            .option(option.0, option.1)
            .input("in.jsonl")
            .unwrap();
        let plan = builder.finish().unwrap();
        let steps: Vec<_> = plan.steps().iter().map(|own| own.step().clone()).collect();
        assert_eq!(steps, stage.parse::<Steps>().unwrap().into_vec());
    }
}
