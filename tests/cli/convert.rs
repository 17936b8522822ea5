//! The main job and its choices.

use std::fs;

use crate::{Said, Scratch, sample};

/// The sample archive, features and labels, as bytes to come back to.
fn original(name: &str) -> Vec<u8> {
    fs::read(sample(name)).unwrap()
}

#[test]
fn the_main_job_and_back() {
    let s = Scratch::new();
    let said = s.run_args(&[
        &sample("fbank.scp"),
        "--labels",
        &sample("ali.txt"),
        "train.pfile",
    ]);
    assert_eq!(said.status, 0, "{}", said.err);
    assert!(
        said.err
            .starts_with("12 utterances, 3111 frames, 0 skipped (kaldi -> pfile, "),
        "{}",
        said.err
    );
    assert_eq!(said.out, "");
    assert_eq!(s.names(), ["train.pfile", "train.pfile.utt2num_frames"]);
    s.ok("train.pfile back.ark --labels-out ark,t:ali.txt");
    assert_eq!(s.read("back.ark"), original("fbank.ark"));
    let words = |bytes: Vec<u8>| {
        let text = String::from_utf8(bytes).unwrap();
        text.lines()
            .map(|l| l.trim_end().to_owned())
            .collect::<Vec<_>>()
    };
    // Kaldi writes a blank after every number; the sample was not written by Kaldi.
    assert_eq!(words(s.read("ali.txt")), words(original("ali.txt")));
}

#[test]
fn through_every_format_bit_for_bit() {
    let chains = [
        "a.pfile",
        "a.pkl",
        "a.pkl.gz",
        "a.spr/",
        "a.key/",
        "a.jsonl",
        "a.jsonl.zst",
        "a.ark.bz2",
    ];
    for (archive, chains) in [("fbank.ark", &chains[..]), ("cmvn.ark", &chains[1..])] {
        for first in chains {
            for second in chains {
                let s = Scratch::new();
                let second = second.replace("a.", "b.");
                s.ok(&format!("{} {first}", sample(archive)));
                s.ok(&format!("{first} {second}"));
                s.ok(&format!("{second} back.ark"));
                assert_eq!(
                    s.read("back.ark"),
                    original(archive),
                    "{archive} {first} {second}"
                );
            }
        }
    }
}

#[test]
fn labelled_data_pass_through_what_holds_them() {
    for first in ["a.pfile", "a.pkl", "a.jsonl"] {
        for second in ["b.pfile", "b.pkl", "b.jsonl"] {
            let s = Scratch::new();
            s.ok(&format!(
                "{} --labels {} {first}",
                sample("fbank.ark"),
                sample("ali.ark")
            ));
            s.ok(&format!("{first} {second}"));
            s.ok(&format!("{second} back.ark --labels-out ark:ali.ark"));
            assert_eq!(
                s.read("back.ark"),
                original("fbank.ark"),
                "{first} {second}"
            );
            assert_eq!(s.read("ali.ark"), original("ali.ark"), "{first} {second}");
        }
    }
}

#[test]
fn archive_and_index() {
    let s = Scratch::new();
    s.ok(&format!("scp:{} ark,scp:f.ark,f.scp", sample("fbank.scp")));
    assert_eq!(s.read("f.ark"), original("fbank.ark"));
    let script = String::from_utf8(s.read("f.scp")).unwrap();
    assert_eq!(
        script,
        fs::read_to_string(sample("fbank.scp"))
            .unwrap()
            .replace("fbank.", "f.")
    );
    s.ok("f.scp g.scp");
    assert_eq!(s.read("g.ark"), s.read("f.ark"));
    // The second utterance alone, by its place.
    let place = script.lines().nth(1).unwrap().split(' ').nth(1).unwrap();
    s.write("one.scp", format!("x {place}\n"));
    s.ok("one.scp one.jsonl");
    assert!(s.read("one.jsonl").starts_with(b"{\"key\":\"x\""));
}

#[test]
fn text_and_pipes() {
    let s = Scratch::new();
    s.ok(&format!("{} ark,t:f.txt", sample("fbank.ark")));
    s.ok("ark:f.txt f.ark");
    assert_eq!(s.read("f.ark"), original("fbank.ark"));
    let line = format!(
        "cat {} | spr-convert - -t pickle - --allow-loss keys,boundaries | spr-convert - x.jsonl",
        sample("fbank.ark")
    );
    let said = s.shell(&line);
    assert_eq!(said.status, 0, "{}", said.err);
    let said = s.shell(&format!(
        "spr-convert 'ark:cat {} |' 'ark:| cat > piped.ark'",
        sample("fbank.ark")
    ));
    assert_eq!(said.status, 0, "{}", said.err);
    assert_eq!(s.read("piped.ark"), original("fbank.ark"));
    let said = s.shell(&format!(
        "spr-convert {} ark:- | head -c 100 >/dev/null",
        sample("fbank.ark")
    ));
    assert_eq!((said.status, said.err.as_str()), (0, ""));
}

#[test]
fn a_loss_is_measured_and_refused_until_allowed() {
    let s = Scratch::new();
    let error = s.fails(&format!("{} c.pfile", sample("cmvn.ark")));
    let changed = error.split("precision: ").nth(1).unwrap();
    let count: u64 = changed.split(' ').next().unwrap().parse().unwrap();
    assert!(
        count > 0 && changed.contains("change, by up to "),
        "{error}"
    );
    let said = s.run_args(&[&sample("cmvn.ark"), "c.pfile", "--allow-loss", "precision"]);
    assert_eq!(said.status, 0, "{}", said.err);
    assert!(
        said.err
            .contains(&format!("lost as allowed: precision: {count} of ")),
        "{}",
        said.err
    );
    let said = s.run_args(&[&sample("cmvn.ark"), "d.ark", "--dtype", "f32"]);
    assert_eq!(said.status, 0, "{}", said.err);
    let error = s.fails(&format!(
        "{} --labels {} x.ark",
        sample("fbank.ark"),
        sample("ali.txt")
    ));
    assert!(error.contains("labels of "), "{error}");
    let error = s.fails("c.pfile -t pfile - --on-error skip");
    assert!(error.contains("keys of "), "{error}");
}

#[test]
fn compressed_matrices_are_decoded_and_it_is_said() {
    let s = Scratch::new();
    for options in ["", "--shuffle", "--shuffle --partition 50k"] {
        let input = sample("mfcc_cm.scp");
        let said = s.ok(&format!("{input} m.ark --overwrite {options}"));
        assert!(said.err.contains("CM decoded"), "{options}: {}", said.err);
    }
}

#[test]
fn truth_values_stay_integers_where_these_are_held() {
    let s = Scratch::new();
    let data = "{\"dtype\":\"bool\",\"shape\":[2,2],\"data\":[[1,0],[0,1]]}";
    s.write(
        "b.jsonl",
        format!("{{\"key\":\"b\",\"features\":{data}}}\n"),
    );
    for (output, dtype) in [("b.spr", "u8"), ("b.key", "i8"), ("b.ark", "f32")] {
        s.ok(&format!("b.jsonl {output}"));
        let said = s.ok(&format!("info {output} --json")).out;
        assert!(said.contains(&format!("\"dtype\":\"{dtype}\"")), "{said}");
    }
}

#[test]
fn outputs_are_not_replaced_unless_asked() {
    let s = Scratch::new();
    s.write("a.ark", "precious");
    let error = s.fails(&format!("{} a.ark", sample("fbank.ark")));
    assert!(error.contains("a.ark: exists already"), "{error}");
    assert_eq!(s.read("a.ark"), b"precious");
    s.ok(&format!("{} a.ark --overwrite", sample("fbank.ark")));
    assert_eq!(s.read("a.ark"), original("fbank.ark"));
    s.write("d/x.spr", "precious");
    s.fails(&format!("{} spr:d/", sample("fbank.ark")));
    // A side file of other data goes with the data it belonged to.
    s.ok("a.ark a.pfile");
    s.ok("a.ark a.pfile,keys=none --overwrite --allow-loss keys");
    assert_eq!(s.names(), ["a.ark", "a.pfile", "d"]);
}

#[test]
fn several_inputs_one_after_the_other() {
    let s = Scratch::new();
    let (one, two) = (sample("fbank.ark"), sample("fbank_text.ark"));
    s.fails(&format!("convert {one} {two} -o both.ark"));
    s.ok(&format!(
        "convert {one} {two} -o both.ark --duplicates keep"
    ));
    let said = s.ok("info both.ark --json");
    assert!(said.out.contains("\"utterances\":15"), "{}", said.out);
}

#[test]
fn utterances_without_labels_stop_or_are_skipped() {
    let s = Scratch::new();
    let ali: String = fs::read_to_string(sample("ali.txt")).unwrap();
    let short: Vec<_> = ali
        .lines()
        .filter(|line| !line.starts_with("bob-002"))
        .map(|line| {
            if line.starts_with("cleo-001") {
                "cleo-001 1 2 3"
            } else {
                line
            }
        })
        .collect();
    s.write("ali.txt", short.join("\n") + "\n");
    let line = format!("{} --labels ali.txt", sample("fbank.ark"));
    let error = s.fails(&format!("{line} x.pfile"));
    assert!(
        error.contains("utterance bob-002: no labels in ali.txt"),
        "{error}"
    );
    let said = s.run(&format!(
        "{line} x.pfile --on-error skip --error-log log.jsonl"
    ));
    assert_eq!(said.status, 3, "{}", said.err);
    assert!(
        said.err.contains("10 utterances, ") && said.err.contains(" 2 skipped "),
        "{}",
        said.err
    );
    let log = String::from_utf8(s.read("log.jsonl")).unwrap();
    assert_eq!(log.lines().count(), 2);
    assert!(log.contains("\"utterance\":\"cleo-001\""), "{log}");
}

#[test]
fn dry_runs_report_and_summary() {
    let s = Scratch::new();
    let said = s.ok(&format!("{} x.pfile --dry-run", sample("fbank.ark")));
    assert!(said.err.contains("12 utterances") && said.err.contains("nothing written"));
    assert_eq!(s.names(), [""; 0]);
    let error = s.fails(&format!("{} x.pfile --dry-run", sample("cmvn.ark")));
    assert!(error.contains("precision"), "{error}");
    let said = s.ok(&format!(
        "{} x.pfile --json --report r.json",
        sample("fbank.ark")
    ));
    for text in [said.out, String::from_utf8(s.read("r.json")).unwrap()] {
        let summary: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(summary["utterances"], 12);
        assert_eq!(summary["frames"], 3111);
        assert_eq!(summary["to"], "pfile");
    }
    // Nothing stands between the data.
    let line = format!("{} ark:-", sample("fbank.ark"));
    let plain = s.shell(&format!("exec spr-convert {line} -q | cksum"));
    let said = s.shell(&format!(
        "exec spr-convert {line} --json --report d.json | cksum"
    ));
    assert_eq!((said.out, said.err.as_str()), (plain.out, ""));
    assert!(s.names().contains(&"d.json".to_owned()));
}

#[test]
fn reports_and_logs_are_outputs_like_others() {
    let s = Scratch::new();
    let ark = sample("fbank.ark");
    for option in ["--report", "--error-log"] {
        s.write("there", "old");
        let error = s.fails(&format!("{ark} x.ark {option} there"));
        assert!(error.contains("there: exists already"), "{error}");
        assert_eq!(s.names(), ["there"]);
        s.ok(&format!("{ark} x.ark {option} there --overwrite"));
        assert_ne!(s.read("there"), b"old");
        s.shell("rm x.ark there");
    }
    let error = s.fails(&format!("{ark} x.ark --report r --error-log ./r"));
    assert!(error.contains("would be written twice"), "{error}");
    // A run that fails leaves none.
    s.write("cut.ark", &fs::read(&ark).unwrap()[..100_000]);
    s.fails("cut.ark x.ark --report r --error-log l");
    assert_eq!(s.names(), ["cut.ark"]);
}

#[test]
fn errors_are_told_as_json_where_facts_are() {
    let s = Scratch::new();
    for line in [
        "info none.ark --json",
        "info --json --no-such",
        "sort x --json",
    ] {
        let said = s.run(line);
        assert_eq!((said.status, said.out.as_str()), (2, ""), "{line}");
        let error: serde_json::Value = serde_json::from_str(&said.err).unwrap();
        assert!(error["message"].is_string(), "{line}: {}", said.err);
    }
}

#[test]
fn an_empty_table_is_fine_with_a_warning() {
    let s = Scratch::new();
    s.write("empty.ark", "");
    for output in ["a.ark", "a.pfile", "a.jsonl", "spr:d/"] {
        let said = s.ok(&format!("ark:empty.ark {output}"));
        assert!(
            said.err
                .contains("warning: ark:empty.ark: holds no utterances"),
            "{}",
            said.err
        );
        assert!(said.err.contains("0 utterances, 0 frames"), "{}", said.err);
    }
}

#[test]
fn htk_files_are_known_by_their_size() {
    let s = Scratch::new();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/samples/htk");
    let said = s.ok(&format!("info {folder}/ann-001.fea"));
    assert!(said.out.contains("format      htk"), "{}", said.out);
    // Kaldi made these files of the archive.
    s.ok(&format!("{folder}/*.fea htk.ark"));
    s.ok(&format!(
        "select {} -o fbank.ark --first 3",
        sample("fbank.ark")
    ));
    let said = s.ok("diff htk.ark fbank.ark");
    assert!(said.out.contains("no difference") || said.err.contains("no difference"));
    // One byte less, and it is a damaged one.
    let mut bytes = fs::read(format!("{folder}/ann-001.fea")).unwrap();
    bytes.pop();
    s.write("cut.fea", bytes);
    let error = s.fails("cut.fea x.ark");
    assert!(error.contains("cut.fea@12: the file ends here"), "{error}");
}

#[test]
fn lists_of_htk_are_data_sets_as_others() {
    let s = Scratch::new();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/samples/htk");
    s.write(
        "x.scp",
        format!(
            "a={folder}/ann-001.fea[10,19]\n{folder}/ann-002.fea\nb={folder}/ann-003.fea[0,500]\n"
        ),
    );
    let said = s.run("ls x.scp");
    assert_eq!(said.status, 2);
    assert!(said.out.starts_with("a"), "{}", said.out);
    assert!(
        said.err
            .contains("utterance b: has 219 frames, the list asks for those from 0 to 500"),
        "{}",
        said.err
    );
    assert_eq!(s.run("x.scp x.ark --on-error skip").status, 3);
    let last = |said: &Said| {
        let words = said
            .out
            .lines()
            .last()
            .unwrap_or_default()
            .split_whitespace();
        words.skip(1).map(str::to_owned).collect::<Vec<_>>()
    };
    let cut = last(&s.ok("show x.ark a --range 0:1,0:2"));
    let whole = last(&s.ok(&format!("show {folder}/ann-001.fea --range 10:11,0:2")));
    assert_eq!((cut.len(), cut), (3, whole));
    // Kaldi's own lists stay Kaldi's, and any file may be a list.
    let said = s.ok(&format!("info {}", sample("fbank.scp")));
    assert!(said.out.contains("format      kaldi"), "{}", said.out);
    s.write("list", format!("{folder}/ann-001.fea\n"));
    let said = s.ok("info htk:list");
    assert!(said.out.contains("1 utterance, 291 frames"), "{}", said.out);
    // A folder, compressed as asked for, and the list of it.
    let said = s.ok(&format!(
        "{folder}/*.fea htk:out/,compress=true,kind=FBANK_E,script=out.scp"
    ));
    assert!(said.err.contains("rounded: precision"), "{}", said.err);
    let said = s.run(&format!("diff out.scp {folder} --atol 0.001"));
    assert_eq!(said.status, 0, "{} {}", said.out, said.err);
    let error = s.fails("x.scp y.htk,compress=true,check=true,kind=MFCC_C");
    assert!(error.contains("not a kind of plain floats"), "{error}");
}

#[test]
fn lists_and_transcripts_of_sphinx_are_data_sets_as_others() {
    let s = Scratch::new();
    s.write(
        "said",
        "<s> ONE TWO </s> (ann-001)\n<s> THREE </s> (ann-002)\n",
    );
    fs::create_dir(s.path("etc")).unwrap();
    s.ok("trn:said etc/x.transcription");
    assert_eq!(s.read("etc/x.transcription"), s.read("said"));
    s.ok(&format!(
        "{} sphinx:feat/,fileids=etc/x.fileids",
        sample("mfcc_cm.ark")
    ));
    let joined = "etc/x.fileids,cepdir=feat,dim=13 --text etc/x.transcription x.jsonl";
    assert_eq!(s.run(&format!("{joined} --on-error skip")).status, 3);
    let lines = String::from_utf8(s.read("x.jsonl")).unwrap();
    let lines: Vec<_> = lines.lines().collect();
    assert_eq!(lines.len(), 2);
    assert!(lines[0].starts_with(r#"{"key":"ann-001","features":{"dtype":"f32","shape":[291,13]"#));
    assert!(lines[0].contains(r#""text":"ONE TWO""#));
    let error = s.fails("etc/x.fileids y.ark");
    assert!(
        error.contains("ann-001.mfc: utterance ann-001: cannot open"),
        "{error}"
    );
}
