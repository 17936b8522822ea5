//! Shards: merged, they are what one job would have written.

use std::fs;

use crate::{Scratch, sample};

/// Outputs, as jobs have them and as one job has them; `N` is for the number of shards.
const OUTPUTS: &[(&str, &str)] = &[
    (
        "ark,scp:N/x.{shard}.ark,N/x.{shard}.scp",
        "ark,scp:x.ark,x.scp",
    ),
    ("ark,t:N/x.{shard}.txt", "ark,t:x.txt"),
    ("N/x.ark,compress=auto", "x.cm.ark,compress=auto"),
    ("N/x.{shard}.pfile", "x.pfile"),
    ("N/x.pkl", "x.pkl"),
    ("N/x.{shard}.pkl,layout=dict", "d.pkl,layout=dict"),
    ("N/x.jsonl", "x.jsonl"),
    ("N/x.jsonl.gz", "x.jsonl.gz"),
    ("spr:N/x.{shard}/", "spr:x/"),
];

/// Runs all shards of a job.
fn run(s: &Scratch, input: &str, output: &str, n: u64, more: &str) {
    for i in 1..=n {
        s.ok(&format!(
            "{input} {output} --shard {i}/{n} --no-sync -q {more}"
        ));
    }
}

/// All files in a folder or the one file, with their bytes; script files without the folder's name.
fn bytes(s: &Scratch, name: &str) -> Vec<(String, Vec<u8>)> {
    let path = s.path(name);
    if path.is_dir() {
        let names = crate::names(&path);
        let read = names.iter().map(|file| s.read(&format!("{name}/{file}")));
        return names.iter().cloned().zip(read).collect();
    }
    vec![(String::new(), s.read(name))]
}

#[test]
fn merged_shards_are_what_one_job_writes() {
    let s = Scratch::new();
    for (input, loss) in [
        ("in.scp", ""),
        ("in.ark", ""),
        ("in.pfile", ""),
        ("in.pkl", ""),
        ("dict.pkl", ""),
        ("in.jsonl", ""),
        ("spr:in/", "--allow-loss metadata"),
    ] {
        if !s.path("in.ark").exists() {
            s.ok(&format!("{} ark,scp:in.ark,in.scp", sample("fbank.scp")));
        }
        if input != "in.scp" && input != "in.ark" {
            let layout = if input == "dict.pkl" {
                ",layout=dict"
            } else {
                ""
            };
            s.ok(&format!("in.ark {input}{layout}"));
        }
        for (output, whole) in OUTPUTS {
            // A folder holds no keys that an archive of another order would have.
            s.ok(&format!("{input} {whole} --no-sync -q {loss} --overwrite"));
            let name = whole.split(':').next_back().unwrap();
            let name = name.split(',').next().unwrap();
            // More shards than entries: from every input, and to every output.
            let counts: &[u64] = if input == "in.scp" || *output == "N/x.jsonl" {
                &[1, 2, 7, 64]
            } else {
                &[1, 2, 7]
            };
            for n in counts {
                fs::create_dir_all(s.path("N")).unwrap();
                run(&s, input, output, *n, loss);
                let merged = whole
                    .replace("x.", "m.")
                    .replace("x/", "m/")
                    .replace("d.pkl", "md.pkl");
                let said = s.ok(&format!("shards status {output}"));
                assert_eq!(said.out, "", "{output}");
                s.ok(&format!(
                    "shards merge {output} -o {merged} --no-sync -q {loss} --overwrite"
                ));
                let of = merged
                    .split(':')
                    .next_back()
                    .unwrap()
                    .split(',')
                    .next()
                    .unwrap();
                assert!(
                    bytes(&s, of) == bytes(&s, name),
                    "{input} {output} {n}: {of} differs"
                );
                fs::remove_dir_all(s.path("N")).unwrap();
            }
        }
    }
    // Script files point into the archive of their own.
    let script = String::from_utf8(s.read("m.scp")).unwrap();
    assert_eq!(
        script.replace("m.ark", "x.ark").into_bytes(),
        s.read("x.scp")
    );
}

#[test]
fn a_record_is_the_proof_that_a_shard_is_done() {
    let s = Scratch::new();
    let input = sample("fbank.scp");
    let job = |i: u64, more: &str| format!("{input} x.{{shard}}.ark --shard {i}/3 {more}");
    let status = |s: &Scratch| {
        let said = s.run("shards status x.{shard}.ark --of 3");
        (said.status, said.out, said.err)
    };
    let (code, missing, _) = status(&s);
    assert_eq!((code, missing.as_str()), (1, "1-3\n"));
    s.ok(&job(1, ""));
    s.ok(&job(3, ""));
    assert_eq!(status(&s).1, "2\n");
    let error = s.fails("shards merge x.{shard}.ark -o all.ark");
    assert!(error.contains("shards 2 of 3 are missing"), "{error}");
    // One that is done is not done again, and not by another job either.
    assert!(s.fails(&job(1, "")).contains("exists already"));
    assert!(s.ok(&job(1, "--resume")).err.contains("have it"));
    let error = s.fails(&job(1, "--resume --dtype f64"));
    assert!(error.contains("'options' differs"), "{error}");
    let record = "x.00001-of-00003.ark.shard.json";
    let text = String::from_utf8(s.read(record)).unwrap();
    s.write(record, text.replace(env!("CARGO_PKG_VERSION"), "0.0.9"));
    let error = s.fails(&job(1, "--resume"));
    let told = "belongs to a different job: version 0.0.9 of the program wrote it, and this is ";
    assert!(error.contains(told), "{error}");
    s.write(record, text);
    let error = s.fails(&job(1, "--resume --shard-by entries"));
    assert!(error.contains("'by' differs"), "{error}");
    s.ok(&job(1, "--resume --overwrite"));
    // What was left without a record is replaced.
    s.ok(&job(2, ""));
    fs::remove_file(s.path("x.00002-of-00003.ark.shard.json")).unwrap();
    assert_eq!(status(&s).1, "2\n");
    // A byte that changed is not seen, unless it is looked for.
    let mut bytes = s.read("x.00001-of-00003.ark");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(s.path("x.00001-of-00003.ark"), &bytes).unwrap();
    assert!(s.ok(&job(1, "--resume")).err.contains("have it"));
    let error = s.fails(&job(1, "--resume=verify"));
    assert!(
        error.contains("x.00001-of-00003.ark is done, but its bytes are not those"),
        "{error}"
    );
    bytes[middle] ^= 1;
    fs::write(s.path("x.00001-of-00003.ark"), &bytes).unwrap();
    assert!(s.ok(&job(1, "--resume=verify")).err.contains("have it"));
    s.ok(&job(2, "--resume"));
    assert_eq!((status(&s).0, status(&s).1), (0, String::new()));
    // Files that changed behind the record's back.
    fs::write(s.path("x.00003-of-00003.ark"), "").unwrap();
    let (code, out, err) = status(&s);
    assert_eq!((code, out.as_str()), (1, ""));
    assert!(
        err.contains("shard 3: x.00003-of-00003.ark is missing or changed"),
        "{err}"
    );
    assert!(
        s.fails("shards merge x.{shard}.ark -o all.ark")
            .contains("is missing or changed")
    );
    assert!(!s.path("all.ark").exists());
}

#[test]
fn script_files_are_joined_without_copying() {
    let s = Scratch::new();
    let output = "ark,scp:x.{shard}.ark,x.{shard}.scp";
    run(&s, &sample("fbank.scp"), output, 4, "");
    s.ok(&format!("shards merge {output} -o all.scp --no-copy"));
    s.ok(&format!("diff all.scp {}", sample("fbank.scp")));
    assert_eq!(
        s.read("all.scp").iter().filter(|b| **b == b'\n').count(),
        12
    );
}

#[test]
fn engines_say_which_shard_it_is() {
    let s = Scratch::new();
    for (name, value) in [
        ("SPR_SHARD", "2"),
        ("SLURM_ARRAY_TASK_ID", "2"),
        ("SGE_TASK_ID", "2"),
        ("JOB_COMPLETION_INDEX", "1"),
    ] {
        let line = format!(
            "{name}={value} spr-convert {} x.ark --shard auto/3",
            sample("fbank.scp")
        );
        let said = s.shell(&line);
        assert_eq!(said.status, 0, "{}", said.err);
        fs::remove_file(s.path("x-00002-of-00003.ark")).unwrap();
        fs::remove_file(s.path("x-00002-of-00003.ark.shard.json")).unwrap();
    }
    let error = s.fails(&format!("{} x.ark --shard auto/3", sample("fbank.scp")));
    assert!(
        error.contains("nothing says which shard this is"),
        "{error}"
    );
}

#[test]
fn what_looks_across_utterances_is_refused() {
    let s = Scratch::new();
    let input = sample("fbank.scp");
    for line in [
        format!("sort {input} x.ark"),
        format!("merge {input} x.ark"),
        format!("split {input} {{part}}.ark -n 2"),
        format!("select {input} x.ark --first 2"),
        format!("select {input} x.ark --sample 2"),
        format!("{input} x.ark --stages sort(key)"),
        format!("{input} x.ark --stages shuffle(10)"),
        format!("{input} x.ark --stages cmvn(global)"),
        format!("{input} x.ark --stages cmvn-stats(speaker)"),
        format!("{input} x.ark --shuffle"),
        format!("{input} x.ark --duplicates last"),
    ] {
        let error = s.fails(&format!("{line} --shard 1/2"));
        assert!(
            error.contains("looks at more utterances"),
            "{line}: {error}"
        );
    }
    for (shard, expected) in [
        ("0/2", "count from 1 to 2"),
        ("3/2", "count from 1 to 2"),
        ("1/0", "expected 1 to"),
        ("one", "is not a shard"),
    ] {
        let error = s.fails(&format!("{input} x.ark --shard {shard}"));
        assert!(error.contains(expected), "{error}");
    }
    for output in ["-", "ark:-"] {
        let error = s.fails(&format!("{input} {output} --shard 1/2 -t kaldi"));
        assert!(error.contains("a shard must go to a file"), "{error}");
    }
    assert_eq!(s.names().len(), 0);
}

#[test]
fn groups_stay_together() {
    let s = Scratch::new();
    let input = sample("fbank.scp");
    let script = fs::read_to_string(&input).unwrap();
    let keys = script.lines().map(|line| line.split(' ').next().unwrap());
    let table: String = keys.map(|key| format!("{key} {}\n", &key[..3])).collect();
    s.write("utt2spk", table);
    for i in 1..=4 {
        s.ok(&format!(
            "{input} x.ark --shard {i}/4 --shard-group utt2spk -q"
        ));
        let said = s.ok(&format!("ls x-0000{i}-of-00004.ark"));
        let mut speakers: Vec<_> = said.out.lines().skip(1).map(|line| &line[..3]).collect();
        speakers.dedup();
        assert!(speakers.len() <= 2, "{}", said.out);
    }
    s.ok("shards merge x.ark -o all.ark -q");
    s.ok(&format!("diff all.ark {input}"));
}

/// Whether a shard that was run by `first` is the same job as `then`.
fn resumes(s: &Scratch, first: &str, between: impl Fn(), then: &str) -> bool {
    for name in s.names() {
        if name.starts_with("y.") || name.starts_with("l.") {
            fs::remove_file(s.path(&name)).unwrap();
        }
    }
    let line = |more: &str| format!("{more} --shard 1/2 --no-sync --resume");
    s.ok(&line(first));
    between();
    let said = s.run(&line(then));
    let same = said.err.contains("have it");
    assert_eq!(
        said.status,
        if same { 0 } else { 2 },
        "{then}: {}",
        said.err
    );
    assert!(
        same || said.err.contains("belongs to a different job"),
        "{}",
        said.err
    );
    same
}

#[test]
fn a_job_is_the_same_if_what_changes_bytes_is() {
    let s = Scratch::new();
    s.ok(&format!("{} in.ark", sample("fbank.ark")));
    fs::copy(sample("ali.txt"), s.path("ali.txt")).unwrap();
    let mut names = String::new();
    for key in s
        .ok("ls in.ark -q")
        .out
        .lines()
        .filter_map(|line| line.split_whitespace().next())
    {
        names.push_str(&format!("{key} x{key}\n"));
    }
    s.write("names.map", names.as_bytes());
    s.write("some.list", b"ann-001\nbob-001\n");
    s.ok("in.ark ark,scp:b.ark,b.scp");
    let job = "in.ark -o y.{shard}.ark";
    let listed = "b.scp -o y.{shard}.ark";
    let idle = || {};
    for more in [
        "",
        " --safe",
        " --allow-pipes",
        " -j 1",
        " -v",
        " --verify",
        " --dry-run",
        " --progress never",
        " --report y.json",
        " --error-log y.jsonl",
        " --allow-loss all",
        " --max-alloc 2g",
        " --json",
    ] {
        for job in [job, listed] {
            assert!(resumes(&s, job, idle, &format!("{job}{more}")), "{more}");
        }
    }
    for more in [
        " --co compress=5",
        " --labels-out ark:l.{shard}.ark --labels ali.txt",
        " --labels ali.txt",
        " --prefix x-",
        " --dtype f64",
        " --on-error skip",
        " --stages frames(0)",
    ] {
        assert!(!resumes(&s, job, idle, &format!("{job}{more}")), "{more}");
    }
    let with_labels = format!("{job} --labels ali.txt --labels-out ark:l.{{shard}}.ark");
    let change = |name: &'static str| {
        let path = s.path(name);
        move || {
            let mut text = fs::read_to_string(&path).unwrap();
            text.push('\n');
            fs::write(&path, text.replace("\n\n", "\nzoe-9 0\n")).unwrap();
        }
    };
    assert!(resumes(&s, &with_labels, idle, &with_labels));
    assert!(!resumes(&s, &with_labels, change("ali.txt"), &with_labels));
    for (more, file) in [
        (" --stages select(keys=some.list)", "some.list"),
        (" --map-keys names.map", "names.map"),
    ] {
        let line = format!("{job}{more} --on-error skip");
        assert!(resumes(&s, &line, idle, &line), "{more}");
        assert!(!resumes(&s, &line, change(file), &line), "{more}");
    }
    // The archive behind a list.
    let touch = || {
        let mut bytes = s.read("b.ark");
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        s.write("b.ark", &bytes);
    };
    assert!(resumes(&s, listed, idle, listed));
    assert!(!resumes(&s, listed, touch, listed));
}

#[test]
fn a_check_without_a_shape_is_no_work_for_a_shard() {
    let s = Scratch::new();
    s.ok(&format!("{} in.ark", sample("fbank.ark")));
    let error = s.fails("in.ark x.ark --stages check --shard 1/2");
    assert!(
        error.contains("the step check looks at more utterances"),
        "{error}"
    );
    s.ok("in.ark x.ark --stages check(dim=40) --shard 1/2");
}
