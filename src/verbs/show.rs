//! `show`: utterances by key, and parts of them.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::str::FromStr;
use std::sync::Arc;

use spr_core::bytes::Env;
use spr_core::format::{OpenedDataset, Registry, Request};
use spr_core::model::{Key, Utterance};
use spr_core::recording::load;
use spr_core::stage::KeyFilter;
use spr_core::{Error, ErrorKind, Remedy, Result, nearest};

use crate::plan::Plan;

/// Rows and columns to show, such as `0:9,0:3`, inclusive as in Kaldi's script files. `:` or
/// nothing stands for all, a single number for one row or column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Window {
    rows: Option<(usize, usize)>,
    cols: Option<(usize, usize)>,
}

impl Window {
    /// Returns the selected ones of `n` rows.
    pub fn rows(&self, n: usize) -> Range<usize> {
        cut(self.rows, n)
    }

    /// Returns the selected ones of `n` columns.
    pub fn cols(&self, n: usize) -> Range<usize> {
        cut(self.cols, n)
    }
}

fn cut(span: Option<(usize, usize)>, n: usize) -> Range<usize> {
    let (first, last) = span.unwrap_or((0, usize::MAX));
    first.min(n)..last.saturating_add(1).min(n)
}

impl FromStr for Window {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let (rows, cols) = text.split_once(',').unwrap_or((text, ""));
        let span = |text: &str| {
            if text.is_empty() || text == ":" {
                return Ok(None);
            }
            let (first, last) = text.split_once(':').unwrap_or((text, text));
            match (first.parse(), last.parse()) {
                (Ok(first), Ok(last)) if first <= last => Ok(Some((first, last))),
                _ => Err(Error::usage(format!(
                    "'{text}' is not a range such as 0:9,0:3: rows, then columns, from 0"
                ))),
            }
        };
        Ok(Self {
            rows: span(rows)?,
            cols: span(cols)?,
        })
    }
}

/// Passes the utterances that `words` name to `each`: keys, or patterns with `*`, `?` and `[...]`
/// as in [`KeyFilter::glob`], if there is no such key. If all are keys, they come in the given
/// order, otherwise in that of the data.
///
/// # Errors
/// As for [`find`], or a pattern is invalid, or no key matches.
pub fn find_named(
    input: &Plan,
    words: &[String],
    request: Request,
    (registry, env): (&Registry, &Env),
    mut each: impl FnMut(&Utterance) -> Result<()>,
) -> Result<()> {
    let keys: Vec<_> = words.iter().map(|word| Key::from(word.as_str())).collect();
    if !words.iter().any(|word| word.contains(['*', '?', '['])) {
        return find(input, &keys, request, (registry, env), each);
    }
    let filters = words.iter().map(|word| KeyFilter::glob(word));
    let filters: Arc<[_]> = filters.collect::<Result<Vec<_>>>()?.into();
    let pairs = keys.iter().zip(filters.iter());
    let pairs: Vec<_> = pairs.map(|(key, filter)| (key.clone(), filter)).collect();
    let wanted = {
        let (keys, filters) = (keys.clone(), filters.clone());
        move |key: &Key| keys.contains(key) || filters.iter().any(|filter| filter.holds(key))
    };
    let mut reader = input
        .open_whole(request.keys(wanted), registry, env)?
        .reader;
    let mut utt = Utterance::default();
    let mut seen = vec![false; pairs.len()];
    while reader.read(&mut utt)? {
        for (seen, (key, filter)) in seen.iter_mut().zip(&pairs) {
            *seen |= utt.key == *key || filter.holds(&utt.key);
        }
        each(&utt)?;
    }
    match keys.iter().zip(seen).find(|(_, seen)| !seen) {
        Some((key, _)) => Err(missing(input, key, registry, env)),
        None => Ok(()),
    }
}

/// Passes the utterances `keys` of a data set to `each`, in the given order. Data without lookup
/// are read sequentially as far as necessary, and utterances are held until their turn.
///
/// # Errors
/// The data cannot be read, or contain no such utterance, or `each` fails.
pub fn find(
    input: &Plan,
    keys: &[Key],
    request: Request,
    (registry, env): (&Registry, &Env),
    mut each: impl FnMut(&Utterance) -> Result<()>,
) -> Result<()> {
    let mut utt = Utterance::default();
    let wanted: HashSet<_> = keys.iter().cloned().collect();
    let request = request.keys(move |key| wanted.contains(key));
    let (samples, parts) = (request.samples, request.parts);
    let mut reader = match input.open_lookup(request, registry, env)?.0 {
        OpenedDataset::Table(mut table) => {
            for key in keys {
                match table.find(key, &mut utt) {
                    Ok(true) => {}
                    Ok(false) => return Err(missing(input, key, registry, env)),
                    Err(error) if input.skips(&error, env) => continue,
                    Err(error) => return Err(error),
                }
                parts.keep(&mut utt);
                if samples {
                    load(&mut utt, env).map_err(|e| e.utterance(key))?;
                }
                each(&utt)?;
            }
            return Ok(());
        }
        OpenedDataset::Stream(reader) => reader,
    };
    let mut held: HashMap<&Key, Option<Utterance>> = keys.iter().map(|key| (key, None)).collect();
    let mut left = held.len();
    while left > 0 && reader.read(&mut utt)? {
        if let Some(place @ None) = held.get_mut(&utt.key) {
            *place = Some(utt.clone());
            left -= 1;
        }
    }
    for key in keys {
        match held.get(key) {
            Some(Some(utt)) => each(utt)?,
            _ => return Err(missing(input, key, registry, env)),
        }
    }
    Ok(())
}

/// Returns the error for a missing key, with the most similar existing one.
fn missing(input: &Plan, key: &Key, registry: &Registry, env: &Env) -> Error {
    let error = Error::new(ErrorKind::Unfit, "there is no such utterance")
        .file(input.text())
        .utterance(key);
    if input.is_read_once(env) {
        return error;
    }
    let mut best: Option<Key> = None;
    let mut look = || -> Result<()> {
        let mut reader = input.open_whole(Request::names(), registry, env)?.reader;
        let mut utt = Utterance::default();
        while reader.read(&mut utt)? {
            let pair = best.iter().map(Key::as_bytes).chain([utt.key.as_bytes()]);
            let near = nearest(key.as_bytes(), pair).map(Key::from);
            best = near.or(best.take());
        }
        Ok(())
    };
    // Data that cannot be read have no suggestion; the error is unchanged.
    let _ = look();
    match best {
        Some(near) => error.hint(format!("did you mean {near}?")),
        None => error.suggest(Remedy::ListNames),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows() {
        let of = |text: &str| {
            let window: Window = text.parse().unwrap();
            (window.rows(5), window.cols(4))
        };
        assert_eq!(of("0:9,0:2"), (0..5, 0..3));
        assert_eq!(of("2"), (2..3, 0..4));
        assert_eq!(of(":,1"), (0..5, 1..2));
        assert_eq!(of("7:9"), (5..5, 0..4));
        for text in ["a", "3:1", "1:2:3", "-1:2", "0:1,2:x"] {
            assert!(text.parse::<Window>().is_err(), "{text}");
        }
    }
}
