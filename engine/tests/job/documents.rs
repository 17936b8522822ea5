//! Error logs and reports.

use serde_json::{Value, json};
use spr_core::Remedy;

use super::{Scratch, Watch};

#[test]
fn the_log_has_each_skipped_utterance_with_a_hint() {
    let s = Scratch::new();
    let job = s.job("ark,t:out.ark").error_log("log.jsonl");
    assert_eq!(s.run(&job).unwrap().skipped, 1);
    let log: Value = serde_json::from_str(&s.text("log.jsonl")).unwrap();
    assert_eq!(
        (&log["schema"], &log["utterance"]),
        (&json!(1), &json!("bob"))
    );
    assert_eq!((&log["key"], &log["hint"]), (&json!("bob"), &Value::Null));
    // The front end words the hint.
    let mut watch = Watch {
        each: || {},
        objects: false,
    };
    let again = s.job_with("ark,t:out.ark", |builder| {
        builder.overwrite(true);
    });
    s.watched(&again.error_log("log.jsonl"), &mut watch)
        .unwrap();
    let log: Value = serde_json::from_str(&s.text("log.jsonl")).unwrap();
    assert_eq!(log["hint"], "leave out bob");
}

#[test]
fn a_log_of_nothing_is_empty() {
    let s = Scratch::new();
    s.store.insert("in.ark", b"ann [\n1 2 ]\n".to_vec());
    s.run(&s.job("ark,t:out.ark").error_log("log")).unwrap();
    assert_eq!(s.text("log"), "");
}

#[test]
fn the_report_is_the_outcome() {
    let s = Scratch::new();
    let job = s.job("ark,t:out.ark").report("report.json");
    let outcome = s.run(&job).unwrap();
    assert_eq!(outcome.report, Some("report.json".into()));
    assert_eq!(outcome.error_log, None);
    assert!(outcome.hash.is_some());
    let mut told = outcome.json();
    assert_eq!(
        (&told["output"], &told["skipped"]),
        (&json!("ark,t:out.ark"), &json!(1))
    );
    told["schema"] = json!(1);
    let report: Value = serde_json::from_str(&s.text("report.json")).unwrap();
    assert_eq!(report, told);
}

#[test]
fn a_dry_run_writes_its_documents_alone() {
    let s = Scratch::new();
    let job = s.job_with("ark,t:out.ark", |builder| {
        builder.dry_run(true);
    });
    let job = job.error_log("log").report("report");
    s.run(&job).unwrap();
    assert_eq!(s.names(), ["in.ark", "log", "report"]);
}

/// All or nothing: what can't be written takes the rest with it.
#[test]
fn all_files_get_their_names_or_none() {
    let job = |s: &Scratch| s.job("ark,t:out.ark").error_log("log").report("report");
    // A report that is there from the start.
    let s = Scratch::new();
    s.store.insert("report", b"old".to_vec());
    let error = s.run(&job(&s)).unwrap_err();
    assert_eq!(error.remedy(), Some(&Remedy::Overwrite));
    assert_eq!(s.names(), ["in.ark", "report"]);
    assert_eq!(s.text("report"), "old");
    // Each of the files, if it appears while the job runs.
    for name in ["out.ark", "log", "report"] {
        let s = Scratch::new();
        let mut watch = Watch {
            each: || drop(s.store.insert(name, b"other".to_vec())),
            objects: false,
        };
        let error = s.watched(&job(&s), &mut watch).unwrap_err();
        assert_eq!(error.file_name(), Some(name));
        let mut left = ["in.ark", name];
        left.sort_unstable();
        assert_eq!(s.names(), left);
        assert_eq!(s.text(name), "other");
    }
    // An observer that objects at the end.
    let s = Scratch::new();
    let mut watch = Watch {
        each: || {},
        objects: true,
    };
    let error = s.watched(&job(&s), &mut watch).unwrap_err();
    assert_eq!(error.message(), "3 are enough");
    assert_eq!(s.names(), ["in.ark"]);
}

#[test]
fn two_files_of_one_name_are_refused() {
    let s = Scratch::new();
    for (log, report) in [("same", "same"), ("out.ark", "report"), ("log", "in.ark")] {
        let job = s.job_with("ark,t:out.ark", |builder| {
            builder.overwrite(true);
        });
        s.run(&job.error_log(log).report(report)).unwrap_err();
        assert_eq!(s.names(), ["in.ark"], "{log} {report}");
    }
}

#[test]
fn skipping_is_suggested_where_it_helps() {
    let s = Scratch::new();
    let stops = |dim: &str| {
        s.run(&s.built("ark,t:out.ark", |builder| {
            builder.stages(&format!("check(dim={dim})")).unwrap();
        }))
    };
    assert_eq!(stops("2").unwrap_err().remedy(), Some(&Remedy::SkipErrors));
    // If the first does not fit, the others hardly will.
    assert_eq!(stops("3").unwrap_err().remedy(), None);
}
