//! WebDataset's archives and tarred NeMo data through the program.

use crate::{Scratch, sample};

/// Four utterances with sound, features and text, and two in each of two archives.
fn corpus() -> Scratch {
    let s = Scratch::new();
    let line = |key: &str| {
        format!(
            "{{\"key\":\"{key}\",\"features\":{{\"dtype\":\"f32\",\"shape\":[2,1],\"data\":[[1],[2]]}},\
             \"audio\":{{\"rate\":8000,\"dtype\":\"i16\",\"shape\":[3,1],\"data\":[[1],[2],[3]]}},\
             \"text\":\"of {key}\",\"meta\":{{}}}}\n"
        )
    };
    let lines: String = ["a", "b", "c", "d"].iter().map(|key| line(key)).collect();
    s.write("in.jsonl", lines);
    s.ok("in.jsonl webdataset:wds/,shard-count=2");
    s
}

#[test]
fn lists_name_archives() {
    let s = corpus();
    for source in [
        "wds",
        "wds/shard-{000000..000001}.tar",
        "wds/shard-000000.tar::wds/shard-000001.tar",
        "wds/{shard-000000,shard-000001}.tar",
    ] {
        let said = s.ok(&format!("ls {source}"));
        assert_eq!(said.out.lines().count(), 4, "{source}: {}", said.out);
    }
    let error = s.fails("wds/shard-{000000..000002}.tar x.jsonl");
    assert!(error.contains("wds/shard-000002.tar"), "{error}");
    s.ok("wds/shard-{000001..000000}.tar x.jsonl");
    assert!(s.read("x.jsonl").starts_with(b"{\"key\":\"c\""));
}

#[test]
fn sound_and_features_come_back_together_or_are_told() {
    let s = corpus();
    s.ok("wds whole.tar --verify");
    assert!(s.ok("diff in.jsonl whole.tar").out.is_empty());
    let said = s.run("wds x.ark --allow-loss text");
    assert_eq!(said.status, 0, "{}", said.err);
    assert!(
        said.err
            .contains("the sound is left out in favour of the features"),
        "{}",
        said.err
    );
    let said = s.run("wds wav:waves/ --allow-loss text");
    assert_eq!(said.status, 0, "{}", said.err);
    assert!(
        said.err
            .contains("the features are left out in favour of the sound"),
        "{}",
        said.err
    );
}

#[test]
fn names_that_would_be_taken_apart_leave_nothing_behind() {
    let s = corpus();
    s.ok("in.jsonl dots.jsonl --rename s/^/x./");
    let error = s.fails("dots.jsonl dots.tar");
    assert!(error.contains("x.a: the key has a dot"), "{error}");
    assert!(!s.path("dots.tar").exists());
    s.ok("dots.jsonl dots.tar,names=escape --verify");
    assert!(s.ok("ls dots.tar").out.starts_with("x.a "));
    s.fails("in.jsonl dots.tar,nmes=escape");
    let error = s.run("in.jsonl dots.tar,nmes=escape").err;
    assert!(error.contains("did you mean 'names'?"), "{error}");
}

#[test]
fn damage_is_named_and_the_rest_is_saved() {
    let s = Scratch::new();
    s.ok(&format!("{} whole.tar", sample("fbank.ark")));
    let mut bytes = s.read("whole.tar");
    // The header of the second member.
    let at = bytes
        .windows(11)
        .position(|name| name == b"ann-002.npy")
        .unwrap();
    bytes[at + 20] = b'x';
    s.write("bad.tar", bytes);
    let error = s.fails("bad.tar x.ark");
    assert!(
        error.contains(&format!("bad.tar@{at}: utterance ann-001")),
        "{error}"
    );
    assert_eq!(s.run("check bad.tar").status, 1);
    let said = s.run("repair bad.tar -o good.tar");
    assert_eq!(said.status, 3, "{}", said.err);
    assert_eq!(s.ok("ls good.tar").out.lines().count(), 10);
}

#[test]
fn jobs_number_their_tar_files_as_one_run_does() {
    let s = corpus();
    let lines = String::from_utf8(s.read("in.jsonl")).unwrap();
    let start = "\"features\":{\"dtype\":\"f32\",\"shape\":[2,1],\"data\":[[1],[2]]},";
    s.write("bare.jsonl", lines.replace(start, ""));
    for i in 1..=2 {
        s.ok(&format!(
            "bare.jsonl nemo-tarred:job.{{shard}}/,shard={{shard}} --shard {i}/2"
        ));
        let number = i - 1;
        assert!(
            s.path(&format!("job.0000{i}-of-00002/audio_{number}.tar"))
                .exists()
        );
    }
    s.ok("shards merge nemo-tarred:job.{shard}/,shard={shard} -o nemo-tarred:all/,shard-count=2");
    s.ok("bare.jsonl nemo-tarred:one/,shard-count=2");
    for name in [
        "audio_0.tar",
        "audio_1.tar",
        "sharded_manifests/manifest_1.json",
    ] {
        assert_eq!(
            s.read(&format!("all/{name}")),
            s.read(&format!("one/{name}")),
            "{name}"
        );
    }
}
