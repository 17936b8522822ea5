//! What Kaldi's `validate_data_dir.sh` looks at, a row each: what it refuses is a fault, and what it
//! takes is none.

use super::*;

/// The tables of a directory that are not in [`FILES`], all in order.
const OTHERS: [(&str, &str); 11] = [
    ("spk2gender", "a f\nb m\n"),
    ("spk2warp", "a 0.9\nb 1.1\n"),
    ("utt2warp", "a-1 1\na-2 1\nb-1 1\n"),
    ("utt2lang", "a-1 nl\na-2 nl\nb-1 de\n"),
    ("utt2uniq", "a-1 x\na-2 y\nb-1 z\n"),
    ("utt2dur", "a-1 0.5\na-2 0.5\nb-1 1\n"),
    ("utt2num_frames", "a-1 5\na-2 5\nb-1 10\n"),
    ("reco2dur", "r1 1\nr2 1\n"),
    ("reco2file_and_channel", "r1 r A\nr2 r B\n"),
    ("cmvn.scp", "a c.ark:3\nb c.ark:40\n"),
    ("vad.scp", "a-1 v.ark:4\na-2 v.ark:9\nb-1 v.ark:15\n"),
];

fn good(name: &str) -> &'static str {
    let mut all = FILES.into_iter().chain(OTHERS);
    all.find(|(own, _)| *own == name).unwrap().1
}

/// Returns the faults of a directory with all tables, one of them replaced.
fn faults(name: &str, text: &str) -> Vec<String> {
    let others = OTHERS.into_iter().filter(|(own, _)| *own != name);
    let mut changes: Vec<Change<'_>> = others.map(|(own, text)| (own, Some(text))).collect();
    changes.push((name, Some(text)));
    let (found, _) = begin(&changes).unwrap();
    let faults = found.into_iter();
    faults
        .filter(|finding| finding.starts_with("fault"))
        .collect()
}

/// All tables that the script checks.
fn tables() -> impl Iterator<Item = &'static str> {
    FILES.into_iter().chain(OTHERS).map(|(name, _)| name)
}

#[test]
fn the_directory_with_all_tables_has_no_fault() {
    for name in tables() {
        let faults = faults(name, good(name));
        assert!(faults.is_empty(), "{faults:#?}");
    }
}

/// Makes a fault of the text of a table.
type Spoil = fn(&str) -> String;

#[test]
fn lines_and_keys_of_all_tables() {
    let spoils: [(&str, Spoil); 9] = [
        ("is empty", |_| String::new()),
        ("does not end in a line end", |text| {
            text.trim_end().to_owned()
        }),
        ("has a byte order mark", |text| format!("\u{feff}{text}")),
        ("has a blank line", |text| format!("{text}\n")),
        ("is not sorted", |text| {
            text.lines().rev().map(|line| format!("{line}\n")).collect()
        }),
        ("has a key twice", |text| {
            text.lines()
                .map(|line| format!("{line}\n{line}\n"))
                .collect()
        }),
        ("lacks a key", |text| {
            text.split_inclusive('\n').skip(1).collect()
        }),
        ("has another key", |text| {
            let last = text.lines().last().unwrap();
            format!("{text}z{last}\n")
        }),
        ("has CR LF", |text| text.replace('\n', "\r\n")),
    ];
    for name in tables() {
        for (rule, spoil) in spoils {
            assert!(
                !faults(name, &spoil(good(name))).is_empty(),
                "{name} {rule}"
            );
        }
    }
}

#[test]
fn values_that_the_script_refuses() {
    for (name, line) in [
        ("utt2spk", "a-1"),
        ("utt2spk", "a-1 a b"),
        ("utt2spk", "a-1 c"),
        // `sort -k2` compares the blanks, too.
        ("utt2spk", "a-1 a "),
        ("utt2spk", "a-1 a\t"),
        ("spk2utt", "a a-1"),
        ("spk2utt", "a a-2 a-1"),
        ("spk2utt", "a a-1 a-2 a-2"),
        ("text", "a-1 ONE <s>"),
        ("text", "a-1 ONE-</s>."),
        ("text", "a-1 (#0)"),
        ("text", "a-1 ONE\u{7}"),
        ("text", "a-1 ONE\u{200b}TWO"),
        ("text", "a-1 ONE\u{feff}"),
        ("text", "a-1 \u{2060}ONE"),
        ("text", "a-1 ONE\u{180e}TWO"),
        ("text", "a-1 ONE\u{85}TWO"),
        ("text", "a-1 ONE\u{a0}TWO"),
        ("text", "a-1 ONE\u{1680}TWO"),
        ("text", "a-1 ONE\u{2009}TWO"),
        ("text", "a-1 ONE\u{2028}TWO"),
        ("text", "a-1 ONE\u{2029}"),
        ("text", "a-1 ONE\u{202f}TWO"),
        ("text", "a-1 ONE\u{205f}TWO"),
        ("text", "a-1 \u{3000}ONE"),
        ("text", "a-1 ONE\u{b}TWO"),
        ("text", "a-1 ONE\u{c}TWO"),
        ("segments", "a-1 r1 0"),
        ("segments", "a-1 r1 0 0.5 1"),
        ("segments", "a-1 r1 0.5 0.5"),
        ("segments", "a-1 r1 0 -1"),
        ("segments", "a-1 r9 0 0.5"),
        ("wav.scp", "r1 ~/one.wav"),
        ("spk2gender", "a x"),
        ("spk2gender", "a f m"),
        ("spk2warp", "a 0.5"),
        ("spk2warp", "a 1.5"),
        ("utt2warp", "a-1 2"),
        ("utt2dur", "a-1 0"),
        ("utt2dur", "a-1 -1"),
        ("utt2dur", "a-1 1 1"),
        ("utt2num_frames", "a-1 0"),
        ("utt2num_frames", "a-1 1.5"),
        ("reco2dur", "r1 0"),
        ("reco2dur", "r1"),
        ("reco2file_and_channel", "r1 A"),
        ("reco2file_and_channel", "r1 r C"),
        ("reco2file_and_channel", "r1 r A B"),
    ] {
        assert!(
            !faults(name, &first_line(name, line)).is_empty(),
            "{name}: {line:?}"
        );
    }
}

#[test]
fn values_that_the_script_takes() {
    for (name, line) in [
        ("utt2spk", "a-1  a"),
        ("utt2spk", "a-1\ta"),
        ("spk2utt", "a  a-1 a-2 "),
        ("text", "a-1"),
        ("text", "a-1 ONE  TWO\t"),
        ("text", "a-1 ONE<s>TWO #01"),
        ("text", "a-1 \u{dc}BER \u{4e00}\u{2019}s"),
        ("text", "a-1 \u{645}\u{6cc}\u{200c}\u{62e}"),
        ("segments", "a-1  r1 0 0.5 "),
        ("wav.scp", "r1 one.wav~"),
        ("wav.scp", "r1 cat ~/one.wav |"),
        ("spk2gender", "a f "),
        ("spk2warp", "a\t0.51"),
        ("utt2dur", "a-1 5e-1"),
        ("reco2file_and_channel", "r1 r 1"),
    ] {
        let faults = faults(name, &first_line(name, line));
        assert!(faults.is_empty(), "{name}: {line:?}: {faults:#?}");
    }
}

/// Returns the text of a table with another first line.
fn first_line(name: &str, line: &str) -> String {
    let rest = good(name).split_once('\n').unwrap().1;
    format!("{line}\n{rest}")
}
