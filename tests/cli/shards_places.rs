//! Where shards go: every file of a shard is its own, and none of them is replaced by a merge.

use std::fs;

use crate::{Scratch, sample};

#[test]
fn names_that_all_shards_share_are_refused() {
    let s = Scratch::new();
    let input = sample("fbank.scp");
    fs::copy(sample("ali.txt"), s.path("ali.txt")).unwrap();
    for more in [
        "-o x.{shard}.pfile,keys=names",
        "-o x.{shard}.pfile --co keys=names",
        "-o x.{shard}.pkl,keys=names",
        "-o x.pfile,keys=names",
        "-o ark,scp:x.{shard}.ark,all.scp",
        "-o ark,scp:x.ark,all.{shard}.scp",
        "-o x.{shard}.ark --labels ali.txt --labels-out l.{shard}.pfile,keys=names",
        "-o x.{shard}.ark --labels ali.txt --labels-out ark,scp:l.{shard}.ark,l.scp",
    ] {
        for n in 1..=2 {
            let error = s.fails(&format!("{input} {more} --shard {n}/2"));
            assert!(
                error.contains("has no {shard} in its name"),
                "{more}: {error}"
            );
        }
    }
    for more in [
        "-o ark,scp:x.{shard}.ark,-",
        "-o x.{shard}.ark --labels ali.txt --labels-out ark:-",
    ] {
        let error = s.fails(&format!("{input} {more} --shard 1/2"));
        assert!(
            error.contains("a shard must go to a file"),
            "{more}: {error}"
        );
    }
    // The field is for shards alone.
    for more in [
        "x.{shard}.ark",
        "x.ark --report r.{shard}.json",
        "x.ark --error-log e.{shard}.jsonl",
        "x.pfile --co keys=n.{shard}",
    ] {
        let error = s.fails(&format!("{input} {more}"));
        assert!(error.contains("but no --shard"), "{more}: {error}");
    }
}

#[test]
fn side_files_elsewhere_are_found_again() {
    let s = Scratch::new();
    let input = sample("fbank.scp");
    for output in [
        "x.{shard}.pfile,keys=names.{shard}",
        "x.{shard}.pfile,keys=names/{shard}",
        "x.{shard}.pkl,keys=names.{shard}.txt",
    ] {
        fs::create_dir_all(s.path("names")).unwrap();
        for n in 1..=3 {
            s.ok(&format!("{input} -o {output} --shard {n}/3 --overwrite -q"));
        }
        // However the output is named for the merge.
        let short = output.split(',').next().unwrap();
        for pattern in [output, short] {
            s.ok(&format!("shards merge {pattern} -o all.ark --overwrite -q"));
            s.ok(&format!("diff all.ark {input}"));
        }
    }
}

#[test]
fn names_left_out_stay_out() {
    let s = Scratch::new();
    let input = sample("fbank.scp");
    s.ok(&format!("{input} whole.pfile,keys=none -q"));
    for n in 1..=2 {
        s.ok(&format!(
            "{input} -o x.{{shard}}.pfile,keys=none --shard {n}/2 -q"
        ));
    }
    s.ok("shards merge x.{shard}.pfile -o all.pfile,keys=none -q");
    assert!(s.read("all.pfile") == s.read("whole.pfile"));
}

#[test]
fn a_merge_replaces_nothing_of_the_shards() {
    let s = Scratch::new();
    let output = "ark,scp:x.{shard}.ark,x.{shard}.scp";
    for n in 1..=2 {
        s.ok(&format!(
            "{} -o {output} --shard {n}/2 -q",
            sample("fbank.scp")
        ));
    }
    let names = s.names();
    let before: Vec<_> = names.iter().map(|name| s.read(name)).collect();
    for name in &names {
        for more in ["--no-copy --overwrite", "--no-copy", "--overwrite"] {
            let script = if more.contains("no-copy") || !name.ends_with("scp") {
                name.clone()
            } else {
                format!("ark,scp:all.ark,{name}")
            };
            let said = s.run(&format!("shards merge {output} -o {script} {more}"));
            assert_eq!(said.status, 2, "{name} {more}: {}", said.err);
        }
    }
    assert_eq!(s.names(), names);
    for (name, before) in names.iter().zip(before) {
        assert!(s.read(name) == before, "{name} was replaced");
    }
    for wrong in ["all.ark", "ark,scp:all.ark,all.scp", "all.pfile"] {
        let error = s.fails(&format!("shards merge {output} -o {wrong} --no-copy"));
        assert!(
            error.contains("no name of a script file"),
            "{wrong}: {error}"
        );
    }
    s.ok(&format!("shards merge {output} -o all.scp --no-copy"));
    s.ok(&format!("diff all.scp {}", sample("fbank.scp")));
}

#[test]
fn a_shard_replaces_nothing_that_another_reads() {
    let s = Scratch::new();
    let input = sample("fbank.scp");
    let output = "ark,scp:x.{shard}.ark,x.{shard}.scp";
    for n in 1..=2 {
        s.ok(&format!("{input} -o {output} --shard {n}/2 -q"));
    }
    s.ok(&format!("shards merge {output} -o all.scp --no-copy -q"));
    let before = s.read("x.00002-of-00002.ark");
    // The list names what the second shard wrote, though the first one does not read it.
    for n in 1..=2 {
        let error = s.fails(&format!(
            "all.scp -o x.{{shard}}.ark --shard {n}/2 --overwrite"
        ));
        assert!(error.contains("is read"), "{error}");
    }
    let list = String::from_utf8(s.read("all.scp")).unwrap();
    let turned: Vec<_> = list.lines().rev().collect();
    s.write("turned.scp", turned.join("\n") + "\n");
    for n in 1..=2 {
        let error = s.fails(&format!(
            "turned.scp -o x.{{shard}}.ark --shard {n}/2 --overwrite"
        ));
        assert!(error.contains("is read"), "{error}");
    }
    assert!(s.read("x.00002-of-00002.ark") == before);
}

#[test]
fn two_outputs_that_are_one_file_are_refused() {
    let s = Scratch::new();
    let input = sample("fbank.scp");
    fs::copy(sample("ali.txt"), s.path("ali.txt")).unwrap();
    for more in [
        "-o x.{shard}.ark --report x.{shard}.ark",
        "-o x.{shard}.ark --report ./x.{shard}.ark.shard.json",
        "-o x.{shard}.ark --error-log x.{shard}.ark.shard.json",
        "-o x.{shard}.ark --report r.{shard} --error-log ./r.{shard}",
        "-o x.{shard}.ark --labels ali.txt --labels-out ark:x.{shard}.ark",
        "-o x.{shard}.ark --labels ali.txt --labels-out ark:./x.{shard}.ark",
        "-o ark,scp:x.{shard}.ark,x.{shard}.ark",
    ] {
        s.fails(&format!("{input} {more} --shard 1/2 --overwrite"));
    }
}

#[test]
fn a_damaged_record_is_told_as_such() {
    let s = Scratch::new();
    let job = |n: u64, more: &str| {
        format!(
            "{} x.{{shard}}.ark --shard {n}/4 {more}",
            sample("fbank.scp")
        )
    };
    for n in [1, 2, 4] {
        s.ok(&job(n, ""));
    }
    let record = "x.00002-of-00004.ark.shard.json";
    let whole = s.read(record);
    let half = whole[..whole.len() / 2].to_vec();
    let other = b"{\"schema\":7}".to_vec();
    for (bytes, words) in [
        (Vec::new(), "the record is empty"),
        (b" \n".to_vec(), "the record is empty"),
        (half, "the record was cut"),
        (other, "not the record"),
        (b"nonsense".to_vec(), "not the record"),
    ] {
        s.write(record, &bytes);
        let said = s.run("shards status x.{shard}.ark");
        assert_eq!((said.status, said.out.as_str()), (1, "3\n"), "{}", said.err);
        let counts = "4 shards: 2 done, 1 missing, 1 mismatched";
        assert!(said.err.contains(counts), "{}", said.err);
        assert!(
            said.err.contains("shard 2: ") && said.err.contains(words),
            "{}",
            said.err
        );
        let error = s.fails(&job(2, "--resume"));
        assert!(error.contains(record) && error.contains(words), "{error}");
        // What is wrong with a record is told where nothing is missing, too.
        s.ok(&job(3, "--resume"));
        let error = s.fails("shards merge x.{shard}.ark -o all.ark");
        assert!(error.contains(record) && error.contains(words), "{error}");
        for name in ["x.00003-of-00004.ark", "x.00003-of-00004.ark.shard.json"] {
            fs::remove_file(s.path(name)).unwrap();
        }
    }
    s.ok(&job(2, "--resume --overwrite"));
    assert_eq!(s.run("shards status x.{shard}.ark").out, "3\n");
}

#[test]
fn pipes_are_no_part_of_a_shard() {
    let s = Scratch::new();
    let input = sample("fbank.scp");
    fs::copy(sample("ali.txt"), s.path("ali.txt")).unwrap();
    s.write("some.list", "ann-001\nbob-001\n");
    for more in [
        "--labels <(cat ali.txt)",
        "--labels 'ark:cat ali.txt |'",
        "--labels ark:- < ali.txt",
        "--text <(cat ali.txt)",
        "--utt2spk <(cat ali.txt)",
        "--map-keys <(cat ali.txt)",
        "--stages 'select(keys='<(cat some.list)')'",
        "--shard-group <(cat ali.txt)",
    ] {
        for resume in ["", "--resume"] {
            let line =
                format!("spr-convert {input} -o x.{{shard}}.ark --shard 1/2 {resume} {more}");
            let said = s.shell(&line);
            assert_eq!(said.status, 2, "{more}: {}", said.err);
            assert!(said.err.contains("is a pipe"), "{more}: {}", said.err);
            assert!(!said.err.contains("panicked"), "{more}: {}", said.err);
        }
    }
    assert_eq!(s.names(), ["ali.txt", "some.list"]);
}

/// A report that was named without a place for the number has one, and its name is told.
#[test]
fn documents_of_a_shard_are_told_by_their_names() {
    let s = Scratch::new();
    let input = sample("fbank.scp");
    let line = format!("{input} x.{{shard}}.ark --shard 1/2 --report r.json --error-log e.jsonl");
    let said = s.ok(&line);
    for (what, name) in [
        ("report", "r-00001-of-00002.json"),
        ("error log", "e-00001-of-00002.jsonl"),
    ] {
        let note = format!("note: the {what} of this shard is {name}\n");
        assert!(said.err.contains(&note), "{}", said.err);
        assert!(s.path(name).exists(), "{name}");
    }
    let line = format!("{input} y.{{shard}}.ark --shard 1/2 --report r.{{shard}}.json");
    assert!(!s.ok(&line).err.contains("note: "));
}
