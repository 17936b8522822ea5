//! Steps: their order, their type, keys that come twice.

use spr_core::model::Dtype;
use spr_engine::builder::Duplicates;
use spr_engine::plan::Plan;
use spr_engine::step::Steps;

use super::{Files, refused, steps_of};

const TWO: &str = "ann  [ 1 2 ]\nbob  [ 3 4 ]\n";

fn files() -> Files {
    Files::new(&[("a.ark", TWO), ("b.ark", TWO)])
}

#[test]
fn sound_is_computed_in_the_type_of_the_output() {
    let files = files();
    let computed = |option: &str, stages: &str| {
        let mut builder = files.builder();
        builder.input(&format!("a.ark{option}")).unwrap();
        if !stages.is_empty() {
            builder.stages(stages).unwrap();
        }
        steps_of(&builder.dtype(Dtype::F32).finish().unwrap())
    };
    let typed = ["sound(rate=8000,dtype=f32)"];
    assert_eq!(computed(",resample=8000", ""), typed);
    assert_eq!(computed("", "sound(rate=8000)"), typed);
    assert_eq!(computed("", "resample(8000)"), typed);
    // A type of its own stays.
    let own = "sound(rate=8000,dtype=i16)";
    assert_eq!(computed("", own), [own]);
    // A plan that goes on is settled once more.
    let plan = files.plan("a.ark,resample=8000");
    let mut more = spr_engine::builder::PlanBuilder::of(plan, &files.registry, &files.env);
    assert_eq!(steps_of(&more.dtype(Dtype::F32).finish().unwrap()), typed);
}

#[test]
fn dither_rounds_something() {
    let files = files();
    let mut builder = files.builder();
    builder.input("a.ark,dither=True").unwrap();
    assert!(builder.finish().is_ok());
    builder.output("c.ark").unwrap();
    assert_eq!(refused(builder.finish()), "dither: nothing is rounded");
    assert!(builder.dtype(Dtype::I16).finish().is_ok());
}

#[test]
fn steps_that_need_utterances_get_them() {
    let files = files();
    let mut builder = files.builder();
    builder.input("a.ark").unwrap().stages("batch(10)").unwrap();
    assert!(builder.finish().is_ok());
    let error = refused(builder.stages("context(1)").map(drop));
    assert!(
        error.contains("utterances are no more behind batch"),
        "{error}"
    );
    let error = refused(builder.output("c.ark").unwrap().finish());
    assert!(
        error.contains("what comes out is not utterances"),
        "{error}"
    );
}

#[test]
fn steps_on_each_stand_where_data_options_do() {
    let files = files();
    let mut builder = files.builder();
    builder.input("a.ark,context=1,frame-shift=0.01").unwrap();
    let rename = "rename(prefix=x)".parse::<Steps>().unwrap().into_vec();
    let plan = builder.step_on_each(&rename[0]).finish().unwrap();
    let expected = ["frame-shift(0.01)", "rename(prefix=x)", "context(1,1)"];
    assert_eq!(steps_of(&plan), expected);
    assert_eq!(files.keys(&plan), ["xann", "xbob"]);
}

#[test]
fn keys_that_come_twice() {
    let files = files();
    let written = |duplicates: Option<Duplicates>| {
        let mut builder = files.builder();
        builder.input("a.ark").unwrap().input("b.ark").unwrap();
        builder.output("ark,t:c.ark").unwrap().overwrite(true);
        if let Some(duplicates) = duplicates {
            builder.duplicates(duplicates).unwrap();
        }
        let job = spr_engine::job::Job::new(builder.finish().unwrap());
        let outcome = job.run(&files.registry, &files.env, &mut ());
        outcome.map(|outcome| outcome.written.utterances)
    };
    assert!(written(None).is_err());
    assert!(refused(written(Some(Duplicates::Refuse))).contains("b.ark"));
    assert_eq!(written(Some(Duplicates::First)).unwrap(), 2);
    assert_eq!(written(Some(Duplicates::Last)).unwrap(), 2);
    assert_eq!(written(Some(Duplicates::Keep)).unwrap(), 4);
}

#[test]
fn plans_are_whole_in_json_and_run_alike() {
    let files = files();
    let mut builder = files.builder();
    builder
        .input("a.ark,context=1")
        .unwrap()
        .stages("first(1)")
        .unwrap();
    builder.output("ark,t:c.ark").unwrap().overwrite(true);
    let plan = builder.finish().unwrap();
    let text = serde_json::to_string(&plan).unwrap();
    let read: Plan = serde_json::from_str(&text).unwrap();
    assert_eq!(read.identity(None), plan.identity(None));
    assert_eq!(files.run(plan, "c.ark"), files.run(read, "c.ark"));
}
