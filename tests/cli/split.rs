//! `split`, and the folders that outputs stand in.

use crate::verbs::keys;
use crate::{Scratch, names, sample};

#[test]
fn split_and_merge_are_inverse() {
    let s = Scratch::new();
    let ark = sample("fbank.ark");
    let speakers: String = ["ann", "bob", "cleo"]
        .iter()
        .flat_map(|name| (1..=4).map(move |n| format!("{name}-00{n} {name}\n")))
        .collect();
    s.write("utt2spk", speakers);
    for (rule, sizes) in [
        ("-n 5", &[3, 3, 2, 2, 2][..]),
        ("-n 12", &[1; 12]),
        ("-n 3 --utt2spk utt2spk", &[4, 4, 4]),
        ("-n 2 --utt2spk utt2spk", &[8, 4]),
        ("--frames 600", &[2, 2, 2, 2, 2, 2]),
        ("--frames 1", &[1; 12]),
        ("--size 150k", &[3, 3, 4, 2]),
    ] {
        s.ok(&format!("split {ark} p.{{part:02}}.ark --overwrite {rule}"));
        let names = (0..sizes.len()).map(|n| format!("p.{n:02}.ark"));
        let names: Vec<_> = names.collect();
        let counts: Vec<_> = names.iter().map(|name| keys(&s, name).len()).collect();
        assert_eq!(counts, sizes, "{rule}");
        s.ok(&format!("merge {} back.ark --overwrite", names.join(" ")));
        assert_eq!(s.read("back.ark"), std::fs::read(&ark).unwrap(), "{rule}");
    }
    // More parts than a process may have files.
    let lines: String = (0..1500).map(|i| format!("utt{i:04} 1\n")).collect();
    s.write("many.ali", &lines);
    s.ok("split many.ali many-{part}.ali -n 1500");
    assert_eq!(s.read("many-1499.ali"), b"utt1499 1 \n");
    s.fails(&format!("split {ark} q.{{part}}.ark -n 13"));
    s.fails(&format!("split {ark} q.ark -n 2"));
    s.fails(&format!("split {ark} q.{{part}}.ark"));
    s.fails(&format!("split {ark} q.{{part}}.ark --train 1.5"));
    s.fails(&format!(
        "split {ark} q.{{part}}.ark --frames 9 --utt2spk utt2spk"
    ));
    s.write("utt2spk", "ann-001 ann\n");
    let error = s.fails(&format!(
        "split {ark} q.{{part}}.ark -n 1 --utt2spk utt2spk"
    ));
    assert!(
        error.contains("utterance ann-002: is not in utt2spk"),
        "{error}"
    );
}

#[test]
fn split_draws_train_and_valid() {
    let s = Scratch::new();
    let both = format!("{} --labels {}", sample("fbank.ark"), sample("ali.ark"));
    s.ok(&format!(
        "split {both} {{part}}.pfile --train 0.75 --seed 3"
    ));
    s.ok(&format!(
        "split {both} again.{{part}}.pfile --valid 0.25 --seed 3"
    ));
    assert_eq!(s.read("train.pfile"), s.read("again.train.pfile"));
    let (train, valid) = (keys(&s, "train.pfile"), keys(&s, "valid.pfile"));
    assert_eq!((train.len(), valid.len()), (9, 3));
    assert!(train.is_sorted() && valid.is_sorted());
    s.ok(&format!(
        "split {both} other.{{part}}.pfile --train 0.75 --seed 4"
    ));
    assert_ne!(keys(&s, "other.train.pfile"), train);
    // A part that can't be written takes the others with it.
    let s = Scratch::new();
    s.write("valid.ark", "there");
    let before = s.names();
    let said = s.run(&format!(
        "split {} {{part}}.ark --train 0.5",
        sample("fbank.ark")
    ));
    assert_eq!((said.status, s.names()), (2, before), "{}", said.err);
}

/// All files below a folder, and folders with a `/` at the end, sorted.
fn tree(s: &Scratch) -> Vec<String> {
    let listed = s.shell(
        "find . -mindepth 1 -type f -printf '%P\\n' -o -mindepth 1 -type d -printf '%P/\\n'",
    );
    let mut names: Vec<_> = listed.out.lines().map(str::to_owned).collect();
    names.sort();
    names
}

#[test]
fn a_part_may_be_a_folder() {
    let s = Scratch::new();
    let ark = sample("fbank.ark");
    let wav = format!("{}/fixtures/samples/wav", env!("CARGO_MANIFEST_DIR"));
    for (input, format) in [
        (&ark, "spr"),
        (&ark, "key"),
        (&wav, "spr"),
        (&wav, "key"),
        (&wav, "wav"),
        (&wav, "sphere"),
        (&wav, "au"),
    ] {
        let said = s.shell("rm -rf out back.jsonl; mkdir out");
        assert_eq!(said.status, 0, "{}", said.err);
        s.ok(&format!(
            "split {input} -o out/{{part}}/ --to {format} -n 3"
        ));
        assert_eq!(names(&s.path("out")), ["0", "1", "2"], "{format}");
        let parts: usize = ["0", "1", "2"]
            .map(|n| names(&s.path(&format!("out/{n}"))).len())
            .iter()
            .sum();
        s.ok("merge out/0/ out/1/ out/2/ back.jsonl");
        s.ok(&format!("diff back.jsonl {input} --by-key"));
        assert_eq!(keys(&s, "back.jsonl").len(), parts, "{format}");
    }
    // By the extension of its name, and in an order of its own.
    s.ok(&format!("split {ark} {{part}}.spr/ --train 0.5"));
    assert_eq!(names(&s.path("train.spr")).len(), 6);
    // One file can't hold a part.
    let said = s.run(&format!("split {ark} {{part}}.trk -n 2"));
    assert_eq!(said.status, 2);
    assert!(said.err.contains("end the name with /"), "{}", said.err);
}

#[test]
fn folders_with_the_number_of_a_part_are_made() {
    let s = Scratch::new();
    let ark = sample("fbank.ark");
    s.ok(&format!(
        "split {ark} ark,scp:s{{part}}/a/f.ark,s{{part}}/f.scp -n 2 --labels {} --labels-out ark:s{{part}}/l/ali.ark",
        sample("ali.ark")
    ));
    assert_eq!(
        tree(&s),
        [
            "s0/",
            "s0/a/",
            "s0/a/f.ark",
            "s0/f.scp",
            "s0/l/",
            "s0/l/ali.ark",
            "s1/",
            "s1/a/",
            "s1/a/f.ark",
            "s1/f.scp",
            "s1/l/",
            "s1/l/ali.ark"
        ]
    );
    s.ok(&format!("split {ark} t{{part}}/f.ark -n 2 --dry-run"));
    assert!(!s.path("t0").exists());
    // Whatever fails, nothing is left: a part that exists, a key that is not a file name, a loss.
    let s = Scratch::new();
    s.write("out/2/there.spr", "there");
    s.write("bad.jsonl", "{\"key\":\"a\",\"features\":{\"dtype\":\"f64\",\"shape\":[1,1],\"data\":[[0.1]]}}\n{\"key\":\"../b\",\"labels\":[1]}\n");
    let before = tree(&s);
    for line in [
        format!("split {ark} spr:out/{{part}}/ -n 3"),
        format!("split {ark} spr:out/{{part}}/ -n 3 --utt2spk missing"),
        "split bad.jsonl spr:out/{part}/x/ -n 2".to_owned(),
        "split bad.jsonl out/{part}/x.pfile -n 2".to_owned(),
        format!("split {ark} none/{{part}}/x.ark -n 2"),
    ] {
        let said = s.run(&line);
        assert_eq!(
            (said.status, tree(&s)),
            (2, before.clone()),
            "{line}: {}",
            said.err
        );
    }
}

#[test]
fn a_missing_folder_is_named() {
    let s = Scratch::new();
    let ark = sample("fbank.ark");
    for line in [
        "convert {} a/b/x.pfile",
        "convert {} spr:a/b/x/",
        "convert {} ark,scp:x.ark,a/b/x.scp",
        "convert {} x.pfile,keys=a/b/x",
        "convert {} x.ark --labels-out ark:a/b/l.ark --labels {}",
        "convert {} x.ark --error-log a/b/log",
        "convert {} x.ark --report a/b/log",
        "select {} a/b/x.ark --first 2",
        "sort {} a/b/x.ark",
        "merge {} a/b/x.ark",
        "split {} a/b/{part}.ark -n 2",
        "split {} spr:a/b/{part}/ -n 2",
        "index {} -o a/b/x.scp",
        "plot {} -o a/b/x.svg",
        "report {} -o a/b/x.html",
        "repair {} -o a/b/x.ark",
    ] {
        let line = line.replace("{}", &ark);
        let said = s.run(&line);
        assert_eq!(said.status, 2, "{line}: {}", said.err);
        assert!(
            said.err
                .contains(": cannot create: there is no folder a/b\n")
                && said.err.ends_with("hint: make it: mkdir -p a/b\n"),
            "{line}: {}",
            said.err
        );
        assert_eq!(s.names(), [""; 0], "{line}");
    }
    // The folder that the output is need not be there.
    s.ok(&format!("{ark} spr:x/"));
    s.write("none.jsonl", "");
    s.ok("none.jsonl spr:y/");
    let error = s.fails("none.jsonl spr:a/y/");
    assert!(error.contains("there is no folder a"), "{error}");
}

#[test]
fn shares_are_fractions_or_percentages() {
    let s = Scratch::new();
    let input = sample("fbank.scp");
    s.ok(&format!("split {input} a.{{part}}.ark --valid 25%"));
    s.ok(&format!("split {input} b.{{part}}.ark --valid 0.25"));
    for part in ["train", "valid"] {
        assert_eq!(
            s.read(&format!("a.{part}.ark")),
            s.read(&format!("b.{part}.ark"))
        );
    }
    let error = s.fails(&format!("split {input} c.{{part}}.ark --valid some"));
    assert!(error.contains("expected 0.1 or 10%"), "{error}");
}
