//! Shards: their names, records, resuming and merging.

use spr_core::bytes::Location;
use spr_core::{ErrorKind, Remedy};
use spr_engine::builder::PlanBuilder;
use spr_engine::job::{Job, Outcome};
use spr_engine::shard::{Resume, Shard, ShardBalance, ShardSettings, Shards, State};

use super::{DATA, Scratch, Watch};

/// One of two shards.
fn half(number: u64) -> ShardSettings {
    ShardSettings::new(Shard::new(number, 2).unwrap()).balance(ShardBalance::Entries)
}

/// The first of two shards, resumed.
fn resumed(s: &Scratch, how: Resume) -> spr_core::Result<Outcome> {
    let job = s.job("ark,t:out.ark").report("report");
    s.run(&job.shard(half(1).resume(how)))
}

/// A store with both shards.
fn done() -> Scratch {
    let s = Scratch::new();
    for number in 1..=2 {
        s.run(&s.job("ark,t:out.ark").shard(half(number))).unwrap();
    }
    s
}

fn merging(s: &Scratch, overwrite: bool) -> Job {
    let shards = Shards::find("ark,t:out.ark", None, &s.registry, &s.env).unwrap();
    let mut builder = PlanBuilder::new(&s.registry, &s.env);
    shards.add_to(&mut builder).unwrap();
    builder
        .output("ark,t:all.ark")
        .unwrap()
        .overwrite(overwrite);
    Job::new(builder.finish().unwrap()).merge(shards.merge(&s.env).unwrap())
}

#[test]
fn all_files_of_a_shard_have_its_number() {
    let s = Scratch::new();
    let job = s.job("ark,scp,t:out.ark,{shard}.scp");
    let error = s.run(&job.clone().shard(half(1))).unwrap_err();
    assert!(error.message().contains("has no {shard} in its name"));
    let job = s.job("ark,scp,t:out.ark,out.scp").error_log("log.{shard}");
    let outcome = s.run(&job.report("r.json").shard(half(1))).unwrap();
    let names = [
        "in.ark",
        "log.00001-of-00002",
        "out-00001-of-00002.ark",
        "out-00001-of-00002.ark.shard.json",
        "out-00001-of-00002.scp",
        "r-00001-of-00002.json",
    ];
    assert_eq!(s.names(), names);
    assert_eq!(
        outcome.output,
        "ark,scp,t:out-00001-of-00002.ark,out-00001-of-00002.scp"
    );
    assert_eq!(outcome.report, Some(names[5].into()));
    let shard = outcome.shard.unwrap();
    assert_eq!(
        (shard.at.to_string().as_str(), shard.was_done),
        (names[3], false)
    );
    assert_eq!((shard.record.utterances, shard.record.skipped), (1, 1));
    assert_eq!(shard.record.entries, [0, 2]);
}

#[test]
fn the_record_is_there_with_the_data_or_not_at_all() {
    let s = Scratch::new();
    let record = "out-00001-of-00002.ark.shard.json";
    let mut watch = Watch {
        each: || drop(s.store.insert(record, b"other".to_vec())),
        objects: false,
    };
    let job = s.job("ark,t:out.ark").report("report").shard(half(1));
    s.watched(&job, &mut watch).unwrap_err();
    assert_eq!(s.names(), ["in.ark", record]);
}

#[test]
fn a_shard_that_is_done_is_not_converted_again() {
    let s = done();
    let before = s.names();
    let data = s.text("out-00001-of-00002.ark");
    for how in [Resume::Trust, Resume::Verify] {
        let outcome = resumed(&s, how).unwrap();
        assert_eq!((outcome.written.utterances, outcome.skipped), (1, 1));
        assert_eq!((outcome.report, outcome.to), (None, "kaldi"));
        let shard = outcome.shard.unwrap();
        assert!(shard.was_done);
        assert_eq!(shard.json()["record"], "out-00001-of-00002.ark.shard.json");
        assert_eq!(s.names(), before);
    }
    // Without the word to resume it is in the way.
    let error = s.run(&s.job("ark,t:out.ark").shard(half(1))).unwrap_err();
    assert_eq!(error.remedy(), Some(&Remedy::Overwrite));
    assert_eq!(s.text("out-00001-of-00002.ark"), data);
}

#[test]
fn a_shard_that_is_not_done_is_converted() {
    let s = Scratch::new();
    s.store
        .insert("out-00001-of-00002.ark", b"remains".to_vec());
    let outcome = resumed(&s, Resume::Trust).unwrap();
    assert!(!outcome.shard.unwrap().was_done);
    assert!(s.text("out-00001-of-00002.ark").starts_with("ann"));
}

#[test]
fn a_record_of_another_job_is_in_the_way() {
    let refused = |change: &dyn Fn(&Scratch), how, why: &str| {
        let s = done();
        change(&s);
        let before = s.names();
        let error = resumed(&s, how).unwrap_err();
        assert_eq!(error.message(), why);
        assert_eq!(error.remedy(), Some(&Remedy::Overwrite));
        assert_eq!(s.names(), before);
    };
    let other = |s: &Scratch| drop(s.store.insert("in.ark", [DATA, b"eve [\n9 9 ]\n"].concat()));
    let what = "belongs to a different job: 'input' differs";
    refused(&other, Resume::Trust, what);
    let lost = |s: &Scratch| drop(s.store.remove("out-00001-of-00002.ark"));
    let what = "says that out-00001-of-00002.ark is done, but it is missing or changed";
    refused(&lost, Resume::Trust, what);
    let turned = |s: &Scratch| {
        let data = s.text("out-00001-of-00002.ark").replace('1', "7");
        s.store.insert("out-00001-of-00002.ark", data.into_bytes());
    };
    let what =
        "says that out-00001-of-00002.ark is done, but its bytes are not those that were written";
    refused(&turned, Resume::Verify, what);
    // It is replaced all the same if that is allowed.
    let s = done();
    other(&s);
    let job = s.job_with("ark,t:out.ark", |builder| {
        builder.overwrite(true);
    });
    let outcome = s.run(&job.shard(half(1).resume(Resume::Trust))).unwrap();
    assert!(!outcome.shard.unwrap().was_done);
}

#[test]
fn work_across_utterances_is_no_work_for_a_shard() {
    let s = Scratch::new();
    let job = s.job_with("ark,t:out.ark", |builder| {
        builder.stages("sort(key)").unwrap();
    });
    let error = s.run(&job.shard(half(1))).unwrap_err();
    assert_eq!(
        error.message(),
        "the step sort looks at more utterances than one shard has"
    );
    let job = s.job_with("ark,t:out.ark", |builder| {
        builder.manifest("ark:m.ark").unwrap();
    });
    let error = s.run(&job.shard(half(1))).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Usage);
    assert_eq!(s.names(), ["in.ark"]);
}

#[test]
fn groups_stay_together() {
    let s = Scratch::new();
    s.store
        .insert("spk", b"ann x\nbob x\ncleo x\ndan y\n".to_vec());
    let entries = |number| {
        let shard = half(number).groups(Location::from("spk"));
        let outcome = s.run(&s.job("ark,t:out.ark").shard(shard)).unwrap();
        outcome.shard.unwrap().record.entries
    };
    assert_eq!([entries(1), entries(2)], [[0, 3], [3, 4]]);
}

#[test]
fn merged_shards_are_the_whole() {
    let s = done();
    s.run(&s.job("ark,t:whole.ark")).unwrap();
    let outcome = s.run(&merging(&s, false).report("report")).unwrap();
    assert_eq!((outcome.written.utterances, outcome.skipped), (3, 1));
    assert_eq!(s.text("all.ark"), s.text("whole.ark"));
    assert!(s.text("report").contains("\"skipped\": 1"));
}

#[test]
fn a_shard_that_changed_is_not_merged() {
    let s = done();
    let data = s.text("out-00002-of-00002.ark").replace('5', "7");
    s.store.insert("out-00002-of-00002.ark", data.into_bytes());
    let error = s.run(&merging(&s, false)).unwrap_err();
    assert_eq!(error.file_name(), Some("out-00002-of-00002.ark"));
    assert!(
        error
            .message()
            .starts_with("changed after its shard was done")
    );
    assert!(s.store.get("all.ark").is_none());
    // One that is missing is named.
    s.store.remove("out-00002-of-00002.ark.shard.json");
    let shards = Shards::find("ark,t:out.ark", None, &s.registry, &s.env).unwrap();
    assert_eq!(shards.states(&s.env), [State::Done, State::Missing]);
    let error = shards.merge(&s.env).unwrap_err();
    assert_eq!(error.message(), "shards 2 of 2 are missing");
}

#[test]
fn a_merge_replaces_no_shard() {
    let s = done();
    for name in [
        "out-00001-of-00002.ark",
        "out-00002-of-00002.ark.shard.json",
    ] {
        let before = s.text(name);
        let error = s.run(&merging(&s, true).report(name)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Usage, "{error}");
        assert_eq!(s.text(name), before);
    }
}
