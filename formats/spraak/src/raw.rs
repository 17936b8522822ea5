//! Headerless samples, with a notation of generic terms:
//! `raw:PATH,dtype=i16,rate=16000,channels=1`.

use std::path::is_separator;

use spr_core::bytes::{Env, Location, Locator};
use spr_core::format::{Notation, Specification};
use spr_core::{Error, Result};

/// The notation for headerless samples, which are a [file](crate::SPR) whose header is in the
/// argument.
pub(crate) struct Raw;

const FORM: &str = "samples without a header";

/// The required options for reading, and what to type.
const SAID: [(&str, &str); 3] = [
    ("dtype", "i8, u8, i16, i32, f32, f64, mulaw or alaw"),
    ("rate", "samples a second"),
    ("channels", "how many, one sample of each after the other"),
];

/// Element types and their names in SPRAAK.
const TYPES: [(&str, &str); 8] = [
    ("i8", "I8"),
    ("u8", "U8"),
    ("i16", "I16"),
    ("i32", "I32"),
    ("f32", "F32"),
    ("f64", "F64"),
    ("mulaw", "ULAW"),
    ("alaw", "ALAW"),
];

/// A `PATH` followed by options `key=value`.
struct Argument<'a> {
    path: &'a str,
    pairs: Vec<(&'a str, &'a str)>,
}

impl<'a> Argument<'a> {
    /// Parses `raw:…`, and returns `None` for anything else.
    fn of(text: &'a str) -> Option<Result<Self>> {
        let mut pieces = text.strip_prefix("raw:")?.split(',');
        let path = pieces.next().unwrap_or_default();
        if path.is_empty() {
            let message = format!("'{text}' does not name a file");
            return Some(Err(Error::usage(message)));
        }
        let pair = |piece: &'a str| {
            let pair = piece.split_once('=');
            pair.ok_or_else(|| Error::usage(format!("'{piece}' is not key=value")))
        };
        let pairs = pieces.map(pair).collect::<Result<Vec<_>>>();
        Some(pairs.map(|pairs| Self { path, pairs }))
    }

    /// Takes the value of an option, the last one if it is repeated.
    fn take(&mut self, key: &str) -> Option<&'a str> {
        let value = self.pairs.iter().rfind(|(own, _)| *own == key)?.1;
        self.pairs.retain(|(own, _)| *own != key);
        Some(value)
    }

    /// Returns `true` for big-endian data.
    fn is_big(&mut self) -> Result<bool> {
        match self.take("byteorder") {
            None | Some("little") => Ok(false),
            Some("big") => Ok(true),
            Some(other) => Err(Error::usage(format!(
                "byteorder: '{other}' is neither little nor big"
            ))),
        }
    }

    fn place(&self, skip: u64) -> Result<Locator> {
        let at = Location::from(self.path);
        match (self.path, skip) {
            ("-", 0) => Ok(Locator::Standard),
            (path, 0) if path.ends_with(is_separator) => Ok(Locator::folder(at)),
            (_, 0) => Ok(Locator::file(at)),
            (path, _) if path == "-" || path.ends_with(is_separator) => {
                Err(Error::usage("skip: bytes are skipped in a file").file(path))
            }
            _ => Ok(Locator::FileAt(at, skip)),
        }
    }

    fn input(mut self) -> Result<Specification> {
        let mut said = Vec::new();
        for (key, what) in SAID {
            let value = self.take(key).ok_or_else(|| {
                let message = format!("samples without a header do not tell their {key}: {what}");
                let hint = format!("such as raw:{},dtype=i16,rate=16000,channels=1", self.path);
                Error::usage(message).file(self.path).hint(hint)
            })?;
            said.push(value);
        }
        let order = if self.is_big()? { "BIN10" } else { "BIN01" };
        let skip = self.take("skip").unwrap_or("0");
        let skip = skip
            .parse()
            .map_err(|_| Error::usage(format!("skip: '{skip}' is not a number of bytes")))?;
        let kind = TYPES.iter().find(|(name, _)| *name == said[0]);
        let (_, kind) = kind.ok_or_else(|| {
            let message = format!("dtype: '{}' is not a type of samples", said[0]);
            Error::usage(message).hint(SAID[0].1)
        })?;
        let mut specified = Specification::new(FORM, self.place(skip)?);
        let own = [
            ("header", "none"),
            ("data", "SAMPLE"),
            ("type", kind),
            ("format", order),
            ("samplefreq", said[1]),
            ("nchan", said[2]),
        ];
        let all = own.into_iter().chain(self.pairs);
        specified.options = all.map(|(k, v)| (k.to_owned(), v.to_owned())).collect();
        Ok(specified)
    }

    fn output(mut self) -> Result<Specification> {
        let order = if self.is_big()? { "big" } else { "little" };
        if let Some((key, _)) = self
            .pairs
            .iter()
            .find(|(key, _)| SAID.iter().any(|(said, _)| said == key))
        {
            let hint = match *key {
                "dtype" => "--dtype changes the type of samples",
                "rate" => "--rate changes the rate",
                _ => "--channel picks one of them, or mixes them",
            };
            let message = format!("{key}: what is written has that of the input");
            return Err(Error::usage(message).file(self.path).hint(hint));
        }
        let mut specified = Specification::new(FORM, self.place(0)?);
        let own = [("header", "none"), ("byteorder", order)];
        let all = own.into_iter().chain(self.pairs);
        specified.options = all.map(|(k, v)| (k.to_owned(), v.to_owned())).collect();
        Ok(specified)
    }
}

impl Notation for Raw {
    fn input(&self, text: &str) -> Option<Result<Specification>> {
        Some(Argument::of(text)?.and_then(Argument::input))
    }

    fn place(&self, _: &str) -> Option<Specification> {
        None
    }

    fn words(&self, _: &str) -> Option<Result<Locator>> {
        None
    }

    fn output(&self, text: &str) -> Option<Result<Specification>> {
        Some(Argument::of(text)?.and_then(Argument::output))
    }

    fn slip(&self, text: &str, env: &Env) -> Option<String> {
        let at = Location::from(text);
        let extension = at.plain().extension().map(str::to_ascii_lowercase);
        let is_raw = matches!(extension.as_deref(), Some("raw" | "pcm")) && env.exists(&at);
        let said = "dtype=i16,rate=16000,channels=1";
        is_raw.then(|| format!("samples without a header are read as raw:{at},{said}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_argument_is_a_header() {
        let text = "raw:a.pcm,rate=8000,dtype=mulaw,channels=2,byteorder=big,skip=44,channel=1";
        let input = Raw.input(text).unwrap().unwrap();
        assert_eq!(input.locator, Locator::FileAt("a.pcm".into(), 44));
        let options = input.options.iter().map(|(k, v)| format!("{k}={v}"));
        let want =
            "header=none data=SAMPLE type=ULAW format=BIN10 samplefreq=8000 nchan=2 channel=1";
        assert_eq!(options.collect::<Vec<_>>().join(" "), want);
        let output = Raw.output("raw:-").unwrap().unwrap();
        assert_eq!(output.locator, Locator::Standard);
        assert!(Raw.input("raw.pcm").is_none() && Raw.output("wav:a").is_none());
    }

    #[test]
    fn what_is_not_said_is_asked_for() {
        for (text, message) in [
            (
                "raw:a",
                "a: samples without a header do not tell their dtype",
            ),
            ("raw:a,dtype=i16,channels=1", "do not tell their rate"),
            ("raw:a,dtype=i16,rate=8000", "do not tell their channels"),
            (
                "raw:a,dtype=int,rate=1,channels=1",
                "dtype: 'int' is not a type of samples",
            ),
            (
                "raw:a,dtype=i8,rate=1,channels=1,byteorder=x",
                "neither little nor big",
            ),
            (
                "raw:a,dtype=i8,rate=1,channels=1,skip=x",
                "not a number of bytes",
            ),
            (
                "raw:-,dtype=i8,rate=1,channels=1,skip=4",
                "bytes are skipped in a file",
            ),
            ("raw:a,mono", "'mono' is not key=value"),
            ("raw:", "does not name a file"),
        ] {
            let error = Raw.input(text).unwrap().unwrap_err().to_string();
            assert!(error.contains(message), "{text}: {error}");
        }
        for key in ["dtype=i16", "rate=8000", "channels=1"] {
            let error = Raw.output(&format!("raw:a,{key}")).unwrap().unwrap_err();
            assert!(
                error.to_string().contains("has that of the input"),
                "{error}"
            );
        }
    }
}
