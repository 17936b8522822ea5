//! Kaldi's option syntax: `--name=value` before the arguments, `_` for `-`, any case.

use std::borrow::Cow;

use spr_core::bytes::Env;
use spr_core::{Error, Result, number};

/// A value and its type.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Bool(bool),
    Int(i32),
    Float(f32),
    Text(Cow<'static, str>),
}

/// An option that a tool knows.
pub(super) struct Spec {
    pub(super) name: &'static str,
    pub(super) default: Value,
    pub(super) help: &'static str,
}

impl Spec {
    pub(super) const fn flag(name: &'static str, default: bool, help: &'static str) -> Self {
        let default = Value::Bool(default);
        Self {
            name,
            default,
            help,
        }
    }

    pub(super) const fn int(name: &'static str, default: i32, help: &'static str) -> Self {
        let default = Value::Int(default);
        Self {
            name,
            default,
            help,
        }
    }

    pub(super) const fn float(name: &'static str, default: f32, help: &'static str) -> Self {
        let default = Value::Float(default);
        Self {
            name,
            default,
            help,
        }
    }

    pub(super) const fn text(
        name: &'static str,
        default: &'static str,
        help: &'static str,
    ) -> Self {
        let default = Value::Text(Cow::Borrowed(default));
        Self {
            name,
            default,
            help,
        }
    }
}

/// The option `--binary`, the form of single output files.
pub(super) const BINARY: Spec = Spec::flag("binary", true, "Write single files in binary form");

/// An environment variable: 1 has the effect of `--allow-pipes`, for recipes that cannot be
/// changed.
pub(super) const ALLOW_PIPES: &str = "SPR_CONVERT_ALLOW_PIPES";

/// Options of every tool.
static STANDARD: [Spec; 5] = [
    Spec::flag(
        "allow-pipes",
        false,
        "Run commands that script files contain, as SPR_CONVERT_ALLOW_PIPES=1 in the environment does",
    ),
    Spec::text("config", "", "A file of options, one a line"),
    Spec::flag("help", false, "Print this text"),
    Spec::flag("print-args", true, "Print the command line first"),
    Spec::int("verbose", 0, "Verbosity; accepted for the sake of recipes"),
];

/// The request of a command line.
pub(super) enum Wish {
    Help,
    /// The option that comes after an argument.
    Misplaced(Error),
    Run(Options),
}

/// The options and arguments of a run.
#[derive(Clone)]
pub(super) struct Options {
    values: Vec<(&'static str, Value)>,
    arguments: Vec<String>,
}

impl Options {
    /// Parses a command line, whose first word is the program, and reads the configuration files
    /// that it names through `env`.
    ///
    /// # Errors
    /// An option is unknown, a value has the wrong type, or a configuration file cannot be read.
    pub(super) fn parse(own: &'static [Spec], words: &[&str], env: &Env) -> Result<Wish> {
        let mut options = Self {
            values: (own.iter().chain(&STANDARD))
                .map(|spec| (spec.name, spec.default.clone()))
                .collect(),
            arguments: Vec::new(),
        };
        if std::env::var_os(ALLOW_PIPES).is_some_and(|value| value == "1") {
            options.set("allow-pipes")?;
        }
        let words = words.get(1..).unwrap_or_default();
        // The command line overrides configuration files.
        for word in words.iter().take_while(|word| **word != "--") {
            match word.strip_prefix("--").map(split) {
                Some((name, value)) if name == "config" => {
                    options.read_config(value.unwrap_or_default().trim(), env)?;
                }
                Some((name, _)) if name == "help" => return Ok(Wish::Help),
                _ => {}
            }
        }
        let mut rest = words.iter();
        let mut ended = false;
        while let Some(option) = rest.as_slice().first().and_then(|w| w.strip_prefix("--")) {
            rest.next();
            ended = option.is_empty();
            if ended {
                break;
            }
            options.set(option)?;
        }
        for word in rest {
            if *word == "--" && !ended {
                ended = true;
                continue;
            }
            if let (false, Some((name, _))) = (ended, word.strip_prefix("--").map(split))
                && options.values.iter().any(|(known, _)| *known == name)
            {
                let message = format!("option {word} comes after an argument");
                let error = Error::usage(message).hint("options go before all arguments");
                return Ok(Wish::Misplaced(error));
            }
            options.arguments.push((*word).to_owned());
        }
        Ok(Wish::Run(options))
    }

    fn read_config(&mut self, path: &str, env: &Env) -> Result<()> {
        let mut source = env.open_file(&path.into())?;
        let (mut line, mut number) = (Vec::new(), 0);
        while source.line(&mut line, &env.limits)? {
            number += 1;
            let place = |error: Error| error.file(path).line(number);
            let text = String::from_utf8_lossy(&line);
            let text = text.split('#').next().unwrap_or_default().trim();
            match text.strip_prefix("--") {
                Some(option) => self.set(option).map_err(place)?,
                None if text.is_empty() => {}
                None => {
                    let message = format!("'{text}' is not an option, which is --name=value");
                    return Err(place(Error::malformed(message)));
                }
            }
        }
        Ok(())
    }

    /// Sets an option from `name=value` or `name`.
    fn set(&mut self, option: &str) -> Result<()> {
        let (name, value) = split(option);
        let known = self.values.iter_mut().find(|(known, _)| *known == name);
        let Some((_, slot)) = known else {
            return Err(Error::usage(format!("Invalid option --{option}")));
        };
        let wrong = |wanted: &str| {
            let shown = value.unwrap_or_default();
            Error::usage(format!("option --{name}: '{shown}' is not a {wanted}"))
        };
        let text = value.unwrap_or_default().trim();
        *slot = match slot {
            Value::Bool(_) => match (text.to_ascii_lowercase().as_str(), value) {
                ("", None) | ("true" | "t" | "1", _) => Value::Bool(true),
                ("false" | "f" | "0", _) => Value::Bool(false),
                _ => return Err(wrong("boolean: true or false")),
            },
            Value::Int(_) => {
                let int = number::parse_integer(text.as_bytes());
                Value::Int(int.ok_or_else(|| wrong("whole number"))?)
            }
            Value::Float(_) => {
                let float = number::parse_f32(text.as_bytes());
                Value::Float(float.ok_or_else(|| wrong("number"))?)
            }
            Value::Text(_) if value.is_none() => {
                return Err(Error::usage(format!("option --{name} needs a value")));
            }
            Value::Text(_) => Value::Text(text.to_owned().into()),
        };
        Ok(())
    }

    fn get(&self, name: &str) -> Option<&Value> {
        let mut values = self.values.iter();
        values
            .find(|(known, _)| *known == name)
            .map(|(_, value)| value)
    }

    /// Returns the boolean option `name`.
    pub(super) fn flag(&self, name: &str) -> bool {
        matches!(self.get(name), Some(Value::Bool(true)))
    }

    /// Returns the integer option `name`.
    pub(super) fn int(&self, name: &str) -> i32 {
        match self.get(name) {
            Some(Value::Int(int)) => *int,
            _ => 0,
        }
    }

    /// Returns the float option `name`.
    pub(super) fn float(&self, name: &str) -> f32 {
        match self.get(name) {
            Some(Value::Float(float)) => *float,
            _ => 0.0,
        }
    }

    /// Returns the text option `name`.
    pub(super) fn text(&self, name: &str) -> &str {
        match self.get(name) {
            Some(Value::Text(text)) => text,
            _ => "",
        }
    }

    /// Returns the arguments in order.
    pub(super) fn arguments(&self) -> &[String] {
        &self.arguments
    }
}

/// Splits an option into its normalised name and its value, if there is a `=`.
fn split(option: &str) -> (String, Option<&str>) {
    let (name, value) = match option.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (option, None),
    };
    (name.replace('_', "-").to_ascii_lowercase(), value)
}

/// Returns the text of `--help`.
pub(super) fn usage(text: &str, own: &[Spec]) -> String {
    let mut out = format!("\n{text}\n");
    for (title, specs) in [("Options", own), ("Standard options", &STANDARD)] {
        if specs.is_empty() {
            continue;
        }
        let mut lines: Vec<_> = specs.iter().map(line).collect();
        lines.sort();
        out.push_str(&format!("{title}:\n{}\n", lines.concat()));
    }
    out
}

fn line(spec: &Spec) -> String {
    let default = match &spec.default {
        Value::Bool(value) => format!("bool, default = {value}"),
        Value::Int(value) => format!("int, default = {value}"),
        Value::Float(value) => format!("float, default = {value}"),
        Value::Text(value) => format!("string, default = \"{value}\""),
    };
    format!("  --{:<25} : {} ({default})\n", spec.name, spec.help)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use spr_core::bytes::MemoryStore;

    static OWN: [Spec; 4] = [
        BINARY,
        Spec::int("left-context", 4, "Frames"),
        Spec::float("scale", 1.0, "Factor"),
        Spec::text("output-ext", "fea", "Extension"),
    ];

    fn parse(words: &[&str]) -> Result<Options> {
        parse_in(&Env::default(), words)
    }

    fn parse_in(env: &Env, words: &[&str]) -> Result<Options> {
        let words = [&["tool"], words].concat();
        match Options::parse(&OWN, &words, env)? {
            Wish::Run(options) => Ok(options),
            Wish::Help => Err(Error::usage("help")),
            Wish::Misplaced(error) => Err(error),
        }
    }

    #[test]
    fn reads_values() {
        let options = parse(&["--Left_Context=-3", "--scale=.5", "--output-ext=", "a", "b"]);
        let options = options.unwrap();
        assert_eq!(options.int("left-context"), -3);
        assert_eq!(
            (options.float("scale"), options.text("output-ext")),
            (0.5, "")
        );
        assert!(options.flag("binary") && options.flag("print-args"));
        assert_eq!(options.arguments(), ["a", "b"]);
        for (word, value) in [
            ("--binary", true),
            ("--binary=T", true),
            ("--binary=1", true),
            ("--binary=False", false),
            ("--BINARY=f", false),
            ("--binary=0", false),
        ] {
            assert_eq!(parse(&[word]).unwrap().flag("binary"), value, "{word}");
        }
        let options = parse(&["--binary=f", "--", "--binary", "-"]).unwrap();
        assert_eq!(options.arguments(), ["--binary", "-"]);
    }

    #[test]
    fn refuses_nonsense() {
        for word in [
            "--binary=yes",
            "--binary=",
            "--left-context=4.5",
            "--left-context=",
            "--left-context",
            "--left-context=99999999999",
            "--scale=x",
            "--output-ext",
            "--nothing=1",
            "--=1",
        ] {
            assert!(parse(&[word]).is_err(), "{word}");
        }
        assert!(parse(&["a", "--binary=false", "b"]).is_err());
        assert!(parse(&["a", "b", "--help"]).is_err());
    }

    #[test]
    fn configuration_files() {
        let store = MemoryStore::new();
        let env = Env::default().with_store(Arc::new(store.clone()));
        let set = |text: &str| store.insert("c", text.as_bytes().to_vec());
        set("# all\n\n --left-context=1 # one\n--binary=false\n");
        assert!(env.check_unread(&"c".into()).is_ok());
        let options = parse_in(&env, &["--left-context=2", "--config=c"]).unwrap();
        assert_eq!(
            (options.int("left-context"), options.flag("binary")),
            (2, false)
        );
        assert!(env.check_unread(&"c".into()).is_err());
        for text in ["left-context=1\n", "--nothing=1\n"] {
            set(text);
            let error = parse_in(&env, &["--config=c"]).err().unwrap();
            assert_eq!(error.line_number(), Some(1), "{text}");
        }
    }

    #[test]
    fn usage_lists_all() {
        let text = usage("Copies.\n\nUsage: tool a b", &OWN);
        assert!(text.starts_with("\nCopies.\n\nUsage: tool a b\nOptions:\n  --binary  "));
        assert!(text.contains("(int, default = 4)\n"));
        assert!(text.contains("Standard options:\n") && text.contains("--print-args"));
    }
}
