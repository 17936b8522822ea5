//! What may be run and opened that Kaldi's files name.

use std::fs;

use crate::kaldi::{corpus, lines};

#[test]
fn commands_in_files_need_leave() {
    let s = corpus();
    s.write("pipe.scp", "ann touch ran; cat a.mat |\nbob a.mat\n");
    s.write("a.mat", "[ 1 2 ]\n");
    let error = s.fails("scp:pipe.scp o.ark");
    assert!(
        error.contains("pipe.scp:1: utterance ann: refused to run the command"),
        "{error}"
    );
    assert!(s.run("scp:pipe.scp o.ark").err.contains("--allow-pipes"));
    s.fails("scp:pipe.scp o.ark --safe");
    assert!(!s.path("ran").exists());
    s.ok("scp:pipe.scp o.ark --allow-pipes");
    assert!(s.path("ran").exists());
    let said = s.run_args(&["ark:cat f.ark |", "safe.ark", "--safe"]);
    assert_eq!(said.status, 2);
    assert!(said.err.contains("refused to run") && !s.path("safe.ark").exists());
    s.write("out.scp", "ann | touch ran2; cat > x\n");
    let error = s.fails("ark:o.ark scp:out.scp");
    assert!(
        error.contains("out.scp:1: utterance ann: refused to run the command"),
        "{error}"
    );
    assert!(!s.path("ran2").exists());
}

/// Files that may keep who opens them waiting for ever, named in lists of every sort.
#[cfg(unix)]
#[test]
fn pipes_and_devices_named_in_files_need_trust() {
    let s = corpus();
    let said = s.shell("mkfifo pipe && ln -s pipe link && ln -s /dev/zero zero");
    assert_eq!(said.status, 0, "{}", said.err);
    let feats = lines(s.read("f.scp"));
    let mut seen = 0;
    for place in [
        "pipe",
        "link",
        "./pipe",
        "pipe:5",
        "/dev/zero",
        "zero",
        "/dev/stdin",
        "pipe[0:1]",
    ] {
        s.write("in.scp", format!("{}\ndan {place}\n", feats[0]));
        for line in [
            "scp:in.scp o.ark",
            "in.scp o.ark",
            "check in.scp",
            "scp,p:in.scp o.ark",
        ] {
            // Were one opened, this would not end.
            let said = s.shell(&format!("timeout 20 spr-convert {line}"));
            let expected = match line.split(':').next() {
                Some("scp,p") => 3,
                Some("check in.scp") => 1,
                _ => 2,
            };
            assert_eq!(
                said.status, expected,
                "{place}, {line}: {}{}",
                said.out, said.err
            );
            let all = format!("{}{}", said.out, said.err);
            assert!(
                all.contains("a pipe or device named in the file"),
                "{line}: {all}"
            );
            assert!(
                all.contains("--allow-pipes") || expected != 2,
                "{line}: {all}"
            );
            let _ = fs::remove_file(s.path("o.ark"));
            seen += 1;
        }
        let list = place.split([':', '[']).next().unwrap();
        s.write("out.scp", format!("ann {list}\nbob b.mat\neve e.mat\n"));
        let said = s.shell("timeout 20 spr-convert f.ark scp:out.scp");
        assert_eq!(said.status, 2, "{list}: {}", said.err);
        assert!(
            said.err.contains("a pipe or device"),
            "{list}: {}",
            said.err
        );
        seen += 1;
    }
    assert_eq!(seen, 8 * 5);
    // Who trusts the file reads them.
    s.write("in.scp", "dan pipe\n");
    let line = "tail -c +5 f.ark | head -c 75 > pipe & timeout 20 spr-convert scp:in.scp o.ark --allow-pipes";
    let said = s.shell(line);
    assert_eq!(said.status, 0, "{}", said.err);
}
