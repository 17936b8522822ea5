//! Rules that concern several settings.

use spr_core::loss::LossKind;
use spr_core::model::Dtype;
use spr_engine::plan::{Balance, Rule, Speakers, Split};

use super::{Files, refused};

const TWO: &str = "ann  [ 1 2 ]\nbob  [ 3 4 ]\n";

fn files() -> Files {
    Files::new(&[("a.ark", TWO), ("b.ark", TWO)])
}

#[test]
fn standard_input_is_read_once() {
    let files = files();
    let again = "standard input can be read only once";
    let mut builder = files.builder();
    builder.input("-").unwrap();
    assert!(builder.finish().is_ok());
    builder.labels("-").unwrap();
    assert_eq!(refused(builder.finish()), again);
    let mut builder = files.builder();
    builder.input("-").unwrap().speakers("-").unwrap();
    assert_eq!(refused(builder.finish()), again);
    let mut builder = files.builder();
    let table = Speakers::Table(spr_core::bytes::Locator::Standard);
    let split = Split::new(Rule::Parts(2)).with_speakers(Some(table));
    builder.input("-").unwrap().split(split).unwrap();
    assert_eq!(refused(builder.finish()), again);
}

#[test]
fn validation_data_are_not_mixed() {
    let files = files();
    let mut builder = files.builder();
    builder.input("a.ark").unwrap().input("b.ark").unwrap();
    builder.output("c.ark").unwrap();
    assert!(refused(builder.validation(1).finish()).contains("would be mixed"));
    assert!(builder.validation(2).finish().is_ok());
    assert!(
        builder
            .validation(1)
            .output("c.{part}.ark")
            .unwrap()
            .finish()
            .is_ok()
    );
    let split = Split::new(Rule::Parts(2));
    assert!(refused(builder.split(split).unwrap().finish()).contains("would be mixed"));
}

#[test]
fn parts_have_places_and_rules_that_go_together() {
    let files = files();
    let mut builder = files.builder();
    builder.input("a.ark").unwrap().output("c.ark").unwrap();
    builder.split(Split::new(Rule::Parts(2))).unwrap();
    assert!(refused(builder.finish()).contains("needs a place for the part"));
    let split = Split::new(Rule::Frames(2)).with_balance(Some(Balance::Seconds));
    assert!(refused(builder.split(split).map(drop)).contains("go with"));
}

#[test]
fn a_missing_file_is_told_first() {
    let files = files();
    files.store.insert("old.ark", Vec::new());
    let mut builder = files.builder();
    builder
        .input("gone.ark")
        .unwrap()
        .output("old.ark")
        .unwrap();
    assert!(refused(builder.finish()).starts_with("gone.ark"));
    // One of several that are skipped may be missing.
    builder.input("a.ark").unwrap();
    let skip = spr_core::format::ErrorPolicy::Skip;
    assert!(builder.on_error(skip).finish().is_ok());
}

#[test]
fn a_type_permits_what_it_loses() {
    let files = files();
    let mut builder = files.builder();
    builder.input("a.ark").unwrap().output("c.ark").unwrap();
    let plan = builder.dtype(Dtype::F32).finish().unwrap();
    assert!(plan.policy().allows(LossKind::Precision));
    assert!(!plan.policy().allows(LossKind::Labels));
    let error = refused(builder.label_dtype(Dtype::F32).map(drop));
    assert_eq!(error, "labels are integers, not f32");
    assert!(refused(builder.allow_named("loses").map(drop)).contains("loses"));
}
