//! Which arrays of a pickle make up the data set.

use std::borrow::Cow;
use std::collections::HashSet;

use spr_core::model::Key;
use spr_core::{Error, Result};

use crate::array::Array;
use crate::layout::Layout;
use crate::machine::{Heap, Node, Value};

/// The arrays of an utterance, or of all utterances joined.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) features: Array,
    pub(crate) labels: Option<Array>,
}

/// What an entry is called.
#[derive(Clone, Copy, Debug)]
enum Name {
    /// Nothing.
    None,
    /// By a string or an integer of the pickle.
    Stored(Value),
    /// By its place among as many in a tuple.
    Set(usize, usize),
}

/// One utterance, its arrays not looked into yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    name: Name,
    features: Value,
    labels: Value,
}

/// What a pickle holds.
#[derive(Debug)]
pub(crate) enum Dataset {
    /// All utterances joined.
    Joined(Entry),
    /// Utterances one by one.
    Entries { list: Vec<Entry>, named: bool },
}

impl Dataset {
    /// The data set that a pickle's value is; with `wanted`, in that arrangement.
    ///
    /// # Errors
    /// The value is something else; the error says what.
    pub(crate) fn find(heap: &mut Heap, top: Value, wanted: Option<Layout>) -> Result<Self> {
        let may_be = |layout| wanted.is_none_or(|wanted| wanted == layout);
        let joined = || joined(heap, top);
        match heap.node(top) {
            Some(Node::Dict(_)) if may_be(Layout::Dict) => Self::collect(heap, top),
            Some(Node::List(items)) if may_be(Layout::List) => match joined() {
                Some(pair) if wanted.is_none() && !are_utterances(heap, items)? => {
                    Ok(Self::Joined(pair))
                }
                _ => Self::collect(heap, top),
            },
            Some(Node::Tuple(items))
                if may_be(Layout::List)
                    && !items.is_empty()
                    && items.iter().all(|&item| joined_pair(heap, item).is_some()) =>
            {
                Self::collect(heap, top)
            }
            Some(_) if may_be(Layout::Pdnn) => joined()
                .map(Self::Joined)
                .ok_or_else(|| something_else(heap, top, wanted)),
            _ => Err(something_else(heap, top, wanted)),
        }
    }

    /// The entry called `name` alone.
    ///
    /// # Errors
    /// There is none.
    pub(crate) fn split(self, heap: &Heap, name: &str) -> Result<Self> {
        let Self::Entries { list, .. } = self else {
            return Err(Error::usage(format!(
                "split={name}: all utterances are joined, there is nothing to pick from"
            )));
        };
        let place = name
            .strip_prefix("set")
            .and_then(|n| n.parse::<usize>().ok());
        let called = |entry: &&Entry| {
            let key = entry.key(heap);
            key.is_some_and(|key| key.as_bytes() == name.as_bytes())
        };
        let found = list.iter().find(called).copied();
        match found.or_else(|| place.and_then(|n| list.get(n).copied())) {
            Some(entry) => Ok(Self::Entries {
                list: vec![entry],
                named: !matches!(entry.name, Name::None),
            }),
            None => {
                let names: Vec<_> = (0..list.len().min(5))
                    .map(|n| match list[n].key(heap) {
                        Some(key) => key.to_string(),
                        None => format!("set{n}"),
                    })
                    .collect();
                let more = if list.len() > 5 { ", …" } else { "" };
                Err(
                    Error::usage(format!("split={name}: no entry has this name"))
                        .hint(format!("it has: {}{more}", names.join(", "))),
                )
            }
        }
    }

    /// The entries of a dict, list or tuple.
    fn collect(heap: &mut Heap, container: Value) -> Result<Self> {
        // Before the list grows: one dict may be many of its items.
        heap.charge(count(heap, container).saturating_mul(size_of::<Entry>()))?;
        let mut list = Vec::new();
        match heap.node(container) {
            Some(Node::Dict(entries)) => dict(heap, entries, &mut list)?,
            Some(Node::List(items)) => {
                for (n, &item) in items.iter().enumerate() {
                    match heap.node(item) {
                        Some(Node::Dict(entries)) => dict(heap, entries, &mut list)?,
                        _ => list.push(named_item(heap, item).ok_or_else(|| {
                            Error::unsupported(format!(
                                "item {n} of the list is {}, not an utterance",
                                heap.describe(item)
                            ))
                        })?),
                    }
                }
            }
            Some(Node::Tuple(items)) => {
                let pairs = items.iter().filter_map(|&item| joined_pair(heap, item));
                list.extend(pairs.enumerate().map(|(n, entry)| Entry {
                    name: Name::Set(n, items.len()),
                    ..entry
                }));
            }
            _ => {}
        }
        let named = check_names(heap, &list)?;
        Ok(Self::Entries { list, named })
    }
}

impl Entry {
    /// What it is called, if it has a name.
    pub(crate) fn key(&self, heap: &Heap) -> Option<Key> {
        self.name(heap).map(|name| Key::from(&name[..]))
    }

    fn name<'a>(&self, heap: &'a Heap) -> Option<Cow<'a, [u8]>> {
        match self.name {
            Name::None => None,
            Name::Stored(value) => key_text(heap, value),
            Name::Set(place, 3) => Some(Cow::Borrowed(match place {
                0 => b"train",
                1 => b"valid",
                _ => b"test",
            })),
            Name::Set(place, _) => Some(format!("set{place}").into_bytes().into()),
        }
    }

    /// Its arrays, checked.
    ///
    /// # Errors
    /// They are not such as are read, or don't fit each other.
    pub(crate) fn part(&self, heap: &Heap) -> Result<Part> {
        let features = Array::find(heap, self.features, "features")?;
        let labels = match self.labels {
            Value::None => None,
            labels => Some(Array::find(heap, labels, "labels")?),
        };
        match &labels {
            Some(labels) if labels.rows != features.rows => Err(Error::malformed(format!(
                "{} frames of features, but labels for {}",
                features.rows, labels.rows
            ))),
            _ => Ok(Part { features, labels }),
        }
    }
}

/// An array, or a pair of arrays.
fn joined(heap: &Heap, value: Value) -> Option<Entry> {
    if is_array(heap, value) {
        return Some(Entry {
            name: Name::None,
            features: value,
            labels: Value::None,
        });
    }
    joined_pair(heap, value)
}

/// A tuple or list of an array of features and an array of labels or None.
fn joined_pair(heap: &Heap, value: Value) -> Option<Entry> {
    match items(heap, value)? {
        &[features, labels] => pair(heap, features, labels),
        _ => None,
    }
}

fn pair(heap: &Heap, features: Value, labels: Value) -> Option<Entry> {
    let fits = is_array(heap, features) && (is_array(heap, labels) || labels == Value::None);
    fits.then_some(Entry {
        name: Name::None,
        features,
        labels,
    })
}

/// An utterance as an item of a list: an array or a pair, alone or behind its name.
fn named_item(heap: &Heap, value: Value) -> Option<Entry> {
    if let Some(entry) = joined(heap, value) {
        return Some(entry);
    }
    let (&name, rest) = items(heap, value)?.split_first()?;
    heap.word(name)?;
    let entry = match *rest {
        [one] => joined(heap, one),
        [features, labels] => pair(heap, features, labels),
        _ => None,
    }?;
    Some(Entry {
        name: Name::Stored(name),
        ..entry
    })
}

/// Utterances under their names.
fn dict(heap: &Heap, entries: &[(Value, Value)], list: &mut Vec<Entry>) -> Result<()> {
    for &(name, value) in entries {
        let Some(key) = key_text(heap, name) else {
            return Err(Error::unsupported(format!(
                "{} as a key of a dict; names of utterances are read",
                heap.describe(name)
            )));
        };
        let entry = joined(heap, value).ok_or_else(|| {
            let what = heap.describe(value);
            Error::unsupported(format!("is {what}, not an array or a pair of arrays"))
                .utterance(&Key::from(&key[..]))
        })?;
        list.push(Entry {
            name: Name::Stored(name),
            ..entry
        });
    }
    Ok(())
}

/// Entries of a dict, list or tuple.
fn count(heap: &Heap, container: Value) -> usize {
    let item = |item: &Value| match heap.node(*item) {
        Some(Node::Dict(entries)) => entries.len(),
        _ => 1,
    };
    match heap.node(container) {
        Some(Node::Dict(entries)) => entries.len(),
        Some(Node::List(items) | Node::Tuple(items)) => items
            .iter()
            .map(item)
            .fold(0, |all: usize, n| all.saturating_add(n)),
        _ => 0,
    }
}

/// Whether the entries have names, which must be all different.
fn check_names(heap: &Heap, list: &[Entry]) -> Result<bool> {
    let mut names = HashSet::new();
    for name in list.iter().filter_map(|entry| entry.name(heap)) {
        if let Some(twice) = names.replace(name) {
            return Err(Error::malformed("appears twice").utterance(&Key::from(&twice[..])));
        }
    }
    match names.len() {
        n if n == list.len() => Ok(n > 0),
        0 => Ok(false),
        n => Err(Error::unsupported(format!(
            "{n} of its {} items have names, the others have none",
            list.len()
        ))),
    }
}

/// Whether the two arrays of a list are utterances, not features and labels: of one type and as
/// many columns, but not as long as each other.
///
/// # Errors
/// They are as long as each other, so that they may be either.
fn are_utterances(heap: &Heap, items: &[Value]) -> Result<bool> {
    let &[first, second] = items else {
        return Ok(false);
    };
    let find = |value| Array::find(heap, value, "features").ok();
    let (Some(first), Some(second)) = (find(first), find(second)) else {
        return Ok(false);
    };
    if (first.dtype, first.cols) != (second.dtype, second.cols) {
        return Ok(false);
    }
    if first.rows != second.rows {
        return Ok(true);
    }
    Err(Error::unsupported(
        "two arrays of one type and shape in a list may be two utterances, or features and labels",
    )
    .hint("layout=list or layout=pdnn decides"))
}

fn is_array(heap: &Heap, value: Value) -> bool {
    match heap.node(value) {
        Some(Node::Array(Some(array))) => heap.tuple(array.shape) != Some(&[]),
        _ => false,
    }
}

fn items(heap: &Heap, value: Value) -> Option<&[Value]> {
    match heap.node(value)? {
        Node::Tuple(items) | Node::List(items) => Some(items),
        _ => None,
    }
}

/// The name that a key of a dict is: a short string, or an integer.
fn key_text(heap: &Heap, value: Value) -> Option<Cow<'_, [u8]>> {
    match value {
        Value::Int(n) => Some(n.to_string().into_bytes().into()),
        value => heap.word(value).map(Cow::Borrowed),
    }
}

fn something_else(heap: &Heap, top: Value, wanted: Option<Layout>) -> Error {
    let held = heap.describe(top);
    match wanted {
        Some(layout) => Error::unsupported(format!(
            "holds {held}, which is not a data set of layout={}",
            layout.name()
        )),
        None => Error::unsupported(format!(
            "holds {held}; an array of features, a (features, labels) pair, and a dict or list of \
             them are read"
        )),
    }
}
