//! Writing of the fields of an object.

use std::fmt::Display;

use spr_core::model::Decimal;

use super::{write_text, write_time};

/// The fields of an object on their way to a line.
pub struct Fields<'a> {
    out: &'a mut Vec<u8>,
    /// Stands between two fields, and between a name and its value.
    separators: [&'static [u8]; 2],
    /// There is one already.
    any: bool,
}

impl<'a> Fields<'a> {
    /// Opens an object that is written with blanks, as Python writes it.
    pub fn open(out: &'a mut Vec<u8>) -> Self {
        out.push(b'{');
        Self {
            out,
            separators: [b", ", b": "],
            any: false,
        }
    }

    /// Appends the fields of an object without blanks, but not its braces.
    pub fn compact(out: &'a mut Vec<u8>) -> Self {
        Self {
            out,
            separators: [b",", b":"],
            any: false,
        }
    }

    /// Starts a field, whose value the caller appends.
    pub fn start(&mut self, name: &str) -> &mut Vec<u8> {
        let [between, behind] = self.separators;
        if std::mem::replace(&mut self.any, true) {
            self.out.extend_from_slice(between);
        }
        write_text(name, self.out);
        self.out.extend_from_slice(behind);
        self.out
    }

    /// Adds text.
    pub fn text(&mut self, name: &str, text: &str) {
        write_text(text, self.start(name));
    }

    /// Adds a time with [as many digits](write_time) as it needs.
    pub fn time(&mut self, name: &str, time: Decimal) {
        write_time(time, self.start(name));
    }

    /// Adds a whole number.
    pub fn count(&mut self, name: &str, count: impl Into<u64>) {
        self.number(name, Some(count.into()));
    }

    /// Adds a number with the digits that it displays as, if it is known.
    pub fn number(&mut self, name: &str, number: Option<impl Display>) {
        if let Some(number) = number {
            self.raw(name, &number.to_string());
        }
    }

    /// Adds any value, as it is written in JSON.
    pub fn raw(&mut self, name: &str, value: &str) {
        self.start(name).extend_from_slice(value.as_bytes());
    }

    /// Closes the object.
    pub fn close(self) {
        self.out.push(b'}');
    }
}
