//! Shards of two versions of anything that is read or asked for: told by `--resume`, by the status and
//! by the merge.

use std::fs;

use crate::{Scratch, sample};

/// A scratch folder with a corpus in many forms.
fn corpus() -> Scratch {
    let s = Scratch::new();
    s.ok(&format!("{} ark,scp:in.ark,in.scp", sample("fbank.scp")));
    s.ok("in.ark in.pfile");
    s.ok("in.ark htk:mfc/");
    fs::copy(sample("ali.txt"), s.path("ali.txt")).unwrap();
    let listed = s.ok("ls in.ark -q").out;
    let keys: Vec<_> = listed
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    let table = |value: &dyn Fn(&str) -> String| {
        let lines = keys.iter().map(|key| format!("{key} {}\n", value(key)));
        lines.collect::<String>()
    };
    s.write("text", table(&|key| format!("said by {key}")));
    s.write("utt2spk", table(&|key| key[..3].to_owned()));
    let symbols = (0..60).map(|n| format!("P{n} {n}\n"));
    s.write("symbols", symbols.collect::<String>());
    s.write("names.map", table(&|key| format!("new-{key}")));
    s.write("data/feats.scp", s.read("in.scp"));
    for name in ["text", "utt2spk"] {
        s.write(&format!("data/{name}"), s.read(name));
    }
    s.write("some.list", keys[1..].join("\n") + "\n");
    let members = crate::names(&s.path("mfc"));
    let members = members.iter().map(|name| format!("mfc/{name}\n"));
    s.write("mfc.scp", members.collect::<String>());
    let mut manifest = String::new();
    for name in ["ann-001.wav", "ann-002.wav"] {
        s.write(name, fs::read(sample(&format!("../wav/{name}"))).unwrap());
        manifest.push_str(&format!(
            "{{\"audio_filepath\":\"{name}\",\"offset\":0,\"duration\":1.0,\"text\":\"x\"}}\n"
        ));
    }
    s.write("wavs.json", manifest);
    // A file whose middle is not in its fingerprint.
    let copies = s.ok("in.ark jsonl:- -q").out;
    let copies = (0..3).map(|n| copies.replace("\"key\":\"", &format!("\"key\":\"{n}")));
    s.write("big.jsonl", copies.collect::<String>());
    s.ok("big.jsonl big.ark");
    s
}

/// Changes a byte of a file, and leaves its length.
fn turn(s: &Scratch, name: &str, at: impl Fn(usize) -> usize) {
    let mut bytes = s.read(name);
    let at = at(bytes.len());
    bytes[at] ^= 1;
    s.write(name, bytes);
}

/// Adds a line to a file.
fn add(s: &Scratch, name: &str, line: &str) {
    let mut bytes = s.read(name);
    bytes.extend_from_slice(line.as_bytes());
    s.write(name, bytes);
}

/// Replaces a word in a file.
fn rename(s: &Scratch, name: &str, from: &str, to: &str) {
    let text = String::from_utf8(s.read(name)).unwrap();
    s.write(name, text.replacen(from, to, 1));
}

fn last(length: usize) -> usize {
    length - 1
}

fn middle(length: usize) -> usize {
    length / 2
}

type Change = fn(&Scratch);

/// What a job is, and what becomes different: files that it reads.
const FILES: &[(&str, &str, Change)] = &[
    (
        "labels",
        "in.ark -o y.{shard}.jsonl --labels ali.txt",
        |s| add(s, "ali.txt", "zoe-9 0\n"),
    ),
    ("text", "in.ark -o y.{shard}.jsonl --text text", |s| {
        add(s, "text", "zoe-9 hello\n")
    }),
    ("map", "in.ark -o y.{shard}.ark --map-keys names.map", |s| {
        add(s, "names.map", "zoe-9 zoe\n")
    }),
    (
        "speakers",
        "in.ark -o y.{shard}.jsonl --utt2spk utt2spk",
        |s| add(s, "utt2spk", "zoe-9 zoe\n"),
    ),
    (
        "keys",
        "in.ark -o y.{shard}.ark --stages select(keys=some.list)",
        |s| add(s, "some.list", "# zoe\n"),
    ),
    (
        "names of a data set of keys",
        "in.ark -o y.{shard}.ark --stages without(keys=in.pfile)|rename(prefix=x)",
        |s| {
            let names = String::from_utf8(s.read("in.pfile.utt2num_frames")).unwrap();
            s.write("in.pfile.utt2num_frames", names.replace("ann", "eve"));
        },
    ),
    (
        "groups",
        "in.ark -o y.{shard}.ark --shard-group utt2spk",
        |s| add(s, "utt2spk", "zoe-9 zoe\n"),
    ),
    ("side file", "in.pfile -o y.{shard}.ark", |s| {
        let names = String::from_utf8(s.read("in.pfile.utt2num_frames")).unwrap();
        s.write("in.pfile.utt2num_frames", names.replace("ann", "eve"));
    }),
    ("list", "in.scp -o y.{shard}.ark", |s| {
        let list = String::from_utf8(s.read("in.scp")).unwrap();
        s.write("in.scp", list.replace("ann", "eve"));
    }),
    ("archive behind a list", "in.scp -o y.{shard}.ark", |s| {
        turn(s, "in.ark", last)
    }),
    ("middle behind a list", "in.scp -o y.{shard}.ark", |s| {
        turn(s, "in.ark", middle)
    }),
    ("end of a file", "in.ark -o y.{shard}.ark", |s| {
        turn(s, "in.ark", last)
    }),
    ("middle of a file", "big.ark -o y.{shard}.ark", |s| {
        turn(s, "big.ark", middle)
    }),
    ("member of a folder", "htk:mfc/ -o y.{shard}.ark", |s| {
        let member = format!("mfc/{}", crate::names(&s.path("mfc"))[0]);
        turn(s, &member, last)
    }),
    (
        "member of a list of another format",
        "htk:mfc.scp -o y.{shard}.ark",
        |s| {
            let member = format!("mfc/{}", crate::names(&s.path("mfc"))[0]);
            turn(s, &member, last)
        },
    ),
    (
        "sound of a manifest",
        "nemo:wavs.json -o y.{shard}.jsonl --allow-loss all",
        |s| turn(s, "ann-001.wav", last),
    ),
    (
        "symbols of labels",
        "ali.txt -o y.{shard}.ctm,symbols=symbols --frame-shift 0.01",
        |s| rename(s, "symbols", "P4 ", "Q4 "),
    ),
    (
        "symbols of a segmentation",
        "ali.txt -o y.{shard}.seg,symbols=symbols --frame-shift 0.01",
        |s| rename(s, "symbols", "P4 ", "Q4 "),
    ),
    (
        "symbols of labels apart",
        "in.ark -o y.{shard}.jsonl --labels ali.txt --labels-out ctm:l.{shard}.ctm,symbols=symbols \
         --frame-shift 0.01",
        |s| rename(s, "symbols", "P4 ", "Q4 "),
    ),
    (
        "a table of a data directory",
        "kaldi-data:data -o y.{shard}.jsonl",
        |s| rename(s, "data/text", "said by ann-001", "said by eve"),
    ),
    ("new member", "htk:mfc/ -o y.{shard}.ark", |s| {
        let member = &crate::names(&s.path("mfc"))[0];
        fs::copy(s.path(&format!("mfc/{member}")), s.path("mfc/zoe-9.htk")).unwrap();
    }),
];

/// A job, and another one that differs in what it asks for.
const OPTIONS: &[(&str, &str)] = &[
    (
        "in.ark -o y.{shard}.ark",
        "in.ark -o y.{shard}.ark --co compress=5",
    ),
    ("in.ark -o y.{shard}.ark", "in.ark y.{shard}.ark,compress=5"),
    ("in.ark -o y.{shard}.ark", "in.ark -o ark,t:y.{shard}.ark"),
    (
        "in.ark -o y.{shard}.ark",
        "in.ark -o y.{shard}.ark --dtype f64",
    ),
    (
        "in.ark -o y.{shard}.jsonl --labels ali.txt",
        "in.ark -o y.{shard}.jsonl --labels ali.txt --labels-out ark:l.{shard}.ark",
    ),
    (
        "in.ark -o y.{shard}.jsonl",
        "in.ark -o y.{shard}.jsonl --text text",
    ),
    (
        "in.ark -o y.{shard}.ark",
        "in.ark -o y.{shard}.ark --prefix x-",
    ),
    ("in.ark -o y.{shard}.ark", "in.scp -o y.{shard}.ark"),
];

/// The output of a job as it is typed for `shards`.
fn output(job: &str) -> String {
    let words: Vec<_> = job.split_whitespace().collect();
    let at = words.iter().position(|word| word.contains("y.{shard}"));
    words[at.unwrap()].to_owned()
}

/// Demands that the first shard of `before` is not taken for one of `after`, that the second of
/// `after` goes with it for nobody, and that all is well once the first is done anew.
fn check(s: &Scratch, what: &str, before: &str, after: &str, change: Change) {
    let shard = |job: &str, n: u64, more: &str| format!("{job} --shard {n}/2 --no-sync {more}");
    s.ok(&shard(before, 1, ""));
    s.ok(&shard(before, 2, ""));
    for more in ["--resume", "--resume=verify"] {
        let said = s.ok(&shard(before, 1, more));
        assert!(said.err.contains("have it"), "{what}: {}", said.err);
    }
    let out = output(before);
    assert_eq!(s.run(&format!("shards status {out}")).status, 0, "{what}");
    change(s);
    for more in ["--resume", "--resume=verify"] {
        let error = s.fails(&shard(after, 1, more));
        let told = error.contains("belongs to a different job");
        assert!(told, "{what}: {error}");
    }
    s.ok(&shard(after, 2, "--overwrite"));
    let said = s.run(&format!("shards status {out}"));
    assert_eq!(
        (said.status, said.out.as_str()),
        (1, ""),
        "{what}: {}",
        said.err
    );
    assert!(said.err.contains("1 mismatched"), "{what}: {}", said.err);
    let error = s.fails(&format!("shards merge {out} -o all.jsonl"));
    let told = error.contains("differs from that of shard 1") || error.contains("another version");
    assert!(told, "{what}: {error}");
    s.ok(&shard(after, 1, "--overwrite"));
    let said = s.run(&format!("shards status {out}"));
    assert_eq!(said.status, 0, "{what}: {}", said.err);
    s.ok(&format!("shards merge {out} -o all.jsonl"));
    fs::remove_file(s.path("all.jsonl")).unwrap();
}

#[test]
fn a_changed_file_is_another_job() {
    for (what, job, change) in FILES {
        // Bytes that are turned may be no numbers any more, which is not what this is about.
        let job = format!("{job} --on-error skip");
        check(&corpus(), what, &job, &job, *change);
    }
}

#[test]
fn a_changed_option_is_another_job() {
    let s = corpus();
    for (before, after) in OPTIONS {
        check(&s, after, before, after, |_| ());
        for name in s.names() {
            if name.starts_with("y.") || name.starts_with("l.") {
                fs::remove_file(s.path(&name)).unwrap();
            }
        }
    }
}

#[test]
fn what_changed_without_a_trace_is_found_by_reading_all() {
    let s = corpus();
    for (input, member, output, part) in [
        (
            "big.ark",
            "big.ark".to_owned(),
            "y.{shard}.ark",
            "y.00001-of-00002.ark",
        ),
        (
            "htk:mfc/",
            format!("mfc/{}", crate::names(&s.path("mfc"))[0]),
            "spr:z.{shard}/",
            "z.00001-of-00002",
        ),
    ] {
        let job = |more: &str| format!("{input} -o {output} --shard 1/2 --allow-loss all {more}");
        s.ok(&job(""));
        let changed = fs::metadata(s.path(&member)).unwrap().modified().unwrap();
        let was = s.read(&member);
        turn(&s, &member, |n| if n > 100_000 { n / 5 } else { n - 1 });
        let file = fs::File::options()
            .write(true)
            .open(s.path(&member))
            .unwrap();
        file.set_modified(changed).unwrap();
        assert!(s.ok(&job("--resume")).err.contains("have it"));
        let error = s.fails(&job("--resume=verify"));
        assert!(error.contains("other bytes now"), "{input}: {error}");
        s.write(&member, was);
        file.set_modified(changed).unwrap();
        let said = s.ok(&job("--resume=verify"));
        assert!(said.err.contains("have it"), "{input}: {}", said.err);
        // The output, too.
        let path = s.path(part);
        let file = match path.is_dir() {
            true => format!("{part}/{}", crate::names(&path)[0]),
            false => part.to_owned(),
        };
        turn(&s, &file, middle);
        assert!(s.ok(&job("--resume")).err.contains("have it"));
        let error = s.fails(&job("--resume=verify"));
        assert!(error.contains("are not those"), "{input}: {error}");
        if path.is_dir() {
            fs::remove_file(s.path(&file)).unwrap();
            let error = s.fails(&job("--resume"));
            assert!(error.contains("missing or changed"), "{input}: {error}");
        }
    }
}

#[test]
fn merging_compares_what_it_reads_with_the_records() {
    let s = corpus();
    for output in [
        "ark,scp:y.{shard}.ark,y.{shard}.scp",
        "y.{shard}.pfile",
        "y.{shard}.pkl",
        "y.{shard}.pkl,layout=dict",
        "y.{shard}.jsonl",
        "y.{shard}.jsonl.gz",
        "spr:y.{shard}/",
        "y.{shard}.npz",
    ] {
        for n in 1..=2 {
            s.ok(&format!("in.ark -o {output} --shard {n}/2 --no-sync -q"));
        }
        s.ok(&format!("shards merge {output} -o all.jsonl -q"));
        fs::remove_file(s.path("all.jsonl")).unwrap();
        for name in s.names() {
            let is_data = name.starts_with("y.00002") && !name.contains("shard.json");
            if !is_data || name.ends_with(".scp") {
                continue;
            }
            let file = match s.path(&name).is_dir() {
                true => format!("{name}/{}", crate::names(&s.path(&name))[0]),
                false => name,
            };
            let was = s.read(&file);
            turn(&s, &file, |n| n - 9.min(n));
            let said = s.run(&format!("shards merge {output} -o all.jsonl -q"));
            assert_eq!(said.status, 2, "{file}: {}", said.err);
            assert!(!s.path("all.jsonl").exists(), "{file}");
            s.write(&file, was);
        }
        for name in s.names().into_iter().filter(|name| name.starts_with("y.")) {
            match s.path(&name).is_dir() {
                true => fs::remove_dir_all(s.path(&name)).unwrap(),
                false => fs::remove_file(s.path(&name)).unwrap(),
            }
        }
    }
    // A byte in the middle of numbers, which no reader minds.
    s.ok("in.ark -o y.{shard}.ark --shard 1/1");
    turn(&s, "y.00001-of-00001.ark", |n| n / 2);
    let error = s.fails("shards merge y.{shard}.ark -o all.ark");
    assert!(
        error.contains("its bytes are not those of the record"),
        "{error}"
    );
    // The lists alone are compared, too.
    let output = "ark,scp:w.{shard}.ark,w.{shard}.scp";
    s.ok(&format!("in.ark -o {output} --shard 1/1"));
    let list = String::from_utf8(s.read("w.00001-of-00001.scp")).unwrap();
    s.write("w.00001-of-00001.scp", list.replace("ann", "eve"));
    let error = s.fails(&format!("shards merge {output} -o all.scp --no-copy"));
    assert!(
        error.contains("its bytes are not those of the record"),
        "{error}"
    );
}
