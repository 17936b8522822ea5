//! Joining of transcripts from a second data set.

use std::borrow::Cow;

use super::lookup::{Lookup, LookupOutcome, Main};
use crate::bytes::Env;
use crate::error::{Error, Remedy, Result};
use crate::format::{OpenedDataset, Reader};
use crate::model::{DatasetInfo, Key, Object, Utterance};

/// Adds the text of a second data set to the utterances with the same key: its text, or the words
/// of a Kaldi table.
///
/// An utterance without a transcript, or with text already, is faulty, and the next one can be
/// read. A repeated key with different text is an error.
pub struct JoinText {
    main: Main,
    texts: Lookup,
    name: String,
    next: Utterance,
    /// Whether the texts that were not used were checked after the last utterance.
    over: bool,
}

impl JoinText {
    /// Joins `texts` to `main`; `name` is their source for messages.
    pub fn new(
        main: Box<dyn Reader>,
        texts: OpenedDataset,
        name: impl Into<String>,
        env: &Env,
    ) -> Self {
        Self {
            main: Main::new(main),
            texts: Lookup::new(texts, text_of, env.limits),
            name: name.into(),
            next: Utterance::default(),
            over: false,
        }
    }

    /// Returns the text of `key`.
    fn find(&mut self, key: &Key) -> Result<Vec<u8>> {
        let next = &mut self.next;
        match self.texts.find(key, next)? {
            LookupOutcome::Found => {}
            LookupOutcome::Missing => {
                let message = format!("no text in {}", self.name);
                return Err(Error::unfit(message).utterance(key).continuable());
            }
            LookupOutcome::Twice => return Err(twice(&next.key).file(&self.name)),
        }
        text_of(next).text.ok_or_else(|| {
            let error = Error::unfit("holds no text").utterance(key);
            error.file(&self.name).continuable()
        })
    }
}

/// Takes the text out of an utterance.
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

#[warn(clippy::missing_trait_methods)]
impl Reader for JoinText {
    fn info(&self) -> &DatasetInfo {
        self.main.info()
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        if !self.main.read(utt)? {
            if std::mem::replace(&mut self.over, true) {
                return Ok(false);
            }
            return match self.texts.find_twice(&mut self.next)? {
                Some(key) => Err(twice(&key).file(&self.name)),
                None => Ok(false),
            };
        }
        if utt.text.is_some() {
            let error = Error::usage("has text already").suggest(Remedy::LeaveOutText);
            return Err(error.utterance(&utt.key));
        }
        match self.find(&utt.key) {
            Ok(text) => utt.text = Some(text),
            Err(error) => {
                if self.texts.is_interrupted() {
                    self.main.wait(utt);
                }
                return Err(error);
            }
        }
        Ok(true)
    }
}
