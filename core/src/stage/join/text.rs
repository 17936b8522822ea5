//! Transcripts from a second data set.

use std::borrow::Cow;

use super::lookup::{Looked, Lookup};
use crate::bytes::Env;
use crate::format::{Opened, Reader};
use crate::model::{DatasetInfo, Key, Object, Utterance};
use crate::{Error, Remedy, Result};

/// Gives each utterance of one data set what was said by another, under the same key: its text, or the
/// words that a table of Kaldi's holds there.
///
/// An utterance that has no text there, or has some already, is at fault, and the next one can be
/// read. What appears twice under a key is an error unless it is the same.
pub struct JoinText {
    main: Box<dyn Reader>,
    texts: Lookup,
    name: String,
    next: Utterance,
}

impl JoinText {
    /// Joins `texts` to `main`; `name` says where they come from.
    pub fn new(main: Box<dyn Reader>, texts: Opened, name: impl Into<String>, env: &Env) -> Self {
        Self {
            main,
            texts: Lookup::new(texts, text_of, env.limits),
            name: name.into(),
            next: Utterance::default(),
        }
    }

    /// What stands under `key`.
    fn find(&mut self, key: &Key) -> Result<Vec<u8>> {
        let next = &mut self.next;
        match self.texts.find(key, next)? {
            Looked::Found => {}
            Looked::Missing => {
                let message = format!("no text in {}", self.name);
                return Err(Error::unfit(message).utterance(key).continuable());
            }
            Looked::Twice => return Err(twice(&next.key).file(&self.name)),
        }
        text_of(next).text.ok_or_else(|| {
            let error = Error::unfit("holds no text").utterance(key);
            error.file(&self.name).continuable()
        })
    }
}

/// What was said, taken out of an utterance.
fn text_of(next: &mut Utterance) -> Utterance {
    let word = match &next.object {
        Some(Object::Token(word)) => Some(word.clone()),
        _ => None,
    };
    let text = next.said().map(Cow::into_owned).or(word);
    Utterance {
        key: next.key.clone(),
        text,
        ..Utterance::default()
    }
}

fn twice(key: &Key) -> Error {
    Error::malformed("has text twice, and it differs").utterance(key)
}

impl Reader for JoinText {
    fn info(&self) -> &DatasetInfo {
        self.main.info()
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        if !self.main.read(utt)? {
            return match self.texts.find_twice(&mut self.next)? {
                Some(key) => Err(twice(&key).file(&self.name)),
                None => Ok(false),
            };
        }
        if utt.text.is_some() {
            let error = Error::usage("has text already").suggest(Remedy::LeaveOutText);
            return Err(error.utterance(&utt.key));
        }
        utt.text = Some(self.find(&utt.key)?);
        Ok(true)
    }
}
