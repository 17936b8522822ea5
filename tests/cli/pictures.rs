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
    assert!(whole.contains(" 6.0  1.0e0 to 1.0e30 in all\n"), "{whole}");
    assert!(torn.contains("  ? NaN/inf\n"), "{torn}");
    let svg = s.ok("plot f.jsonl whole torn -o - --to svg").out;
    assert_eq!(svg.matches(">NaN/inf</text>").count(), 1, "{svg}");
    assert_eq!(svg.matches("in all</text>").count(), 2, "{svg}");
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
    let bytes = s.read("fbank.ark").len() as f64 / 1e3;
    for part in [
        format!("<dt>File size</dt><dd>{bytes:.1} kB</dd>"),
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
