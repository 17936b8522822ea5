//! Words of the command line that are brought into a form that the parser of arguments takes.

use std::ffi::{OsStr, OsString};

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Command};
use spr_core::Error;
use spr_core::bytes::Location;
use spr_core::format::Registry;
use spr_core::loss::LossKind;
use spr_core::model::Dtype;
use spr_stats::COLUMNS;

use super::misspelt;

/// The name of a file.
pub(super) fn file() -> impl TypedValueParser<Value = Location> {
    StringValueParser::new().map(Location::from)
}

/// The flags that name a data set in PDNN's commands.
const PDNN: [&str; 2] = ["--train-data", VALID];

/// The flag of validation data.
const VALID: &str = "--valid-data";

/// Stands before the number of data sets that [`VALID`] named.
const COUNT: &str = "--train-data=";

/// Stands before a data set that would be taken for a flag; no word from outside can hold it.
const MARK: char = '\0';

/// The words of `help`, `help VERB` and `version` as the flags for it, unless files are called so.
///
/// # Errors
/// What follows `help` is no verb.
pub(super) fn asked(
    mut words: Vec<OsString>,
    program: &Command,
    is_file: impl Fn(&str) -> bool,
) -> Result<Vec<OsString>, Error> {
    let text = |n: usize| words.get(n).and_then(|word| word.to_str());
    let flag = match text(1) {
        Some("help") => "--help",
        Some("version") => "--version",
        _ => return Ok(words),
    };
    if text(1).is_some_and(is_file) {
        return Ok(words);
    }
    let mut verb = program;
    let typed = words.iter().skip(2).filter_map(|word| word.to_str());
    for word in typed.filter(|word| !word.starts_with('-')) {
        verb = misspelt::sub(word, verb)?;
    }
    words.remove(1);
    words.push(flag.into());
    Ok(words)
}

/// The words with `--train-data SPEC` and `--valid-data SPEC` as the data set SPEC in its place, and
/// with a mark before standard input or output that has options, `-,context=1`. [`COUNT`] stands
/// before the first that `--valid-data` named, with the number of them.
pub(super) fn plain(words: Vec<OsString>) -> Vec<OsString> {
    let end = words.iter().position(|word| word == "--");
    let mut typed = words;
    let rest = typed.split_off(end.unwrap_or(typed.len()));
    let mut plain = Vec::with_capacity(typed.len());
    let is_valid = |word: &OsString| {
        let text = word.to_str().unwrap_or_default();
        text.split('=').next() == Some(VALID)
    };
    let mut valid = typed.iter().filter(|word| is_valid(word)).count();
    let mut typed = typed.into_iter().peekable();
    while let Some(word) = typed.next() {
        let text = word.to_str().unwrap_or_default();
        let glued = text.split_once('=').filter(|(flag, _)| PDNN.contains(flag));
        if valid > 0 && is_valid(&word) {
            plain.push(format!("{COUNT}{valid}").into());
            valid = 0;
        }
        let word = match glued {
            Some((_, spec)) => spec.into(),
            None if PDNN.contains(&text) && typed.peek().is_some() => continue,
            None => word,
        };
        plain.push(
            match word.to_str().is_some_and(|text| text.starts_with("-,")) {
                true => [MARK.to_string().into(), word].into_iter().collect(),
                false => word,
            },
        );
    }
    plain.extend(rest);
    plain
}

/// A data set to read or write, as it was typed.
pub(super) fn data_set() -> impl TypedValueParser<Value = String> {
    StringValueParser::new().map(|text| match text.strip_prefix(MARK) {
        Some(typed) => typed.to_owned(),
        None => text,
    })
}

/// A word that may be any, for which completions offer some: what is misspelt is told by the program.
#[derive(Clone)]
pub(super) struct SuggestedWords(Vec<&'static str>);

impl TypedValueParser for SuggestedWords {
    type Value = String;

    fn parse_ref(
        &self,
        program: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(program, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0.iter().map(PossibleValue::new)))
    }
}

/// The name of one of these formats.
pub(super) fn formats(registry: &Registry) -> SuggestedWords {
    SuggestedWords(registry.names())
}

/// An element type.
pub(super) fn dtype() -> SuggestedWords {
    SuggestedWords(Dtype::ALL.iter().map(|dtype| dtype.name()).collect())
}

/// An element type of labels.
pub(super) fn label_dtype() -> SuggestedWords {
    let is_integer = |dtype: &&Dtype| !dtype.is_float() && **dtype != Dtype::Bool;
    let integers = Dtype::ALL.iter().filter(is_integer);
    SuggestedWords(integers.map(|dtype| dtype.name()).collect())
}

/// A column of `ls`, or one of `others`.
pub(super) fn columns(others: &[&'static str]) -> SuggestedWords {
    let columns = COLUMNS.iter().map(|column| column.name);
    SuggestedWords(others.iter().copied().chain(columns).collect())
}

/// A kind of loss.
pub(super) fn loss() -> SuggestedWords {
    let kinds = LossKind::ALL.iter().map(|kind| kind.name());
    SuggestedWords(kinds.chain(["all"]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_and_version_are_verbs() {
        let program = Command::new("x")
            .subcommand(Command::new("info"))
            .subcommand(Command::new("shards").subcommand(Command::new("plan")));
        let words = |typed: &str| typed.split(' ').map(OsString::from).collect::<Vec<_>>();
        for (typed, want) in [
            ("x help", "x --help"),
            ("x help info", "x info --help"),
            ("x help shards plan", "x shards plan --help"),
            ("x version", "x --version"),
            ("x info help", "x info help"),
            ("x", "x"),
        ] {
            let asked = |is_file| asked(words(typed), &program, |_| is_file).unwrap();
            assert_eq!(asked(false), words(want));
            assert_eq!(asked(true), words(typed));
        }
        for typed in ["x help inof", "x help info info", "x help shards a"] {
            assert!(asked(words(typed), &program, |_| false).is_err(), "{typed}");
        }
    }

    #[test]
    fn only_data_sets_change() {
        for (typed, want) in [
            (
                "x --train-data a.pfile,context=1 b.pkl",
                "x a.pfile,context=1 b.pkl",
            ),
            (
                "x --valid-data=a.pfile,random=True b",
                "x --train-data=1 a.pfile,random=True b",
            ),
            (
                "x -,context=1 -o -,keys=none",
                "x \0-,context=1 -o \0-,keys=none",
            ),
            ("x - -j 2 --context 1", "x - -j 2 --context 1"),
            ("x a -- -,b --train-data", "x a -- -,b --train-data"),
            ("x --train-data", "x --train-data"),
            ("x --train-data a --train-data=b c", "x a b c"),
            (
                "x --train-data a --valid-data=b c",
                "x a --train-data=1 b c",
            ),
            (
                "x --valid-data a -o c --train-data b",
                "x --train-data=1 a -o c b",
            ),
            (
                "x a --valid-data b --valid-data c d",
                "x a --train-data=2 b c d",
            ),
        ] {
            let words = typed.split(' ').map(OsString::from).collect();
            let plain = plain(words).join(" ".as_ref());
            assert_eq!(plain.to_str(), Some(want), "{typed}");
        }
    }
}
