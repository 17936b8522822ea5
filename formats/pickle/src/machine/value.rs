//! Values and their storage.

use std::fmt::Write;

use spr_core::bytes::Source;
use spr_core::{Error, Remedy, Result};

use super::global::Global;
use crate::payload::Payload;

/// A value: small ones inline, others as indices into the [`Heap`].
///
/// Values are shared by copying an index. Nothing is cloned, cycles are harmless, and dropping
/// deeply nested values needs no stack.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Value {
    None,
    Bool(bool),
    Int(i64),
    /// An integer beyond 64 bits, whose value is not needed.
    BigInt,
    Float(f64),
    Node(u32),
}

/// A value on the heap.
#[derive(Debug)]
pub(crate) enum Node {
    /// `bytes`, `bytearray`, or `str` of Python 2.
    Bytes(Payload),
    /// `str`: UTF-8 if it is in memory.
    Text(Payload),
    Tuple(Vec<Value>),
    List(Vec<Value>),
    Set(Vec<Value>),
    /// Entries in order; the last of a repeated key counts.
    Dict(Vec<(Value, Value)>),
    Global(Global),
    /// An element type: its code, such as `f4`, and the state set by BUILD.
    Dtype {
        code: Value,
        state: Option<Value>,
    },
    /// An array, with its state after BUILD.
    Array(Option<Box<ArrayState>>),
    /// joblib's placeholder for an array before BUILD.
    Wrapper,
}

/// The state of an array in a pickle, not yet checked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArrayState {
    pub(crate) shape: Value,
    pub(crate) dtype: Value,
    pub(crate) fortran: bool,
    pub(crate) data: Value,
}

/// The memory that the values of any pickle may take, in bytes. The numbers of arrays stay in the
/// file, so that this is enough for tens of thousands of arrays.
const BUDGET: usize = 64 << 20;

/// The largest total size of the arrays, relative to the size of the pickle.
const AGAIN: u64 = 50;

/// All values of a pickle.
#[derive(Debug)]
pub(crate) struct Heap {
    nodes: Vec<Node>,
    used: usize,
    budget: usize,
    /// Whether the pickle was compressed.
    packed: bool,
    /// The size of the pickle in bytes.
    size: u64,
}

impl Heap {
    /// Creates the heap of a pickle. Its budget is sixteen times the size of the file, if that is
    /// more than the minimum: enough for any number of arrays, and for lists of two-byte integers.
    /// For a compressed file it is thirty times the number of bytes read. `most` bounds both.
    pub(super) fn for_file(source: &Source, most: u64) -> Self {
        let size = source.remaining().unwrap_or(0);
        let bytes = size.saturating_mul(16);
        let packed = source.packed().map(|packed| packed.saturating_mul(30));
        let bytes = bytes.min(packed.unwrap_or(u64::MAX)).min(most);
        Self {
            nodes: Vec::new(),
            used: 0,
            budget: usize::try_from(bytes).map_or(BUDGET, |n| n.max(BUDGET)),
            packed: packed.is_some(),
            size,
        }
    }

    /// Checks the total size of the arrays to be read. An array that is referenced repeatedly
    /// counts each time.
    ///
    /// # Errors
    /// It is out of proportion to the size of the pickle.
    pub(crate) fn check_work(&self, bytes: u64) -> Result<()> {
        if bytes <= self.size.saturating_mul(AGAIN).max(BUDGET as u64) {
            return Ok(());
        }
        Err(Error::limit(format!(
            "its entries come to {bytes} bytes of arrays, in a pickle of {}: some are named again \
             and again",
            self.size
        ))
        .suggest(Remedy::Advice("save each array once".to_owned())))
    }

    /// Charges memory before it is allocated.
    ///
    /// # Errors
    /// The budget is exceeded.
    pub(crate) fn charge(&mut self, bytes: usize) -> Result<()> {
        self.used = self.used.saturating_add(bytes);
        if self.used > self.budget {
            return Err(Error::limit(format!(
                "its Python objects beside the arrays take more than {} MiB",
                self.budget >> 20
            ))
            .suggest(match self.packed {
                true => {
                    Remedy::Advice("if the file is to be trusted, decompress it first".to_owned())
                }
                false => Remedy::RaiseLimit,
            }));
        }
        Ok(())
    }

    pub(super) fn add(&mut self, node: Node) -> Result<Value> {
        let content = match &node {
            Node::Bytes(data) | Node::Text(data) => data.inline().map_or(0, <[u8]>::len),
            Node::Tuple(items) | Node::List(items) | Node::Set(items) => size_of_val(&items[..]),
            Node::Dict(entries) => size_of_val(&entries[..]),
            Node::Global(global) => global.text_len(),
            Node::Dtype { .. } | Node::Wrapper => 0,
            Node::Array(_) => size_of::<ArrayState>(),
        };
        // Growth temporarily doubles the allocation.
        self.charge(2 * size_of::<Node>() + content)?;
        let place = u32::try_from(self.nodes.len())
            .map_err(|_| Error::limit("it holds more than 2^32 Python objects"))?;
        self.nodes.push(node);
        Ok(Value::Node(place))
    }

    pub(crate) fn node(&self, value: Value) -> Option<&Node> {
        match value {
            Value::Node(place) => self.nodes.get(place as usize),
            _ => None,
        }
    }

    pub(super) fn node_mut(&mut self, value: Value) -> Option<&mut Node> {
        match value {
            Value::Node(place) => self.nodes.get_mut(place as usize),
            _ => None,
        }
    }

    /// Returns the items of a tuple.
    pub(crate) fn tuple(&self, value: Value) -> Option<&[Value]> {
        match self.node(value) {
            Some(Node::Tuple(items)) => Some(items),
            _ => None,
        }
    }

    /// Returns the items of a list, or of a one-dimensional array of Python objects.
    pub(crate) fn list(&self, value: Value) -> Option<&[Value]> {
        match self.node(value)? {
            Node::List(items) => Some(items),
            Node::Array(Some(array)) => match (self.node(array.data)?, self.tuple(array.shape)?) {
                (Node::List(items), [Value::Int(n)]) if usize::try_from(*n) == Ok(items.len()) => {
                    Some(items)
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns a short string of either type.
    pub(crate) fn word(&self, value: Value) -> Option<&[u8]> {
        match self.node(value) {
            Some(Node::Bytes(data) | Node::Text(data)) => data.inline(),
            _ => None,
        }
    }

    /// Describes a value in a few words, and a few items of a container.
    pub(crate) fn describe(&self, value: Value) -> String {
        let mut text = self.title(value);
        let (Some(Node::Tuple(items)) | Some(Node::List(items))) = self.node(value) else {
            return text;
        };
        if (1..=4).contains(&items.len()) {
            let titles: Vec<_> = items.iter().map(|&item| self.title(item)).collect();
            let _ = write!(text, " ({})", titles.join(", "));
        }
        text
    }

    fn title(&self, value: Value) -> String {
        let count = |container: &str, n: usize, one: &str, many: &str| match n {
            1 => format!("a {container} of 1 {one}"),
            n => format!("a {container} of {n} {many}"),
        };
        match value {
            Value::None => return "None".to_owned(),
            Value::Bool(_) => return "a bool".to_owned(),
            Value::Int(_) | Value::BigInt => return "an integer".to_owned(),
            Value::Float(_) => return "a float".to_owned(),
            Value::Node(_) => {}
        }
        match self.node(value) {
            Some(Node::Bytes(_)) => "a byte string".to_owned(),
            Some(Node::Text(_)) => "a string".to_owned(),
            Some(Node::Tuple(items)) => count("tuple", items.len(), "item", "items"),
            Some(Node::List(items)) => count("list", items.len(), "item", "items"),
            Some(Node::Set(items)) => count("set", items.len(), "item", "items"),
            Some(Node::Dict(entries)) => count("dict", entries.len(), "entry", "entries"),
            Some(Node::Global(global)) => global.to_string(),
            Some(Node::Dtype { .. }) => "an element type".to_owned(),
            Some(Node::Array(Some(array))) => match self.tuple(array.shape) {
                Some([]) => "a single NumPy value".to_owned(),
                Some(shape) => {
                    let sizes: Vec<_> = shape.iter().take(8).map(|&s| self.size(s)).collect();
                    match sizes.as_slice() {
                        [one] => format!("an array of {one}"),
                        _ => format!("an array of {}", sizes.join(" x ")),
                    }
                }
                None => "an array".to_owned(),
            },
            Some(Node::Array(None) | Node::Wrapper) | None => "an array without data".to_owned(),
        }
    }

    fn size(&self, value: Value) -> String {
        match value {
            Value::Int(n) => n.to_string(),
            _ => "?".to_owned(),
        }
    }
}
