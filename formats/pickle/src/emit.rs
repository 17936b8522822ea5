//! The opcodes of a pickle of arrays, in any protocol.
//!
//! Sizes are written in a fixed width, so that they can be filled in once they are known. The
//! spelling is the one that every NumPy loads: `numpy.core.multiarray._reconstruct`, and up to
//! protocol 2 bytes as Latin-1 text, which gives `str` in Python 2 and `bytes` in Python 3.

use spr_core::Result;
use spr_core::bytes::ByteOrder;
use spr_core::format::{OptionSpec, Options};
use spr_core::model::Dtype;

use crate::array::Stored;
use crate::coding::Coding;
use crate::machine as op;

/// A pickle protocol that can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Protocol(u8);

impl Protocol {
    pub(crate) const OPTION: OptionSpec = OptionSpec {
        name: "protocol",
        value: "0|1|2|3|4|5",
        help: "the pickle protocol to write (default 2, which every Python loads)",
    };

    const CHOICES: [(&str, Self); 6] = [
        ("0", Self(0)),
        ("1", Self(1)),
        ("2", Self(2)),
        ("3", Self(3)),
        ("4", Self(4)),
        ("5", Self(5)),
    ];

    pub(crate) fn of(options: &Options) -> Result<Self> {
        let choice = options.choice(Self::OPTION.name, &Self::CHOICES)?;
        Ok(choice.unwrap_or(Self(2)))
    }

    /// How the bytes of an array are written.
    pub(crate) fn coding(self) -> Coding {
        match self.0 {
            0 => Coding::RawUnicode,
            1 | 2 => Coding::Utf8,
            _ => Coding::Raw,
        }
    }

    /// The most bytes of an array, as they are written.
    pub(crate) fn max_len(self) -> u64 {
        match self.0 {
            1..=3 => u32::MAX.into(),
            _ => u64::MAX,
        }
    }
}

/// One of the arrays to write.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArrayHead {
    pub(crate) dtype: Dtype,
    pub(crate) rows: u64,
    /// `None` for an array of one dimension.
    pub(crate) cols: Option<u64>,
    /// Bytes of the data as they are written.
    pub(crate) len: u64,
}

/// Collects opcodes.
pub(crate) struct Emitter {
    protocol: u8,
    out: Vec<u8>,
}

impl Emitter {
    pub(crate) fn new(protocol: Protocol) -> Self {
        Self {
            protocol: protocol.0,
            out: Vec::new(),
        }
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.out
    }

    /// What stands before the first array; a `pair` is a tuple of two.
    pub(crate) fn start(&mut self, pair: bool) {
        if self.protocol >= 2 {
            self.out.extend_from_slice(&[op::PROTO, self.protocol]);
        }
        if pair {
            self.open_tuple(2);
        }
    }

    /// What stands after the last array.
    pub(crate) fn end(&mut self, pair: bool) {
        if pair {
            self.close_tuple(2);
        }
        self.out.push(op::STOP);
    }

    /// Everything of an array before its data; as long for one size as for another.
    pub(crate) fn array_head(&mut self, array: &ArrayHead) {
        self.global("numpy.core.multiarray", "_reconstruct");
        self.open_tuple(3);
        self.global("numpy", "ndarray");
        self.open_tuple(1);
        self.int(0);
        self.close_tuple(1);
        self.text("b");
        self.close_tuple(3);
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
        self.dtype(array.dtype);
        self.bool(false);
        match self.protocol {
            0..=2 => {
                self.global("_codecs", "encode");
                self.open_tuple(2);
                if self.protocol == 0 {
                    self.out.push(op::UNICODE);
                } else {
                    self.out.push(op::BINUNICODE);
                    self.len4(array.len);
                }
            }
            3 => {
                self.out.push(op::BINBYTES);
                self.len4(array.len);
            }
            _ => {
                self.out.push(op::BINBYTES8);
                self.out.extend_from_slice(&array.len.to_le_bytes());
            }
        }
    }

    /// Everything of an array after its data.
    pub(crate) fn array_tail(&mut self) {
        if self.protocol <= 2 {
            if self.protocol == 0 {
                self.out.push(b'\n');
            }
            self.text("latin1");
            self.close_tuple(2);
            self.out.push(op::REDUCE);
        }
        self.close_tuple(5);
        self.out.push(op::BUILD);
    }

    fn dtype(&mut self, dtype: Dtype) {
        let order = match (dtype.size(), ByteOrder::NATIVE) {
            (1, _) => "|",
            (_, ByteOrder::Little) => "<",
            (_, ByteOrder::Big) => ">",
        };
        self.global("numpy", "dtype");
        self.open_tuple(3);
        self.text(Stored::code(dtype));
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

    /// Short tuples need no mark from protocol 2 on.
    fn needs_mark(&self, items: usize) -> bool {
        self.protocol < 2 || items > 3
    }

    fn open_tuple(&mut self, items: usize) {
        if self.needs_mark(items) {
            self.out.push(op::MARK);
        }
    }

    fn close_tuple(&mut self, items: usize) {
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
                self.out.extend_from_slice(&i32::from(value).to_le_bytes());
            }
        }
    }

    /// A size, in a width that does not depend on it.
    fn size(&mut self, value: u64) {
        if self.protocol < 2 {
            // Python skips the blanks; zeros would make the number octal.
            self.out
                .extend_from_slice(format!("I{value:>20}\n").as_bytes());
        } else {
            self.out.extend_from_slice(&[op::LONG1, 8]);
            self.out.extend_from_slice(&value.to_le_bytes());
        }
    }

    fn len4(&mut self, len: u64) {
        let len = u32::try_from(len).unwrap_or(u32::MAX);
        self.out.extend_from_slice(&len.to_le_bytes());
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

    /// A short ASCII text.
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
