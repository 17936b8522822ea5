//! The opcodes of a pickle of arrays, in any protocol.
//!
//! Sizes are written with a fixed width, so that they can be filled in later. The spelling is the
//! one that every version of NumPy loads: `numpy.core.multiarray._reconstruct`, and up to protocol
//! 2 bytes as Latin-1 text, which becomes `str` in Python 2 and `bytes` in Python 3.

use spr_core::Result;
use spr_core::bytes::{ByteOrder, PutNumber};
use spr_core::model::Dtype;

use crate::array;
use crate::coding::{encode_raw_unicode, encode_raw_unicode_text};
use crate::latin1;
use crate::machine as op;
use crate::payload::INLINE;
use crate::protocol::Protocol;

/// An array to be written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArrayHead {
    pub(crate) dtype: Dtype,
    pub(crate) rows: u64,
    /// The number of columns; `None` for an array of one dimension.
    pub(crate) cols: Option<u64>,
    /// The encoded size of the data in bytes.
    pub(crate) len: u64,
}

/// A builder of opcodes.
pub(crate) struct Emitter {
    protocol: u8,
    out: Vec<u8>,
    memo: Option<Memo>,
}

/// The set of constants in the memo, each at a fixed index.
#[derive(Default)]
struct Memo(u32);

/// A value that many arrays share.
#[derive(Clone, Copy)]
enum Constant {
    Reconstruct,
    /// The arguments of an array that is filled later.
    Unfilled,
    Encode,
    Latin1,
    Dtype(Dtype),
}

impl Constant {
    fn place(self) -> u8 {
        match self {
            Self::Reconstruct => 0,
            Self::Unfilled => 1,
            Self::Encode => 2,
            Self::Latin1 => 3,
            Self::Dtype(dtype) => Dtype::ALL
                .iter()
                .zip(4..)
                .find_map(|(known, place)| (*known == dtype).then_some(place))
                .unwrap_or(u8::MAX),
        }
    }
}

impl Emitter {
    /// Creates an emitter without a memo, so that a head can be written again.
    pub(crate) fn new(protocol: Protocol) -> Self {
        Self {
            protocol: protocol.0,
            out: Vec::new(),
            memo: None,
        }
    }

    /// Creates an emitter for many arrays, which writes shared values only once.
    pub(crate) fn with_memo(protocol: Protocol) -> Self {
        Self {
            memo: Some(Memo::default()),
            ..Self::new(protocol)
        }
    }

    /// Takes the opcodes so far.
    pub(crate) fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.out)
    }

    /// Starts a pickle.
    pub(crate) fn start(&mut self) {
        if self.protocol >= 2 {
            self.out.extend_from_slice(&[op::PROTO, self.protocol]);
        }
    }

    /// Ends a pickle.
    pub(crate) fn end(&mut self) {
        self.out.push(op::STOP);
    }

    /// Emits an empty dict.
    pub(crate) fn dict(&mut self) {
        match self.protocol {
            0 => self.out.extend_from_slice(&[op::MARK, op::DICT]),
            _ => self.out.push(op::EMPTY_DICT),
        }
    }

    /// Emits an empty list.
    pub(crate) fn list(&mut self) {
        match self.protocol {
            0 => self.out.extend_from_slice(&[op::MARK, op::LIST]),
            _ => self.out.push(op::EMPTY_LIST),
        }
    }

    /// Adds the last two values to the dict before them.
    pub(crate) fn set_item(&mut self) {
        self.out.push(op::SETITEM);
    }

    /// Appends the last value to the list before it.
    pub(crate) fn append(&mut self) {
        self.out.push(op::APPEND);
    }

    /// Returns `true` if a name can be read back: it is not too long.
    pub(crate) fn can_name(&self, name: &[u8]) -> bool {
        let widest = if self.protocol == 0 { 6 } else { 2 };
        name.len() <= INLINE / widest
    }

    /// Emits a name: text if it is UTF-8, otherwise bytes.
    pub(crate) fn name(&mut self, name: &[u8]) {
        match (std::str::from_utf8(name), self.protocol) {
            (Ok(text), 0) => {
                self.out.push(op::UNICODE);
                encode_raw_unicode_text(text, &mut self.out);
                self.out.push(b'\n');
            }
            (Ok(text), _) => self.text(text),
            (Err(_), 0..=2) => {
                let mut text = Vec::new();
                match self.protocol {
                    0 => encode_raw_unicode(name, &mut text),
                    _ => latin1::encode(name, &mut text),
                }
                self.bytes_head(text.len() as u64);
                self.out.extend_from_slice(&text);
                self.bytes_tail();
            }
            (Err(_), _) => {
                self.out.push(op::BINBYTES);
                self.len4(name.len() as u64);
                self.out.extend_from_slice(name);
            }
        }
    }

    /// Emits a constant with `spell`, or from the memo if it was emitted before.
    fn constant(&mut self, constant: Constant, spell: impl FnOnce(&mut Self)) {
        let place = constant.place();
        let known = match &mut self.memo {
            None => return spell(self),
            Some(Memo(places)) => {
                let known = *places >> place & 1 == 1;
                *places |= 1 << place;
                known
            }
        };
        if !known {
            spell(self);
        }
        let (text, binary) = match known {
            true => (op::GET, op::BINGET),
            false => (op::PUT, op::BINPUT),
        };
        match self.protocol {
            0 => {
                self.out.push(text);
                self.out.extend_from_slice(format!("{place}\n").as_bytes());
            }
            _ => self.out.extend_from_slice(&[binary, place]),
        }
    }

    /// Emits everything before the data of an array. The length does not depend on the size.
    ///
    /// # Errors
    /// NumPy doesn't know the type.
    pub(crate) fn array_head(&mut self, array: &ArrayHead) -> Result<()> {
        let code = array::code(array.dtype)?;
        self.constant(Constant::Reconstruct, |e| {
            e.global("numpy.core.multiarray", "_reconstruct");
        });
        self.constant(Constant::Unfilled, |e| {
            e.open_tuple(3);
            e.global("numpy", "ndarray");
            e.open_tuple(1);
            e.int(0);
            e.close_tuple(1);
            e.text("b");
            e.close_tuple(3);
        });
        self.out.push(op::REDUCE);

        self.open_tuple(5);
        self.int(1);
        let dimensions = 1 + usize::from(array.cols.is_some());
        self.open_tuple(dimensions);
        self.size(array.rows);
        if let Some(cols) = array.cols {
            self.size(cols);
        }
        self.close_tuple(dimensions);
        self.constant(Constant::Dtype(array.dtype), |e| e.dtype(array.dtype, code));
        self.bool(false);
        match self.protocol {
            0..=2 => self.bytes_head(array.len),
            3 => {
                self.out.push(op::BINBYTES);
                self.len4(array.len);
            }
            _ => {
                self.out.push(op::BINBYTES8);
                self.out.put_u64(array.len, ByteOrder::Little);
            }
        }
        Ok(())
    }

    /// Emits everything after the data of an array.
    pub(crate) fn array_tail(&mut self) {
        if self.protocol <= 2 {
            self.bytes_tail();
        }
        self.close_tuple(5);
        self.out.push(op::BUILD);
    }

    /// Emits the opcodes before bytes that are encoded as Latin-1 text of `len` bytes.
    fn bytes_head(&mut self, len: u64) {
        self.constant(Constant::Encode, |e| e.global("_codecs", "encode"));
        self.open_tuple(2);
        if self.protocol == 0 {
            self.out.push(op::UNICODE);
        } else {
            self.out.push(op::BINUNICODE);
            self.len4(len);
        }
    }

    /// Emits the opcodes after them.
    fn bytes_tail(&mut self) {
        if self.protocol == 0 {
            self.out.push(b'\n');
        }
        self.constant(Constant::Latin1, |e| e.text("latin1"));
        self.close_tuple(2);
        self.out.push(op::REDUCE);
    }

    fn dtype(&mut self, dtype: Dtype, code: &str) {
        // That of most machines on all of them.
        let order = if dtype.size() == 1 { "|" } else { "<" };
        self.global("numpy", "dtype");
        self.open_tuple(3);
        self.text(code);
        self.bool(false);
        self.bool(true);
        self.close_tuple(3);
        self.out.push(op::REDUCE);
        self.open_tuple(8);
        self.int(3);
        self.text(order);
        self.out.extend_from_slice(&[op::NONE; 3]);
        self.int(-1);
        self.int(-1);
        self.int(0);
        self.close_tuple(8);
        self.out.push(op::BUILD);
    }

    fn global(&mut self, module: &str, name: &str) {
        self.out.push(op::GLOBAL);
        self.out
            .extend_from_slice(format!("{module}\n{name}\n").as_bytes());
    }

    /// Returns `true` unless the protocol has opcodes for short tuples.
    fn needs_mark(&self, items: usize) -> bool {
        self.protocol < 2 || items > 3
    }

    pub(crate) fn open_tuple(&mut self, items: usize) {
        if self.needs_mark(items) {
            self.out.push(op::MARK);
        }
    }

    pub(crate) fn close_tuple(&mut self, items: usize) {
        self.out.push(match items {
            _ if self.needs_mark(items) => op::TUPLE,
            1 => op::TUPLE1,
            2 => op::TUPLE2,
            _ => op::TUPLE3,
        });
    }

    fn int(&mut self, value: i8) {
        match (self.protocol, u8::try_from(value)) {
            (0, _) => self.out.extend_from_slice(format!("I{value}\n").as_bytes()),
            (_, Ok(small)) => self.out.extend_from_slice(&[op::BININT1, small]),
            (_, Err(_)) => {
                self.out.push(op::BININT);
                self.out.put_i32(value.into(), ByteOrder::Little);
            }
        }
    }

    /// Emits a size with a fixed width.
    fn size(&mut self, value: u64) {
        if self.protocol < 2 {
            // Python skips blanks; zeros would make the number octal.
            self.out
                .extend_from_slice(format!("I{value:>20}\n").as_bytes());
        } else {
            self.out.extend_from_slice(&[op::LONG1, 8]);
            self.out.put_u64(value, ByteOrder::Little);
        }
    }

    fn len4(&mut self, len: u64) {
        let len = u32::try_from(len).unwrap_or(u32::MAX);
        self.out.put_u32(len, ByteOrder::Little);
    }

    fn bool(&mut self, value: bool) {
        let text: &[u8] = match (self.protocol, value) {
            (0 | 1, false) => b"I00\n",
            (0 | 1, true) => b"I01\n",
            (_, false) => &[op::NEWFALSE],
            (_, true) => &[op::NEWTRUE],
        };
        self.out.extend_from_slice(text);
    }

    /// Emits a short ASCII text.
    fn text(&mut self, text: &str) {
        match self.protocol {
            0 => self.out.extend_from_slice(format!("V{text}\n").as_bytes()),
            _ => {
                self.out.push(op::BINUNICODE);
                self.len4(text.len() as u64);
                self.out.extend_from_slice(text.as_bytes());
            }
        }
    }
}
