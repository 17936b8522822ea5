//! What may go wrong with a server: put right unseen, or named, with nothing left behind.

use std::time::{Duration, Instant};

use spr_testkit::server::Fault;

use super::{Remote, expected};

#[test]
fn passing_faults_are_not_seen() {
    let (r, want) = (Remote::with_corpus(), expected());
    for (input, fault) in [
        ("s3://b/x.ark", Fault::Status(503)),
        ("s3://b/x.ark", Fault::Status(500)),
        ("s3://b/x.ark", Fault::Status(429)),
        ("s3://b/x.ark", Fault::Cut(1000)),
        ("s3://b/x.ark", Fault::Cut(0)),
        ("s3://b/x.ark", Fault::Slow(1)),
        ("s3://b/x.ark", Fault::Silent(2000)),
        ("WEB/b/x.ark", Fault::Status(503)),
        ("WEB/b/x.ark", Fault::Cut(1000)),
    ] {
        r.server.plan("GET", "x.ark", (1, 2), fault.clone());
        let said = r.ok(&format!("{input} jsonl:- -q --remote-timeout 1"));
        assert!(said.out == want, "{fault:?}");
        r.server.mend();
    }
}

#[test]
fn servers_without_tags_or_ranges_are_read() {
    let (r, want) = (Remote::with_corpus(), expected());
    for fault in [Fault::Tagless, Fault::Bare, Fault::Whole] {
        r.server.plan("GET", "x.ark", (0, 1000), fault.clone());
        r.server.plan("HEAD", "x.ark", (0, 1000), fault.clone());
        assert!(r.listing("WEB/b/x.ark") == want, "{fault:?}");
        r.server.mend();
    }
    // A broken body is asked for again where there is a time of the last change.
    r.server
        .plan("GET", "x.ark", (1, 1), Fault::TaglessCut(1000));
    r.server.plan("GET", "x.ark", (0, 1000), Fault::Tagless);
    assert!(r.listing("WEB/b/x.ark") == want);
    r.server.mend();
    // Without ranges there is no way back.
    r.server.plan("GET", "x.ark", (0, 1000), Fault::Whole);
    let list = String::from_utf8(r.server.get("b/x.scp").unwrap()).unwrap();
    let back: Vec<_> = list.lines().rev().collect();
    r.server.put("b/back.scp", back.join("\n"));
    let said = r.fails("WEB/b/back.scp out.ark");
    assert!(
        said.contains("x.ark") && said.contains("download it first"),
        "{said}"
    );
}

#[test]
fn lasting_faults_are_named() {
    let r = Remote::with_corpus();
    for (input, after, fault, words) in [
        ("s3://b/x.ark", 1, Fault::Cut(1000), "the connection broke"),
        (
            "s3://b/x.ark",
            1,
            Fault::Status(503),
            "the server answers 503",
        ),
        (
            "s3://b/x.ark",
            1,
            Fault::Status(403),
            "refuses access, it answers 403",
        ),
        (
            "WEB/b/x.ark?sign=x",
            1,
            Fault::Status(401),
            "refuses access, it answers 401",
        ),
        (
            "s3://b/x.ark",
            1,
            Fault::Status(404),
            "there is nothing of this name",
        ),
        ("s3://b/x.ark", 0, Fault::Status(301), "in another region"),
        ("s3://b/x.ark", 1, Fault::Short, "the connection broke"),
        (
            "s3://b/x.ark",
            1,
            Fault::Unsaid,
            "other bytes than asked for",
        ),
        (
            "WEB/b/x.ark",
            1,
            Fault::Unsaid,
            "other bytes than asked for",
        ),
        ("WEB/b/x.ark", 0, Fault::Packed, "packed by gzip"),
        (
            "s3://b/x.ark",
            1,
            Fault::Changed,
            "changed while it was read",
        ),
        (
            "WEB/b/x.ark",
            1,
            Fault::Changed,
            "changed while it was read",
        ),
        (
            "WEB/b/x.ark",
            0,
            Fault::Elsewhere("http://localhost:1/x".to_owned()),
            "another place, on localhost",
        ),
        (
            "WEB/b/x.ark",
            0,
            Fault::Elsewhere("http://169.254.169.254/x".to_owned()),
            "another place, on 169",
        ),
    ] {
        let fault = match fault {
            // Short ones say nothing of it, but the body is.
            Fault::Short => Fault::Cut(20_000),
            other => other,
        };
        r.server.plan("GET", "x.ark", (after, 1000), fault.clone());
        if after == 0 {
            r.server.plan("HEAD", "x.ark", (0, 1000), fault.clone());
        }
        for output in ["out.ark", "s3://b/out.ark"] {
            let said = r.fails(&format!("{input} {output}"));
            assert!(said.contains(words), "{fault:?}: {said}");
            let place = input
                .split('?')
                .next()
                .unwrap()
                .replace("WEB", &r.server.url());
            assert!(said.contains(&place), "{fault:?}: {said}");
            r.server.mend();
            r.server.put(
                "b/x.ark",
                std::fs::read(crate::sample("fbank.ark")).unwrap(),
            );
            r.server.plan("GET", "x.ark", (after, 1000), fault.clone());
        }
        r.server.mend();
        r.server.put(
            "b/x.ark",
            std::fs::read(crate::sample("fbank.ark")).unwrap(),
        );
    }
}

#[test]
fn the_byte_of_a_broken_connection_is_told() {
    let r = Remote::with_corpus();
    r.server.plan("GET", "x.ark", (1, 1000), Fault::Cut(0));
    let said = r.fails("s3://b/x.ark out.ark");
    assert!(said.contains("s3://b/x.ark@65536: "), "{said}");
}

#[test]
fn a_change_is_not_passed_over() {
    let r = Remote::with_corpus();
    r.server.plan("GET", "x.ark", (1, 1000), Fault::Changed);
    let said = r.fails("s3://b/x.scp out.ark --on-error skip");
    assert!(said.contains("changed while it was read"), "{said}");
}

#[test]
fn who_is_nobody_is_told_so() {
    let r = Remote::with_corpus();
    let mut command = r.command();
    command
        .env_remove("AWS_ACCESS_KEY_ID")
        .env_remove("AWS_SECRET_ACCESS_KEY");
    let said = crate::said(command.args(["info", "s3://b/x.ark"]).output().unwrap());
    assert_eq!(said.status, 2);
    assert!(
        said.err.contains("nothing says who you are"),
        "{}",
        said.err
    );
    assert!(said.err.contains("AWS_SKIP_SIGNATURE=true"), "{}", said.err);
    assert!(r.server.log().is_empty());
    r.server.plan("GET", "x.ark", (0, 9), Fault::Status(403));
    let said = r.fails("s3://b/x.ark out.ark");
    assert!(said.contains("known by AWS_ACCESS_KEY_ID"), "{said}");
}

#[test]
fn a_server_that_is_silent_is_not_waited_for_without_end() {
    let r = Remote::with_corpus();
    r.server
        .plan("GET", "x.ark", (0, 1000), Fault::Silent(60_000));
    let said = r.fails("s3://b/x.ark out.ark --remote-timeout 1");
    assert!(said.contains("the server does not answer"), "{said}");
}

#[test]
fn a_server_that_never_answers_is_given_up() {
    let r = Remote::with_corpus();
    r.scratch.write("in.ark", r.server.get("b/x.ark").unwrap());
    let corpus = r.server.get("b/x.scp").unwrap();
    let local = String::from_utf8(corpus).unwrap();
    let local = local.replace(" x.ark:", &format!(" {}/b/x.ark:", r.server.url()));
    r.scratch.write("far.scp", local);
    for line in [
        "s3://b/x.ark out.ark",
        "WEB/b/x.ark out.ark",
        "in.ark s3://b/out.pfile",
        "far.scp out.ark --allow-urls --on-error skip",
        "info s3://b/y.pfile",
    ] {
        for method in ["GET", "HEAD", "PUT", "POST"] {
            let silent = Fault::Silent(100_000);
            r.server.plan(method, "", (0, 1000), silent);
        }
        r.server.log();
        let start = Instant::now();
        let said = r.run(&format!("{line} --remote-timeout 1"));
        let took = start.elapsed();
        assert!(said.err.contains("does not answer"), "{line}: {}", said.err);
        assert_ne!(said.status, 0, "{line}");
        assert!(took < Duration::from_secs(30), "{line}: {took:?}");
        let asked = r.server.log();
        assert!(asked.len() <= 7, "{line}: {asked:?}");
        r.server.mend();
    }
}

#[test]
fn a_place_that_fails_for_good_is_not_asked_again() {
    let r = Remote::with_corpus();
    for method in ["GET", "HEAD"] {
        r.server
            .plan(method, "x.ark", (0, 1000), Fault::Status(503));
    }
    r.server.log();
    let said = r.run("s3://b/x.scp out.ark --on-error skip");
    assert!(said.err.contains("the server answers 503"), "{}", said.err);
    let asked = r.server.log();
    let asked = asked.iter().filter(|line| line.contains("x.ark")).count();
    assert!(asked <= 6, "{asked}");
}

#[test]
fn a_list_that_came_cut_is_asked_for_again() {
    let (r, want) = (Remote::with_corpus(), expected());
    for fault in [Fault::Half, Fault::Cut(30)] {
        r.server.plan("GET", "list-type", (0, 2), fault.clone());
        let said = r.ok("s3://b/*.ark jsonl:- -q");
        assert!(said.out == want, "{fault:?}");
        r.server.mend();
        r.server.plan("GET", "list-type", (0, 1000), fault.clone());
        let said = r.run("s3://b/*.ark out.ark");
        assert_eq!(said.status, 2, "{fault:?}: {}", said.err);
        assert!(!r.scratch.path("out.ark").exists());
        r.server.mend();
    }
    r.server.plan("POST", "uploads", (0, 1000), Fault::Half);
    r.scratch
        .write("big.ark", r.server.get("b/x.ark").unwrap().repeat(30));
    // The server has begun an upload, whose name is lost.
    let said = r.run("big.ark s3://b/out.ark --remote-block 5m");
    assert_eq!(said.status, 2, "{}", said.err);
    let words = "the server's answer is cut or damaged";
    assert!(said.err.contains(words), "{}", said.err);
    assert!(r.server.get("b/out.ark").is_none());
}

#[test]
fn far_servers_are_asked_with_encryption() {
    let r = Remote::new();
    let said = r.fails("http://192.0.2.1/x.ark out.ark");
    assert!(
        said.contains("without encryption") && said.contains("--allow-http"),
        "{said}"
    );
    let said = r.fails("https://user:secret-words@192.0.2.1/x.ark out.ark");
    assert!(said.contains("do not belong in a URL"), "{said}");
}
