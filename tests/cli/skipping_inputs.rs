//! `--on-error skip` goes on with the next file: whatever is at fault in a file, wherever it stands
//! among others, however they are named and whatever is done with them, the others are read, and
//! what was not is counted, told and logged.

use std::fs;

use crate::{Said, Scratch};

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

/// Bytes that no format begins with.
const GARBAGE: &[u8] = &[7, 0, 255, 3, 9, 0, 1, 200, 17, 0, 0, 128];

/// What is at fault in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    Cut,
    Empty,
    Missing,
    Wrong,
}

const FAULTS: [Fault; 4] = [Fault::Cut, Fault::Empty, Fault::Missing, Fault::Wrong];

/// How several files are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Several,
    Glob,
    Folder,
    List,
    Manifest,
}

const FORMS: [Form; 5] = [
    Form::Several,
    Form::Glob,
    Form::Folder,
    Form::List,
    Form::Manifest,
];

impl Form {
    /// The inputs as typed.
    fn typed(self) -> &'static str {
        match self {
            Self::Several => "w/a.wav w/b.wav w/c.wav w/d.wav",
            Self::Glob => "w/*.wav",
            Self::Folder => "w",
            Self::List => "w.scp",
            Self::Manifest => "m.json",
        }
    }

    /// Whether the files are listed by the system, which has none that are missing.
    fn lists_files(self) -> bool {
        matches!(self, Self::Glob | Self::Folder)
    }
}

/// Four sound files, one of which is at fault.
fn sounds(fault: Fault, bad: &str) -> Scratch {
    let s = Scratch::new();
    let wav = crate::sample("../wav/ann-001.wav");
    let wav = fs::read(wav).unwrap();
    let (mut list, mut manifest) = (String::new(), String::new());
    for name in NAMES {
        let file = format!("w/{name}.wav");
        list.push_str(&format!("{name} {file}\n"));
        manifest.push_str(&format!(
            "{{\"audio_filepath\": \"{file}\", \"duration\": 2.931}}\n"
        ));
        match (name == bad, fault) {
            (false, _) => s.write(&file, &wav),
            (true, Fault::Cut) => s.write(&file, &wav[..5000]),
            (true, Fault::Empty) => s.write(&file, ""),
            (true, Fault::Wrong) => s.write(&file, GARBAGE),
            (true, Fault::Missing) => {}
        }
    }
    s.write("w.scp", list);
    s.write("m.json", manifest);
    s
}

/// Runs `each` for every fault at every place in every form of input.
fn sweep(mut each: impl FnMut(&Scratch, Form, &str, &str)) {
    for fault in FAULTS {
        for bad in ["a", "b", "d"] {
            let s = sounds(fault, bad);
            for form in FORMS {
                if fault == Fault::Missing && form.lists_files() {
                    continue;
                }
                let what = format!("{fault:?} {bad} {form:?}");
                each(&s, form, &format!("w/{bad}.wav"), &what);
            }
        }
    }
}

/// The lines that tell what was skipped.
fn told(said: &Said) -> Vec<&str> {
    let lines = said.err.lines();
    lines.filter(|line| line.contains(": skipped: ")).collect()
}

#[test]
fn conversions_go_on_with_the_next_file() {
    let verbs = [
        ("convert IN -o o.ark", "o.ark"),
        ("select IN -o o.ark --glob *", "o.ark"),
        ("sort IN -o o.ark", "o.ark"),
        ("merge IN -o o.ark", "o.ark"),
        ("split -n 2 IN -o o{part}.ark", "o*.ark"),
        ("split --train 0.5 IN -o o{part}.ark", "o*.ark"),
    ];
    sweep(|s, form, file, what| {
        for (verb, output) in verbs {
            let line = verb.replace("IN", form.typed());
            let what = format!("{what}: {line}");
            let stopped = s.run(&line);
            assert_eq!(stopped.status, 2, "{what}: {}", stopped.err);
            let name = &file[2..3];
            let names_it = |text: &str| text.contains(file) || text.contains(&format!(" {name}: "));
            assert!(names_it(&stopped.err), "{what}: {}", stopped.err);
            let quiets: &[&str] = match verb.starts_with("convert") {
                true => &["", " -q"],
                false => &[""],
            };
            for quiet in quiets {
                let flags = "--on-error skip --error-log log --overwrite";
                let said = s.run(&format!("{line} {flags}{quiet}"));
                assert_eq!(said.status, 3, "{what}: {}", said.err);
                let lines = told(&said);
                assert_eq!(lines.len(), 1, "{what}: {}", said.err);
                assert!(names_it(lines[0]), "{what}: {}", said.err);
                let closing = said.err.contains("3 utterances") && said.err.contains("1 skipped");
                assert_eq!(closing, quiet.is_empty(), "{what}: {}", said.err);
                let log = String::from_utf8(s.read("log")).unwrap();
                assert_eq!(log.lines().count(), 1, "{what}: {log}");
                assert!(
                    log.contains(file) || log.contains(&format!("\"{name}\"")),
                    "{what}: {log}"
                );
            }
            let read = s.ok(&format!("ls --tsv {output}"));
            let keys: Vec<_> = read.out.lines().skip(1).collect();
            assert_eq!(keys.len(), 3, "{what}: {}", read.out);
            s.shell("rm -f o*.ark log");
        }
    });
}

#[test]
fn a_shard_of_nothing_but_a_fault_skips_it() {
    for fault in FAULTS {
        let s = sounds(fault, "b");
        let mut statuses = Vec::new();
        for number in 1..=4 {
            let typed = Form::Several.typed();
            let line = format!("{typed} -o o.{{shard}}.ark --shard {number}/4 --shard-by entries");
            let said = s.run(&format!("convert {line} --on-error skip"));
            assert_eq!(
                told(&said).len(),
                usize::from(said.status == 3),
                "{}",
                said.err
            );
            statuses.push(said.status);
        }
        assert_eq!(statuses, [0, 3, 0, 0], "{fault:?}");
        s.run("shards merge o.{shard}.ark -o all.ark");
        assert_eq!(s.ok("ls --tsv all.ark").out.lines().count(), 4, "{fault:?}");
    }
}

#[test]
fn shards_go_on_and_remember_what_was_skipped() {
    sweep(|s, form, file, what| {
        let line = |number: u64| {
            let typed = form.typed();
            format!("{typed} -o o.{{shard}}.ark --shard {number}/2 --on-error skip --resume")
        };
        let mut statuses = Vec::new();
        for number in [1, 2] {
            let said = s.run(&format!("convert {}", line(number)));
            let skipped = told(&said).len();
            assert_eq!(skipped > 0, said.status == 3, "{what}: {}", said.err);
            assert!(matches!(said.status, 0 | 3), "{what}: {}", said.err);
            let again = s.run(&format!("convert -q {}", line(number)));
            assert_eq!(again.status, said.status, "{what}: {}", again.err);
            assert_eq!(
                again.err.contains("1 skipped"),
                again.status == 3,
                "{what}: {}",
                again.err
            );
            statuses.push(said.status);
        }
        assert_eq!(statuses.iter().sum::<i32>(), 3, "{what}: {statuses:?}");
        let status = s.run("shards status o.{shard}.ark");
        assert_eq!(status.status, 3, "{what}: {}", status.err);
        assert!(status.err.contains("1 utterance"), "{what}: {}", status.err);
        let merged = s.run("shards merge o.{shard}.ark -o all.ark --overwrite");
        assert_eq!(merged.status, 3, "{what}: {}", merged.err);
        assert!(
            merged.err.contains(", 1 skipped ("),
            "{what}: {}",
            merged.err
        );
        let merged = s.run("shards merge o.{shard}.ark -o all.ark -q --overwrite");
        assert_eq!(merged.status, 3, "{what}: {}", merged.err);
        assert!(
            merged.err.contains("skipped: shard "),
            "{what}: {}",
            merged.err
        );
        let read = s.ok("ls --tsv all.ark");
        assert_eq!(read.out.lines().count(), 4, "{what} {file}: {}", read.out);
        s.shell("rm -f *.ark *.shard.json");
    });
}

#[test]
fn a_cut_archive_is_in_shards_what_it_is_in_one_run() {
    let s = Scratch::new();
    let ark = fs::read(crate::sample("fbank.ark")).unwrap();
    s.write("cut.ark", &ark[..100_000]);
    let whole = s.run("cut.ark all.ark --on-error skip");
    assert_eq!(whole.status, 3, "{}", whole.err);
    for of in 1..5 {
        let mut statuses = Vec::new();
        for number in 1..=of {
            let line = format!("cut.ark o.{{shard}}.ark --shard {number}/{of} --on-error skip");
            statuses.push(s.run(&line).status);
        }
        assert_eq!(statuses.iter().sum::<i32>(), 3, "{of}: {statuses:?}");
        let line = format!("shards merge o.{{shard}}.ark -o one.ark --of {of} --overwrite");
        assert_eq!(s.run(&line).status, 3);
        assert_eq!(s.read("one.ark"), s.read("all.ark"), "{of}");
    }
}

#[test]
fn what_comes_before_the_end_of_a_cut_archive_is_kept() {
    let s = Scratch::new();
    let ark = fs::read(crate::sample("fbank.ark")).unwrap();
    s.write("cut.ark", &ark[..100_000]);
    let verbs = [
        ("convert", "o.ark"),
        ("sort", "o.ark"),
        ("sort --by frames", "o.ark"),
        ("split -n 2", "o{part}.ark"),
    ];
    for (verb, output) in verbs {
        let line = format!("{verb} cut.ark -o {output} --on-error skip --overwrite");
        let said = s.run(&line);
        assert_eq!(said.status, 3, "{line}: {}", said.err);
        assert!(said.err.contains("2 utterances, "), "{line}: {}", said.err);
        assert_eq!(told(&said).len(), 1, "{line}: {}", said.err);
    }
}

#[test]
fn verbs_that_read_go_on_with_the_next_file() {
    sweep(|s, form, file, what| {
        // What a manifest says is told without the sound that it names.
        if form == Form::Manifest {
            return;
        }
        for verb in ["info", "ls", "stats"] {
            let line = format!("{verb} {}", form.typed());
            let what = format!("{what}: {line}");
            let stopped = s.run(&line);
            assert_eq!(stopped.status, 2, "{what}: {}", stopped.err);
            for quiet in ["", " -q"] {
                let said = s.run(&format!("{line} --on-error skip{quiet}"));
                assert_eq!(said.status, 3, "{what}: {}", said.err);
                let lines = told(&said);
                assert_eq!(lines.len(), 1, "{what}: {}", said.err);
                let name = &file[2..3];
                let named = lines[0].contains(file) || lines[0].contains(&format!(" {name}: "));
                assert!(named, "{what}: {}", said.err);
            }
        }
    });
}

#[test]
fn for_check_it_is_a_fault() {
    sweep(|s, form, file, what| {
        let said = s.run(&format!("check {}", form.typed()));
        let all = format!("{}{}", said.out, said.err);
        assert!(matches!(said.status, 1 | 2), "{what}: {all}");
        assert!(all.contains(file), "{what}: {all}");
    });
}

#[test]
fn what_a_conversion_refuses_is_a_fault_for_check() {
    let s = Scratch::new();
    for ending in [
        "ctm",
        "rttm",
        "stm",
        "trn",
        "lab",
        "wav",
        "json",
        "csv",
        "pfile",
        "npy",
        "ark.gz",
        "jsonl.bz2",
        "ark.zst",
    ] {
        let file = format!("empty.{ending}");
        s.write(&file, "");
        s.fails(&format!("{file} o.jsonl"));
        let said = s.run(&format!("check {file}"));
        assert!(
            matches!(said.status, 1 | 2),
            "{file}: {}{}",
            said.out,
            said.err
        );
    }
}

#[test]
fn an_empty_one_among_several_is_told() {
    let s = Scratch::new();
    fs::copy(crate::sample("fbank.ark"), s.path("f.ark")).unwrap();
    s.write("e.ark", "");
    s.write("e.jsonl", "");
    for empty in ["e.ark", "e.jsonl"] {
        for line in [format!("{empty} f.ark"), format!("f.ark {empty}")] {
            let warning = format!("warning: {empty}: holds no utterances");
            // Work that leaves nothing out does not hide it.
            for work in ["", "--frame-shift 0.01", "--prefix x", "--context 1"] {
                let said = s.ok(&format!("convert {line} -o o.jsonl --overwrite {work}"));
                assert_eq!(
                    said.err.matches(&warning).count(),
                    1,
                    "{line} {work}: {}",
                    said.err
                );
            }
            // What is chosen of several need not come of each.
            let said = s.ok(&format!(
                "select {line} --glob ann-001 -o o.jsonl --overwrite"
            ));
            assert!(!said.err.contains("holds no"), "{line}: {}", said.err);
        }
    }
}

#[test]
fn sound_under_another_name_is_read_or_told() {
    let s = sounds(Fault::Missing, "none");
    fs::rename(s.path("w/c.wav"), s.path("w/c.flac")).unwrap();
    let said = s.ok("w -o o.ark");
    assert!(said.err.contains("4 utterances"), "{}", said.err);
    s.write("w/c.flac", GARBAGE);
    let error = s.fails("convert w -o p.ark");
    assert!(error.contains("w/c.flac"), "{error}");
    let said = s.run("convert w -o p.ark --on-error skip -q");
    assert_eq!(said.status, 3, "{}", said.err);
    assert!(said.err.contains("skipped: w/c.flac"), "{}", said.err);
    // Who names the format wants its files only.
    let said = s.ok("wav:w -o q.ark");
    assert!(said.err.contains("3 utterances"), "{}", said.err);
}

#[test]
fn members_of_folders_that_are_empty_or_something_else_are_faults() {
    let wav = crate::sample("../wav/ann-001.wav");
    let s = Scratch::new();
    s.write(
        "f.jsonl",
        "{\"key\":\"f\",\"features\":{\"dtype\":\"f32\",\"shape\":[2,2],\"data\":[[1,2],[3,4]]},\
         \"meta\":{\"frame_shift\":0.01}}\n",
    );
    s.write(
        "s.jsonl",
        "{\"key\":\"s\",\"segments\":[{\"start\":0,\"end\":1,\"label\":\"a\"}]}\n",
    );
    fs::copy(wav, s.path("a.wav")).unwrap();
    for (input, target) in [
        ("f.jsonl", "htk"),
        ("f.jsonl", "sphinx:x.mfc,dim=2"),
        ("f.jsonl", "npy"),
        ("f.jsonl", "spr"),
        ("f.jsonl", "key"),
        ("f.jsonl", "est:x.track"),
        ("f.jsonl", "lilcom:x.llc"),
        ("a.wav", "wav"),
        ("a.wav", "flac"),
        ("a.wav", "sphere:x.sph"),
        ("a.wav", "au"),
        ("s.jsonl", "htk-lab:x.lab"),
        ("s.jsonl", "timit:x.phn"),
        ("s.jsonl", "textgrid:x.TextGrid"),
    ] {
        let target = match target.contains(':') {
            true => target.to_owned(),
            false => format!("{target}:x.{target}"),
        };
        s.ok(&format!("{input} {target} --allow-loss all"));
        let file = target.split([':', ',']).nth(1).unwrap();
        let extension = file.rsplit('.').next().unwrap();
        let options = target
            .split_once(',')
            .map_or(String::new(), |(_, o)| format!("--oo {o}"));
        for content in [
            &b""[..],
            b"\n",
            b"#!/bin/sh\necho a b\n",
            b"[{\"a\": 1}]\n",
            GARBAGE,
        ] {
            for bad in ["a", "b", "d"] {
                for name in NAMES {
                    let member = format!("d/{name}.{extension}");
                    match name == bad {
                        true => s.write(&member, content),
                        false => s.write(&member, s.read(file)),
                    }
                }
                let what = format!("{target} {bad} {:?}", content.escape_ascii().to_string());
                let said = s.run(&format!("convert d -o o.jsonl {options}"));
                assert_eq!(said.status, 2, "{what}: {}", said.err);
                let line =
                    format!("convert d -o o.jsonl {options} --on-error skip --error-log log");
                let said = s.run(&line);
                assert_eq!(said.status, 3, "{what}: {}", said.err);
                assert!(said.err.contains("3 utterances"), "{what}: {}", said.err);
                let name = format!("d/{bad}.{extension}");
                assert!(told(&said)[0].contains(&name), "{what}: {}", said.err);
                let log = String::from_utf8(s.read("log")).unwrap();
                assert!(log.contains(&name), "{what}: {log}");
                s.shell("rm -r d o.jsonl log");
            }
        }
        s.shell(&format!("rm {file}"));
    }
}

#[test]
fn labels_that_are_cut_lose_no_more_than_theirs() {
    let s = Scratch::new();
    let keys = |line: &str| line.split_whitespace().next().unwrap().to_owned();
    for (flag, table) in [("--labels", "ali.txt"), ("--text", "text")] {
        let text = fs::read_to_string(crate::sample(table)).unwrap();
        let lines: Vec<_> = text.split_inclusive('\n').collect();
        let first = lines[..4].concat();
        let half = &lines[4][..lines[4].len() / 2];
        // Cut in a line; another line in the middle at fault, of a name that is needed and one that is not.
        let wrong = format!("{} 1 x 2\n", keys(lines[4]));
        let other = "zoe-9 1 x 2\n";
        for (content, delivered) in [
            (format!("{first}{half}"), 4),
            (format!("{first}{wrong}{}", lines[5..].concat()), 11),
            (format!("{first}{other}{}", lines[4..].concat()), 12),
        ] {
            if flag == "--text" && delivered > 4 {
                continue;
            }
            s.write("t", content);
            let line = format!(
                "{} o.jsonl {flag} t --on-error skip",
                crate::sample("fbank.scp")
            );
            let said = s.run(&line);
            let counts = match delivered {
                12 => "12 utterances, 3111 frames, 0 skipped".to_owned(),
                n => format!(" {} skipped", 12 - n),
            };
            let status = if delivered == 12 { 0 } else { 3 };
            assert_eq!(said.status, status, "{line}: {}", said.err);
            assert!(
                said.err.contains(&counts),
                "{flag} {delivered}: {}",
                said.err
            );
            let read = s.ok("ls o.jsonl --tsv").out;
            assert_eq!(read.lines().count(), 1 + delivered, "{flag}: {}", said.err);
            assert_eq!(told(&said).len(), 12 - delivered, "{flag}: {}", said.err);
            fs::remove_file(s.path("o.jsonl")).unwrap();
        }
    }
}

#[test]
fn the_first_file_decides_not_alone() {
    let s = Scratch::new();
    s.ok(&format!(
        "select {} htk:h/ --first 4 --frame-shift 0.01",
        crate::sample("fbank.ark")
    ));
    // Cut so that its first bytes count what is left, as those of Sphinx's files do.
    let first = &crate::names(&s.path("h"))[0];
    s.write(
        &format!("h/{first}"),
        [0, 0, 0, 2, 0, 1, 0x86, 0xa0, 0, 160, 0, 9],
    );
    let said = s.run("h o.jsonl --on-error skip");
    assert_eq!(said.status, 3, "{}", said.err);
    assert!(said.err.contains("3 utterances"), "{}", said.err);
    // Sound that is text: a page that a server gave in its place.
    let s = sounds(Fault::Missing, "a");
    for page in [
        "<html>\n<p>gone</p>\n",
        "404 not found\n",
        "{\"error\": 404}\n",
    ] {
        s.write("w/a.wav", page);
        for flags in ["", "--on-error skip"] {
            let said = s.run(&format!("w.scp o.jsonl --overwrite {flags}"));
            let status = if flags.is_empty() { 2 } else { 3 };
            assert_eq!(said.status, status, "{page}: {}", said.err);
            assert!(said.err.contains("w/a.wav"), "{page}: {}", said.err);
        }
        s.write("one.scp", "a w/a.wav\n");
        let said = s.run("one.scp o.jsonl --overwrite");
        assert_eq!(said.status, 2, "{page}: {}", said.err);
    }
}

#[test]
fn features_of_a_directory_are_of_the_kind_of_most() {
    let s = Scratch::new();
    let (mut list, mut table) = (String::new(), String::new());
    for name in NAMES {
        s.ok(&format!("select {} f/{name}.ark --first 1", {
            fs::create_dir_all(s.path("f")).unwrap();
            crate::sample("fbank.ark")
        }));
        list.push_str(&format!("{name} f/{name}.ark:8\n"));
        table.push_str(&format!("{name} {name}\n"));
    }
    s.write("d/feats.scp", list);
    for file in ["d/utt2spk", "d/spk2utt"] {
        s.write(file, &table);
    }
    s.write("f/a.ark", "ann-001 hello there\n");
    let said = s.run("d o.jsonl --on-error skip");
    assert_eq!(said.status, 3, "{}", said.err);
    assert!(said.err.contains("3 utterances"), "{}", said.err);
    assert!(told(&said)[0].contains("f/a.ark"), "{}", said.err);
}

#[test]
fn stats_without_some_of_the_sound_say_so() {
    let s = sounds(Fault::Missing, "b");
    for quiet in ["", " -q"] {
        let said = s.run(&format!("stats m.json{quiet}"));
        assert_eq!(said.status, 2, "{}", said.err);
        assert!(said.out.contains("4 utterances"), "{}", said.out);
        assert!(said.err.contains("w/b.wav"), "{}", said.err);
        let said = s.run(&format!("stats m.json --on-error skip{quiet}"));
        assert_eq!(said.status, 3, "{}", said.err);
        assert!(told(&said)[0].contains("w/b.wav"), "{}", said.err);
    }
}

#[test]
fn an_input_that_is_the_only_one_or_unreadable_like_all_others_is_an_error() {
    let s = Scratch::new();
    s.write("a.wav", "");
    s.write("b.wav", "");
    s.fails("convert a.wav -o o.ark --on-error skip");
    s.fails("convert a.wav b.wav -o o.ark --on-error skip");
    s.fails("convert a.wav gone.wav -o o.ark --on-error skip");
}

#[test]
fn a_repair_leaves_out_what_names_missing_or_empty_sound() {
    for fault in [Fault::Cut, Fault::Empty, Fault::Missing, Fault::Wrong] {
        let s = sounds(fault, "b");
        let said = s.run("repair m.json -o r.json --to nemo");
        assert_eq!(said.status, 3, "{fault:?}: {}", said.err);
        assert!(said.err.contains("3 utterances"), "{fault:?}: {}", said.err);
        assert!(
            told(&said)[0].contains("w/b.wav"),
            "{fault:?}: {}",
            said.err
        );
        let good = s.run("check r.json");
        assert_eq!(good.status, 0, "{fault:?}: {}", good.out);
    }
}
