//! Names from strangers say nothing to the terminal, whatever shows them.

use crate::{Said, Scratch};

/// Escape sequences of 7 and 8 bits, line ends with a line of somebody else's, and turned writing.
const NASTY: &str =
    "n\u{1b}]0;owned\u{7}\u{9b}2J\r\nEVIL: all is well\u{8}\u{202e}txt\u{2028}\u{61c}";

/// What a terminal would obey: all that is not text, but line ends and tabs.
fn obeyed(text: &str) -> Option<char> {
    let tricky = |c: &char| {
        (c.is_control() && !"\n\t".contains(*c))
            || "\u{61c}\u{200e}\u{200f}\u{2028}\u{2029}".contains(*c)
            || ('\u{202a}'..='\u{202e}').contains(c)
            || ('\u{2066}'..='\u{2069}').contains(c)
    };
    text.chars().find(tricky)
}

/// A data set whose key, labels, segments, texts and tags are nasty, as lines of JSON.
fn data(key: &str, frames: usize) -> String {
    let json = |text: &str| serde_json::to_string(text).unwrap();
    let rows = vec!["[1,2]"; frames].join(",");
    format!(
        "{{\"key\":{},\"features\":{{\"dtype\":\"f32\",\"shape\":[{frames},2],\"data\":[{rows}]}},\
         \"labels\":null,\"segments\":[{{\"start\":0,\"end\":0.0{frames},\"label\":{}}}],\
         \"text\":{},\"meta\":{{\"frame_shift\":\"0.01\",\"tags\":[[\"spraak\",{},{}]]}}}}\n",
        json(key),
        json(NASTY),
        json(NASTY),
        json(NASTY),
        json(NASTY)
    )
}

fn nasty() -> Scratch {
    let s = Scratch::new();
    let other = format!("{NASTY}2");
    s.write("in.jsonl", data(NASTY, 3) + &data(&other, 2));
    s.write("other.jsonl", data(&other, 2) + &data(NASTY, 4));
    s.write("twice.jsonl", data(NASTY, 3) + &data(NASTY, 3));
    s.write(&format!("{NASTY}.jsonl"), data(NASTY, 3));
    s.write(&format!("{NASTY}.ark"), b"a \0BFM \x04\x09");
    s.write(
        "broken.jsonl",
        data(NASTY, 3) + "{\"key\":\"\u{1b}[31mEVIL\u{202e}\", nonsense\n",
    );
    s.write("short.jsonl", data(NASTY, 3).replace("[1,2],", ""));
    s.write("bad.scp", "a\u{1b}[31m \u{1b}[31mmissing\u{202e}.ark:3\n");
    s.write("bad.ark", "a\u{1b}[31m  [ \u{1b}[31m\u{202e} ]\n");
    s.write(
        "head.spr",
        format!(
            ".spr\nDATA\tTRACK\nTYPE\tI16\nFORMAT\tBIN01\nDIM1\t1\nDIM2\t1\nnote\t{}\n#\n\0\0",
            "x\u{1b}[2J\u{202e}y"
        ),
    );
    s.write("text/text", format!("{} a\u{1b}[2J b\n", "u\u{1b}[31m"));
    s.write("folder/utt2spk", "u\u{1b}[31m\u{202e} s\u{1b}[31m\nv w\n");
    s.write("folder/spk2utt", "s\u{1b}[31m x\u{1b}[31m\n");
    s.write("list", format!("{}\n", "absent\u{1b}[31m\u{202e}"));
    s
}

/// Names of files that are shown: one whole, one cut, and those of outputs.
const FILE: &str = "FILE";
const CUT: &str = "CUT";
const NEW: &str = "NEW";
const PAGE: &str = "PAGE";
const PART: &str = "PART";

/// What is run.
const COMMANDS: &[&[&str]] = &[
    &["info", "in.jsonl"],
    &["info", FILE],
    &["info", FILE, "--json"],
    &["info", CUT],
    &["info", "missing\u{1b}[31m\u{202e}"],
    &["ls", "in.jsonl"],
    &["ls", "in.jsonl", FILE],
    &["ls", "in.jsonl", FILE, "--json"],
    &["show", "in.jsonl"],
    &["show", "in.jsonl", "no\u{1b}[31m\u{202e}such"],
    &["show", FILE, NASTY],
    &["show", "in.jsonl", "--json"],
    &["show", FILE, NASTY, "--json"],
    &["in.jsonl", "jsonl:-"],
    &["info", "in.jsonl", "--json"],
    &["ls", "in.jsonl", "--on-error", "skip", "--json"],
    &["info", "bad.scp", "--on-error", "skip"],
    &["diff", "in.jsonl", "other.jsonl"],
    &["diff", "in.jsonl", "other.jsonl", "--by-key"],
    &["diff", "in.jsonl", "other.jsonl", "--json"],
    &["diff", FILE, "other.jsonl"],
    &["select", "in.jsonl", "s.jsonl", "--keys", "list"],
    &["select", "in.jsonl", "t.jsonl", "--keys", NASTY],
    &["sort", "in.jsonl", "u.ark"],
    &["sort", FILE, "v.jsonl"],
    &["merge", "in.jsonl", "other.jsonl", "w.jsonl"],
    &["merge", "in.jsonl", FILE, "w.jsonl"],
    &["split", "-n", "2", "in.jsonl", PART],
    &["index", "bad.ark"],
    &["index", FILE],
    &["stats", "in.jsonl"],
    &["stats", FILE],
    &["stats", FILE, "--json"],
    &["plot", "in.jsonl"],
    &["plot", "in.jsonl", NASTY],
    &["plot", "in.jsonl", "no\u{1b}[31m\u{202e}such"],
    &["plot", FILE, "-o", "p.svg"],
    &["plot", FILE, NASTY, "-o", "q.svg"],
    &["report", "in.jsonl", "-o", "r.html"],
    &["report", FILE, "-o", PAGE],
    &["header", "in\u{1b}[31m.spr"],
    &["header", "head.spr", "--json"],
    &["check", "in.jsonl"],
    &["check", "twice.jsonl"],
    &["check", "twice.jsonl", "--json"],
    &["check", FILE],
    &["check", CUT],
    &["check", "broken.jsonl"],
    &["check", "bad.scp"],
    &["check", "folder"],
    &["check", "text"],
    &["repair", "broken.jsonl", "-o", "good.jsonl"],
    &["repair", CUT, "-o", "good.ark"],
    &[
        "repair",
        "broken.jsonl",
        "-o",
        "good.jsonl",
        "--json",
        "--overwrite",
    ],
    &["broken.jsonl", "x.ark"],
    &["in.jsonl", "x.ark"],
    &["in.jsonl", "spr:x/"],
    &["in.jsonl", "x.ark", "--on-error", "skip"],
    &["in.jsonl", "x.ark", "--labels", "other.jsonl"],
    &[
        "in.jsonl",
        "y.pkl",
        "--progress",
        "json",
        "--allow-loss",
        "all",
    ],
    &["in.jsonl", "z.pkl", "--json", "--allow-loss", "all"],
    &[FILE, "o.jsonl", "-v"],
    &[FILE, NEW, "--allow-loss", "all"],
    &[FILE, NEW, "--allow-loss", "all", "--json", "--overwrite"],
    &[FILE, NEW],
    &["--explain", FILE, NEW],
    &["--explain", FILE, "o.jsonl", "--labels", FILE],
    &["info", "--explain", FILE],
    &["check", "--explain", FILE],
    &["bad.scp", "x.ark"],
    &["bad.ark", "x.ark"],
    &["in.jsonl", "\u{1b}[2J.unknown"],
    &["in.jsonl", "x.ark,\u{1b}[2J=\u{202e}"],
    &["--no\u{1b}[2Jsuch\u{202e}", "x"],
    &["in.jsonl", "x.ark", "--dtype", "\u{1b}[2J\u{202e}"],
    &["formats", "\u{1b}[2J\u{202e}"],
];

#[test]
fn nothing_is_obeyed_whatever_shows_it() {
    let s = nasty();
    s.ok("info in.jsonl");
    let file = format!("{NASTY}.jsonl");
    let cut = format!("{NASTY}.ark");
    let (new, page, part) = (
        format!("{NASTY}.pkl"),
        format!("{NASTY}.html"),
        format!("{NASTY}{{part}}.jsonl"),
    );
    let mut shown = 0;
    let mut tried = 0;
    for args in COMMANDS {
        let named = |word: &&'static str| match *word {
            FILE => file.clone(),
            CUT => cut.clone(),
            NEW => new.clone(),
            PAGE => page.clone(),
            PART => part.clone(),
            word => word.to_owned(),
        };
        let args: Vec<_> = args.iter().map(named).collect();
        let args: Vec<_> = args.iter().map(String::as_str).collect();
        let Said { out, err, status } = s.run_args(&args);
        assert!((0..4).contains(&status), "{args:?}: {err}");
        for text in [&out, &err] {
            assert_eq!(obeyed(text), None, "{args:?}: {text:?}");
            let forged = text.lines().find(|line| line.starts_with("EVIL"));
            assert_eq!(forged, None, "{args:?}: {text:?}");
        }
        let both = out + &err;
        shown += usize::from(both.contains("\\u{1b}") || both.contains("\\u001b"));
        tried += 1;
    }
    assert!(shown > tried * 2 / 3, "{shown} of {tried} show the escape");
    for page in ["p.svg", "q.svg", "r.html", &page] {
        let text = String::from_utf8(s.read(page)).unwrap();
        assert_eq!(obeyed(&text), None, "{page:?}");
        assert!(text.contains("\\u{1b}"), "{page:?}");
    }
}

/// What is shown on a terminal alone: colours, the bar, headers. Needs `script`, which is on most
/// machines.
#[cfg(target_os = "linux")]
#[test]
fn a_terminal_is_shown_no_more() {
    let s = nasty();
    let has = s.shell("command -v script").status == 0;
    if !has {
        eprintln!("there is no program 'script' here: not tested on a terminal");
        return;
    }
    for line in [
        "header head.spr",
        "check twice.jsonl",
        "in.jsonl x.ark --progress always",
    ] {
        let said = s.shell(&format!(
            "NO_COLOR=1 script -qec 'spr-convert {line}' /dev/null < /dev/null"
        ));
        // The bar moves the cursor in its own ways.
        let bar = said
            .out
            .replace("\r", "")
            .replace("\u{1b}[2K", "")
            .replace("\u{1b}[1A", "")
            .replace("\u{1b}[1B", "");
        assert_eq!(obeyed(&bar), None, "{line}: {bar:?}");
        assert!(bar.contains("\\u{1b}"), "{line}: {bar:?}");
    }
}
