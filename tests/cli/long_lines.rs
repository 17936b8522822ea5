//! Lines, words and names of any length: what is said of them is short, and has its place.

use super::Scratch;

/// The longest line on standard error, or of a finding.
const MOST: usize = 400;
const LENGTHS: [usize; 4] = [250, 900, 5_000, 100_000];
const EXTENSIONS: [&str; 25] = [
    "ark", "scp", "ali", "jsonl", "json", "csv", "tsv", "ctm", "stm", "rttm", "mlf", "lab",
    "TextGrid", "trn", "srt", "vtt", "spr", "key", "seg", "est", "phn", "wav", "npy", "pkl", "txt",
];

/// Faulty files in which § stands for a word and ¶ for words.
const CONTENTS: [&str; 26] = [
    "§\n",
    "¶\n",
    "a §\n",
    "§ 1 2 3\n§ 1 2 3\n",
    "§ [ 1 2 § ]\n",
    "{\"key\":\"§\",\"features\":5}\n",
    "{\"§\":1}\n",
    "{\"¶\":1}\n",
    "\"¶\"\n",
    "{\"audio_filepath\":\"§\",\"duration\":\"§\"}\n",
    "key,§\n1,2\n",
    "§\t§\t§\t§\n",
    "#!MLF!#\n\"§\"\n0 §\n.\n",
    "#!MLF!#\n\"*/a.lab\"\n¶\n.\n",
    "SPEAKER § 1 0.0 1.0 <NA> <NA> § <NA>\n",
    "SPEAKER f 1 § 1.0 <NA> <NA> s <NA>\n",
    "f 1 0.0 § word\n",
    "File type = \"ooTextFile\"\nObject class = \"§\"\n",
    "File type = \"¶\"\nObject class = \"TextGrid\"\n",
    "File type = \"ooTextFile\"\nObject class = \"TextGrid\"\n\n§ = 0\n",
    ".spr\nDATA §\nTYPE F32\n#\n",
    ".key\n§ FEATURE\n#\n",
    "EST_File §\nDataType ascii\n",
    "1\n§ --> 00:00:01,000\nhi\n",
    "WEBVTT\n\n§ --> 00:01.000\nhi\n",
    "a §.ark:10\nb cat § |\n",
];

#[test]
fn messages_are_short_and_have_their_place() {
    let s = Scratch::new();
    let mut told = 0;
    for (i, content) in CONTENTS.iter().enumerate() {
        let length = LENGTHS[i % LENGTHS.len()];
        let (word, words) = ("x".repeat(length), "word ".repeat(length / 5));
        let bytes = content.replace('¶', words.trim_end()).replace('§', &word);
        for extension in EXTENSIONS {
            let name = format!("f.{extension}");
            s.write(&name, &bytes);
            for line in [format!("check {name}"), format!("{name} jsonl:-")] {
                let said = s.run(&line);
                let lines = said.err.lines();
                let found = said.out.lines().filter(|_| line.starts_with("check"));
                for text in lines.chain(found) {
                    let shown: String = text.chars().take(200).collect();
                    let size = text.chars().count();
                    assert!(size <= MOST, "{line}, {length} of {content:?}: {shown}");
                }
                if said.status == 2 {
                    let error = said.err.lines().find(|line| line.contains("error: "));
                    let error = error.unwrap_or_else(|| panic!("{line}: no error"));
                    // A fault in what a list names has the place of that, and the utterance.
                    let placed = error.contains(&name) || error.contains(": utterance ");
                    let listed = bytes.starts_with('"') && extension == "scp";
                    assert!(placed || listed, "{line}: {error}");
                    told += 1;
                }
            }
        }
    }
    assert!(told > 300, "{told}");
}

#[test]
fn long_flags_and_values_are_shortened() {
    let s = Scratch::new();
    s.write("a.jsonl", "");
    let long = "x".repeat(50_000);
    for line in [
        format!("{long} b.ark"),
        format!("--{long} b.ark"),
        format!("a.jsonl b.ark --rate {long}"),
        format!("a.jsonl b.ark --to {long}"),
        format!("a.jsonl,{long}=1 b.ark"),
        format!("show a.jsonl {long}"),
    ] {
        let said = s.run(&line);
        let shown: String = line.chars().take(60).collect();
        assert_eq!(said.status, 2, "{shown}");
        let most = said.err.lines().map(|line| line.chars().count()).max();
        assert!(most.unwrap_or(0) <= MOST, "{shown}: {most:?}");
    }
}

#[test]
fn a_table_has_one_width_whatever_error_stands_between() {
    let s = Scratch::new();
    let line = "{\"key\":\"a\",\"features\":{\"dtype\":\"f32\",\"shape\":[1,1],\"data\":[[1]]}}\n";
    s.write("a.jsonl", line);
    s.write("much-longer-than-the-others.jsonl", line);
    s.write("bad.jsonl", "{\"key\":5}\n");
    let said = s.run("info a.jsonl bad.jsonl much-longer-than-the-others.jsonl");
    assert_eq!(said.status, 2, "{}", said.err);
    assert!(said.err.contains("bad.jsonl:1"), "{}", said.err);
    let second: Vec<_> = said
        .out
        .lines()
        .map(|line| {
            let (first, rest) = line.split_at(line.find(' ').unwrap_or(line.len()));
            first.len() + rest.len() - rest.trim_start().len()
        })
        .collect();
    assert!(second.len() >= 3, "{}", said.out);
    assert!(
        second.iter().all(|start| *start == second[0]),
        "{}",
        said.out
    );
}
