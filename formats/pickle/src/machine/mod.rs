//! An interpreter of pickle opcodes that calls nothing.
//!
//! It builds [`Value`]s in a [`Heap`] with a budget; long strings stay in the file as [`Payload`]s.
//! Calls are looked up in a short list of [`KnownGlobal`] functions and classes, each of which only
//! creates a value. Others are rejected by name.

mod call;
mod global;
mod joblib;
mod number;
mod op;
mod strings;
#[cfg(test)]
mod tests;
mod value;

pub(crate) use op::*;
pub(crate) use value::{ArrayState, Heap, Node, Value};

use std::collections::HashMap;

use global::{Global, KnownGlobal};
use spr_core::bytes::{ByteOrder, Source};
use spr_core::number::parse_integer;
use spr_core::{Error, ErrorKind, Limits, Result};

use crate::coding::StringCoding;
use crate::payload::Payload;

/// The memory for an entry of the memo.
const MEMO_ENTRY: usize = 2 * size_of::<(u64, Value)>();

/// A loader of consecutive pickles, whose values share a heap.
pub(crate) struct Loader {
    heap: Heap,
}

impl Loader {
    /// Creates a loader for the rest of `source`, which must be seekable.
    pub(crate) fn new(source: &Source, limits: &Limits) -> Self {
        Self {
            heap: Heap::for_file(source, limits.max_alloc),
        }
    }

    /// Reads one pickle, including its STOP.
    ///
    /// # Errors
    /// The data are invalid or hostile, or call an unknown function; the error names the opcode.
    pub(crate) fn next(&mut self, source: &mut Source) -> Result<Value> {
        Machine {
            heap: &mut self.heap,
            source,
            stack: Vec::new(),
            marks: Vec::new(),
            memo: HashMap::new(),
            highest: 0,
            line: Vec::new(),
        }
        .run()
    }

    /// Returns the heap with the only value, or a list of all values.
    ///
    /// # Errors
    /// There are too many.
    pub(crate) fn end(mut self, values: Vec<Value>) -> Result<(Heap, Value)> {
        let value = match *values {
            [only] => only,
            _ => self.heap.add(Node::List(values))?,
        };
        Ok((self.heap, value))
    }
}

struct Machine<'a> {
    source: &'a mut Source,
    heap: &'a mut Heap,
    stack: Vec<Value>,
    /// The heights of the stack at each MARK.
    marks: Vec<usize>,
    memo: HashMap<u64, Value>,
    /// The largest total size of stack and marks.
    highest: usize,
    /// The last line, or its start.
    line: Vec<u8>,
}

impl Machine<'_> {
    fn run(&mut self) -> Result<Value> {
        loop {
            let at = self.source.offset();
            let place = |e: Error, source: &Source| e.file(source.name()).byte(at);
            let code = match self.source.byte() {
                Ok(code) => code,
                Err(e) if e.kind() == ErrorKind::Truncated => {
                    let message = "the pickle ends here, before its STOP";
                    return Err(self.source.error(ErrorKind::Truncated, message));
                }
                Err(e) => return Err(e),
            };
            if code == STOP {
                return self.stop().map_err(|e| place(e, self.source));
            }
            self.step(code).map_err(|e| place(e, self.source))?;
            let height = self.stack.len() + self.marks.len();
            if height > self.highest {
                self.highest = height;
                self.heap
                    .charge(2 * size_of::<Value>())
                    .map_err(|e| place(e, self.source))?;
            }
        }
    }

    fn stop(&mut self) -> Result<Value> {
        match (self.stack.as_slice(), self.marks.is_empty()) {
            (&[value], true) => Ok(value),
            _ => Err(Error::malformed(format!(
                "STOP with {} values on the stack, not one",
                self.stack.len()
            ))),
        }
    }

    fn step(&mut self, code: u8) -> Result<()> {
        match code {
            PROTO => match self.source.byte()? {
                0..=5 => Ok(()),
                n => Err(Error::unsupported(format!("pickle protocol {n}"))),
            },
            FRAME => {
                let len = self.size8()?;
                self.check_left("a frame", len)
            }
            NONE => self.push(Value::None),
            NEWTRUE => self.push(Value::Bool(true)),
            NEWFALSE => self.push(Value::Bool(false)),
            INT | LONG | FLOAT | BININT | BININT1 | BININT2 | LONG1 | LONG4 | BINFLOAT => {
                self.number(code)
            }
            STRING | UNICODE | SHORT_BINSTRING | BINSTRING | SHORT_BINBYTES | BINBYTES
            | BINBYTES8 | BYTEARRAY8 | SHORT_BINUNICODE | BINUNICODE | BINUNICODE8 => {
                self.string(code)
            }
            MARK => {
                self.marks.push(self.stack.len());
                Ok(())
            }
            POP => match self.marks.last() {
                Some(&height) if height == self.stack.len() => {
                    self.marks.pop();
                    Ok(())
                }
                _ => self.pop().map(drop),
            },
            POP_MARK => self.pop_marked().map(drop),
            DUP => {
                let value = self.top()?;
                self.push(value)
            }
            PUT | BINPUT | LONG_BINPUT | MEMOIZE | GET | BINGET | LONG_BINGET => self.memo_op(code),
            EMPTY_TUPLE | TUPLE1 | TUPLE2 | TUPLE3 | TUPLE | EMPTY_LIST | LIST | EMPTY_SET
            | FROZENSET | EMPTY_DICT | DICT => self.collection(code),
            APPEND | APPENDS | ADDITEMS | SETITEM | SETITEMS => self.extend(code),
            GLOBAL => {
                let module = self.short_line()?.trim_ascii_end().to_vec();
                let name = self.short_line()?.trim_ascii_end().to_vec();
                self.add(Node::Global(Global::new(&module, &name)))
            }
            STACK_GLOBAL => {
                let name = self.pop()?;
                let module = self.pop()?;
                let (Some(module), Some(name)) = (self.heap.word(module), self.heap.word(name))
                else {
                    return Err(Error::malformed(
                        "the name of a global is not a short string",
                    ));
                };
                let global = Global::new(module, name);
                self.add(Node::Global(global))
            }
            REDUCE => {
                let args = self.pop()?;
                let callee = self.pop()?;
                let value = self.call(callee, args)?;
                self.push(value)
            }
            BUILD => {
                let state = self.pop()?;
                let value = self.top()?;
                self.build(value, state)
            }
            NEWOBJ if self.is_wrapper() => {
                self.pop()?;
                self.pop()?;
                self.add(Node::Wrapper)
            }
            NEWOBJ | NEWOBJ_EX | OBJ | INST => self.refuse_object(code),
            other => match opcode_name(other) {
                Some(name) => Err(Error::unsupported(format!(
                    "opcode {name} asks for something outside the file"
                ))),
                None => Err(Error::malformed(format!(
                    "0x{other:02x} is not a pickle opcode"
                ))),
            },
        }
    }

    /// Pushes a number.
    fn number(&mut self, code: u8) -> Result<()> {
        match code {
            INT | LONG | FLOAT => self.text_number(code),
            BININT => {
                let value = self.source.read_i32(ByteOrder::Little)?;
                self.push(Value::Int(value.into()))
            }
            BININT1 => {
                let value = self.source.byte()?;
                self.push(Value::Int(value.into()))
            }
            BININT2 => {
                let value = self.source.read_u16(ByteOrder::Little)?;
                self.push(Value::Int(value.into()))
            }
            LONG1 => {
                let len = self.source.byte()?;
                self.binary_long(len.into())
            }
            LONG4 => {
                let len = self.source.read_i32(ByteOrder::Little)?;
                let len = u64::try_from(len)
                    .map_err(|_| Error::malformed("an integer of a negative length"))?;
                self.binary_long(len)
            }
            _ => {
                let value = self.source.read_f64(ByteOrder::Big)?;
                self.push(Value::Float(value))
            }
        }
    }

    /// Pushes a tuple, list, set or dict of what the stack holds.
    fn collection(&mut self, code: u8) -> Result<()> {
        match code {
            EMPTY_TUPLE => self.add(Node::Tuple(Vec::new())),
            TUPLE1 => self.tuple_of(1),
            TUPLE2 => self.tuple_of(2),
            TUPLE3 => self.tuple_of(3),
            TUPLE => {
                let items = self.pop_marked()?;
                self.add(Node::Tuple(items))
            }
            EMPTY_LIST => self.add(Node::List(Vec::new())),
            LIST => {
                let items = self.pop_marked()?;
                self.add(Node::List(items))
            }
            EMPTY_SET => self.add(Node::Set(Vec::new())),
            FROZENSET => {
                let items = self.pop_marked()?;
                self.add(Node::Set(items))
            }
            EMPTY_DICT => self.add(Node::Dict(Vec::new())),
            _ => {
                let entries = pairs(&self.pop_marked()?)?;
                self.add(Node::Dict(entries))
            }
        }
    }

    fn push(&mut self, value: Value) -> Result<()> {
        self.stack.push(value);
        Ok(())
    }

    fn add(&mut self, node: Node) -> Result<()> {
        let value = self.heap.add(node)?;
        self.push(value)
    }

    /// Returns the height of the stack at the last mark.
    fn floor(&self) -> usize {
        self.marks.last().copied().unwrap_or(0)
    }

    fn top(&self) -> Result<Value> {
        match self.stack.last() {
            Some(&value) if self.stack.len() > self.floor() => Ok(value),
            _ => Err(Error::malformed(
                "an opcode finds too few values on the stack",
            )),
        }
    }

    fn pop(&mut self) -> Result<Value> {
        let value = self.top()?;
        self.stack.pop();
        Ok(value)
    }

    /// Pops everything above the last mark.
    fn pop_marked(&mut self) -> Result<Vec<Value>> {
        let height = self
            .marks
            .pop()
            .ok_or_else(|| Error::malformed("an opcode finds no mark on the stack"))?;
        Ok(self.stack.split_off(height.min(self.stack.len())))
    }

    fn tuple_of(&mut self, n: usize) -> Result<()> {
        let mut items = Vec::with_capacity(n);
        for _ in 0..n {
            items.push(self.pop()?);
        }
        items.reverse();
        self.add(Node::Tuple(items))
    }

    fn extend(&mut self, code: u8) -> Result<()> {
        let items = match code {
            APPEND => vec![self.pop()?],
            SETITEM => {
                let value = self.pop()?;
                vec![self.pop()?, value]
            }
            _ => self.pop_marked()?,
        };
        // Growth may double the allocation.
        self.heap.charge(2 * size_of_val(&items[..]))?;
        let target = self.top()?;
        match (code, self.heap.node_mut(target)) {
            (APPEND | APPENDS, Some(Node::List(list))) | (ADDITEMS, Some(Node::Set(list))) => {
                list.extend(items)
            }
            (SETITEM | SETITEMS, Some(Node::Dict(dict))) => dict.extend(pairs(&items)?),
            _ => {
                return Err(Error::malformed(format!(
                    "{} can't be extended by {}",
                    self.heap.describe(target),
                    opcode_name(code).unwrap_or_default()
                )));
            }
        }
        Ok(())
    }

    fn memo_op(&mut self, code: u8) -> Result<()> {
        let index = match code {
            BINPUT | BINGET => self.source.byte()?.into(),
            LONG_BINPUT | LONG_BINGET => self.source.read_u32(ByteOrder::Little)?.into(),
            MEMOIZE => self.memo.len() as u64,
            _ => parse_integer(self.short_line()?.trim_ascii())
                .ok_or_else(|| Error::malformed("a place in the memo is not a number"))?,
        };
        if matches!(code, GET | BINGET | LONG_BINGET) {
            let value = self.memo.get(&index).copied().ok_or_else(|| {
                Error::malformed(format!("place {index} of the memo was never set"))
            })?;
            return self.push(value);
        }
        let value = self.top()?;
        if self.memo.insert(index, value).is_none() {
            self.heap.charge(MEMO_ENTRY)?;
        }
        Ok(())
    }

    fn size8(&mut self) -> Result<u64> {
        self.source.read_u64(ByteOrder::Little)
    }

    /// Checks that `len` bytes remain.
    fn check_left(&self, what: &str, len: u64) -> Result<()> {
        match self.source.remaining() {
            Some(left) if len > left => Err(Error::truncated(format!(
                "{what} of {len} bytes, but only {left} are left"
            ))),
            _ => Ok(()),
        }
    }

    /// Rejects an object, because no class can be instantiated.
    fn refuse_object(&mut self, code: u8) -> Result<()> {
        let class = match code {
            INST => {
                let module = self.short_line()?.trim_ascii_end().to_vec();
                let name = self.short_line()?.trim_ascii_end().to_vec();
                return Err(refused(&Global::new(&module, &name).to_string()));
            }
            OBJ => self.pop_marked()?.first().copied(),
            _ => {
                let depth = if code == NEWOBJ { 2 } else { 3 };
                let place = self.stack.len().checked_sub(depth);
                place.and_then(|p| self.stack.get(p).copied())
            }
        };
        match class {
            Some(class) => Err(refused(&self.heap.describe(class))),
            None => Err(Error::malformed(
                "an opcode finds too few values on the stack",
            )),
        }
    }
}

/// Returns the error for a call that is not on the list.
fn refused(name: &str) -> Error {
    let error = Error::unsupported(format!("refused to call {name}"));
    if name.starts_with("joblib.") {
        error.hint("this is of a joblib before 0.10: load and save it with a newer one")
    } else {
        error.hint("nothing in a pickle is run; plain NumPy arrays are read")
    }
}

fn pairs(items: &[Value]) -> Result<Vec<(Value, Value)>> {
    match items.as_chunks::<2>() {
        (pairs, []) => Ok(pairs.iter().map(|&[key, value]| (key, value)).collect()),
        _ => Err(Error::malformed("a key of a dict has no value")),
    }
}
