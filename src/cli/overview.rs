//! The overview for a call without arguments.

use std::io::Write;

use clap::Command;

use super::exit::FAILED;
use super::program::EXAMPLES;

/// Verbs by what they are for.
const VERBS: &[(&str, &[&str])] = &[
    (
        "look",
        &["info", "ls", "show", "stats", "diff", "plot", "report"],
    ),
    (
        "convert",
        &["convert", "select", "sort", "merge", "split", "shards"],
    ),
    ("repair", &["check", "repair", "index", "header"]),
    (
        "learn",
        &["formats", "help", "man", "completions", "kaldi-links"],
    ),
];

/// Prints on one screen what there is, on standard error, and gives the exit status.
pub(super) fn print(program: &Command) -> u8 {
    // Nobody is left to tell if that fails.
    let _ = std::io::stderr().write_all(text(program).as_bytes());
    FAILED
}

fn text(program: &Command) -> String {
    let there = |verb: &&&str| **verb == "help" || program.find_subcommand(verb).is_some();
    let mut text = String::from(
        "spr-convert converts speech data between any two formats.\n\n  \
         spr-convert IN OUT     convert; the name of OUT says what to write\n  \
         spr-convert FILE       say what is in it\n  \
         spr-convert VERB ...   do something else\n\n",
    );
    for (what, verbs) in VERBS {
        let verbs: Vec<_> = verbs.iter().filter(there).copied().collect();
        text.push_str(&format!("  to {what:<8} {}\n", verbs.join(" ")));
    }
    text.push_str(&format!("\n{EXAMPLES}\n\n"));
    text.push_str("spr-convert help lists the options, spr-convert help VERB those of one verb.\n");
    text
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::cli::program::Cli;

    #[test]
    fn a_screen_has_all_verbs() {
        let program = Cli::command();
        let text = text(&program);
        assert!(text.lines().count() <= 24, "{text}");
        assert!(
            text.lines().all(|line| line.chars().count() <= 80),
            "{text}"
        );
        for verb in program.get_subcommands() {
            let verb = verb.get_name();
            assert!(text.split_whitespace().any(|word| word == verb), "{verb}");
        }
    }
}
