//! Kinds of findings: findings with one cause, which are summed up.

use std::path::PathBuf;
use std::sync::Arc;

use spr_core::Error;
use spr_core::bytes::{Env, Location};
use spr_core::format::Severity;

/// The findings of a kind that are kept as examples.
const EXAMPLES: usize = 4;

/// The number of kinds of one sort that are told apart. Further findings of the sort are one kind.
const KINDS: usize = 16;

/// The words of a message that are compared.
const WORDS: usize = 60;

/// Findings of the same sort whose messages differ only in names and numbers.
#[non_exhaustive]
#[derive(Clone, Debug)]
pub struct Kind {
    /// The severity of each.
    pub severity: Severity,
    /// Their sort: `damage`, `values`, `audio`, …
    pub sort: &'static str,
    /// The number of findings.
    pub count: u64,
    /// The first few findings.
    pub examples: Vec<Arc<Error>>,
    /// The folder whose absence is the cause of all.
    pub missing: Option<Location>,
    /// The words of their messages, without names and numbers; `None` for all other messages.
    words: Option<String>,
    /// The folder with all the files that do not exist; `None` if a finding is of another cause.
    folder: Option<PathBuf>,
}

/// The kinds of findings so far.
#[derive(Clone, Default)]
pub(super) struct Kinds(Vec<Kind>);

impl Kinds {
    /// Adds a finding to its kind.
    pub(super) fn add(&mut self, severity: Severity, sort: &'static str, error: &Error) {
        let same = |kind: &&mut Kind| kind.severity == severity && kind.sort == sort;
        let words = words(error);
        let own = |kind: &Kind| kind.words.as_ref().is_none_or(|own| *own == words);
        let count = self.0.iter_mut().filter(same).count();
        let found = self.0.iter_mut().filter(same).find(|kind| own(kind));
        let folder = error.file_name().filter(|_| error.is_missing());
        let folder = folder.and_then(|file| PathBuf::from(file).parent().map(PathBuf::from));
        match found {
            Some(kind) => kind.add(error, folder),
            None => self.0.push(Kind {
                severity,
                sort,
                count: 1,
                examples: vec![Arc::new(error.copy())],
                missing: None,
                words: (count + 1 < KINDS).then_some(words),
                folder,
            }),
        }
    }

    /// Returns the kinds, the worst first: damage, other faults and notes, the most frequent first.
    pub(super) fn worst_first(self, env: &Env) -> Vec<Kind> {
        let mut kinds = self.0;
        for kind in kinds.iter_mut().filter(|kind| kind.count > 1) {
            kind.missing = kind.folder.take().and_then(|folder| missing(folder, env));
        }
        let rank = |kind: &Kind| match (kind.severity, kind.sort) {
            (Severity::Fault, "damage" | "unreadable") => 0,
            (Severity::Fault, _) => 1,
            (Severity::Note, _) => 2,
        };
        kinds.sort_by_key(|kind| (rank(kind), u64::MAX - kind.count));
        kinds
    }
}

impl Kind {
    fn add(&mut self, error: &Error, folder: Option<PathBuf>) {
        self.count += 1;
        if self.examples.len() < EXAMPLES {
            self.examples.push(Arc::new(error.copy()));
        }
        self.folder = self.folder.take().zip(folder).map(|(own, other)| {
            let both = own.components().zip(other.components());
            let common = both.take_while(|(own, other)| own == other);
            common.map(|(own, _)| own).collect()
        });
    }
}

/// Returns the outermost folder on the way to `folder` that does not exist, if it does not.
fn missing(folder: PathBuf, env: &Env) -> Option<Location> {
    let is_missing = |folder: &PathBuf| {
        let has_name = !folder.as_os_str().is_empty();
        has_name && !env.exists(&Location::from(folder.clone()))
    };
    let mut outermost = Some(folder).filter(is_missing)?;
    while let Some(parent) = outermost.parent().map(PathBuf::from).filter(is_missing) {
        outermost = parent;
    }
    Some(outermost.into())
}

/// Returns the words of a message, where those that are or may be names and numbers are replaced.
fn words(error: &Error) -> String {
    let key = error.key().map(ToString::to_string);
    let is_key = |word: &str| key.as_deref() == Some(word.trim_matches([',', ';', ':', '\'']));
    let mut quoted = false;
    let words = error.message().split_whitespace().take(WORDS);
    let words = words.map(|word| {
        let bare = word.trim_end_matches([',', ';', ':', '.', ')']);
        let opens = bare.starts_with(['\'', '`', '"']);
        let closes = bare.ends_with(['\'', '`', '"']) && (!opens || bare.len() > 1);
        let inside = quoted || opens;
        quoted = inside && !closes;
        let is_name = bare.contains(|c: char| c.is_ascii_digit() || "/\\_-.".contains(c));
        match inside || is_name || is_key(word) {
            true => "…",
            false => word,
        }
    });
    let mut words: Vec<_> = words.collect();
    // A quoted text may have several words.
    words.dedup_by(|one, other| one == other && *one == "…");
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unfit(message: impl Into<String>) -> Error {
        Error::unfit(message)
    }

    #[test]
    fn messages_that_differ_in_names_are_of_one_kind() {
        let mut kinds = Kinds::default();
        for (message, key) in [
            ("the segment 'a b' ends at 2 s", "x"),
            ("the segment 'c' ends at 3.5 s", "y"),
            ("no labels in a/b.ali", "x"),
            ("no labels in c.ali", "y"),
            ("3 columns, the first has 2", "x"),
        ] {
            let error = unfit(message).utterance(&key.into());
            kinds.add(Severity::Note, "labels", &error);
        }
        kinds.add(Severity::Fault, "labels", &unfit("no labels in c.ali"));
        kinds.add(Severity::Fault, "damage", &unfit("the file ends here"));
        let kinds = kinds.worst_first(&Env::default());
        let counts: Vec<_> = kinds.iter().map(|kind| (kind.sort, kind.count)).collect();
        assert_eq!(
            counts,
            [
                ("damage", 1),
                ("labels", 1),
                ("labels", 2),
                ("labels", 2),
                ("labels", 1)
            ]
        );
    }

    #[test]
    fn kinds_and_examples_are_limited() {
        let mut kinds = Kinds::default();
        let word = |n: u32| String::from(char::from_u32(0x4e00 + n).unwrap());
        for n in 0..100 {
            kinds.add(Severity::Note, "text", &unfit(word(n)));
            kinds.add(Severity::Note, "text", &unfit("always"));
        }
        let kinds = kinds.worst_first(&Env::default());
        assert_eq!(kinds.len(), KINDS);
        assert!(kinds.iter().all(|kind| kind.examples.len() <= EXAMPLES));
        assert_eq!(kinds.iter().map(|kind| kind.count).sum::<u64>(), 200);
        assert_eq!(kinds[0].count, 100);
    }
}
