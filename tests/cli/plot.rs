//! Pictures and pages, made by the program.

use std::io::Cursor;

use super::{Scratch, sample};

/// Keys and labels that would play tricks in a page or on a terminal.
const HOSTILE: &str = "{\"key\":\"<script>alert(1)</script>\\u001b[2J\\u202e\\\"'&\",\
    \"features\":{\"dtype\":\"f32\",\"shape\":[2,2],\"data\":[[1,\"nan\"],[\"inf\",4]]},\
    \"segments\":[{\"start\":0,\"end\":1,\"label\":\"</svg><img src=x onerror=y>\"}]}\n\
    {\"key\":{\"bytes\":\"ff00\"},\"features\":{\"dtype\":\"f32\",\"shape\":[1,2],\"data\":[[1,2]]}}\n";

fn hostile() -> Scratch {
    let s = Scratch::new();
    s.write("h.jsonl", HOSTILE);
    s
}

fn text(s: &Scratch, name: &str) -> String {
    String::from_utf8(s.read(name)).unwrap()
}

/// Elements opened and closed in pairs, as far as a scan of tags tells.
fn well_formed(text: &str) {
    let mut open: Vec<&str> = Vec::new();
    let void = ["meta", "input", "!DOCTYPE"];
    for tag in text.split('<').skip(1) {
        let (inside, _) = tag.split_once('>').expect("a tag ends");
        let name = inside
            .split([' ', '/'])
            .find(|word| !word.is_empty())
            .unwrap();
        if inside.starts_with('/') {
            assert_eq!(open.pop(), Some(name), "</{name}>");
        } else if !inside.ends_with('/') && !void.contains(&name) {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn svg_of_an_utterance_and_of_all() {
    let s = Scratch::new();
    let (ark, ali) = (sample("fbank.ark"), sample("ali.txt"));
    s.ok(&format!("{ark} --labels {ali} a.pfile"));
    s.ok("plot a.pfile ann-001 bob-004 -o a.svg");
    let svg = text(&s, "a.svg");
    well_formed(&svg);
    assert!(svg.starts_with("<svg ") && svg.contains("width=\"800\""));
    assert!(svg.contains(">ann-001, 291 frames</text>"));
    assert!(svg.contains(">bob-004, 99 frames</text>"));
    // For each utterance a field of features and a colour scale.
    assert_eq!(svg.matches("<image ").count(), 4);
    assert_eq!(svg.matches(">labels</text>").count(), 2);
    s.ok("plot a.pfile -o all.svg --width 500");
    let svg = text(&s, "all.svg");
    well_formed(&svg);
    assert!(svg.contains("width=\"500\""));
    for title in [
        "Utterances by frames",
        "Frames by label: 24 different",
        "Features: mean",
    ] {
        assert!(svg.contains(title), "{title}");
    }
    for (kind, there, not) in [
        ("lengths", "Utterances by", "Frames by"),
        ("labels", "Frames by", "Features:"),
        ("dims", "Features:", "Utterances by"),
        ("features", "ann-001, 291", "Utterances by"),
    ] {
        let said = s
            .ok(&format!("plot a.pfile --kind {kind} -o - --to svg"))
            .out;
        assert!(said.contains(there) && !said.contains(not), "{kind}");
    }
}

#[test]
fn time_is_in_seconds_where_it_is_known() {
    let s = Scratch::new();
    s.write(
        "t.jsonl",
        "{\"key\":\"a\",\"features\":{\"dtype\":\"f32\",\"shape\":[4,1],\"data\":[[1],[2],[3],[4]]},\
         \"meta\":{\"frame_shift\":0.5}}\n",
    );
    let svg = s.ok("plot t.jsonl a -o - --to svg").out;
    assert!(svg.contains(">a, 4 frames, 2.00 s</text>"), "{svg}");
    assert!(svg.contains(">s</text>") && !svg.contains(">frames</text>"));
}

/// A picture without the packed cells, whose bytes depend on the packer.
fn without_cells(svg: &str) -> String {
    let mut parts = svg.split("base64,");
    let first = parts.next().unwrap_or_default().to_owned();
    let rest = parts.map(|part| part.split_once('"').unwrap().1);
    rest.fold(first, |text, part| text + part)
}

#[test]
fn pictures_in_the_documents_are_those_that_are_drawn() {
    let s = Scratch::new();
    let root = env!("CARGO_MANIFEST_DIR");
    let (ark, ali) = (sample("fbank.ark"), sample("ali.txt"));
    s.ok(&format!("{ark} --labels {ali} train.pfile"));
    for (name, line) in [
        ("ann-001.svg", "plot train.pfile ann-001".to_owned()),
        ("train.svg", "plot train.pfile".to_owned()),
        (
            "wave.svg",
            format!("plot {root}/fixtures/samples/wav/ann-001.wav"),
        ),
        ("post.svg", format!("plot {} ann-001", sample("post.ark"))),
    ] {
        s.ok(&format!("{line} -o {name}"));
        let shown = std::fs::read_to_string(format!("{root}/docs/pictures/{name}")).unwrap();
        let same = without_cells(&text(&s, name)) == without_cells(&shown);
        assert!(same, "make docs/pictures/{name} anew: {line}");
    }
}

#[test]
fn png_has_the_size_asked_for() {
    let s = Scratch::new();
    let wav = format!(
        "{}/fixtures/samples/wav/ann-001.wav",
        env!("CARGO_MANIFEST_DIR")
    );
    for (line, width) in [
        (
            format!("plot {} ann-001 -o a.png", sample("fbank.scp")),
            800,
        ),
        (
            format!("plot {} -o b.png --width 640", sample("ali.ark")),
            640,
        ),
        (format!("plot {wav} ann-001 -o c.png"), 800),
    ] {
        s.ok(&line);
        let name = line.split(' ').find(|word| word.ends_with(".png")).unwrap();
        let decoder = png::Decoder::new(Cursor::new(s.read(name)));
        let mut reader = decoder.read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        assert_eq!(info.width, width, "{name}");
        assert!((100..1000).contains(&info.height), "{name}");
        let colours: std::collections::BTreeSet<_> = pixels.chunks(3).collect();
        assert!(
            colours.len() > 4 && colours.contains(&[255, 255, 255][..]),
            "{name}"
        );
    }
}

#[test]
fn text_on_a_pipe_has_no_escapes() {
    let s = hostile();
    let ark = sample("fbank.ark");
    for line in [
        format!("plot {ark} ann-001"),
        format!("plot {ark}"),
        "plot h.jsonl".to_owned(),
        "plot h.jsonl --kind features".to_owned(),
        format!("plot {}", sample("ali.ark")),
    ] {
        let mut command = s.command();
        let words = line.split(' ').collect::<Vec<_>>();
        let out = command
            .args(words)
            .env("COLORTERM", "truecolor")
            .output()
            .unwrap();
        let out = String::from_utf8(out.stdout).unwrap();
        assert!(out.lines().count() > 4, "{line}");
        assert!(out.is_ascii() && !out.contains('\x1b'), "{line}: {out:?}");
        assert!(out.lines().all(|line| line.len() <= 140), "{line}");
    }
    let coloured = s.ok(&format!("plot {ark} ann-001 --color always")).out;
    assert!(coloured.contains("\x1b[38;2;") && coloured.contains('\u{2580}'));
}

#[test]
fn hostile_names_are_only_text() {
    let s = hostile();
    s.ok("report h.jsonl -o h.html");
    s.ok("plot h.jsonl --kind features -o h.svg");
    for name in ["h.html", "h.svg"] {
        let text = text(&s, name);
        well_formed(&text);
        for bad in ["<script", "<img", "\x1b", "\u{202e}", "\0"] {
            assert!(!text.contains(bad), "{name}: {bad:?}");
        }
        assert!(
            text.contains("&lt;script&gt;alert(1)&lt;/script&gt;\\u{1b}"),
            "{name}"
        );
    }
}

#[test]
fn a_page_needs_nothing_else() {
    let s = Scratch::new();
    let ark = sample("fbank.ark");
    s.ok(&format!("{ark} --labels {} a.pfile", sample("ali.txt")));
    s.ok("report a.pfile -o a.html");
    let html = text(&s, "a.html");
    well_formed(&html);
    assert!(html.starts_with("<!DOCTYPE html>"));
    let without = html.replace("http://www.w3.org/2000/svg", "");
    for bad in ["http:", "https:", "//", "<link", "@import", "url(", "src="] {
        let places = without.match_indices(bad).map(|(at, _)| at);
        // Two slashes may follow one another in a picture's base64.
        let outside = places.filter(|at| {
            let before = &without[..*at];
            before.rfind("base64,") <= before.rfind('>')
        });
        assert_eq!(outside.count(), 0, "{bad}");
    }
    for there in [
        "prefers-color-scheme: dark",
        "<dd>pfile</dd>",
        "<dd>3111</dd>",
        "bob-004",
    ] {
        assert!(html.contains(there), "{there}");
    }
    // Two charts of two widths and one of three, three utterances.
    assert_eq!(html.matches("<svg ").count(), 10);
    let again = s.ok("report a.pfile -o -").out;
    assert_eq!(again, html);
}

#[test]
fn what_cannot_be_drawn_is_said() {
    let s = Scratch::new();
    let (ark, cut) = (
        sample("fbank.ark"),
        std::fs::read(sample("fbank.ark")).unwrap(),
    );
    s.write("cut.ark", &cut[..cut.len() / 2]);
    s.write("there.svg", "mine");
    for (line, says) in [
        (
            format!("plot {ark} ann-01 -o x.svg"),
            "there is no such utterance",
        ),
        (
            format!("plot {ark} ann-001 -o x.jpg"),
            "the name does not say which kind of picture",
        ),
        (
            format!("plot {ark} ann-001 -o -"),
            "the name does not say which kind of picture",
        ),
        (
            format!("plot {ark} ann-001 --kind dims"),
            "of the whole data set",
        ),
        (
            format!("plot {ark} --kind labels"),
            "nothing in it can be drawn",
        ),
        (
            format!("plot {} ann-001", sample("text")),
            "nothing in it can be drawn",
        ),
        (
            format!("plot {}", sample("text")),
            "nothing in it can be drawn",
        ),
        (format!("plot {ark} -o there.svg"), "there.svg"),
        ("plot cut.ark -o x.png".to_owned(), "cut.ark"),
        ("report missing.ark -o x.html".to_owned(), "missing.ark"),
    ] {
        let error = s.fails(&line);
        assert!(error.contains(says), "{line}: {error}");
    }
    let said = s.run(&format!("plot {ark} --json"));
    assert_eq!(said.status, 2);
    assert!(said.err.contains("a picture is not JSON"), "{}", said.err);
    assert_eq!(s.read("there.svg"), b"mine");
    s.ok(&format!("plot {ark} -o there.svg --overwrite -q"));
    s.ok(&format!("report {ark} -o r.html"));
    let error = s.fails(&format!("report {ark} -o {ark} --overwrite"));
    assert!(error.contains("fbank.ark"), "{error}");
}

#[test]
fn a_page_says_what_data_are_packed_with() {
    let s = Scratch::new();
    s.ok(&format!("{} m.ark.gz --co compress=2", sample("fbank.ark")));
    for (input, packed) in [
        (sample("mfcc_cm.ark"), "CM"),
        ("m.ark.gz".to_owned(), "gzip+CM"),
    ] {
        s.ok(&format!("report {input} -o m.html --overwrite"));
        let page = String::from_utf8(s.read("m.html")).unwrap();
        let row = format!("<dt>Packed with</dt><dd>{packed}</dd>");
        assert!(page.contains(&row), "{input}");
    }
}

#[test]
fn a_page_about_damaged_data() {
    let s = Scratch::new();
    let ark = std::fs::read(sample("fbank.ark")).unwrap();
    // The third entry claims more than there is; the last one is cut.
    let mut broken = ark[..ark.len() - 100].to_vec();
    broken[82_934 + 6..82_934 + 10].copy_from_slice(&i32::MAX.to_le_bytes());
    s.write("bad.ark", &broken);
    s.write("bad.jsonl", "{\"key\":\"a\",\"labels\":[1,2]}\n{\"key\":\"<b>\",\"labels\":[1,}\n{\"key\":\"c\",\"labels\":[3]}\n");
    s.write("bad.pkl", b"\x80\x02]q");
    for (name, utterances, faults) in [("bad.ark", 10, 2), ("bad.jsonl", 2, 1)] {
        let said = s.run(&format!("report {name} -o page.html --overwrite"));
        assert_eq!(said.status, 2, "{name}: {}", said.err);
        assert!(
            said.err.contains(&format!("spr-convert: error: {name}")),
            "{}",
            said.err
        );
        let page = text(&s, "page.html");
        well_formed(&page);
        assert!(
            page.contains(&format!("<dt>Utterances</dt><dd>{utterances}</dd>")),
            "{name}"
        );
        assert!(
            page.contains(&format!("<dt>Faults</dt><dd>{faults}</dd>")),
            "{name}"
        );
        // The words are those of `check`.
        let check = s.run(&format!("check {name} --json")).out;
        let findings: Vec<serde_json::Value> = check
            .lines()
            .map(|l| serde_json::from_str(l).unwrap())
            .collect();
        let damage: Vec<_> = findings.iter().filter(|f| f["sort"] == "damage").collect();
        assert_eq!(damage.len(), faults, "{name}: {check}");
        for finding in damage {
            let message = finding["message"].as_str().unwrap();
            let message = message.replace('"', "&quot;").replace('<', "&lt;");
            assert!(page.contains(&message), "{name}: {message}");
        }
        assert!(page.contains("All utterances") && page.ends_with("</html>\n"));
    }
    assert!(s.fails("report bad.pkl -o x.html").contains("bad.pkl"));
    // From a pipe there is what came before.
    let said = s.shell("spr-convert report - -o - < bad.ark > piped.html; exit $?");
    assert_eq!(said.status, 2, "{}", said.err);
    assert!(text(&s, "piped.html").contains("<dt>Utterances</dt><dd>2</dd>"));
    // A whole one says nothing of it.
    s.ok(&format!("report {} -o whole.html", sample("fbank.ark")));
    assert!(!text(&s, "whole.html").contains("Damage</h2>"));
}

#[test]
fn what_has_few_values_a_frame_and_curves() {
    let s = Scratch::new();
    s.write("post.ark", "p [ 7 0.25 9 0.75 ] [ ] [ 8 1 ]\n");
    s.write("lists.ark", "l 3 4 ; 4 ; ;\n");
    s.write("vec.ark", "v [ 0 0 1 1 2.5 ]\n");
    s.write(
        "sparse.jsonl",
        "{\"key\":\"s\",\"kind\":\"sparse-matrix\",\"value\":{\"dtype\":\"f32\",\"dim\":9,\"rows\":[[[2,0.5]],[],[[8,-1]]]}}\n",
    );
    let post = s.ok("plot post.ark --width 40").out;
    let lines: Vec<_> = post.lines().collect();
    assert_eq!(lines[0], "p");
    assert!(lines[1].ends_with("0.00  .:-=+*#%@ 1.00"), "{post}");
    assert!(
        lines[2].starts_with("       9 ######") && lines[3].ends_with("@@@@@@@@@@"),
        "{post}"
    );
    assert!(lines[4].starts_with("       7 :"), "{post}");
    assert!(
        lines[5].starts_with("    best |9") && lines[5].contains("|8"),
        "{post}"
    );
    let lists = s.ok("plot lists.ark l --oo holder=int32-vector-vector").out;
    assert!(
        lists.contains("       4 @@@") && !lists.contains("best"),
        "{lists}"
    );
    s.write("vad.ark", "v [ 0 0 1 1 0 ]\n");
    let curve = s.ok("plot vad.ark v --width 40").out;
    let last = curve.lines().nth(9).unwrap();
    assert!(
        last.starts_with("    0.00 ####") && last.ends_with('#'),
        "{curve}"
    );
    let curve = s.ok("plot vec.ark v --width 40").out;
    let lines: Vec<_> = curve.lines().collect();
    assert!(
        lines[1].starts_with("    2.50 ") && lines[1].ends_with('#'),
        "{curve}"
    );
    assert!(lines[9].starts_with("    0.00 ####"), "{curve}");
    for (file, key) in [
        ("post.ark", "p"),
        ("vec.ark", "v"),
        ("sparse.jsonl", "s"),
        ("lists.ark", "l"),
    ] {
        let holder = match file {
            "lists.ark" => " --oo holder=int32-vector-vector",
            _ => "",
        };
        let svg = s
            .ok(&format!("plot {file} {key} -o - --to svg{holder}"))
            .out;
        well_formed(&svg);
        assert!(svg.contains(&format!(">{key}, ")), "{file}");
        let page = s.ok(&format!("report {file} -o -{holder}")).out;
        assert!(
            page.contains("<h2>Utterances</h2>") || file == "sparse.jsonl",
            "{file}"
        );
    }
    let error = s.run(&format!("plot {} ann-001", sample("text"))).err;
    assert!(
        error.contains("posteriors, lists of integers and sparse"),
        "{error}"
    );
}
