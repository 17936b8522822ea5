//! Speakers that stand in the names of utterances.

use regex::bytes::Regex;

use crate::error::{Error, Result};
use crate::format::Reader;
use crate::model::{DatasetInfo, Key, Utterance};

/// The name of the part that is the speaker.
const SPEAKER: &str = "speaker";

/// A pattern for the names of utterances, of which one part is the speaker: `{speaker}/{name}`. A part
/// in braces is any text without a slash, as short as possible; the rest stands for itself. The whole
/// name must fit.
#[derive(Clone, Debug)]
pub struct SpeakerPattern {
    text: String,
    regex: Regex,
}

impl SpeakerPattern {
    /// Parses a pattern.
    ///
    /// # Errors
    /// A brace is not closed, a part has no name or that of another, or none is the speaker.
    pub fn parse(text: &str) -> Result<Self> {
        let wrong = |why: &str| {
            let error = Error::usage(format!("'{text}': {why}"));
            error.hint("such as {speaker}/{chapter}/{name}")
        };
        let (mut regex, mut names, mut rest) = ("^".to_owned(), Vec::new(), text);
        while let Some((plain, open)) = rest.split_once('{') {
            let (name, next) = open
                .split_once('}')
                .ok_or_else(|| wrong("a { without its }"))?;
            if name.is_empty() || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
                return Err(wrong("a name between { and } has letters and digits"));
            }
            if names.contains(&name) {
                return Err(wrong(&format!("there are two parts {{{name}}}")));
            }
            names.push(name);
            regex.push_str(&regex::escape(plain));
            regex.push_str(match name {
                SPEAKER => "(?P<speaker>(?s-u:[^/])+?)",
                _ => "(?s-u:[^/])+?",
            });
            rest = next;
        }
        if !names.contains(&SPEAKER) {
            return Err(wrong("no part of it is {speaker}"));
        }
        regex.push_str(&regex::escape(rest));
        regex.push('$');
        let regex = Regex::new(&regex).map_err(|_| wrong("is too long"))?;
        Ok(Self {
            text: text.to_owned(),
            regex,
        })
    }

    /// Returns the speaker of a name.
    ///
    /// # Errors
    /// The name does not fit.
    pub fn speaker(&self, key: &Key) -> Result<Key> {
        let found = self.regex.captures(key.as_bytes());
        let speaker = found.as_ref().and_then(|found| found.name(SPEAKER));
        let speaker = speaker.ok_or_else(|| {
            let error = Error::unfit(format!("its name is not like {}", self.text));
            error
                .utterance(key)
                .hint("the pattern is for whole names, with their folders")
        })?;
        Ok(Key::from(speaker.as_bytes()))
    }
}

/// Sets the speaker of each utterance by its name. An utterance whose name does not fit is faulty, and
/// the next one can be read.
pub struct SpeakersByName {
    inner: Box<dyn Reader>,
    pattern: SpeakerPattern,
}

impl SpeakersByName {
    /// Sets the speakers of `inner`.
    pub fn new(inner: Box<dyn Reader>, pattern: SpeakerPattern) -> Self {
        Self { inner, pattern }
    }
}

#[warn(clippy::missing_trait_methods)]
impl Reader for SpeakersByName {
    fn info(&self) -> &DatasetInfo {
        self.inner.info()
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        if !self.inner.read(utt)? {
            return Ok(false);
        }
        let speaker = self.pattern.speaker(&utt.key).map_err(Error::continuable)?;
        utt.meta.speaker = Some(speaker);
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_names_fit() {
        for (pattern, name, speaker) in [
            (
                "{speaker}/{chapter}/{name}",
                "84/121123/84-121123-0000",
                Some("84"),
            ),
            ("{speaker}/{name}", "84/121123/84-121123-0000", None),
            ("{speaker}-{n}-{m}", "84-121123-0000", Some("84")),
            ("x.{speaker}", "x.a.b", Some("a.b")),
            ("x.{speaker}", "xya", None),
            ("{set}/é{speaker}_{n}", "a/éb_1_2", Some("b")),
            ("{speaker}/{name}", "/x", None),
        ] {
            let pattern = SpeakerPattern::parse(pattern).unwrap();
            let found = pattern.speaker(&name.into()).ok();
            assert_eq!(found, speaker.map(Key::from), "{name}");
        }
        let pattern = SpeakerPattern::parse("{speaker}/{name}").unwrap();
        let name = Key::from(&b"\xff/a"[..]);
        assert_eq!(pattern.speaker(&name).unwrap(), Key::from(&b"\xff"[..]));
    }

    #[test]
    fn patterns_name_one_speaker() {
        for wrong in [
            "",
            "{name}",
            "{speaker",
            "{}",
            "{speaker}/{speaker}",
            "{speaker}/{a b}",
        ] {
            assert!(SpeakerPattern::parse(wrong).is_err(), "{wrong}");
        }
    }
}
