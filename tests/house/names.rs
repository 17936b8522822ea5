//! No format is named outside of the list of formats.

use std::fs;

use spr_convert::builtin;

use super::{root, sources};

/// Words that stand for a family of formats, beside the names of the formats themselves.
const FAMILIES: [&str; 5] = ["spraak", "numpy", "praat", "kaldi", "audiofolder"];
/// Names of formats that are words of the language as well.
const WORDS: [&str; 1] = ["key"];
/// What users type: the name of a verb and of a header's kind, and examples in hints.
const TYPED: [&str; 6] = [
    "kaldi-links",
    "KaldiLinks",
    "Dialect::Spr => \"spr\"",
    "ark,t:- or jsonl:-",
    "htk:{folder}/ and the like",
    "for Kaldi's text format, name it ark,t:{path}",
];

/// The lines of a file that are code: no comments, tests, features or help.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut help = false;
    let lines = text.lines().enumerate();
    let lines = lines.take_while(|(_, line)| *line != "mod tests {");
    lines.filter(move |(_, line)| {
        let before = help;
        help = (help || line.contains(": &str = \"\\")) && !line.ends_with("\";");
        let line = line.trim();
        !(before || help || line.starts_with("//") || line.starts_with("#[cfg("))
    })
}

/// The root takes what it knows of formats from the formats, and names none.
#[test]
fn no_format_is_named_outside_of_the_list() {
    let mut files = sources(&root().join("src"));
    files.extend(sources(&root().join("engine/src")));
    let all = files.len();
    files.retain(|file| !file.ends_with("builtin.rs"));
    assert_eq!(files.len(), all - 1, "the list itself is left out");
    assert!(all > 120, "{all} files");
    let registry = builtin::registry();
    let names = registry.names().into_iter().filter(|n| !WORDS.contains(n));
    let names: Vec<_> = names.collect();
    // A short name may be a part of any word.
    let long = names.iter().filter(|name| name.len() > 4);
    let within: Vec<_> = long.chain(&FAMILIES).collect();
    let mut found = Vec::new();
    for file in &files {
        let text = fs::read_to_string(file).unwrap();
        for (number, line) in code(&text) {
            let mut line = line.to_owned();
            for typed in TYPED {
                line = line.replace(typed, "");
            }
            let line = line.to_lowercase();
            let quoted = |name: &&str| {
                line.contains(&format!("\"{name}\"")) || line.contains(&format!("\"{name}:"))
            };
            if names.iter().any(quoted) || within.iter().any(|name| line.contains(**name)) {
                found.push(format!("{}:{}: {line}", file.display(), number + 1));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
