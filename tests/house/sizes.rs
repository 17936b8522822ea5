//! Files and functions are short.

use std::fs;

use super::{root, sources};

/// The most lines of a file, and of a function.
const FILE: usize = 600;
const FUNCTION: usize = 100;

/// Returns the name of the function that a line of formatted code begins, and its indentation.
fn function(line: &str) -> Option<(&str, usize)> {
    let code = line.trim_start();
    let (before, after) = code.split_once("fn ")?;
    let qualifiers = ["", "pub", "const", "async", "unsafe", "extern", "default"];
    let mut words = before.split(' ');
    let is_qualifier = |word: &str| qualifiers.contains(&word) || word.starts_with("pub(");
    let name = after.split(['(', '<']).next()?;
    let is_one = words.all(is_qualifier) && !name.is_empty();
    is_one.then_some((name, line.len() - code.len()))
}

#[test]
fn files_and_functions_are_short() {
    let mut found = Vec::new();
    let mut functions = 0;
    for file in sources(root()) {
        let text = fs::read_to_string(&file).unwrap();
        let lines: Vec<_> = text.lines().collect();
        if lines.len() > FILE {
            found.push(format!("{} has {} lines", file.display(), lines.len()));
        }
        for (n, line) in lines.iter().enumerate() {
            let Some((name, indent)) = function(line) else {
                continue;
            };
            let end = format!("{}}}", " ".repeat(indent));
            let Some(length) = lines[n..].iter().position(|line| *line == end) else {
                continue;
            };
            functions += 1;
            if length + 1 > FUNCTION {
                let place = format!("{}:{}", file.display(), n + 1);
                found.push(format!("{place}: {name} has {} lines", length + 1));
            }
        }
    }
    assert!(functions > 5000, "{functions} functions");
    assert!(found.is_empty(), "{}", found.join("\n"));
}
