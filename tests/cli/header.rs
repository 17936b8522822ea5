//! `header`, and what SPRAAK files take on the command line.

use serde_json::{Value, json};

use crate::Scratch;

const TRACK: &[u8] =
    b".spr\nspeaker\t\tann\nDATA TRACK\nTYPE I16\nFORMAT BIN10\nDIM1 1\nDIM2 2\n   \n#\n\x01\x02\x03\x04";

#[test]
fn it_is_shown_as_it_is_written() {
    let s = Scratch::new();
    s.write("a.trk", TRACK);
    let header = s.ok("header a.trk").out;
    let expected =
        ".spr\nspeaker\tann\nDATA\tTRACK\nTYPE\tI16\nFORMAT\tBIN10\nDIM1\t1\nDIM2\t2\n#\n";
    assert_eq!(header, expected);
    let facts: Value = serde_json::from_str(&s.ok("header --json a.trk").out).unwrap();
    assert_eq!(
        facts,
        json!({
            "schema": 1, "input": "a.trk", "kind": "spr", "header_bytes": 71, "data_bytes": 4,
            "keys": [["speaker", "ann"], ["DATA", "TRACK"], ["TYPE", "I16"], ["FORMAT", "BIN10"],
                     ["DIM1", "1"], ["DIM2", "2"]]
        })
    );
    // What is shown is a header for data that have none.
    s.write("h.spr", &header);
    s.write("raw", b"\x01\x02\x03\x04");
    assert_eq!(
        s.ok("spr:raw,header=h.spr jsonl:-")
            .out
            .replace("\"raw\"", "\"a\""),
        s.ok("a.trk jsonl:-").out
    );
}

#[test]
fn lines_change_and_data_stay() {
    let s = Scratch::new();
    s.write("a.trk", TRACK);
    s.ok("header a.trk --set speaker=bob --set FSHIFT=0.005 --delete DIM1 --header-len -o b.trk");
    let expected: &[u8] = b".spr\nspeaker\tbob\nDATA\tTRACK\nTYPE\tI16\nFORMAT\tBIN10\nDIM2\t2\nFSHIFT\t0.005\nHEADER_LEN\t86\n#\n\x01\x02\x03\x04";
    assert_eq!(s.read("b.trk"), expected);
    assert_eq!(expected.len(), 90);
    assert!(s.fails("header a.trk -o b.trk").contains("exists already"));
    // What is read is not replaced, not even on demand.
    let error = s.fails("header b.trk --set speaker=cecilia -o b.trk --overwrite");
    assert!(error.contains("is read and can't be written"), "{error}");
    s.ok("header b.trk --set speaker=cecilia -o d.trk");
    assert!(
        s.read("d.trk")
            .windows(14)
            .any(|w| w == b"HEADER_LEN\t90\n")
    );
    // Through gzip, and through pipes.
    s.ok("header a.trk --set x=1 -o c.trk.gz");
    assert_eq!(s.read("c.trk.gz")[..2], [0x1f, 0x8b]);
    let piped = s.shell("cat c.trk.gz | spr-convert header - -o - | spr-convert header - --json");
    assert!(
        piped.out.contains("[\"x\",\"1\"]"),
        "{} {}",
        piped.out,
        piped.err
    );
}

#[test]
fn one_sort_becomes_the_other() {
    let s = Scratch::new();
    s.write("a.trk", TRACK);
    let said = s.ok("header a.trk --kind key -o a.key");
    assert!(said.err.ends_with("header lines (a.key)\n"), "{}", said.err);
    let expected = b".key\nspeaker\tann\nDATATYPE\tTRACK\nDATAFORMAT\tSHORT\nNFR\t1\nNPARAM\t2\n#\n\x01\x02\x03\x04";
    assert_eq!(s.read("a.key"), expected);
    s.ok("header a.key --kind spr -o b.spr");
    assert_eq!(
        s.ok("b.spr jsonl:-").out.replace("\"b\"", "\"a\""),
        s.ok("a.trk jsonl:-").out
    );
    // A key header without its first line is one all the same.
    s.write("bare.key", &expected[5..]);
    s.ok("header bare.key -o c.key");
    assert_eq!(s.read("c.key"), expected);
    s.ok("a.trk little.spr --quiet");
    let error = s.fails("header little.spr --kind key");
    assert!(error.contains("little endian"), "{error}");
}

#[test]
fn mistakes_are_told() {
    let s = Scratch::new();
    s.write("a.trk", TRACK);
    s.write("b.txt", "no header\n");
    s.write("cut.trk", &TRACK[..40]);
    for (line, what) in [
        ("header none.trk", "none.trk: cannot open"),
        ("header b.txt", "b.txt@0: no header"),
        (
            "header cut.trk",
            "cut.trk@40: the file ends inside the header",
        ),
        ("header a.trk --set x", "KEY=VALUE"),
        ("header a.trk --set =x", "can't be set"),
        ("header a.trk --delete x", "a.trk: has no key x"),
        ("header a.trk --kind wav", "wav"),
        ("header a.trk --overwrite", "--output"),
    ] {
        let error = s.fails(line);
        assert!(error.contains(what), "{line}: {error}");
    }
    assert_eq!(s.shell("spr-convert header a.trk | head -1").status, 0);
}

#[test]
fn samples_and_ranges() {
    let s = Scratch::new();
    let head = ".spr\nDATA SAMPLE\nTYPE I16\nFORMAT ASCII\nNCHAN 2\nSAMPLEFREQ 8000\n#\n";
    s.write("a.sam", format!("{head}1 -1\n2 -2\n3 -3\n"));
    let facts: Value = serde_json::from_str(&s.ok("info --json a.sam").out).unwrap();
    assert_eq!(facts["kinds"], json!(["audio"]));
    assert_eq!(facts["sample_rate"], 8000);
    assert_eq!(facts["duration"], 3.0 / 8000.0);
    let second = s.ok("a.sam,channels=1:1 jsonl:-").out;
    assert!(second.contains("\"data\":[[-1],[-2],[-3]]"), "{second}");
    s.ok("a.sam b.sam,type=ULAW,compress=gzip --quiet");
    let facts = s.ok("info --json b.sam").out;
    assert!(facts.contains("\"compression\":\"gzip\""), "{facts}");
    let error = s.fails("a.sam,channels=1:2 jsonl:-");
    assert!(
        error.contains("channel 2 was asked for, but there are only 2"),
        "{error}"
    );
    let error = s.fails("a.sam a.pfile");
    assert!(error.contains("utterance a: "), "{error}");
    // Raw data, there and back; the header lines are told to be lost.
    s.ok("a.sam spr:a.raw,header=none --quiet");
    assert_eq!(
        s.read("a.raw"),
        [1, 0, 255, 255, 2, 0, 254, 255, 3, 0, 253, 255]
    );
    let back = s.ok("spr:a.raw,header=none,data=SAMPLE,type=I16,format=BIN01,nchan=2 jsonl:-");
    assert_eq!(back.out, s.ok("a.sam jsonl:-").out);
}

#[test]
fn files_change_in_their_places() {
    let s = Scratch::new();
    for (name, set, wanted) in [
        ("a.trk", "--set speaker=bob", "speaker\tbob"),
        ("a.trk", "--delete DIM1", "FORMAT\tBIN10\nDIM2"),
        ("a.trk", "--set x=1 --delete speaker", ".spr\nDATA"),
        ("a.trk.gz", "--set speaker=bob", "speaker\tbob"),
    ] {
        s.write("plain.trk", TRACK);
        s.ok(&format!("header plain.trk -o {name} --overwrite"));
        s.ok(&format!("header {name} {set} --in-place"));
        let header = s.ok(&format!("header {name}")).out;
        assert!(header.contains(wanted), "{set}: {header}");
        s.ok(&format!("header {name} -o back.trk --overwrite"));
        assert!(
            s.read("back.trk").ends_with(b"#\n\x01\x02\x03\x04"),
            "{set}"
        );
        assert_eq!(s.read(name)[..2] == [0x1f, 0x8b], name.ends_with(".gz"));
    }
}

#[test]
fn many_files_change_and_those_at_fault_are_named() {
    let s = Scratch::new();
    std::fs::create_dir(s.path("d")).unwrap();
    for name in ["d/a.trk", "d/b.trk", "d/c.trk", "d/z.spr"] {
        s.write(name, TRACK);
    }
    s.write("d/b.trk", "no header\n");
    let said = s.run_args(&[
        "header",
        "d/*.trk",
        "d/z.spr",
        "--set",
        "speaker=bob",
        "--in-place",
    ]);
    assert_eq!(said.status, 2);
    assert!(said.err.contains("d/b.trk@0: no header"), "{}", said.err);
    assert!(said.err.ends_with("3 of 4 files changed\n"), "{}", said.err);
    for name in ["d/a.trk", "d/c.trk", "d/z.spr"] {
        assert!(s.read(name).starts_with(b".spr\nspeaker\tbob\n"), "{name}");
    }
    assert_eq!(s.read("d/b.trk"), b"no header\n");
    let left = std::fs::read_dir(s.path("d")).unwrap().count();
    assert_eq!(left, 4);
    let shown = s.ok("header d/a.trk d/c.trk").out;
    assert!(shown.starts_with("==> d/a.trk <==\n.spr\n"), "{shown}");
    assert_eq!(s.ok("header d/a.trk d/c.trk --json").out.lines().count(), 2);
    for (line, what) in [
        ("header d/a.trk --in-place", "nothing is to change"),
        (
            "header d/a.trk d/c.trk -o x.trk",
            "2 files, but one --output",
        ),
        ("header d/a.trk --set x=1 --in-place -o x.trk", "--output"),
        (
            "header d/none*.trk --set x=1 --in-place",
            "no file matches 'd/none*.trk'",
        ),
        (
            "header d/none.trk --set x=1 --in-place",
            "none.trk: cannot open",
        ),
        ("header - --set x=1 --in-place", "cannot open"),
    ] {
        let error = s.fails(line);
        assert!(error.contains(what), "{line}: {error}");
    }
}

#[cfg(unix)]
#[test]
fn permissions_and_links_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let s = Scratch::new();
    s.write("a.trk", TRACK);
    std::fs::set_permissions(s.path("a.trk"), PermissionsExt::from_mode(0o640)).unwrap();
    symlink("a.trk", s.path("link.trk")).unwrap();
    s.ok("header link.trk --set speaker=bob --in-place");
    assert!(s.path("link.trk").symlink_metadata().unwrap().is_symlink());
    let mode = s.path("a.trk").metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    assert!(s.read("a.trk").starts_with(b".spr\nspeaker\tbob\n"));
    // What only its content tells to be compressed keeps its bytes.
    s.ok("header a.trk -o b.trk.gz");
    std::fs::rename(s.path("b.trk.gz"), s.path("b.trk")).unwrap();
    let before = s.read("b.trk");
    let error = s.fails("header b.trk --set x=1 --in-place");
    assert!(error.contains("is compressed, but its name"), "{error}");
    assert_eq!(s.read("b.trk"), before);
}
