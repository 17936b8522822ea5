//! Kaldi data directories: one argument, in and out.

use std::fs;
use std::path::Path;

use super::Scratch;

const TABLES: &[&str] = &[
    "wav.scp",
    "segments",
    "text",
    "utt2spk",
    "spk2utt",
    "spk2gender",
    "utt2lang",
    "utt2dur",
    "reco2dur",
];

/// A scratch folder with the directory of the fixtures, and the sound it refers to.
fn scratch() -> Scratch {
    let s = Scratch::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    for (from, to) in [
        ("kaldi/data-directory/input", "train"),
        ("kaldi/data-directory/input/data", "train/data"),
        ("samples/kaldi-data", "audio"),
    ] {
        for entry in fs::read_dir(root.join(from)).unwrap() {
            let file = entry.unwrap().path();
            if file.is_file() {
                let name = file.file_name().unwrap().to_str().unwrap();
                s.write(&format!("{to}/{name}"), fs::read(&file).unwrap());
            }
        }
    }
    let waves = text(&s, "train/wav.scp").replace("../audio", "audio");
    s.write("train/wav.scp", waves);
    s
}

fn text(s: &Scratch, name: &str) -> String {
    String::from_utf8(s.read(name)).unwrap()
}

/// Checks that tables say what those of another directory say, whatever zeros end numbers.
fn same(s: &Scratch, a: &str, b: &str, tables: &[&str]) {
    let plain = |name: String| -> Vec<String> {
        let text = text(s, &name)
            .replace("train/../", "")
            .replace("../audio", "audio");
        let word = |word: &str| match word.contains('.') && word.parse::<f64>().is_ok() {
            true => word.parse::<f64>().unwrap().to_string(),
            false => word.to_owned(),
        };
        let line = |line: &str| line.split(' ').map(word).collect::<Vec<_>>().join(" ");
        text.lines().map(line).collect()
    };
    for table in tables {
        assert_eq!(
            plain(format!("{a}/{table}")),
            plain(format!("{b}/{table}")),
            "{table}"
        );
    }
}

#[test]
fn a_directory_is_one_argument() {
    let s = scratch();
    assert!(s.ok("info train").out.contains("3 utterances, 109 frames"));
    assert_eq!(s.ok("ls train").out.lines().count(), 3);
    for line in [
        "stats train",
        "report train -o r.html",
        "diff train train",
        "show train -q",
    ] {
        s.ok(line);
    }
    let said = s.ok("check train");
    assert!(said.out.starts_with("note: ") && said.out.contains("refused to run the command"));
    let said = s.ok("check train --allow-pipes");
    // The one text is long for the little that is left of its sound.
    assert!(
        said.out.contains("37 characters per second"),
        "{}",
        said.out
    );
    assert!(said.out.contains("train: 0 faults, 1 note"), "{}", said.out);
    let said = s.ok("train train.ark --allow-loss labels");
    assert!(said.err.contains("wav.scp is left out"), "{}", said.err);
    let error = s.fails("train again");
    assert!(error.contains("again"), "{error}");
}

#[test]
fn through_a_manifest_and_back_without_a_sound_file() {
    let s = scratch();
    fs::remove_dir_all(s.path("audio")).unwrap();
    fs::remove_dir_all(s.path("train/data")).unwrap();
    let error = s.fails("train train.json --to nemo");
    assert!(error.contains("its sound comes from a command"), "{error}");
    s.write(
        "train/wav.scp",
        "annc-rec1 audio/1.wav\nbobb-rec2 audio/2.wav\n",
    );
    let said = s.ok("train train.json --to nemo");
    assert!(said.err.contains("feats.scp is left out"), "{}", said.err);
    assert!(said.err.contains("cmvn.scp, vad.scp are left out"));
    s.ok("train.json kaldi-data:again");
    same(&s, "train", "again", TABLES);
    assert!(!s.path("again/feats.scp").exists());
}

#[test]
fn through_a_directory_and_back() {
    let s = scratch();
    s.ok("train kaldi-data:again --verify");
    same(&s, "train", "again", TABLES);
    same(
        &s,
        "train",
        "again",
        &["frame_shift", "utt2num_frames", "reco2file_and_channel"],
    );
    s.ok("diff train again");
    s.ok("check again");
    // Whole or not at all, and not over what is there.
    assert!(s.fails("train kaldi-data:again").contains("again"));
    s.ok("train kaldi-data:again --overwrite");
    s.ok("train kaldi-data:moved,paths=relative");
    assert!(text(&s, "moved/feats.scp").contains(" data/feats.ark:"));
    assert!(text(&s, "moved/wav.scp").starts_with("annc-rec1 ../audio/annc-rec1.wav\n"));
    s.ok("diff train moved");
    s.ok("train kaldi-data:rooted,paths=absolute");
    assert!(text(&s, "rooted/wav.scp").starts_with("annc-rec1 /"));
}

#[test]
fn samples_are_cut_by_segments() {
    let s = scratch();
    let error = s.fails("train,parts=wav w/ --to wav");
    assert!(error.contains("refused to run the command"), "{error}");
    s.ok("train,parts=wav w/ --to wav --allow-pipes");
    let bytes = s.read("w/annc-rec1-0045-0080.wav");
    let whole = fs::read(s.path("audio/annc-rec1.wav")).unwrap();
    assert_eq!(bytes[44..], whole[44 + 2 * 3600..44 + 2 * 6400]);
    for (segment, fault) in [
        ("annc-rec1 0.45 1.31", "more than 0.5 s after the end"),
        (
            "annc-rec1 0.9 1",
            "starts at 0.9 s, the recording ends at 0.8 s",
        ),
        (
            "annc-rec1 0.45 0.54",
            "segments shorter than 0.1 s are left out",
        ),
    ] {
        let good = text(&s, "train/segments");
        s.write(
            "train/segments",
            good.replace("annc-rec1 0.45 0.8", segment),
        );
        let said = s.run("train,parts=wav v/ --to wav --allow-pipes --on-error skip --overwrite");
        assert_eq!(said.status, 3, "{}", said.err);
        assert!(said.err.contains(fault), "{fault}: {}", said.err);
        assert_eq!(fs::read_dir(s.path("v")).unwrap().count(), 2);
        s.write("train/segments", good);
    }
}

#[test]
fn repair_keeps_what_is_whole() {
    let s = scratch();
    let segments = text(&s, "train/segments");
    s.write("train/segments", segments.replace("0.45 0.8", "0.8 0.45"));
    let mut lines: Vec<_> = text(&s, "train/utt2spk")
        .lines()
        .map(str::to_owned)
        .collect();
    lines.reverse();
    lines.push(lines[0].clone());
    s.write("train/utt2spk", lines.join("\n") + "\n");
    s.write(
        "train/text",
        "annc-rec1-0000-0040 ONE TWO\nbobb-rec2-0010-0050 THREE\n",
    );
    assert_eq!(s.run("check train").status, 1);
    let said = s.run("repair train -o good --error-log lost.jsonl");
    assert_eq!(said.status, 3, "{}", said.err);
    assert_eq!(
        text(&s, "good/utt2spk"),
        "annc-rec1-0000-0040 annc\nbobb-rec2-0010-0050 bobb\n"
    );
    assert_eq!(
        text(&s, "good/spk2utt"),
        "annc annc-rec1-0000-0040\nbobb bobb-rec2-0010-0050\n"
    );
    let lost = text(&s, "lost.jsonl");
    assert!(
        lost.contains("annc-rec1-0045-0080") && lost.contains("appears twice"),
        "{lost}"
    );
    let said = s.ok("check good --allow-pipes");
    assert!(said.out.starts_with("good: nothing wrong"), "{}", said.out);
}

#[test]
fn subsets_are_directories() {
    let s = scratch();
    s.ok("select train bob --speakers bobb");
    assert_eq!(
        text(&s, "bob/segments"),
        "bobb-rec2-0010-0050 bobb-rec2 0.1 0.5\n"
    );
    assert_eq!(text(&s, "bob/spk2utt"), "bobb bobb-rec2-0010-0050\n");
    assert_eq!(
        text(&s, "bob/wav.scp"),
        "bobb-rec2 cat audio/bobb-rec2.wav |\n"
    );
    s.write("list", "annc\nnobody\n");
    s.ok("select train ann --speakers list");
    assert_eq!(text(&s, "ann/utt2spk").lines().count(), 2);
    s.ok("select train one --per-speaker 1");
    assert_eq!(text(&s, "one/utt2spk").lines().count(), 2);
    s.ok("select train short --hours 0.00022");
    assert_eq!(text(&s, "short/utt2spk").lines().count(), 2);
    s.write("utts", "annc-rec1-0045-0080\n");
    s.ok("select train few --utts utts");
    assert_eq!(text(&s, "few/utt2spk"), "annc-rec1-0045-0080 annc\n");
    s.ok("split train set-{part} --valid 0.5 --by speaker --seed 2");
    let of = |part: &str| text(&s, &format!("set-{part}/spk2utt"));
    assert_eq!(of("train").lines().count() + of("valid").lines().count(), 2);
    s.ok("merge set-train set-valid -o both");
    same(&s, "train", "both", TABLES);
    let error = s.fails("merge train both -o twice");
    assert!(error.contains("annc-rec1-0000-0040"), "{error}");
    for (line, fault) in [
        ("select train x --hours 0", "--hours: 0 is not a duration"),
        ("split train x-{part} --test 0.1 -n 2", "--valid"),
        (
            "split train x-{part} --valid 0.6 --test 0.5",
            "is not a share",
        ),
        (
            "split train x-{part} --frames 10 --by speaker",
            "--by goes with",
        ),
    ] {
        let said = s.run(line);
        assert_eq!(said.status, 2, "{line}");
        assert!(said.err.contains(fault), "{line}: {}", said.err);
    }
}
