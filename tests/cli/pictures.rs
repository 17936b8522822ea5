//! What pictures say in words: names of labels, colours, values beyond them.

use super::{Scratch, sample};

#[test]
fn labels_have_the_names_of_a_table() {
    let s = Scratch::new();
    let (ark, ali) = (sample("fbank.ark"), sample("ali.txt"));
    s.ok(&format!("{ark} --labels {ali} a.pfile"));
    let phones: String = (0..23).map(|i| format!("ph{i} {i}\n")).collect();
    s.write("phones.txt", phones);
    let names = "--symbols phones.txt";
    s.ok(&format!("plot a.pfile ann-001 {names} -o a.svg"));
    s.ok(&format!("plot a.pfile --kind labels {names} -o all.svg"));
    s.ok(&format!("report a.pfile {names} -o a.html"));
    for (name, shown) in [
        ("a.svg", ">ph4</text>"),
        ("all.svg", ">ph0</text>"),
        ("a.html", ">ph4</text>"),
    ] {
        let text = String::from_utf8(s.read(name)).unwrap();
        assert!(text.contains(shown), "{name}: {text}");
    }
    let bars = s.ok(&format!("plot a.pfile --kind labels {names}")).out;
    // A label that the table does not have keeps its number.
    assert!(
        bars.contains(" ph22  ") && bars.contains("   23  "),
        "{bars}"
    );
    let track = s.ok(&format!("plot a.pfile ann-001 {names}")).out;
    assert!(track.contains("|ph4 "), "{track}");
    let fault = s.run("plot a.pfile ann-001 --symbols nowhere.txt");
    assert!(fault.err.contains("nowhere.txt"), "{}", fault.err);
}

#[test]
fn values_far_out_and_no_values_are_told() {
    let s = Scratch::new();
    let row = "[1,2,3,1e30],[4,5,6,1e30]";
    s.write(
        "f.jsonl",
        format!(
            "{{\"key\":\"whole\",\"features\":{{\"dtype\":\"f64\",\"shape\":[2,4],\"data\":[{row}]}}}}\n\
             {{\"key\":\"torn\",\"features\":{{\"dtype\":\"f64\",\"shape\":[3,4],\"data\":[{row},[\"nan\",1,1,1]]}}}}\n"
        ),
    );
    let (whole, torn) = (
        s.ok("plot f.jsonl whole").out,
        s.ok("plot f.jsonl torn").out,
    );
    assert!(whole.contains(" 6.0  1 to 1.0e30 in all\n"), "{whole}");
    assert!(torn.contains("  ? 1 value NaN/inf\n"), "{torn}");
    let svg = s.ok("plot f.jsonl whole torn -o - --to svg").out;
    let grey = "; grey: 1 value NaN/inf</text>";
    assert_eq!(svg.matches(grey).count(), 1, "{svg}");
    assert_eq!(svg.matches("values 1 to 1.0e30 in all").count(), 2, "{svg}");
    let own = ">the colours of each utterance span its own values</text>";
    assert!(svg.contains(own), "{svg}");
    let all = s.ok("plot f.jsonl --kind dims").out;
    let named = "NaN or infinite values in one utterance: torn\n";
    assert!(all.starts_with(named), "{all}");
}

#[test]
fn pages_tell_speakers_words_and_the_file() {
    let s = Scratch::new();
    for name in ["fbank.ark", "text"] {
        s.write(name, std::fs::read(sample(name)).unwrap());
    }
    let keys = s.ok("ls fbank.ark --tsv").out;
    let keys = keys
        .lines()
        .skip(1)
        .filter_map(|line| line.split('\t').nth(1));
    let speakers = keys.map(|key| format!("{key} {}<\n", key.split('-').next().unwrap()));
    s.write("utt2spk", speakers.collect::<String>());
    s.ok("report fbank.ark --text text --utt2spk utt2spk --frame-shift 0.01 -o a.html");
    let page = String::from_utf8(s.read("a.html")).unwrap();
    let files = ["fbank.ark", "text", "utt2spk"];
    let bytes = files.map(|name| s.read(name).len()).iter().sum::<usize>() as f64 / 1e3;
    for part in [
        format!("<dt>Size</dt><dd>{bytes:.1} kB in 3 files</dd>"),
        "<dt>Read</dt><dd>20".to_owned(),
        "<td class=\"key\">ann&lt;</td>".to_owned(),
        "style=\"width:100.0%\"".to_owned(),
        "<blockquote>the converter reads".to_owned(),
        "From 9.64 s to 11.17 s each.".to_owned(),
        "<summary>All 12 utterances</summary>".to_owned(),
        "<input id=\"search\" type=\"search\"".to_owned(),
    ] {
        assert!(page.contains(&part), "{part}");
    }
    // The table that is searched has all keys, and nothing of them is in the script.
    let (table, script) = page.split_once("<script>").unwrap();
    let table = table.rsplit_once("id=\"keys\"").unwrap().1;
    assert_eq!(table.matches("<td class=\"key\">").count(), 12);
    assert!(!script.contains("ann") && page.matches("<script").count() == 1);
    s.ok("select fbank.ark few.ark --first 10");
    s.ok("report few.ark -o b.html");
    let page = String::from_utf8(s.read("b.html")).unwrap();
    assert!(!page.contains("Speakers:") && !page.contains("<blockquote>"));
    assert!(!page.contains("<script") && page.contains("<h2>All utterances</h2>"));
}

/// A terminal of 256 colours gets those, a dumb one none.
#[test]
fn a_sheet_of_a_data_set_fits_a_terminal() {
    let s = Scratch::new();
    let (ark, ali) = (sample("fbank.ark"), sample("ali.txt"));
    s.ok(&format!("{ark} --labels {ali} a.pfile"));
    for (height, most) in [("", 40), ("--height 24", 24), ("--height 60", 60)] {
        let all = s.ok(&format!("plot a.pfile {height}")).out;
        let lines = all.lines().count();
        assert!((most * 2 / 3..=most).contains(&lines), "{lines}: {all}");
        assert!(all.lines().all(|line| line.len() <= 80), "{all}");
    }
    let one = |height: usize| {
        let said = s.ok(&format!("plot a.pfile ann-001 --height {height}")).out;
        said.lines().count()
    };
    assert_eq!((one(12), one(50)), (12, 44));
    let run = |term: &str| {
        let mut command = s.command();
        command.env("TERM", term).env_remove("COLORTERM");
        let line = ["plot", "a.pfile", "ann-001", "--color", "always"];
        let out = command.args(line).output().unwrap().stdout;
        String::from_utf8(out).unwrap()
    };
    let few = run("xterm-256color");
    assert!(
        few.contains("\x1b[38;5;") && !few.contains("38;2;"),
        "{few}"
    );
    assert!(run("xterm").contains("\x1b[38;2;"));
}

fn frames(key: &str, rows: &[&str]) -> String {
    let (shape, data) = (rows.len(), rows.join(","));
    format!(
        "{{\"key\":\"{key}\",\"features\":{{\"dtype\":\"f32\",\"shape\":[{shape},2],\"data\":[{data}]}}}}\n"
    )
}

/// The height is about what was asked for, and a scale makes a picture larger as a whole.
#[test]
fn pictures_are_as_high_and_as_fine_as_asked_for() {
    let s = Scratch::new();
    s.write("f.jsonl", frames("f", &["[1,2]", "[3,4]", "[5,6]"]));
    let size = |flags: &str| {
        s.ok(&format!("plot f.jsonl f -o a.png --overwrite {flags}"));
        let bytes = s.read("a.png");
        let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
        (number(16), number(20))
    };
    let (width, height) = size("");
    assert_eq!(width, 800);
    assert_eq!(size("--scale 2"), (1600, 2 * height));
    assert_eq!(size("--scale 0.5"), (400, height.div_ceil(2)));
    assert_eq!(size("--height 600"), (800, 600));
    let svg = s.ok("plot f.jsonl f -o - --to svg --scale 2").out;
    let start = format!(
        "width=\"1600\" height=\"{}\" viewBox=\"0 0 800 {height}\"",
        2 * height
    );
    assert!(svg.contains(&start), "{svg}");
    for bad in ["0.2", "9", "wide"] {
        let said = s.run(&format!("plot f.jsonl f --scale {bad}"));
        assert_eq!(said.status, 2, "{}", said.err);
        let why = "expected a number from 0.25 to 8";
        assert!(said.err.contains(why), "{}", said.err);
    }
    let large = s.fails("plot f.jsonl f -o b.png --scale 8 --width 8000 --height 60000");
    assert!(
        large.contains("is larger than 200 million pixels"),
        "{large}"
    );
}

#[test]
fn letters_that_png_does_not_have_are_told() {
    let s = Scratch::new();
    let text = frames("\u{4e2d}", &["[1,2]"]) + &frames("\u{142}", &["[1,2]"]);
    s.write("f.jsonl", text);
    let said = s.run("plot f.jsonl \u{4e2d} -o a.png");
    let told = "warning: a.png: letters that are not Latin are drawn as ?; an SVG has them all";
    assert!(said.err.contains(told), "{}", said.err);
    for line in ["\u{142} -o b.png", "\u{4e2d} -o a.svg"] {
        let said = s.run(&format!("plot f.jsonl {line}"));
        assert!(!said.err.contains("warning"), "{}", said.err);
    }
}

/// Lines are no longer than asked for, whatever is drawn.
#[test]
fn lines_fit_the_terminal() {
    let s = Scratch::new();
    let far = frames("far", &["[1,1e30]", "[2,\"nan\"]", "[3,4]"]).replace("f32", "f64");
    let long = frames(&"k".repeat(90), &["[1000000,2000000]", "[3,4]"]);
    let segments = r#"{"key":"s","segments":[{"start":0,"end":3,"label":"one","speaker":"ann"},{"start":2,"end":5,"label":"two","speaker":"bob"}]}"#;
    s.write("f.jsonl", far + &long + segments + "\n");
    s.ok(&format!(
        "{} --labels {} a.pfile",
        sample("fbank.ark"),
        sample("ali.txt")
    ));
    for width in [40, 61, 80] {
        for what in [
            "f.jsonl far".to_owned(),
            format!("f.jsonl {}", "k".repeat(90)),
            "f.jsonl s".to_owned(),
            "f.jsonl".to_owned(),
            "a.pfile ann-001 --frame-shift 0.01".to_owned(),
            "a.pfile".to_owned(),
        ] {
            let text = s.ok(&format!("plot {what} --width {width}")).out;
            let longest = text.lines().map(str::len).max();
            assert!(longest <= Some(width), "{what}: {text}");
        }
    }
    let rows = s.ok("plot f.jsonl s").out;
    assert!(
        rows.contains("\n     ann |one") && rows.contains("\n     bob  "),
        "{rows}"
    );
}

/// The size of a list says nothing about the data that it names.
#[test]
fn a_page_tells_the_size_of_the_data() {
    let s = Scratch::new();
    for name in ["fbank.ark", "fbank.scp"] {
        s.write(name, std::fs::read(sample(name)).unwrap());
    }
    let head = ".spr\nDATA SAMPLE\nTYPE I16\nFORMAT ASCII\nNCHAN 1\nSAMPLEFREQ 8000\n#\n";
    s.write("a.sam", format!("{head}{}", "5\n".repeat(800)));
    s.write("b.sam", format!("{head}{}", "7\n".repeat(1600)));
    std::fs::create_dir(s.path("sound")).unwrap();
    s.ok("a.sam sound/a.wav");
    s.ok("b.sam sound/b.wav");
    s.ok("sound manifest.jsonl --to nemo");
    let size = |names: &[&str]| {
        let bytes: usize = names.iter().map(|name| s.read(name).len()).sum();
        let size = format!("{:.1} kB", bytes as f64 / 1e3);
        match names.len() {
            1 => size,
            n => format!("{size} in {n} files"),
        }
    };
    for (input, names) in [
        ("fbank.ark", &["fbank.ark"][..]),
        ("fbank.scp", &["fbank.scp", "fbank.ark"]),
        ("sound", &["sound/a.wav", "sound/b.wav"]),
        (
            "manifest.jsonl",
            &["manifest.jsonl", "sound/a.wav", "sound/b.wav"],
        ),
    ] {
        s.ok(&format!("report {input} -o a.html --overwrite"));
        let page = String::from_utf8(s.read("a.html")).unwrap();
        let size = format!("<dt>Size</dt><dd>{}</dd>", size(names));
        assert!(page.contains(&size), "{input}: {size}");
    }
    let piped = s.shell("spr-convert report - --from kaldi -o b.html < fbank.ark");
    assert_eq!(piped.status, 0, "{}", piped.err);
    let page = String::from_utf8(s.read("b.html")).unwrap();
    assert!(!page.contains("<dt>Size</dt>"));
}

/// Sound that is played has a line in its picture, with the time of the picture's axis.
#[test]
fn the_player_has_the_time_of_the_picture() {
    let s = Scratch::new();
    let head = ".spr\nDATA SAMPLE\nTYPE I16\nFORMAT ASCII\nNCHAN 1\nSAMPLEFREQ 8000\n#\n";
    s.write("a.sam", format!("{head}{}", "5\n-5\n".repeat(4000)));
    s.ok("report a.sam -o a.html");
    let page = String::from_utf8(s.read("a.html")).unwrap();
    assert!(page.contains(" data-from=\"0\" data-to=\"1\">"));
    assert!(page.contains("requestAnimationFrame"));
    s.ok("report a.sam -o b.html --max-sound 0");
    let page = String::from_utf8(s.read("b.html")).unwrap();
    assert!(!page.contains("data-to=\"") && !page.contains("<script"));
}

#[test]
fn pdf_is_one_page_with_the_title() {
    let s = Scratch::new();
    let ark = sample("fbank.ark");
    let title = "Features (of ann)";
    let args = ["plot", &ark, "ann-001", "--title", title, "-o", "a.pdf"];
    assert_eq!(s.run_args(&args).status, 0);
    let text: String = s.read("a.pdf").iter().map(|b| char::from(*b)).collect();
    assert!(text.starts_with("%PDF-") && text.trim_end().ends_with("%%EOF"));
    assert!(text.contains("/MediaBox [0 0 600 ") && text.contains("/Count 1"));
    assert!(
        text.contains("/Title (Features \\(of ann\\))")
            || text.contains("/Title (Features (of ann))")
    );
    let svg = s.run_args(&[
        "plot", &ark, "ann-001", "--title", title, "-o", "-", "-t", "svg",
    ]);
    assert!(svg.out.contains(">Features (of ann)</text>"), "{}", svg.out);
    assert!(svg.out.contains("<title>Features (of ann)</title>"));
    let plain = s.run_args(&["plot", &ark, "ann-001", "--title", title]).out;
    assert!(plain.starts_with("Features (of ann)\nann-001\n"), "{plain}");
    // What a name says goes for PDF as well.
    let said = s.fails(&format!("report {ark} -o a.pdf"));
    assert!(said.contains("a page would be written"), "{said}");
    s.write("\u{283}.jsonl", frames("\u{283}", &["[1,2]", "[3,4]"]));
    let said = s.ok("plot \u{283}.jsonl -o b.pdf");
    assert!(said.err.contains("drawn as ?"), "{}", said.err);
}

/// A column with large values takes all the colours unless each has its own scale.
#[test]
fn columns_are_normalised() {
    let s = Scratch::new();
    s.write(
        "f.jsonl",
        frames("f", &["[1000,1]", "[1000,2]", "[1010,1]", "[990,2]"]),
    );
    let drawn = |flags: &str| s.ok(&format!("plot f.jsonl f --to svg -o - {flags}")).out;
    let (plain, columns) = (drawn(""), drawn("--normalise column"));
    assert!(
        plain.contains(">1000</text>") || plain.contains(">1010</text>"),
        "{plain}"
    );
    assert!(
        columns.contains("each column in standard deviations from its mean"),
        "{columns}"
    );
    assert!(!columns.contains(">1010</text>") && columns != plain);
    assert_eq!(drawn("--normalize column"), columns);
    assert_eq!(s.run("plot f.jsonl f --normalise rows").status, 2);
}
