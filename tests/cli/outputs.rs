//! Outputs of every sort: what belongs together stays together, and what can't be written is told.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use crate::{Scratch, names, sample};

/// Data with labels, in files of every role.
pub(crate) fn corpus() -> Scratch {
    let s = Scratch::new();
    s.ok(&format!("{} ark,scp:in.ark,in.scp", sample("fbank.ark")));
    s.ok(&format!("{} ark,scp:ali.ark,ali.scp", sample("ali.ark")));
    s
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
        ("x.scp.gz", "x.ark", vec!["x.ark"]),
        ("x.scp.zst", "ark,scp:x.ark,y.scp", vec!["x.ark", "y.scp"]),
        ("x.scp.zst", "x.scp", vec!["x.ark", "x.scp"]),
        ("x.scp", "x.scp.gz", vec!["x.ark", "x.scp.gz"]),
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
    assert_eq!(tried, 15);
    s.shell("rm -rf x* y* names");
    s.ok("in.ark ark,scp:x.ark,x.scp");
    let said = s.ok("in.ark x.ark --overwrite");
    assert!(
        said.err
            .contains("warning: x.scp: is removed, as it points into x.ark"),
        "{}",
        said.err
    );
    s.ok("in.ark ark,scp:x.ark,x.scp --overwrite");
    let said = s.ok("in.ark ark,scp:x.ark,x.scp --overwrite");
    assert!(!said.err.contains("warning"), "{}", said.err);
    // Without its archive it is in the way of a new one, whose parts it would misname.
    s.shell("rm x.ark");
    let error = s.fails("in.ark x.ark");
    assert!(error.contains("x.scp: exists already"), "{error}");
    s.ok("in.ark x.ark --overwrite");
    assert!(!s.path("x.scp").exists());
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
    for (format, extension) in [("spr", "spr"), ("key", "key"), ("npy", "npy")] {
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
        let line = format!("select in.ark {format}:x/ --first 1 --overwrite --verify");
        let said = s.ok(&line);
        assert!(
            said.err.contains("1 utterance,") && said.err.contains("verified"),
            "{}",
            said.err
        );
        assert_eq!(names(&s.path("x")), [file("ann-001")]);
        tried += 1;
    }
    assert_eq!(tried, 3);
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
        "help info",
        "version",
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
        // The log of a run in which nothing is skipped is empty.
        let silent = line.contains("--error-log");
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
        if !line.starts_with("diff") {
            assert_eq!(
                said.out,
                "0\n",
                "{line}: {}",
                String::from_utf8_lossy(&s.read("err"))
            );
        }
        tried += 1;
    }
    assert_eq!(tried, 35);
    // What can't be told is not done; who does not listen gets the data all the same.
    let said = s.shell("exec spr-convert in.ark x.ark --json > /dev/full");
    assert_eq!(said.status, 2, "{}", said.err);
    assert!(!s.path("x.ark").exists());
    let said = s.shell("spr-convert in.ark x.ark --json | true; ls x.ark");
    assert_eq!(said.out, "x.ark\n", "{}", said.err);
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
        ("in.ark no/x.ark", 2),
        ("in.ark there.ark/x.ark", 2),
        ("in.ark spr:no/x/", 2),
        ("in.ark ark,scp:x.ark,no/x.scp", 2),
        ("in.ark x.pfile,keys=no/names", 2),
        ("in.ark x.ark --labels ali.ark --labels-out no/x.ali", 2),
        ("split in.ark no/x{part}/y.ark -n 2", 2),
        ("split in.ark spr:no/x{part}/ -n 2", 2),
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
    assert_eq!(tried, 23);
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
    // What replaces a link is an ordinary new file.
    s.write("plain", "");
    for (to, link) in [("x.ark", "l.ark"), ("x.jsonl", "l.json")] {
        symlink(to, s.path(link)).unwrap();
    }
    s.ok("in.ark l.ark --report l.json --overwrite");
    for link in ["l.ark", "l.json"] {
        assert!(!s.path(link).is_symlink(), "{link}");
        assert_eq!(mode(link), mode("plain"), "{link}");
    }
    assert_eq!(mode("x.ark"), 0o640);
}

#[test]
fn parts_of_another_run_are_told() {
    let s = corpus();
    s.ok("split in.ark x.{part}.ark -n 4");
    let said = s.ok("split in.ark x.{part}.ark -n 2 --overwrite");
    assert!(
        said.err
            .contains("warning: x.2.ark: belongs to another run"),
        "{}",
        said.err
    );
    assert!(s.path("x.3.ark").exists());
    let said = s.ok("split in.ark x.{part}.ark -n 4 --overwrite");
    assert!(!said.err.contains("another run"), "{}", said.err);
}

#[test]
fn files_are_compressed_as_hard_as_is_asked_for() {
    let s = corpus();
    let size = |name: &str| fs::metadata(s.path(name)).unwrap().len();
    for (extension, most) in [("gz", 12), ("bz2", 9), ("zst", 22)] {
        let name = |level: u32| format!("{level}.txt.{extension}");
        for level in [1, most] {
            let (to, asked) = (name(level), format!("--co level={level}"));
            s.ok(&format!("ali.ark ark,t:{to} {asked}"));
            s.ok(&format!("diff ali.ark {to}"));
        }
        assert!(size(&name(most)) <= size(&name(1)), "{extension}");
        let said = s.fails(&format!("in.ark x.ark.{extension},level={}", most + 1));
        assert!(said.contains("has no such level: it has 1 to"), "{said}");
    }
    assert!(size("12.txt.gz") < size("1.txt.gz"));
    let said = s.fails("in.ark x.ark,level=3");
    assert!(said.contains("level: nothing is compressed"), "{said}");
    let said = s.fails("in.ark x.ark.gz,level=high");
    assert!(said.contains("'high' is not a valid value"), "{said}");
    let said = s.ok("in.ark,partition=64k x{part}.ark.gz,level=2 --explain");
    assert!(said.out.contains("level=2"), "{}", said.out);
}

/// A folder that is one data set as a whole has tables of all its utterances: nothing is put into the
/// place of some of them.
#[test]
fn files_of_a_data_set_are_not_replaced_one_by_one() {
    let s = Scratch::new();
    let wav = sample("").replace("kaldi/", "wav");
    for format in [
        "kaldi-data",
        "audiofolder",
        "shar",
        "lhotse",
        "webdataset",
        "hf",
    ] {
        if format == "hf" && s.run("formats hf").status != 0 {
            continue;
        }
        s.shell("rm -rf k");
        // What is not there yet may be made in any way.
        let line = format!("{wav} {format}:k/ -q --add --overwrite");
        s.ok(&line);
        let before = s.ok("ls k").out;
        for (flags, why) in [
            ("--add --overwrite", "k: is one data set as a whole"),
            ("--add", "exists already"),
        ] {
            let error = s.fails(&format!("{wav} {format}:k/ -q --prefix z {flags}"));
            assert!(error.contains(why), "{format}: {error}");
            assert_eq!(s.ok("ls k").out, before, "{format}");
        }
        s.ok(&format!("{wav} {format}:k/ -q --prefix z --overwrite"));
    }
}
