//! Old names of flags. An old name is accepted with a warning that gives the new one, for as long as
//! `docs/stability.md` promises.

use std::ffi::OsString;

use clap::ArgMatches;

use super::messages;

/// A flag whose name changed.
#[derive(Debug, PartialEq)]
pub(super) struct RenamedFlag {
    /// The verb that has the flag.
    verb: &'static str,
    old: &'static str,
    new: &'static str,
}

/// All old names that are accepted.
const RENAMED: &[RenamedFlag] = &[RenamedFlag {
    verb: "select",
    old: "--sample-seed",
    new: "--seed",
}];

/// Replaces old names in a command line, up to `--`, by the names of today. Returns the words and the
/// flags that were typed by their old names, each once.
pub(super) fn replace(words: Vec<OsString>) -> (Vec<OsString>, Vec<&'static RenamedFlag>) {
    let mut found: Vec<&'static RenamedFlag> = Vec::new();
    let mut is_flag = true;
    let verb = words.get(1).cloned().unwrap_or_default();
    let replaced = words.into_iter().map(|word| {
        is_flag &= word != "--";
        let text = word.to_str().filter(|_| is_flag).unwrap_or_default();
        let (name, value) = text.split_at(text.find('=').unwrap_or(text.len()));
        let mut flags = RENAMED.iter().filter(|flag| verb == flag.verb);
        let Some(flag) = flags.find(|flag| name == flag.old) else {
            return word;
        };
        if !found.contains(&flag) {
            found.push(flag);
        }
        format!("{}{value}", flag.new).into()
    });
    (replaced.collect(), found)
}

/// Warns of flags that were typed by their old names, unless the command line asks for quiet.
pub(super) fn warn(flags: &[&RenamedFlag], given: &ArgMatches) {
    let verb = given.subcommand().map_or(given, |(_, verb)| verb);
    if let Ok(Some(true)) = verb.try_get_one::<bool>("quiet") {
        return;
    }
    for RenamedFlag { old, new, .. } in flags {
        messages::warning(&format!(
            "{old} is called {new} now; the old name will be removed"
        ));
    }
}

#[cfg(test)]
mod tests {
    use clap::Command;

    use super::super::program;
    use super::*;
    use crate::builtin;

    #[test]
    fn new_names_exist_and_old_ones_are_free() {
        let program = program::command(&builtin::registry());
        for flag in RENAMED {
            let verb = program.find_subcommand(flag.verb);
            let names = verb.into_iter().flat_map(Command::get_arguments);
            let names: Vec<_> = names
                .flat_map(|arg| arg.get_long_and_visible_aliases().unwrap_or_default())
                .map(|name| format!("--{name}"))
                .collect();
            assert!(names.contains(&flag.new.to_owned()), "{flag:?}");
            assert!(!names.contains(&flag.old.to_owned()), "{flag:?}");
        }
    }
}
