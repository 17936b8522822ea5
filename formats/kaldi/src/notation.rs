//! Kaldi's specifiers as notation for inputs and outputs.

use spr_core::Result;
use spr_core::bytes::{Env, Locator};
use spr_core::format::{ErrorPolicy, Notation, Specification};

use crate::archive::RANGE;
use crate::range::Range;
use crate::script_line::split_range;
use crate::specifier::{Rspecifier, Wspecifier, rspecifier, rxfilename, wspecifier};
use crate::table_options::reading;

/// Kaldi's specifiers as notation of the [format](crate::FORMAT).
pub(crate) struct Specifiers;

impl Notation for Specifiers {
    fn input(&self, text: &str) -> Option<Result<Specification>> {
        let specified = |spec: Rspecifier| {
            let options = spec.options();
            let options = options.map(|(key, value)| (key.to_owned(), value.to_owned()));
            let mut specified = Specification::new("a Kaldi rspecifier", spec.locator.clone());
            specified.options = options.collect();
            specified.on_error = ErrorPolicy::skip_if(spec.permissive);
            specified
        };
        Some(rspecifier(text)?.map(specified))
    }

    fn place(&self, text: &str) -> Option<Specification> {
        let (place, range) = split_range(text).ok()?;
        let mut specified = match (rxfilename(place).ok()?, range) {
            (at @ Locator::FileAt(..), None) => Specification::new("an object in an archive", at),
            (at @ Locator::FileAt(..), Some(_)) => Specification::new("a range of an object", at),
            // Other brackets are those of a pattern.
            (at @ Locator::File(_), Some(range)) if Range::parse(range).is_ok() => {
                Specification::new("a range of an object", at)
            }
            _ => return None,
        };
        let range = range.map(|range| (RANGE.to_owned(), range.to_owned()));
        specified.options.extend(range);
        Some(specified)
    }

    fn words(&self, text: &str) -> Option<Result<Locator>> {
        Some(rspecifier(text)?.and_then(|spec| spec.words(text)))
    }

    fn output(&self, text: &str) -> Option<Result<Specification>> {
        let specified = |spec: Wspecifier| {
            let mut specified = Specification::new("a Kaldi wspecifier", spec.locator());
            specified.options = spec.options().collect();
            specified.listed = spec.list.is_some();
            specified.companions = spec
                .script
                .map(|script| ("scp", script))
                .into_iter()
                .collect();
            specified.on_error = ErrorPolicy::skip_if(spec.permissive);
            specified
        };
        Some(wspecifier(text)?.map(specified))
    }

    fn slip(&self, text: &str, env: &Env) -> Option<String> {
        if let Some((options, file)) = text.split_once(':')
            && reading(&format!("ark,{options}")).is_some()
        {
            return Some(format!(
                "Kaldi's options stand before the colon: ark,{options}:{file}"
            ));
        }
        let (file, options) = text.split_once(',')?;
        (options.contains('=') && env.exists(&file.into()))
            .then(|| format!("options follow a path, not one behind ark: or scp:, so: {text}"))
    }
}

#[cfg(test)]
mod tests {
    use spr_core::bytes::MemoryStore;

    use super::*;

    fn pairs(options: &[(String, String)]) -> Vec<(&str, &str)> {
        options.iter().map(|(k, v)| (&**k, &**v)).collect()
    }

    #[test]
    fn places_are_in_archives_or_have_ranges() {
        let place = |text: &str| Specifiers.place(text);
        let at = Locator::FileAt("x.ark".into(), 7);
        let found = place("x.ark:7").unwrap();
        assert!(found.locator == at && found.options.is_empty());
        for range in ["0:1", ",2:3", "0:1,2:3"] {
            for (file, locator) in [("x.ark:7", at.clone()), ("x.mat", Locator::file("x.mat"))] {
                let found = place(&format!("{file}[{range}]")).unwrap();
                assert_eq!(found.locator, locator);
                assert_eq!(pairs(&found.options), [("range", range)]);
            }
        }
        // A wrong range of an object is told when it is read.
        assert!(place("x.ark:7[3]").is_some());
        for text in [
            "x.ark",
            "x.ark]",
            "x.ark[3]",
            "x[a,b].ark",
            "[0:1]",
            "x|y[0:1]",
            "-[0:1]",
            "cat x |[0:1]",
        ] {
            assert!(place(text).is_none(), "{text}");
        }
    }

    #[test]
    fn tables_of_words_are_archives() {
        let words = |text: &str| Specifiers.words(text);
        for (text, place) in [
            ("ark:u2s", Locator::file("u2s")),
            ("ark,t:-", Locator::Standard),
            ("ark,s,cs:cat u2s |", Locator::Command("cat u2s".to_owned())),
        ] {
            assert_eq!(words(text).unwrap().unwrap(), place, "{text}");
        }
        assert!(words("scp:u2s").unwrap().is_err() && words("ark:|x").unwrap().is_err());
        assert!(words("u2s").is_none() && words("cat u2s |").is_none());
    }

    #[test]
    fn specifiers_say_all() {
        let input = Specifiers.input("ark,s,cs,p:x.ark:7").unwrap().unwrap();
        assert_eq!(input.form, "a Kaldi rspecifier");
        assert_eq!(input.locator, Locator::FileAt("x.ark".into(), 7));
        let expected = [
            ("table", "ark"),
            ("sorted", "true"),
            ("called-sorted", "true"),
        ];
        assert_eq!(pairs(&input.options), expected);
        assert!(input.on_error.skips() && input.companions.is_empty());
        let output = Specifiers.output("ark,scp,t:-,x.scp").unwrap().unwrap();
        assert_eq!(
            (output.form, output.locator),
            ("a Kaldi wspecifier", Locator::Standard)
        );
        assert_eq!(output.companions, [("scp", Locator::file("x.scp"))]);
        assert_eq!(pairs(&output.options), [("text", "true")]);
        assert!(!output.on_error.skips());
        let output = Specifiers.output("scp,p:x.scp").unwrap().unwrap();
        assert_eq!(output.locator, Locator::file("x.scp"));
        assert_eq!(pairs(&output.options), [("list", "x.scp")]);
        assert!(output.on_error.skips() && output.listed && output.companions.is_empty());
        for other in ["x.ark", "x.scp", "-", "pfile:x"] {
            assert!(Specifiers.input(other).is_none() && Specifiers.output(other).is_none());
        }
        assert!(Specifiers.input("ark:|x").unwrap().is_err());
        assert!(Specifiers.output("ark:x |").unwrap().is_err());
    }

    #[test]
    fn what_was_meant_is_found() {
        let store = MemoryStore::new();
        store.insert("x.ark", Vec::new());
        let env = Env::default().with_store(std::sync::Arc::new(store));
        for (text, told) in [
            (
                "t:x.ark",
                Some("Kaldi's options stand before the colon: ark,t:x.ark"),
            ),
            (
                "s,cs:x.ark",
                Some("Kaldi's options stand before the colon: ark,s,cs:x.ark"),
            ),
            (
                "x.ark,text=true",
                Some("options follow a path, not one behind ark: or scp:, so: x.ark,text=true"),
            ),
            ("gone.ark,text=true", None),
            ("x.ark,text", None),
            ("x.ark", None),
            ("pfile:x.ark", None),
        ] {
            assert_eq!(Specifiers.slip(text, &env).as_deref(), told, "{text}");
        }
    }
}
