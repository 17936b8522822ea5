//! Inputs: arguments, options, merging, faults.

use spr_core::format::ErrorPolicy;
use spr_engine::plan::Owner;

use super::{Files, refused, steps_of};

const TWO: &str = "ann  [ 1 2 ]\nbob  [ 3 4 ]\n";
const CUT: &str = "cleo  [ 1 2 ]\ndan  [ 1";

#[test]
fn each_input_has_its_own_steps() {
    let files = Files::new(&[("a.ark", TWO), ("b.ark", TWO)]);
    let plan = files
        .builder()
        .input("a.ark,context=1")
        .unwrap()
        .input("b.ark,lcxt=2")
        .unwrap()
        .stages("first(3)")
        .unwrap()
        .finish()
        .unwrap();
    let owners: Vec<_> = plan.steps().iter().map(|step| step.owner()).collect();
    assert_eq!(owners, [Owner::Input(0), Owner::Input(1), Owner::Inputs]);
    assert_eq!(
        steps_of(&plan),
        ["context(1,1)", "context(2,0)", "first(3)"]
    );
    assert_eq!(
        steps_of(&plan.of_input(&plan.inputs()[1])),
        ["context(2,0)"]
    );
}

#[test]
fn options_are_those_of_inputs_that_follow() {
    let files = Files::new(&[("a.ark", TWO), ("b.ark", TWO)]);
    let mut builder = files.builder();
    builder.input("a.ark").unwrap();
    builder.option("context", "1").input("b.ark").unwrap();
    let plan = builder.finish().unwrap();
    assert_eq!(plan.steps()[0].owner(), Owner::Input(1));
    assert!(refused(builder.option("context", "x").input("a.ark").map(drop)).contains("context"));
    assert!(refused(builder.format("ko").map(drop)).contains("ko"));
}

#[test]
fn arguments_name_several_data_sets() {
    let files = Files::new(&[("a1.ark", TWO), ("a2.ark", TWO)]);
    for text in ["a*.ark", "a{1..2}.ark", "a1.ark::a2.ark"] {
        let plan = files.plan(text);
        let names: Vec<_> = plan.inputs().iter().map(|input| input.text()).collect();
        assert_eq!(names, ["a1.ark", "a2.ark"], "{text}");
        assert!(plan.only().is_err());
    }
    assert!(refused(files.builder().input("b*.ark").map(drop)).contains("no file matches"));
    assert_eq!(refused(files.builder().finish()), "no input");
}

#[test]
fn a_plan_for_each_input_has_the_steps_on_all() {
    let files = Files::new(&[("a.ark", TWO), ("b.ark", TWO)]);
    let mut builder = files.builder();
    builder
        .input("a.ark")
        .unwrap()
        .input("b.ark,context=1")
        .unwrap();
    let each = builder.stages("first(1)").unwrap().finish_each().unwrap();
    assert_eq!(steps_of(&each[0]), ["first(1)"]);
    assert_eq!(steps_of(&each[1]), ["context(1,1)", "first(1)"]);
    assert_eq!(files.keys(&each[1]), ["ann"]);
}

#[test]
fn merged_plans_keep_what_each_does() {
    let files = Files::new(&[("a.ark", TWO), ("b.ark", TWO), ("c.ark", "cleo  [ 5 6 ]\n")]);
    let mut first = files.builder();
    let first = first.input("a.ark").unwrap().stages("first(1)").unwrap();
    let first = first.finish().unwrap();
    let mut merged = files.builder();
    merged
        .merge(first.clone())
        .unwrap()
        .merge(files.plan("c.ark"))
        .unwrap();
    assert_eq!(files.keys(&merged.finish().unwrap()), ["ann", "cleo"]);
    let mut several = files.builder();
    several
        .input("a.ark")
        .unwrap()
        .input("b.ark")
        .unwrap()
        .stages("sort")
        .unwrap();
    let several = several.finish().unwrap();
    let error = refused(files.builder().merge(several).map(drop));
    assert!(
        error.contains("sort looks at all of several inputs"),
        "{error}"
    );
    let mut late = files.builder();
    late.input("a.ark")
        .unwrap()
        .stages("first(1)|rename(prefix=x)")
        .unwrap();
    let error = refused(files.builder().merge(late.finish().unwrap()).map(drop));
    assert!(error.contains("would come before"), "{error}");
}

#[test]
fn faults_are_skipped_by_argument_or_by_run() {
    let files = Files::new(&[("a.ark", TWO), ("cut.ark", CUT)]);
    let policies = |builder: &mut spr_engine::builder::PlanBuilder| {
        let plan = builder.finish().unwrap();
        let inputs = plan.inputs().iter();
        (
            plan.on_error(),
            inputs.map(|input| input.on_error()).collect::<Vec<_>>(),
        )
    };
    let (stop, skip) = (ErrorPolicy::Stop, ErrorPolicy::Skip);
    let mut builder = files.builder();
    builder
        .input("ark,p:cut.ark")
        .unwrap()
        .input("a.ark")
        .unwrap();
    assert_eq!(policies(&mut builder), (skip, vec![skip, stop]));
    assert_eq!(policies(builder.on_error(skip)), (skip, vec![skip, skip]));
    let mut builder = files.builder();
    builder.input("cut.ark").unwrap();
    assert_eq!(policies(&mut builder), (stop, vec![stop]));
    assert!(files.read(&builder.finish().unwrap()).is_err());
    let plan = builder.on_error(skip).finish().unwrap();
    assert_eq!(files.keys(&plan), ["cleo"]);
    assert_eq!(files.skipped.lock().unwrap().len(), 1);
    // A caller that lists faults gets them as errors, even if an input skips.
    let opened = plan.open_unskipped(
        spr_core::format::Request::all(),
        &files.registry,
        &files.env,
    );
    let mut reader = opened.unwrap().reader;
    let mut utt = spr_core::model::Utterance::default();
    assert!(reader.read(&mut utt).unwrap());
    assert!(reader.read(&mut utt).is_err());
}
