//! URLs that stand in files of strangers.

use spr_testkit::server::Server;

use super::{Remote, expected};
use crate::sample;

#[test]
fn a_list_leads_to_its_own_bucket_only() {
    let r = Remote::with_corpus();
    let other = Server::start().unwrap();
    other.put("b/x.ark", std::fs::read(sample("fbank.ark")).unwrap());
    let ark = "x.ark:8";
    r.server.put("c/x.ark", r.server.get("b/x.ark").unwrap());
    for (list, may) in [
        (format!("a {ark}\n"), true),
        (format!("a ../b/{ark}\n"), false),
        (format!("a s3://b/{ark}\n"), true),
        (format!("a s3://c/{ark}\n"), false),
        (format!("a {}/b/{ark}\n", r.server.url()), false),
        (format!("a {}\n", sample("fbank.ark:8")), false),
    ] {
        r.server.put("b/l.scp", list.clone());
        r.server.log();
        if may {
            r.ok("s3://b/l.scp jsonl:- -q");
            continue;
        }
        let said = r.fails("s3://b/l.scp out.ark");
        if list.contains("..") {
            // Names never lead out of the bucket.
            assert!(said.contains("s3://b/b/x.ark"), "{list}: {said}");
            continue;
        }
        assert!(
            said.contains("s3://b/l.scp:1: utterance a: refused to open"),
            "{said}"
        );
        assert!(said.contains("--allow-urls"), "{said}");
        let log = r.server.log();
        assert!(log.iter().all(|line| !line.contains("c/x.ark")), "{log:?}");
        r.ok("s3://b/l.scp jsonl:- -q --allow-urls");
    }
}

#[test]
fn a_local_list_leads_nowhere_unless_it_may() {
    let r = Remote::with_corpus();
    let place = format!("{}/b/x.ark:8", r.server.url());
    r.scratch.write("l.scp", format!("a {place}\n"));
    r.server.log();
    let said = r.fails("l.scp out.ark");
    assert!(
        said.contains("l.scp:1: utterance a: refused to open"),
        "{said}"
    );
    assert!(said.contains("--allow-urls=127.0.0.1"), "{said}");
    assert_eq!(r.server.log(), Vec::<String>::new());
    r.ok("l.scp jsonl:- -q --allow-urls");
    r.ok("l.scp jsonl:- -q --allow-urls=127.0.0.1");
    r.fails("l.scp out.ark --allow-urls=example.org,b");
    r.fails("l.scp out.ark --safe");
    assert_eq!(r.run("l.scp out.ark --safe --allow-urls").status, 2);
    // What is typed is the user's own, with --safe as well; what it names is not.
    let said = r.ok("s3://b/x.ark jsonl:- -q --safe");
    assert!(said.out == expected());
    r.server.put("b/l.scp", "a s3://b/x.ark:8\n");
    r.fails("s3://b/l.scp out.ark --safe");
}

#[test]
fn a_password_in_a_list_is_not_told() {
    let r = Remote::new();
    for place in [
        "https://me:secret-words@192.0.2.1:81/x.ark:8",
        "http://secret-words@192.0.2.1:81/x.ark:8",
        "https://192.0.2.1:secret-words@192.0.2.1:81/x.ark:8?sign=secret-words",
    ] {
        r.scratch.write("l.scp", format!("a {place}\n"));
        let said = r.fails("l.scp out.ark");
        assert!(said.contains("--allow-urls=192.0.2.1:81"), "{said}");
        r.fails("l.scp out.ark --safe");
        r.fails("l.scp out.ark --allow-urls=me,192.0.2.1");
        let said = r.fails("l.scp out.ark --allow-urls");
        assert!(said.contains("do not belong in a URL"), "{said}");
        r.fails("info l.scp --allow-urls -v");
    }
}

#[test]
fn lists_of_sound_and_of_files_to_write_are_no_way_around() {
    let r = Remote::with_corpus();
    let url = r.server.url();
    r.scratch.write(
        "a.jsonl",
        format!("{{\"key\":\"a\",\"audio\":{{\"path\":\"{url}/b/a.wav\"}}}}\n"),
    );
    let said = r.fails("a.jsonl out/ --to wav");
    assert!(said.contains("refused to open"), "{said}");
    r.scratch.write("out.scp", "ann-001 s3://b/stolen.mat\n");
    let said = r.fails(&format!("{} scp,p:out.scp", sample("fbank.scp")));
    assert!(said.contains("refused to open"), "{said}");
    r.scratch.write("c.cor", "[x]\n");
}

#[test]
fn no_verb_asks_a_server_that_a_file_names() {
    let r = Remote::new();
    for (name, content) in [
        ("d/wav.scp", "a WEB/a.wav\n"),
        ("d/feats.scp", "a WEB/f.ark:8\n"),
        ("d/utt2spk", "a s\n"),
        ("spans/wav.scp", "r WEB/a.wav\n"),
        ("spans/segments", "a r 0.0 1.0\n"),
        ("spans/utt2spk", "a s\n"),
        ("feats.scp", "a WEB/f.ark:8\n"),
        ("wav.scp", "a WEB/a.wav\n"),
        ("lines.jsonl", r#"{"key":"a","audio":{"path":"WEB/a.wav"}}"#),
        (
            "nemo.json",
            r#"{"audio_filepath":"WEB/a.wav","duration":1.0,"text":"hi"}"#,
        ),
        (
            "recordings.jsonl",
            r#"{"id":"a","sampling_rate":8000,"num_samples":8000,"duration":1.0,"sources":[{"type":"url","channels":[0],"source":"WEB/a.wav"}]}"#,
        ),
        (
            "cuts.jsonl",
            r#"{"id":"a","start":0,"duration":1.0,"channel":0,"supervisions":[],"recording":{"id":"a","sampling_rate":8000,"num_samples":8000,"duration":1.0,"sources":[{"type":"file","channels":[0],"source":"WEB/a.wav"}]},"type":"MonoCut"}"#,
        ),
        (
            "sound/metadata.csv",
            "file_name,transcription\nWEB/a.wav,hi\n",
        ),
    ] {
        let content = content.replace("WEB", &r.server.url());
        r.scratch.write(name, format!("{}\n", content.trim_end()));
    }
    let data = "d spans feats.scp wav.scp lines.jsonl nemo.json recordings.jsonl cuts.jsonl sound";
    let mut runs = 0;
    for input in data.split_whitespace() {
        for line in [
            "info IN",
            "info -v IN",
            "info -r IN",
            "ls IN --columns seconds,db",
            "show IN",
            "check IN",
            "check --quick IN",
            "check --all IN",
            "stats IN",
            "header IN",
            "report IN -o page.html",
            "plot IN -o plot.png",
            "index IN",
            "repair IN mended",
            "diff IN IN",
            "shards plan IN --shards 2",
            "IN o.jsonl",
            "IN o.jsonl --on-error skip",
            "IN o.jsonl --dry-run",
            "IN o.jsonl --explain",
            "IN o.jsonl --max-seconds 9",
            "IN o.jsonl --shard 1/2",
            "IN o.jsonl --shard 1/2 --resume",
            "IN wavs/ --to wav",
            "IN o.parquet",
            "select IN -o o.jsonl --random 1",
            "sort IN -o o.jsonl --by seconds",
            "split IN -o {part}.jsonl --shares 1:1",
            "merge IN IN -o o.jsonl",
        ] {
            for rest in ["", " --safe"] {
                let line = line.replace("IN", input) + rest;
                r.run(&line);
                assert_eq!(r.server.log(), Vec::<String>::new(), "{line}");
                runs += 1;
            }
        }
    }
    assert_eq!(runs, 9 * 29 * 2);
    r.run("info -r .");
    assert_eq!(r.server.log(), Vec::<String>::new());
}
