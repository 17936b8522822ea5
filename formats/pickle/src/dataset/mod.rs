//! The arrays of a pickle that form the data set.

mod forms;

use std::borrow::Cow;
use std::collections::HashSet;

use spr_core::model::Key;
use spr_core::{Error, Result};

use crate::array::Array;
use crate::layout::Layout;
use crate::machine::{Heap, Node, Value};
use crate::plain;

/// The arrays of an utterance, or of all utterances joined.
#[derive(Clone, Debug)]
pub(crate) struct UtteranceArrays {
    pub(crate) features: Array,
    pub(crate) labels: Option<Array>,
}

impl UtteranceArrays {
    /// Returns `true` if it may be labels alone: integers, one per frame.
    pub(crate) fn is_labels(&self) -> bool {
        let Array { dtype, cols, .. } = self.features;
        self.labels.is_none() && cols.is_none() && !dtype.is_float()
    }
}

/// The name of an entry.
#[derive(Clone, Debug)]
enum Name {
    /// No name.
    None,
    /// A string or an integer in the pickle.
    Stored(Value),
    /// The names of nested dicts.
    Path(Box<[u8]>),
    /// Its index in a tuple, and the number of items.
    Set(usize, usize),
}

/// An utterance whose arrays have not been inspected.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    name: Name,
    features: Value,
    labels: Value,
}

/// The context of a data set besides the pickle.
#[derive(Clone, Copy)]
pub(crate) struct Terms<'a> {
    /// The requested layout.
    pub(crate) layout: Option<Layout>,
    /// Whether a side file names the items.
    pub(crate) has_names: bool,
    /// Receives warnings about guesses.
    pub(crate) tell: &'a dyn Fn(Error),
    /// Receives warnings about ignored data.
    pub(crate) tell_left_out: &'a dyn Fn(Error),
}

/// The data set in a pickle.
#[derive(Debug)]
pub(crate) enum Dataset {
    /// All utterances joined.
    Joined(Entry),
    /// Separate utterances.
    Entries { list: Vec<Entry>, named: bool },
}

impl Dataset {
    /// Interprets the value of a pickle as a data set.
    ///
    /// # Errors
    /// The value is something else, or has another layout than requested; the error names it.
    pub(crate) fn find(heap: &mut Heap, top: Value, terms: &Terms<'_>) -> Result<Self> {
        let wanted = terms.layout;
        let may_be = |layout| wanted.is_none_or(|wanted| wanted == layout);
        if let Some(items) = heap.list(top) {
            if may_be(Layout::Pdnn)
                && let Some(entry) = joined_list(heap, top, items, terms)?
            {
                return Ok(Self::Joined(entry));
            }
            return match may_be(Layout::List) {
                true => Self::collect(heap, top, terms),
                false => Err(something_else(heap, top, wanted)),
            };
        }
        match heap.node(top) {
            Some(Node::Dict(entries)) => {
                if may_be(Layout::Pdnn)
                    && let Some((entry, others)) = forms::set(heap, entries)
                {
                    tell_set(heap, &entry, &others, terms);
                    return Ok(Self::Joined(entry));
                }
                match may_be(Layout::Dict) {
                    true => Self::collect(heap, top, terms),
                    false => Err(something_else(heap, top, wanted)),
                }
            }
            Some(Node::Tuple(items))
                if may_be(Layout::List)
                    && !items.is_empty()
                    && items.iter().all(|&item| forms::pair(heap, item).is_some()) =>
            {
                Self::collect(heap, top, terms)
            }
            Some(_) if may_be(Layout::Pdnn) => forms::utterance(heap, top)
                .map(Self::Joined)
                .ok_or_else(|| something_else(heap, top, wanted)),
            _ => Err(something_else(heap, top, wanted)),
        }
    }

    /// Reduces the data set to the entry called `name`.
    ///
    /// # Errors
    /// There is no such entry.
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
        let found = list.iter().find(called).cloned();
        match found.or_else(|| place.and_then(|n| list.get(n).cloned())) {
            Some(entry) => Ok(Self::Entries {
                named: !matches!(entry.name, Name::None),
                list: vec![entry],
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

    /// Collects the entries of a dict, list or tuple.
    fn collect(heap: &mut Heap, container: Value, terms: &Terms<'_>) -> Result<Self> {
        // Charged before the list grows, because one dict may be many of its items.
        heap.charge(count(heap, container).saturating_mul(size_of::<Entry>()))?;
        let mut walk = Walk::new(heap, terms);
        if let Some(Node::Dict(entries)) = heap.node(container) {
            walk.dict(entries, b"", 0)?;
        } else if let Some(items) = heap.list(container) {
            for (n, &item) in items.iter().enumerate() {
                if let Some(Node::Dict(entries)) = heap.node(item) {
                    match forms::set(heap, entries) {
                        Some((entry, others)) => walk.set(entry, &others),
                        None => walk.dict(entries, b"", 0)?,
                    }
                    continue;
                }
                walk.list.push(forms::named(heap, item).ok_or_else(|| {
                    Error::unsupported(format!(
                        "item {n} of the list is {}, not an utterance",
                        heap.describe(item)
                    ))
                })?);
            }
        } else if let Some(items) = heap.tuple(container) {
            let pairs = items.iter().filter_map(|&item| forms::pair(heap, item));
            walk.list.extend(pairs.enumerate().map(|(n, entry)| Entry {
                name: Name::Set(n, items.len()),
                ..entry
            }));
        }
        let list = walk.list;
        let named = check_names(heap, &list)?;
        Ok(Self::Entries { list, named })
    }
}

impl Entry {
    fn new(features: Value, labels: Value) -> Self {
        Self {
            name: Name::None,
            features,
            labels,
        }
    }

    /// Returns its key, if it has a name.
    pub(crate) fn key(&self, heap: &Heap) -> Option<Key> {
        self.name(heap).map(|name| Key::from(&name[..]))
    }

    fn name<'a>(&self, heap: &'a Heap) -> Option<Cow<'a, [u8]>> {
        match &self.name {
            Name::None => None,
            Name::Stored(value) => key_text(heap, *value),
            Name::Path(path) => Some(Cow::Owned(path.to_vec())),
            Name::Set(place, 3) => Some(Cow::Borrowed(match place {
                0 => b"train",
                1 => b"valid",
                _ => b"test",
            })),
            Name::Set(place, _) => Some(format!("set{place}").into_bytes().into()),
        }
    }

    /// Checks its arrays.
    ///
    /// # Errors
    /// They are not supported, or do not match each other.
    pub(crate) fn part(&self, heap: &Heap) -> Result<UtteranceArrays> {
        let features = plain::find(heap, self.features, "features")?;
        let labels = match self.labels {
            Value::None => None,
            labels => Some(plain::find(heap, labels, "labels")?),
        };
        match &labels {
            Some(labels) if labels.rows != features.rows => Err(Error::malformed(format!(
                "{} frames of features, but labels for {}",
                features.rows, labels.rows
            ))),
            _ => Ok(UtteranceArrays { features, labels }),
        }
    }
}

/// A traversal of nested dicts.
struct Walk<'a> {
    heap: &'a Heap,
    terms: &'a Terms<'a>,
    list: Vec<Entry>,
    /// The size of all entries so far in bytes, of which one dict may be many.
    work: u64,
}

impl<'a> Walk<'a> {
    fn new(heap: &'a Heap, terms: &'a Terms<'a>) -> Self {
        Self {
            heap,
            terms,
            list: Vec::new(),
            work: 0,
        }
    }

    /// Adds the entries of a dict with the path `path`, which is empty for the outermost.
    fn dict(&mut self, entries: &[(Value, Value)], path: &[u8], depth: usize) -> Result<()> {
        let heap = self.heap;
        for &(name, value) in entries {
            let Some(key) = key_text(heap, name) else {
                return Err(Error::unsupported(format!(
                    "{} as a key of a dict; names of utterances are read",
                    heap.describe(name)
                )));
            };
            let full = match depth {
                0 => Vec::new(),
                _ => [path, &key].join(&b'/'),
            };
            self.work += (size_of::<Entry>() + full.len()) as u64;
            heap.check_work(self.work)?;
            let inner = match heap.node(value) {
                Some(Node::Dict(inner)) => Some(inner),
                _ => None,
            };
            let set = inner.and_then(|inner| forms::set(heap, inner));
            let found = match (forms::utterance(heap, value), set) {
                (Some(entry), _) => Some((entry, Vec::new())),
                (None, set) => set,
            };
            match (found, inner) {
                (Some((entry, others)), _) => {
                    let name = match depth {
                        0 => Name::Stored(name),
                        _ => Name::Path(full.into()),
                    };
                    self.set(Entry { name, ..entry }, &others);
                }
                (None, Some(inner)) if depth < DEEPEST => {
                    let path = if depth == 0 { &key[..] } else { &full[..] };
                    self.dict(inner, path, depth + 1)?;
                }
                _ => {
                    let what = heap.describe(value);
                    let name = if depth == 0 { &key[..] } else { &full[..] };
                    return Err(Error::unsupported(format!(
                        "is {what}, not an array or a pair of arrays"
                    ))
                    .utterance(&Key::from(name)));
                }
            }
        }
        Ok(())
    }

    /// Adds a dict with the names `others` besides its features and labels.
    fn set(&mut self, entry: Entry, others: &[Key]) {
        tell_others(others, self.terms);
        self.list.push(entry);
    }
}

/// The deepest nesting of dicts.
const DEEPEST: usize = 32;

/// Recognises a list as all utterances joined: rows, or features and labels.
///
/// # Errors
/// The list is ambiguous.
fn joined_list(
    heap: &Heap,
    top: Value,
    items: &[Value],
    terms: &Terms<'_>,
) -> Result<Option<Entry>> {
    let asked = terms.layout == Some(Layout::Pdnn);
    let rows = Some(Entry::new(top, Value::None));
    let of_arrays = items
        .first()
        .is_some_and(|&item| forms::is_array(heap, item));
    if forms::is_rows(heap, items) && !of_arrays {
        let is_matrix = asked || !terms.has_names && forms::are_as_long(heap, items);
        return Ok(rows.filter(|_| is_matrix));
    }
    if items.len() > 2 && forms::is_rows(heap, items) {
        if !asked && (terms.has_names || !forms::are_alike(heap, items)) {
            return Ok(None);
        }
        if !asked {
            let n = items.len();
            (terms.tell)(Error::unfit(format!(
                "{n} arrays of one dimension, of one type and length, are taken as the rows of a \
                 matrix; layout=list reads each as an utterance"
            )));
        }
        return Ok(rows);
    }
    match forms::pair(heap, top) {
        Some(pair) if asked || !are_utterances(heap, items)? => Ok(Some(pair)),
        _ => Ok(None),
    }
}

/// Warns about other interpretations of a dict, and about its ignored entries.
fn tell_set(heap: &Heap, entry: &Entry, others: &[Key], terms: &Terms<'_>) {
    let matrix = |value| plain::find(heap, value, "").is_ok_and(|array| array.cols.is_some());
    if terms.layout.is_none() && matrix(entry.labels) {
        (terms.tell)(Error::unfit(
            "a dict of features and labels is taken as one set; layout=dict reads each as an \
             utterance",
        ));
    }
    tell_others(others, terms);
}

fn tell_others(others: &[Key], terms: &Terms<'_>) {
    if !others.is_empty() {
        let names: Vec<_> = others.iter().map(Key::to_string).collect();
        let names = names.join(", ");
        (terms.tell_left_out)(Error::unfit(format!(
            "beside features and labels a dict has {names}: left out"
        )));
    }
}

/// Counts the entries of a dict, list or tuple.
fn count(heap: &Heap, container: Value) -> usize {
    let item = |item: &Value| match heap.node(*item) {
        Some(Node::Dict(entries)) => entries.len(),
        _ => 1,
    };
    match heap.node(container) {
        Some(Node::Dict(entries)) => entries.len(),
        _ => heap
            .list(container)
            .or_else(|| heap.tuple(container))
            .unwrap_or(&[])
            .iter()
            .map(item)
            .fold(0, |all: usize, n| all.saturating_add(n)),
    }
}

/// Returns `true` if the entries have names, which must be unique.
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

/// Returns `true` if the two arrays of a list are utterances, not features and labels: they have
/// the same type and number of columns, but different lengths.
///
/// # Errors
/// They have the same length and are ambiguous.
fn are_utterances(heap: &Heap, items: &[Value]) -> Result<bool> {
    let &[first, second] = items else {
        return Ok(false);
    };
    let find = |value| plain::find(heap, value, "features").ok();
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

/// Converts a key of a dict to a name: a short string, or an integer.
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
