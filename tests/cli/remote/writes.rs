//! Outputs behind URLs: whole or not at all.

use std::io::Write;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use spr_testkit::server::Fault;

use super::{Remote, expected};
use crate::{said, sample};

/// Some megabytes more than fit in one part.
fn large(r: &Remote) -> String {
    let one = std::fs::read(sample("fbank.ark")).unwrap();
    let mut all = Vec::new();
    for n in 0..26 {
        let text = format!("{n:02}-");
        for entry in entries(&one) {
            all.extend(text.bytes());
            all.extend(entry);
        }
    }
    r.scratch.write("large.ark", all);
    "large.ark".to_owned()
}

/// The entries of an archive of matrices of floats.
fn entries(ark: &[u8]) -> Vec<&[u8]> {
    let (mut rest, mut found) = (ark, Vec::new());
    while !rest.is_empty() {
        let key = rest.iter().position(|b| *b == b' ').unwrap();
        let number = |at: usize| u32::from_le_bytes(rest[at..at + 4].try_into().unwrap()) as usize;
        let (rows, cols) = (number(key + 7), number(key + 12));
        let (entry, more) = rest.split_at(key + 16 + 4 * rows * cols);
        found.push(entry);
        rest = more;
    }
    found
}

#[test]
fn every_sort_of_output_comes_back() {
    let (r, want) = (Remote::new(), expected());
    let input = sample("fbank.scp");
    for (output, input_again) in [
        ("s3://b/x.ark", "s3://b/x.ark"),
        ("ark,scp:s3://b/y.ark,s3://b/y.scp", "s3://b/y.scp"),
        ("ark,t:s3://b/t.txt", "s3://b/t.txt"),
        ("s3://b/x.pfile", "s3://b/x.pfile"),
        ("s3://b/x.pkl", "s3://b/x.pkl"),
        ("s3://b/x.jsonl.zst", "s3://b/x.jsonl.zst"),
        ("spr:s3://b/spr/", "s3://b/spr/"),
        ("htk:s3://b/htk/", "s3://b/htk/"),
        ("WEB/b/w.ark", "WEB/b/w.ark"),
        ("WEB/b/w.pfile", "WEB/b/w.pfile"),
    ] {
        r.ok(&format!("{input} {output} -q --allow-loss all"));
        let back = r.ok(&format!("ls {input_again}"));
        assert_eq!(back.out.lines().count(), 12, "{output}: {}", back.out);
        if output.contains("ark") && !output.contains("t:") {
            assert!(r.listing(input_again) == want, "{output}");
        }
        if output.contains("scp:") || output.contains("htk") {
            continue;
        }
        let said = r.fails(&format!("{input} {output} -q --allow-loss all"));
        assert!(said.contains("exists already"), "{output}: {said}");
        r.ok(&format!("{input} {output} -q --allow-loss all --overwrite"));
    }
    assert_eq!(r.server.uploads(), 0);
}

#[test]
fn google_speaks_nearly_the_same_language() {
    let r = Remote::new();
    let key = format!(
        r#"{{"gcs_base_url":"{}","disable_oauth":true,"client_email":"","private_key":"","private_key_id":""}}"#,
        r.server.url()
    );
    let run = |line: &str| {
        let mut command = r.command();
        command.env("GOOGLE_SERVICE_ACCOUNT_KEY", &key);
        said(command.args(line.split_whitespace()).output().unwrap())
    };
    large(&r);
    for line in [
        "large.ark gs://b/x.ark -q --remote-block 5m",
        "large.ark spr:gs://b/f/ -q",
        "gs://b/x.ark back.ark -q",
        "info gs://b/f/",
    ] {
        let said = run(line);
        assert_eq!(said.status, 0, "{line}: {}", said.err);
    }
    assert!(r.scratch.read("back.ark") == r.scratch.read("large.ark"));
    assert_eq!((r.server.uploads(), r.server.names().len()), (0, 313));
    let said = run("large.ark gs://b/x.ark -q");
    assert!(said.err.contains("exists already"), "{}", said.err);
}

#[test]
fn parts_make_one_object_of_the_same_bytes() {
    let r = Remote::new();
    let input = large(&r);
    for output in ["x.ark", "x.pfile", "x.pkl"] {
        r.ok(&format!("{input} {output} -q"));
        r.ok(&format!("{input} s3://b/{output} -q --remote-block 5m"));
        let got = r.server.get(&format!("b/{output}")).unwrap();
        assert!(got == r.scratch.read(output), "{output}");
    }
    let parts = r
        .server
        .log()
        .into_iter()
        .filter(|line| line.contains("partNumber=3"));
    assert_eq!(parts.count(), 3);
    assert_eq!(r.server.uploads(), 0);
}

#[test]
fn nothing_partial_ever_appears() {
    let r = Remote::new();
    let input = large(&r);
    let times = 100;
    for (method, name, after, fault) in [
        ("POST", "uploads", 0, Fault::Status(500)),
        ("POST", "uploads", 0, Fault::Status(403)),
        ("PUT", "partNumber=2", 0, Fault::Status(500)),
        ("PUT", "partNumber=1&", 0, Fault::Status(403)),
        ("PUT", "partNumber=3", 0, Fault::Gone),
        ("POST", "uploadId", 0, Fault::Status(403)),
        ("POST", "uploadId", 0, Fault::ErrorInside),
    ] {
        r.server.plan(method, name, (after, times), fault.clone());
        let said = r.fails(&format!("{input} s3://b/x.ark --remote-block 5m"));
        assert!(said.contains("s3://b/x.ark: "), "{fault:?}: {said}");
        assert!(said.contains("cannot write: the "), "{fault:?}: {said}");
        r.server.mend();
    }
    // A part that comes through in the end.
    r.server
        .plan("PUT", "partNumber=2", (0, 2), Fault::Status(503));
    r.ok(&format!("{input} s3://b/x.ark -q --remote-block 5m"));
    // The second of two objects can't be: the first one goes again.
    r.server
        .plan("PUT", "y.scp", (0, times), Fault::Status(403));
    r.fails(&format!("{input} ark,scp:s3://b/y.ark,s3://b/y.scp"));
    r.server.mend();
    // A bad input late in the file.
    let mut broken = r.scratch.read("large.ark");
    broken.truncate(broken.len() - 10);
    r.scratch.write("broken.ark", broken);
    r.fails("broken.ark s3://b/z.ark");
    r.fails("broken.ark spr:s3://b/folder/");
}

#[test]
fn somebody_else_may_be_faster() {
    let r = Remote::new();
    let small = sample("fbank.scp");
    // What appears between the look and the last step is not replaced.
    r.server.plan("PUT", "b/x.ark", (0, 1), Fault::Status(412));
    let said = r.fails(&format!("{small} s3://b/x.ark"));
    assert!(
        said.contains("exists already") && said.contains("--overwrite"),
        "{said}"
    );
}

#[test]
fn inputs_are_not_replaced() {
    let r = Remote::with_corpus();
    let url = r.server.url();
    for line in [
        "s3://b/x.ark s3://b/x.ark --overwrite".to_owned(),
        "s3://b/x.ark s3a://b/x.ark --overwrite".to_owned(),
        "s3://b/x.scp s3://b/x.ark --overwrite".to_owned(),
        format!("{url}/b/x.ark?a {url}/b/x.ark?b --overwrite --to kaldi"),
    ] {
        let said = r.fails(&line);
        assert!(
            said.contains("is read and can't be written"),
            "{line}: {said}"
        );
    }
    let said = r.fails("s3://b/x.ark s3://b/y.ark --labels-out s3://b/y.ark");
    assert!(said.contains("y.ark"), "{said}");
}

#[test]
fn a_folder_is_replaced_as_one_or_added_to() {
    let r = Remote::with_corpus();
    r.ok("s3://b/x.ark spr:s3://b/f/ -q");
    r.server.put("b/f/other.spr", "x");
    let said = r.fails("s3://b/x.ark spr:s3://b/f/");
    assert!(said.contains("not empty"), "{said}");
    r.ok("select s3://b/x.ark --glob ann-001 -o spr:s3://b/f/ --overwrite -q");
    let names: Vec<_> = r
        .server
        .names()
        .into_iter()
        .filter(|n| n.starts_with("b/f/"))
        .collect();
    assert_eq!(names, ["b/f/ann-001.spr"]);
    r.ok("select s3://b/x.ark --glob ann-002 -o spr:s3://b/f/ --add -q");
    r.fails("select s3://b/x.ark --glob ann-002 -o spr:s3://b/f/ --add");
    assert_eq!(r.ok("ls s3://b/f/").out.lines().count(), 2);
}

#[test]
fn a_signal_takes_the_upload_back() {
    let r = Remote::new();
    large(&r);
    let bytes = r.scratch.read("large.ark");
    let mut command = r.command();
    command.args([
        "-",
        "-f",
        "kaldi",
        "s3://b/x.ark",
        "-q",
        "--remote-block",
        "5m",
    ]);
    let mut child = command
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let pipe = child.stdin.as_mut().unwrap();
    pipe.write_all(&bytes[..bytes.len() - 100_000]).unwrap();
    let start = Instant::now();
    while r.server.uploads() == 0 {
        assert!(
            start.elapsed() < Duration::from_secs(20),
            "nothing was begun"
        );
        sleep(Duration::from_millis(10));
    }
    let id = child.id().to_string();
    let status = std::process::Command::new("sh")
        .args(["-c", "kill -TERM \"$0\"", &id])
        .status();
    assert!(status.unwrap().success());
    let said = said(child.wait_with_output().unwrap());
    assert_eq!(said.status, 143, "{}", said.err);
    assert!(said.err.contains("nothing was written"), "{}", said.err);
    assert_eq!(
        (r.server.uploads(), r.server.names().len()),
        (0, 0),
        "{:?}",
        r.server.log()
    );
}

#[test]
fn shards_are_written_found_and_merged() {
    let r = Remote::with_corpus();
    for i in 1..=3 {
        r.ok(&format!(
            "s3://b/x.scp s3://b/p.{{shard}}.pfile --shard {i}/3 -q"
        ));
    }
    let said = r.ok("s3://b/x.scp s3://b/p.{shard}.pfile --shard 2/3 --resume");
    assert!(said.err.contains("have it"), "{}", said.err);
    assert_eq!(r.ok("shards status s3://b/p.{shard}.pfile").out, "");
    r.ok("shards merge s3://b/p.{shard}.pfile -o s3://b/all.pfile -q");
    r.ok("s3://b/x.scp s3://b/one.pfile -q");
    assert!(r.server.get("b/all.pfile") == r.server.get("b/one.pfile"));
    // A changed input is another job.
    let list = r.server.get("b/x.scp").unwrap();
    r.server.put("b/x.scp", list);
    let said = r.fails("s3://b/x.scp s3://b/p.{shard}.pfile --shard 2/3 --resume");
    assert!(said.contains("'input' differs"), "{said}");
}

#[test]
fn local_and_remote_outputs_go_together() {
    let r = Remote::with_corpus();
    r.ok("s3://b/x.ark s3://b/y.ark --report report.json -q");
    assert!(r.scratch.path("report.json").exists());
    r.ok("s3://b/x.ark z.ark --report s3://b/report.json -q");
    assert!(r.server.get("b/report.json").is_some());
    // What is in the way of the one keeps the other from appearing.
    let said = r.fails("s3://b/x.ark s3://b/w.ark --report report.json");
    assert!(said.contains("report.json: exists already"), "{said}");
    let said = r.fails("s3://b/x.ark s3://b/w.ark --verify");
    assert!(said.contains("can't be read back before"), "{said}");
}
