//! When the system fails, the run fails with status 2 and the name of the file; the output is
//! absent, and what was there before is untouched. No output replaces an input.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use crate::{Scratch, sample};

/// Outputs of every format, as typed.
pub(crate) const OUTPUTS: [&str; 9] = [
    "x.ark",
    "ark,t:x.txt",
    "ark,scp:x.ark,x.scp",
    "x.pfile",
    "x.pkl",
    "x.jsonl",
    "x.jsonl.gz",
    "spr:x/",
    "key:x/",
];

#[test]
fn no_room_leaves_nothing() {
    let s = Scratch::new();
    fs::copy(sample("fbank.ark"), s.path("in.ark")).unwrap();
    let before = s.read("in.ark");
    for output in OUTPUTS {
        // No file of more than 8 KiB; the signal that comes with it is ignored.
        let line = format!("trap '' XFSZ; ulimit -f 8; exec spr-convert in.ark {output}");
        let said = s.shell(&line);
        assert_eq!(said.status, 2, "{output}: {}", said.err);
        assert!(said.err.contains("error: x"), "{output}: {}", said.err);
        assert!(
            said.err.contains("cannot write: File too large"),
            "{output}: {}",
            said.err
        );
        assert_eq!(s.names(), ["in.ark"], "{output}");
    }
    assert_eq!(s.read("in.ark"), before);
}

/// A real file system without room. Where none can be mounted, `no_room_leaves_nothing` stands
/// alone.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_nothing() {
    let s = Scratch::new();
    crate::stopping::corpus(&s);
    s.ok("in.ark x.pkl");
    let before = s.read("in.ark");
    // In name spaces of its own, so that nothing stays mounted.
    let alone = ["unshare -m", "unshare -rm"];
    let mount = "mount -t tmpfs -o size=1m none full";
    fs::create_dir(s.path("full")).unwrap();
    let able = |unshare: &&str| s.shell(&format!("{unshare} {mount}")).status == 0;
    let Some(unshare) = alone.into_iter().find(able) else {
        eprintln!("no file system can be mounted here: limits of file sizes stand for a full disk");
        return;
    };
    let wav = fs::canonicalize(format!(
        "{}/fixtures/samples/wav",
        env!("CARGO_MANIFEST_DIR")
    ));
    let wav = wav.unwrap().display().to_string();
    let audio = [
        format!("{wav} wav:x/"),
        format!("{wav} au:x/"),
        format!("{wav} sphere:x/"),
        format!("{wav} ark:x.ark"),
    ];
    let outputs = OUTPUTS.map(|output| format!("../in.ark {output} --allow-loss all"));
    let mut tried = 0;
    for (line, size) in outputs
        .iter()
        .map(|o| (o, "1m"))
        .chain(audio.iter().map(|a| (a, "128k")))
    {
        let mount = mount.replace("1m", size);
        let run = format!(
            "{mount} && cd full && echo old > keep && spr-convert {line}; echo $? $(ls -A)"
        );
        let said = s.shell(&format!("{unshare} sh -c '{run}'"));
        assert_eq!(said.out, "2 keep\n", "{line}: {}", said.err);
        // A PFile without labels is warned of.
        let mut hints = said.err.lines().filter(|text| text.contains("hint: "));
        let other = hints.find(|hint| !hint.contains("joined by --labels"));
        assert_eq!(other, None, "{line}: {}", said.err);
        assert!(said.err.contains("error: x"), "{line}: {}", said.err);
        assert!(
            said.err.contains("No space left on device"),
            "{line}: {}",
            said.err
        );
        tried += 1;
    }
    assert_eq!(tried, OUTPUTS.len() + 4);
    // A full temporary folder is named.
    let run = format!(
        "{mount} && cat x.pkl | TMPDIR=$PWD/full spr-convert - -f pickle y.jsonl; echo $? $(ls -A full)"
    );
    let said = s.shell(&format!("{unshare} sh -c '{run}'"));
    assert_eq!(said.out, "2\n", "{}", said.err);
    assert!(
        said.err
            .contains("full: cannot keep a copy of - here: No space left"),
        "{}",
        said.err
    );
    assert_eq!(s.read("in.ark"), before);
    assert_eq!(
        s.names(),
        ["full", "in.ark", "x.pkl", "x.pkl.utt2num_frames"]
    );
}

#[test]
fn a_full_device_is_an_error() {
    let s = Scratch::new();
    for output in [
        "ark:/dev/full",
        "jsonl:/dev/full",
        "pfile:/dev/full,keys=none",
    ] {
        let line = format!("{} {output} --allow-loss keys", sample("fbank.ark"));
        let error = s.fails(&line);
        assert!(
            error.contains("error: /dev/full: ") && error.contains("cannot write: No space left"),
            "{error}"
        );
    }
    let line = format!("spr-convert {} ark:- > /dev/full", sample("fbank.ark"));
    let said = s.shell(&line);
    assert_eq!(said.status, 2, "{}", said.err);
    assert!(
        said.err.contains("error: -: ") && said.err.contains("cannot write"),
        "{}",
        said.err
    );
}

#[test]
fn folders_that_refuse() {
    let s = Scratch::new();
    fs::copy(sample("fbank.ark"), s.path("in.ark")).unwrap();
    for output in ["missing/x.ark", "in.ark/x.ark", "spr:missing/x/"] {
        let error = s.fails(&format!("in.ark {output}"));
        assert!(error.contains("cannot create"), "{error}");
    }
    // Not even root may make files there.
    let error = s.fails("in.ark /proc/x.ark");
    assert!(error.contains("/proc/x.ark: cannot create"), "{error}");
    fs::create_dir(s.path("locked")).unwrap();
    fs::set_permissions(s.path("locked"), fs::Permissions::from_mode(0o555)).unwrap();
    let root = fs::metadata("/proc/self").unwrap().uid() == 0;
    let said = s.run("in.ark locked/x.ark");
    assert_eq!(said.status, if root { 0 } else { 2 }, "{}", said.err);
}

#[test]
fn inputs_that_go_away_or_fail() {
    let s = Scratch::new();
    let error = s.fails("missing.ark x.jsonl");
    assert!(
        error.contains("missing.ark: cannot open: No such file"),
        "{error}"
    );
    s.write("gone.scp", "a missing.ark:3\n");
    let error = s.fails("gone.scp x.jsonl");
    assert!(
        error.contains("missing.ark") && error.contains("utterance a"),
        "{error}"
    );
    // Reading one's own memory from byte 0 fails with an I/O error.
    let error = s.fails("/proc/self/mem x.jsonl -f jsonl");
    assert!(
        error.contains("/proc/self/mem@0: cannot read: Input/output error"),
        "{error}"
    );
}

#[test]
fn no_input_is_replaced() {
    let s = Scratch::new();
    s.ok(&format!("{} ark,scp:in.ark,in.scp", sample("fbank.ark")));
    s.ok("in.ark spr:d/");
    symlink("in.ark", s.path("soft.ark")).unwrap();
    fs::hard_link(s.path("in.ark"), s.path("hard.ark")).unwrap();
    s.write("utt2spk", "ann-001 ann\n");
    let before = (s.read("in.ark"), s.read("in.scp"));
    for (line, message) in [
        ("in.ark in.ark", "is read and can't be written"),
        ("in.ark soft.ark", "is read and can't be written"),
        ("in.ark hard.ark", "is read and can't be written"),
        ("soft.ark in.ark", "is read and can't be written"),
        ("in.scp ark:in.ark", "is read and can't be written"),
        (
            "in.scp ark,scp:x.ark,in.scp",
            "is read and can't be written",
        ),
        (
            "in.ark x.ark --labels-out ark:in.ark",
            "is read and can't be written",
        ),
        ("d/ d/x.ark", "is inside the input folder d"),
        ("d/ spr:d/", "is read and can't be written"),
        ("d/ann-001.spr spr:d/", "is a folder that holds the input"),
        (
            "in.ark x.ark --labels-out ark,t:x.ark",
            "would be written twice",
        ),
        (
            "in.ark x.ark --report in.ark",
            "is read and can't be written",
        ),
        (
            "in.ark x.ark --error-log in.ark",
            "is read and can't be written",
        ),
        ("in.ark x.ark --report x.ark", "would be written twice"),
        (
            "in.ark spr:new/ --labels-out ark:new/x.ark",
            "is inside the output folder new",
        ),
        (
            "in.ark spr:new/ --labels-out ark:d/../new/sub/x.ark",
            "is inside the output folder new",
        ),
    ] {
        let error = s.fails(&format!("{line} --overwrite"));
        assert!(error.contains(message), "{line}: {error}");
    }
    assert_eq!((s.read("in.ark"), s.read("in.scp")), before);
}

#[test]
fn what_was_there_survives() {
    let s = Scratch::new();
    fs::copy(sample("fbank.ark"), s.path("in.ark")).unwrap();
    s.write("cut.ark", &s.read("in.ark")[..100_000]);
    s.ok("in.ark x.pfile");
    s.ok("in.ark spr:d/");
    let before = (s.read("x.pfile"), s.read("x.pfile.utt2num_frames"));
    let folder = crate::names(&s.path("d"));
    s.fails("cut.ark x.pfile --overwrite");
    s.fails("cut.ark spr:d/ --overwrite");
    assert_eq!(
        (s.read("x.pfile"), s.read("x.pfile.utt2num_frames")),
        before
    );
    assert_eq!(crate::names(&s.path("d")), folder);
    // The last name can't be had: the side file of before comes back.
    s.write("y.pfile.utt2num_frames", "old");
    fs::create_dir(s.path("y")).unwrap();
    let error = s.fails("in.ark ark,scp:y,x.pfile.utt2num_frames --overwrite");
    assert!(error.contains("y: is a folder"), "{error}");
    assert_eq!(s.read("x.pfile.utt2num_frames"), before.1);
}

#[test]
fn two_runs_never_mix() {
    let s = Scratch::new();
    let bytes = fs::read(sample("fbank.ark")).unwrap();
    s.write("a.ark", &bytes);
    s.ok("a.ark ark,t:b.txt");
    for overwrite in ["--overwrite", ""] {
        for _ in 0..6 {
            for name in ["x.ark", "x.scp"] {
                let _ = fs::remove_file(s.path(name));
            }
            let args = ["ark,scp:x.ark,x.scp", overwrite];
            let args = args.iter().filter(|arg| !arg.is_empty());
            let mut children = Vec::new();
            for input in ["ark:a.ark", "ark,t:b.txt"] {
                let mut command = s.command();
                command.arg(input).args(args.clone());
                if input == "ark,t:b.txt" {
                    // Other offsets in the archive.
                    command.args(["--dtype", "f64"]);
                }
                command.stderr(std::process::Stdio::piped());
                children.push(command.spawn().unwrap());
            }
            let statuses: Vec<_> = children
                .into_iter()
                .map(|child| child.wait_with_output().unwrap().status.code().unwrap())
                .collect();
            let wins = statuses.iter().filter(|status| **status == 0).count();
            match overwrite {
                "" => assert_eq!(wins, 1, "{statuses:?}"),
                _ => assert_eq!(wins, 2, "{statuses:?}"),
            }
            // Each place in the index is right for the archive beside it.
            let said = s.ok("x.scp y.jsonl --overwrite");
            assert!(
                said.err.contains("12 utterances, 3111 frames"),
                "{}",
                said.err
            );
            assert_eq!(s.names(), ["a.ark", "b.txt", "x.ark", "x.scp", "y.jsonl"]);
        }
    }
}
