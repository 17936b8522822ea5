//! Rooms of a crate import from those below them alone, in the order of CONTRIBUTING.md.

use std::fs;

use super::imports::Crate;
use super::root;

/// Returns the rooms that the indented lines behind a sentence name, from the ground up.
fn rooms(sentence: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join("CONTRIBUTING.md")).unwrap();
    let (_, list) = text.split_once(sentence).unwrap();
    let lines = list.lines().skip_while(|line| !line.starts_with("    "));
    let lines = lines.take_while(|line| line.starts_with("    "));
    // A description that goes on stands further in.
    let lines = lines.filter(|line| !line.starts_with("     "));
    let names = lines.filter_map(|line| line.split_whitespace().next());
    names
        .map(|name| name.trim_end_matches('/').to_owned())
        .collect()
}

#[test]
fn no_room_imports_from_one_above_it() {
    let mut found = Vec::new();
    for (folder, sentence) in [
        ("core/src", "The rooms of the core, from the ground up"),
        ("engine/src", "The rooms of the engine, from the ground up"),
    ] {
        let rooms = rooms(sentence);
        let rank = |name: &String| {
            let rank = rooms.iter().position(|room| room == name);
            rank.unwrap_or_else(|| panic!("CONTRIBUTING.md does not know {folder}/{name}"))
        };
        let all = Crate::read(&root().join(folder));
        for (own, others) in all.edges() {
            let Some(room) = own.first() else { continue };
            for other in others.iter().filter_map(|other| other.first()) {
                if rank(other) > rank(room) {
                    found.push(format!("{folder}/{} -> {other}", own.join("/")));
                }
            }
        }
        assert!(rooms.len() > 8, "{rooms:?}");
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
