//! What names of outputs say is what is written, and names are made of any bytes.

use std::fs;

use crate::outputs::corpus;

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
        "pyannote" => extension == "lab",
        "nemo" | "audiofolder" => extension == "jsonl",
        "lhotse" => ["json", "jsonl"].contains(&extension),
        "whisper" => extension == "json",
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
        ("in.ark ark:x.ark.xz", false),
        ("in.ark jsonl:x.zip", false),
        ("in.ark in.ark.lz4 --to pfile", false),
        ("in.ark x.tgz --to jsonl", false),
        ("in.ark ark:x.zst", true),
        ("in.ark spr:x.zip/", true),
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
    assert_eq!(cases, 22);
    // A script file may be packed; what it points into is not.
    s.ok("in.ark q.scp.gz");
    assert!(s.path("q.ark").exists());
    s.ok("diff in.ark q.scp.gz");
    assert_eq!(s.shell("gunzip < q.scp.gz | grep -c q.ark:").out, "12\n");
}

#[test]
fn pictures_and_headers_are_what_their_names_say() {
    let s = corpus();
    s.ok("in.ark spr:d/");
    for (line, why) in [
        (
            "plot in.ark ann-001 -o x.png --to svg",
            "another kind of picture",
        ),
        (
            "plot in.ark ann-001 -o x.svg --to text",
            "another kind of picture",
        ),
        (
            "header d/ann-001.spr -o x.key",
            "an spr header would be written",
        ),
        ("report in.ark -o x.ark", "a page would be written"),
        ("report in.ark -o x.pfile.gz", "a page would be written"),
    ] {
        let error = s.fails(line);
        assert!(error.contains(why), "{line}: {error}");
    }
    s.ok("plot in.ark ann-001 -o x --to svg");
    s.ok("header d/ann-001.spr -o x.spr");
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_not_utf8_work_everywhere() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let s = corpus();
    let run = |line: &[u8]| {
        let words = line.split(|b| *b == b' ').map(OsStr::from_bytes);
        crate::said(s.command().args(words).output().unwrap())
    };
    let exists = |name: &[u8]| s.0.path().join(OsStr::from_bytes(name)).exists();
    let mut tried = 0;
    for (line, made) in [
        (&b"in.ark a\xff.ark"[..], &b"a\xff.ark"[..]),
        (b"a\xff.ark b\xe9.pfile", b"b\xe9.pfile.utt2num_frames"),
        (b"b\xe9.pfile c\xff.pkl.gz", b"c\xff.pkl.gz.utt2num_frames"),
        (b"ark:a\xff.ark ark,scp:d\xff.ark,d\xff.scp", b"d\xff.scp"),
        (
            b"d\xff.scp e\xff.jsonl --report r\xff --error-log l\xff",
            b"r\xff",
        ),
        (b"in.ark spr:f\xff/", b"f\xff/ann-001.spr"),
        (b"f\xff/ g.ark", b"g.ark"),
        (b"split in.ark h\xff.{part}.ark -n 2", b"h\xff.1.ark"),
        (b"index a\xff.ark", b"a\xff.scp"),
        (b"a\xff.scp i.ark", b"i.ark"),
        (
            b"in.ark j.ark --labels ali.ark --labels-out ark,t:j\xff",
            b"j\xff",
        ),
        (b"plot in.ark ann-001 -o k\xff.svg", b"k\xff.svg"),
        (b"report in.ark -o l\xff.html", b"l\xff.html"),
        (b"repair in.ark -o m\xff.ark", b"m\xff.ark"),
        (b"a\xff.ark ark:|cat>n\xff", b"n\xff"),
    ] {
        let said = run(line);
        assert_eq!(said.status, 0, "{}: {}", line.escape_ascii(), said.err);
        assert!(exists(made), "{}", line.escape_ascii());
        tried += 1;
    }
    assert_eq!(tried, 15);
    for other in [&b"e\xff.jsonl"[..], b"g.ark", b"i.ark", b"d\xff.scp"] {
        assert_eq!(run(&[b"diff in.ark ", other].concat()).status, 0);
    }
    // Keys are made of names, and names of keys.
    let name = |key: &[u8]| s.0.path().join("one").join(OsStr::from_bytes(key));
    fs::create_dir(s.path("one")).unwrap();
    fs::copy(
        s.0.path().join(OsStr::from_bytes(b"f\xff/ann-001.spr")),
        name(b"\xe9.spr"),
    )
    .unwrap();
    let said = run(b"one/ key.jsonl");
    assert_eq!(said.status, 0, "{}", said.err);
    let text = String::from_utf8(s.read("key.jsonl")).unwrap();
    assert!(text.contains("{\"bytes\":\"e9\"}"), "{}", &text[..80]);
    assert_eq!(run(b"key.jsonl spr:back/").status, 0);
    assert_eq!(
        fs::read(s.0.path().join(OsStr::from_bytes(b"back/\xe9.spr"))).unwrap(),
        fs::read(name(b"\xe9.spr")).unwrap()
    );
    // What is said of them is text.
    let said = run(b"none\xff.ark x.ark");
    assert!(
        said.status == 2 && said.err.contains("none\\xff.ark: cannot open"),
        "{}",
        said.err
    );
    let said = run(b"in.ark a\xff.ark");
    assert!(
        said.err.contains("a\\xff.ark: exists already"),
        "{}",
        said.err
    );
    let said = run(b"a\xff.ark o\xff.ark --json --report p");
    for text in [said.out, String::from_utf8(s.read("p")).unwrap()] {
        let facts: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(facts["output"], "o\\xff.ark");
    }
    let said = run(b"info a\xff.ark --json");
    let facts: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(facts["input"], "a\\xff.ark");
    let said = run(b"info none\xff --json");
    let fault: serde_json::Value = serde_json::from_str(&said.err).unwrap();
    assert_eq!(fault["file"], "none\\xff");
    assert_eq!(run(b"info a.ark --wrong\xff").status, 2);
}
