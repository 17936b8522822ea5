//! Fields of an object, one after the other.

use spr_core::model::{Decimal, Key};

use crate::text;

/// Fields on their way to a line, those that are known.
pub(crate) struct Fields<'a> {
    out: &'a mut Vec<u8>,
    /// Whether there is one already.
    any: bool,
}

impl<'a> Fields<'a> {
    /// No fields yet; they are appended to `out`.
    pub(crate) fn new(out: &'a mut Vec<u8>) -> Self {
        Self { out, any: false }
    }
}

impl Fields<'_> {
    /// Starts a field, whose value is to be appended.
    pub(crate) fn start(&mut self, name: &str) -> &mut Vec<u8> {
        if std::mem::replace(&mut self.any, true) {
            self.out.push(b',');
        }
        self.out
            .extend_from_slice(format!("\"{name}\":").as_bytes());
        self.out
    }

    /// A time or another decimal, if it is known.
    pub(crate) fn time(&mut self, name: &str, time: Option<Decimal>) {
        if let Some(time) = time {
            text::write_decimal(time, self.start(name));
        }
    }

    /// A number, if it is known.
    pub(crate) fn number(&mut self, name: &str, number: Option<impl Into<u64>>) {
        if let Some(number) = number {
            let number = number.into().to_string();
            self.start(name).extend_from_slice(number.as_bytes());
        }
    }

    /// A name, if it is known.
    pub(crate) fn name(&mut self, name: &str, value: Option<&Key>) {
        if let Some(value) = value {
            text::write(value.as_bytes(), self.start(name));
        }
    }
}
