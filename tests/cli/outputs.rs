//! Outputs of every sort: no two are one file, none is an input, what belongs together stays
//! together, and what can't be written is told.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use crate::{Scratch, names, sample};

/// Data with labels, in files of every role.
fn corpus() -> Scratch {
    let s = Scratch::new();
    s.ok(&format!("{} ark,scp:in.ark,in.scp", sample("fbank.ark")));
    s.ok(&format!("{} ark,scp:ali.ark,ali.scp", sample("ali.ark")));
    s
}

#[test]
fn no_two_outputs_are_one_file_by_any_spelling() {
    let s = corpus();
    fs::create_dir(s.path("d")).unwrap();
    for name in ["0", "1", "same"] {
        symlink("d", s.path(name)).unwrap();
    }
    symlink("x.ark", s.path("link")).unwrap();
    let mut tried = 0;
    for line in [
        "split in.ark none{part}/../x.ark -n 2",
        "split in.ark d/../x{part}/../x.ark --frames 100",
        "split in.ark {part}/x.ark -n 2",
        "split in.ark spr:{part}/ -n 2",
        "split in.ark ark,scp:x.{part}.ark,none{part}/../x.scp -n 2",
        "in.ark x.ark --report d/../x.ark",
        "in.ark x.ark --report link",
        "in.ark x.ark --error-log link",
        "in.ark d/x.ark --report same/x.ark",
        "in.ark x.ark --report r --error-log ./r",
        "in.ark x.ark --report d/../r --error-log r",
        "in.ark x.ark --report - --json",
        "in.ark ark:- --report -",
        "in.ark ark:- --report /dev/stdout",
        "in.ark ark:- --error-log /proc/self/fd/1",
        "in.ark ark:- --labels ali.ark --labels-out ark:-",
        "in.ark ark:/dev/stdout --labels ali.ark --labels-out ark:-",
        "in.ark ark,scp:x,./x",
        "in.ark x.pfile --report x.pfile.utt2num_frames",
        "in.ark x.pkl --error-log d/../x.pkl.utt2num_frames",
        "in.ark x.pfile,keys=y --report y",
        "in.ark x.pfile,keys=x.pfile",
        "in.ark x.pfile --labels ali.ark --labels-out ark:x.pfile.utt2num_frames",
        "in.ark x.scp --report x.ark",
        "in.ark x.scp --labels ali.ark --labels-out x.ark",
        "in.ark spr:x/ --report x/r",
        "in.ark spr:x/ --labels ali.ark --labels-out ark:x/ali.ark",
        "in.ark spr:x/ --labels ali.ark --labels-out spr:same/../x/",
        "split in.ark x.{part}.ark -n 2 --report x.1.ark",
        "split in.ark x.{part}.pfile -n 2 --report x.1.pfile.utt2num_frames",
        "split in.ark x.{part}.ark -n 2 --labels ali.ark --labels-out ark:./x.{part}.ark",
    ] {
        let said = s.run(&format!("{line} --overwrite"));
        assert_eq!(said.status, 2, "{line}: {}", said.err);
        let refused = ["twice", "the same file", "is inside the output folder"];
        let found = refused.iter().any(|why| said.err.contains(why));
        assert!(found, "{line}: {}", said.err);
        assert!(said.out.is_empty(), "{line}");
        assert_eq!(names(&s.path("d")), [""; 0], "{line}");
        let left = [
            "0", "1", "ali.ark", "ali.scp", "d", "in.ark", "in.scp", "link", "same",
        ];
        assert_eq!(s.names(), left, "{line}");
        tried += 1;
    }
    assert_eq!(tried, 31);
    // What takes anything takes two.
    s.ok("in.ark ark:/dev/null --labels ali.ark --labels-out ark:/dev/null");
}

#[test]
fn what_belonged_to_replaced_data_goes_with_them() {
    let s = corpus();
    let mut tried = 0;
    for (old, new, left) in [
        ("x.pfile", "x.pfile,keys=names", vec!["names", "x.pfile"]),
        ("x.pfile", "x.pfile,keys=none", vec!["x.pfile"]),
        ("x.pkl", "x.pkl,keys=names", vec!["names", "x.pkl"]),
        ("x.pkl", "x.pkl,layout=dict", vec!["x.pkl"]),
        ("x.pkl.gz", "x.pkl.gz,keys=none", vec!["x.pkl.gz"]),
        ("pfile:x", "jsonl:x", vec!["x"]),
        ("pfile:x", "ark:x", vec!["x"]),
        ("ark,scp:x.ark,x.scp", "x.ark", vec!["x.ark"]),
        ("ark,scp:./d/../x.ark,x.scp", "x.ark", vec!["x.ark"]),
        ("ark,scp:x,x.scp", "pfile:x,keys=none", vec!["x"]),
        ("x.scp", "ark,scp:x.ark,y.scp", vec!["x.ark", "y.scp"]),
    ] {
        s.shell("rm -rf x* y* names; mkdir -p d");
        s.ok(&format!("in.ark {old}"));
        let line =
            format!("select in.ark {new} --first 3 --overwrite --allow-loss keys,boundaries");
        s.ok(&line);
        let found: Vec<_> = s
            .names()
            .into_iter()
            .filter(|n| !n.contains("in.") && !n.contains("ali.") && n != "d")
            .collect();
        assert_eq!(found, left, "{old} {new}");
        tried += 1;
    }
    assert_eq!(tried, 11);
    // A script file of other data stays; one that is of others too is in the way.
    s.shell("rm -rf x* y* names");
    s.ok("in.ark x.ark");
    fs::copy(s.path("in.scp"), s.path("x.scp")).unwrap();
    s.ok("in.ark x.ark --overwrite");
    assert_eq!(s.read("x.scp"), s.read("in.scp"));
    let mixed = [s.read("in.scp"), b"more x.ark:5\n".to_vec()].concat();
    s.write("x.scp", &mixed);
    let error = s.fails("in.ark x.ark --overwrite");
    assert!(error.contains("x.scp: points into x.ark"), "{error}");
    assert_eq!(s.read("x.scp"), mixed);
    // A side file that nobody may replace is in the way, too.
    s.write("y.pfile.utt2num_frames", "old 1\n");
    let error = s.fails("in.ark y.pfile,keys=none --allow-loss keys");
    assert!(
        error.contains("y.pfile.utt2num_frames: exists already"),
        "{error}"
    );
}

#[test]
fn a_folder_output_is_replaced_as_a_unit_or_added_to() {
    let s = corpus();
    let made = ["ann-001", "ann-002", "ann-003"];
    let mut tried = 0;
    for (format, extension) in [
        ("spr", "spr"),
        ("key", "key"),
        ("htk", "htk"),
        ("npy", "npy"),
    ] {
        let out = format!("{format}:x/ -q");
        let file = |key: &str| format!("{key}.{extension}");
        s.shell("rm -rf x");
        s.write("x/sub/old", "old");
        s.write(&format!("x/{}", file("ann-001")), "old");
        let error = s.fails(&format!("in.ark {out}"));
        assert!(
            error.contains("x: exists already and is not empty"),
            "{error}"
        );
        assert!(s.run(&format!("in.ark {out}")).err.contains("--add"));
        // Each file is in the way of what is added.
        let line = format!("select in.ark {out} --first 3 --add");
        let error = s.fails(&line);
        assert!(
            error.contains(&format!("x/{}: exists already", file("ann-001"))),
            "{error}"
        );
        s.ok(&format!("select in.ark {out} --first 3 --add --overwrite"));
        let mut all = made.map(file).to_vec();
        all.push("sub".to_owned());
        assert_eq!(names(&s.path("x")), all);
        // What fails leaves the old as it was.
        s.write("cut.ark", &s.read("in.ark")[..100_000]);
        s.fails(&format!("cut.ark {out} --overwrite"));
        s.fails(&format!("in.ark {out} --overwrite --report /dev/full"));
        assert_eq!(
            (names(&s.path("x")), s.read("x/sub/old")),
            (all, b"old".to_vec())
        );
        // HTK's files have one.
        let shift = if format == "htk" {
            "--frame-shift 0.01"
        } else {
            ""
        };
        let line = format!("select in.ark {format}:x/ --first 1 --overwrite --verify {shift}");
        let said = s.ok(&line);
        assert!(
            said.err.contains("1 utterance,") && said.err.contains("verified"),
            "{}",
            said.err
        );
        assert_eq!(names(&s.path("x")), [file("ann-001")]);
        tried += 1;
    }
    assert_eq!(tried, 4);
    // The folder itself stays as it is: its permissions, and that it is a link.
    fs::set_permissions(s.path("x"), fs::Permissions::from_mode(0o700)).unwrap();
    symlink("x", s.path("link")).unwrap();
    s.ok("in.ark npy:link/ --overwrite");
    let mode = fs::metadata(s.path("x")).unwrap().permissions().mode();
    assert_eq!((mode & 0o777, names(&s.path("x")).len()), (0o700, 12));
    // The folder that one works in is never emptied.
    let said = s.shell("cd x && spr-convert ../in.ark spr:./ --overwrite");
    assert!(
        said.status == 2 && said.err.contains("the working folder"),
        "{}",
        said.err
    );
    let said = s.shell("mkdir -p x/y && cd x/y && spr-convert ../../in.ark spr:../ --overwrite");
    assert!(
        said.status == 2 && said.err.contains("the working folder"),
        "{}",
        said.err
    );
    let said = s.shell("HOME=$PWD/x spr-convert in.ark spr:x/ --overwrite");
    assert!(
        said.status == 2 && said.err.contains("home folder"),
        "{}",
        said.err
    );
    assert_eq!(names(&s.path("x")).len(), 13);
}

/// A verb with its options, what is read, and the file whose role is tried.
const ROLES: &[(&str, &str, &str)] = &[
    ("convert", "in.ark", "in.ark"),
    ("convert", "in.scp", "in.scp"),
    ("convert", "in.scp", "in.ark"),
    ("convert", "in.ark --labels ali.ark", "ali.ark"),
    ("convert", "in.ark --labels ali.scp", "ali.scp"),
    ("convert", "in.ark --labels ali.scp", "ali.ark"),
    ("convert", "in.ark,label=ali.ark", "ali.ark"),
    ("convert", "in.ark --labels ali.ark --utt2spk same", "same"),
    ("convert", "p.pfile", "p.pfile.utt2num_frames"),
    ("convert", "p.pfile,keys=K", "K"),
    ("convert", "raw.bin,header=head --from spr", "head"),
    ("convert", "list.cor,root=spr --from spr", "list.cor"),
    ("convert", "list.cor,root=spr --from spr", "spr/ann-001.spr"),
    ("convert", "spr/", "spr/ann-001.spr"),
    ("select", "in.ark --keys K", "K"),
    ("select", "in.ark --exclude-keys one", "one"),
    ("select", "two.scp --keys one", "second.ark"),
    ("sort", "in.ark", "in.ark"),
    ("merge", "in.ark other.ark", "other.ark"),
    ("split", "in.ark -n 2 --utt2spk same", "same"),
];

#[test]
fn no_input_of_any_role_is_replaced_by_any_output() {
    let s = corpus();
    s.ok("in.ark p.pfile");
    s.ok("select in.ark spr:spr/ --first 2");
    s.ok("select in.ark ark:second.ark --first 1");
    s.ok("spr/ann-001.spr spr:raw.bin,header=none --allow-loss metadata");
    let head = s.read("spr/ann-001.spr");
    let end = head.windows(2).position(|w| w == b"#\n").unwrap() + 2;
    s.write("head", &head[..end]);
    s.write(
        "list.cor",
        "#! spraak\nDATA\tCORPUS\n#\nann-001\tx\t0\t-1\tann\n",
    );
    let keys: Vec<String> = s
        .ok("ls in.ark --json")
        .out
        .lines()
        .map(|line| {
            let value: serde_json::Value = serde_json::from_str(line).unwrap();
            value["key"].as_str().unwrap().to_owned()
        })
        .collect();
    s.write(
        "same",
        keys.iter()
            .map(|k| format!("{k} {k}\n"))
            .collect::<String>(),
    );
    let lengths = String::from_utf8(s.read("p.pfile.utt2num_frames")).unwrap();
    s.write("K", lengths);
    s.write("one", "ann-002\n");
    s.write("two.scp", "ann-001 second.ark:8\nann-002 in.ark:46591\n");
    s.ok("select in.ark other.ark --first 0");
    let in_scp = String::from_utf8(s.read("in.scp")).unwrap();
    let line = in_scp.lines().find(|l| l.starts_with("ann-002 ")).unwrap();
    s.write("two.scp", format!("ann-001 second.ark:8\n{line}\n"));
    let (mut tried, mut refused) = (0, 0);
    for (verb, reading, role) in ROLES {
        // It is there under a name that says nothing, and in a folder.
        s.shell("rm -rf alias 0.part folder new*; mkdir folder");
        symlink(role, s.path("alias")).unwrap();
        symlink(role, s.path("0.part")).unwrap();
        fs::hard_link(s.path(role), s.path("folder/x")).unwrap();
        let before = s.read(role);
        let part = if *verb == "split" { "{part}" } else { "" };
        let loss = "--allow-loss all --overwrite";
        for (kind, output) in [
            ("data", format!("ark:alias{part}")),
            ("side file", format!("new{part}.pfile,keys=alias{part}")),
            ("script", format!("ark,scp:new{part}.ark,alias{part}")),
            ("report", format!("new{part}.ark --report alias")),
            ("log", format!("new{part}.ark --error-log alias")),
            (
                "labels",
                format!("new{part}.ark --labels-out ark:alias{part}"),
            ),
            ("part", "ark:{part}.part".to_owned()),
            ("folder", "npy:folder/".to_owned()),
        ] {
            let line = match (kind, *verb) {
                ("part", "convert") => format!("split {reading} -o {output} {loss} -n 1"),
                ("report" | "log" | "part", "split") => {
                    format!("split {reading} -o {output} {loss}")
                }
                ("part", _) | (_, "split") => continue,
                _ => format!("{verb} {reading} -o {output} {loss}"),
            };
            let said = s.run(&line);
            assert_eq!(said.status, 2, "{line}: {}", said.err);
            assert_eq!(s.read(role), before, "{line}");
            tried += 1;
            let why = [
                "is read",
                "holds the input",
                "is a folder that holds",
                "inside the input",
            ];
            refused += usize::from(why.iter().any(|why| said.err.contains(why)));
            if !why.iter().any(|why| said.err.contains(why)) {
                eprintln!("{kind}: {line}: {}", said.err);
            }
            assert!(!s.names().iter().any(|n| n.starts_with("new")), "{line}");
        }
    }
    assert_eq!(tried, 150);
    // Labels are missed where the data have none, which is said first.
    assert!(refused >= 136, "{refused}");
}

#[test]
fn side_outputs_are_whole_or_the_run_fails() {
    let s = corpus();
    s.ok("select ali.ark short.ark --first 10");
    let before = s.names();
    let mut tried = 0;
    for output in [
        "x.ark",
        "ark,scp:x.ark,x.scp",
        "x.pfile",
        "spr:x/",
        "x.{part}.ark",
    ] {
        let verb = if output.contains("{part}") {
            "split -n 2"
        } else {
            "convert"
        };
        let line = format!(
            "{verb} in.ark -o {output} --labels short.ark --on-error skip --allow-loss labels"
        );
        for option in [
            "--report /dev/full",
            "--error-log /dev/full",
            "--error-log none/log",
            "--report none/r",
        ] {
            let said = s.run(&format!("{line} {option}"));
            assert_eq!(said.status, 2, "{line} {option}: {}", said.err);
            assert!(
                said.err.contains("/dev/full: cannot write")
                    || said.err.contains("there is no folder none"),
                "{}",
                said.err
            );
            assert_eq!(s.names(), before, "{line} {option}");
            tried += 1;
        }
        // Those that would have been whole are not there either.
        let said = s.run(&format!("{line} --error-log log --report /dev/full"));
        assert_eq!(
            (said.status, s.names()),
            (2, before.clone()),
            "{}",
            said.err
        );
    }
    assert_eq!(tried, 20);
    // A log that has no room.
    let line = "in.ark ark:/dev/null --labels short.ark --on-error skip --error-log log --allow-loss labels";
    let said = s.shell(&format!(
        "trap '' XFSZ; ulimit -f 0; exec spr-convert {line}"
    ));
    assert_eq!(said.status, 2, "{}", said.err);
    assert!(said.err.contains("log: cannot write"), "{}", said.err);
    assert_eq!(s.names(), before);
    // Both obey --overwrite, and a dash is standard output.
    for option in ["--report", "--error-log"] {
        s.write("there", "old");
        s.fails(&format!("in.ark x.ark {option} there"));
        assert_eq!(s.read("there"), b"old");
        fs::remove_file(s.path("there")).unwrap();
    }
    let said = s.ok("in.ark x.ark --report -");
    assert!(said.out.contains("\"utterances\": 12"), "{}", said.out);
    assert!(!s.path("-").exists());
}

#[test]
fn standard_output_that_takes_nothing_is_told() {
    let s = corpus();
    let mut tried = 0;
    for line in [
        "--help",
        "--version",
        "help",
        "convert --help",
        "man",
        "man split",
        "completions bash",
        "formats",
        "formats kaldi",
        "formats --json",
        "info in.ark",
        "info in.ark --json",
        "in.ark",
        "ls in.ark",
        "ls in.ark --json",
        "show in.ark",
        "show in.ark ann-001 --json",
        "stats in.ark",
        "stats in.ark --json",
        "check in.ark",
        "check in.ark --json",
        "diff in.ark ali.ark",
        "diff in.ark ali.ark --json",
        "in.ark x.ark --explain",
        "plot in.ark",
        "plot in.ark -o - --to svg",
        "report in.ark -o -",
        "index in.ark -o -",
        "in.ark ark:-",
        "in.ark -t jsonl -",
        "in.ark ark:/dev/null --json",
        "in.ark ark:/dev/null --report -",
        "in.ark ark:/dev/null --error-log -",
    ] {
        // The log of a run in which nothing is skipped is empty, and "help" is a file like others.
        let silent = line.contains("--error-log") || line == "help";
        let said = s.shell(&format!("exec spr-convert {line} > /dev/full"));
        assert_eq!(
            said.status,
            if line.contains("--error-log") { 0 } else { 2 },
            "{line}: {}",
            said.err
        );
        assert!(
            silent || said.err.contains("cannot write: No space left"),
            "{line}: {}",
            said.err
        );
        // A reader that goes away is no fault.
        let said = s.shell(&format!(
            "spr-convert {line} 2> err | true; echo ${{PIPESTATUS[0]}}"
        ));
        if line != "help" && !line.starts_with("diff") {
            assert_eq!(
                said.out,
                "0\n",
                "{line}: {}",
                String::from_utf8_lossy(&s.read("err"))
            );
        }
        tried += 1;
    }
    assert_eq!(tried, 33);
}

#[test]
fn an_extension_never_contradicts_what_is_written() {
    let s = corpus();
    let formats: serde_json::Value = serde_json::from_str(&s.ok("formats --json").out).unwrap();
    let all: Vec<(String, Vec<String>)> = formats
        .as_array()
        .unwrap()
        .iter()
        .map(|format| {
            let extensions = format["extensions"].as_array().unwrap().iter();
            let extensions = extensions.map(|e| e.as_str().unwrap().to_owned());
            (
                format["name"].as_str().unwrap().to_owned(),
                extensions.collect(),
            )
        })
        .collect();
    // Extensions that files of two formats have.
    let shared = |name: &str, extension: &str| match name {
        "key" => ["spr", "trk", "sam", "seg", "cor", "lex"].contains(&extension),
        "htk" => extension == "mfc",
        _ => false,
    };
    let (mut tried, mut right) = (0, 0);
    for (name, own) in &all {
        for extension in all.iter().flat_map(|(_, extensions)| extensions) {
            for coder in ["", ".gz", ".bz2", ".zst"] {
                let line = format!("in.ark {name}:x.{extension}{coder} --dry-run --allow-loss all");
                let said = s.run(&line);
                let contradicts = said.err.contains(&format!("ends with .{extension}, but "));
                let fits = own.contains(extension) || shared(name, extension);
                assert_eq!(contradicts, !fits, "{line}: {}", said.err);
                assert!(said.status == 2 || fits, "{line}");
                tried += 1;
                right += usize::from(fits);
            }
        }
    }
    assert!(tried >= 900 && right >= 100, "{tried} {right}");
    let mut cases = 0;
    for (line, fits) in [
        ("in.ark ark:x.scp", false),
        ("in.ark ark,scp:x.scp,x.ark", false),
        ("in.ark ark,scp:x.ark,y.ark", false),
        ("in.ark ark,scp:x.ark,x.txt", true),
        ("in.ark scp:in.scp --overwrite --dry-run", true),
        ("in.ark x.scp,table=ark", false),
        ("in.ark ark:x.ali", false),
        ("in.ark ark,t:x.ali", true),
        ("in.ark x.ali,text=false", false),
        ("in.ark x.spr,data=SEG", true),
        ("in.ark x.seg,data=TRACK", false),
        ("in.ark x.ark --to pfile", false),
        ("in.ark x.anything --to pfile", true),
        ("in.ark x --to pfile", true),
        ("repair in.ark -o x.pfile --to kaldi", false),
        ("split in.ark {part}.ark -n 2 --to jsonl", false),
    ] {
        let said = s.run(&format!("{line} --dry-run").replace("--dry-run --dry-run", "--dry-run"));
        let said = if line.starts_with("repair") {
            s.run(line)
        } else {
            said
        };
        assert_eq!(
            said.err.contains("ends with ."),
            !fits,
            "{line}: {}",
            said.err
        );
        assert_eq!(
            said.err.contains("hint: call it "),
            !fits,
            "{line}: {}",
            said.err
        );
        cases += 1;
    }
    assert_eq!(cases, 16);
    // A script file may be packed; what it points into is not.
    s.ok("in.ark q.scp.gz");
    assert!(s.path("q.ark").exists());
    s.ok("diff in.ark q.scp.gz");
    assert_eq!(s.shell("gunzip < q.scp.gz | grep -c q.ark:").out, "12\n");
}

#[test]
fn dry_runs_do_all_but_write() {
    let s = corpus();
    s.write("full/x", "there");
    s.write("there.ark", "there");
    let before = s.names();
    let mut tried = 0;
    for (line, status) in [
        ("in.ark spr:x/", 0),
        ("in.ark npy:x/", 0),
        ("in.ark x.pfile", 0),
        ("in.ark ark,scp:x.ark,x.scp", 0),
        ("split in.ark spr:x{part}/ -n 2", 0),
        ("split in.ark x{part}/y.ark -n 2", 0),
        ("in.ark x.ark --verify", 0),
        ("in.ark ark:-", 0),
        ("in.ark spr:full/", 2),
        ("in.ark spr:full/ --overwrite", 0),
        ("in.ark there.ark", 2),
        ("in.ark in.ark --overwrite", 2),
        ("in.ark x.spr", 2),
        ("split in.ark x{part}/../y.ark -n 2", 2),
        ("convert in.ark in.ark -o spr:x/", 2),
    ] {
        let said = s.run(&format!("{line} --dry-run"));
        assert_eq!(said.status, status, "{line}: {}", said.err);
        assert_eq!(
            said.err.contains("nothing written"),
            status == 0,
            "{line}: {}",
            said.err
        );
        assert!(said.out.is_empty(), "{line}");
        assert_eq!(s.names(), before, "{line}");
        tried += 1;
    }
    assert_eq!(tried, 15);
    assert_eq!(s.read("full/x"), b"there");
}

#[test]
fn what_is_replaced_keeps_its_permissions() {
    let s = corpus();
    let mode = |name: &str| fs::metadata(s.path(name)).unwrap().permissions().mode() & 0o777;
    for (output, files) in [
        ("x.ark", vec!["x.ark"]),
        ("ark,scp:x.ark,x.scp", vec!["x.ark", "x.scp"]),
        ("x.pfile", vec!["x.pfile", "x.pfile.utt2num_frames"]),
        ("spr:x/", vec!["x/ann-001.spr"]),
        ("x.jsonl --report x.json", vec!["x.jsonl", "x.json"]),
    ] {
        s.ok(&format!("in.ark {output} --overwrite"));
        for file in &files {
            fs::set_permissions(s.path(file), fs::Permissions::from_mode(0o640)).unwrap();
        }
        s.ok(&format!("in.ark {output} --overwrite"));
        files
            .iter()
            .for_each(|file| assert_eq!(mode(file), 0o640, "{file}"));
    }
}
