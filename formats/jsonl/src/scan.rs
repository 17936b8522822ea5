//! A scanner of numbers in lists.

use std::fmt::Display;

use spr_core::model::{Element, Lists};
use spr_core::{Error, Result};

/// The rest of the text, which is valid JSON.
pub(crate) struct Scan<'a> {
    rest: &'a [u8],
}

impl<'a> Scan<'a> {
    /// Starts at the beginning of a text.
    pub(crate) fn new(text: &'a str) -> Self {
        Self {
            rest: text.as_bytes(),
        }
    }

    /// Reads `[`, items separated by commas with `item`, and `]`.
    fn each(&mut self, mut item: impl FnMut(&mut Self) -> Result<()>) -> Result<()> {
        if !self.take(b'[') {
            return Err(self.wrong("a list"));
        }
        if self.take(b']') {
            return Ok(());
        }
        loop {
            item(self)?;
            if self.take(b']') {
                return Ok(());
            }
            self.comma()?;
        }
    }

    /// Reads a list of items.
    pub(crate) fn items<T>(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut items = Vec::new();
        self.each(|scan| {
            items.push(item(scan)?);
            Ok(())
        })?;
        Ok(items)
    }

    /// Reads a list of lists of items.
    pub(crate) fn lists<T>(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Result<T>,
    ) -> Result<Lists<T>> {
        let mut lists = Lists::default();
        self.each(|scan| {
            scan.each(|scan| {
                lists.push(item(scan)?);
                Ok(())
            })?;
            lists.end();
            Ok(())
        })?;
        Ok(lists)
    }

    /// Reads brackets around the result of `inner`.
    pub(crate) fn tuple<T>(&mut self, inner: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if !self.take(b'[') {
            return Err(self.wrong("a list"));
        }
        let value = inner(self)?;
        match self.take(b']') {
            true => Ok(value),
            false => Err(self.wrong("']'")),
        }
    }

    /// Reads a list of two numbers.
    pub(crate) fn pair<T: Element>(&mut self) -> Result<[T; 2]> {
        self.tuple(|scan| {
            let first = scan.number()?;
            scan.comma()?;
            Ok([first, scan.number()?])
        })
    }

    /// Reads a comma.
    pub(crate) fn comma(&mut self) -> Result<()> {
        match self.take(b',') {
            true => Ok(()),
            false => Err(self.wrong("','")),
        }
    }

    /// Reads a number.
    pub(crate) fn number<T: Element>(&mut self) -> Result<T> {
        match self.element() {
            Ok(value) => Ok(value),
            Err(_) => Err(self.wrong(T::DTYPE.name())),
        }
    }

    /// Checks that the text ends.
    pub(crate) fn end(&mut self) -> Result<()> {
        self.skip_blanks();
        match self.rest {
            [] => Ok(()),
            _ => Err(self.wrong("the end")),
        }
    }

    #[cold]
    fn wrong(&self, expected: &str) -> Error {
        let rest = String::from_utf8_lossy(self.rest);
        let shown: String = rest.chars().take(20).collect();
        Error::malformed(format!(
            "expected {expected}, found '{}'",
            shown.escape_debug()
        ))
    }

    /// Reads `[`, `len` items separated by commas, and `]`. Error messages begin with `what`.
    pub(crate) fn list(
        &mut self,
        what: impl Display,
        len: usize,
        mut item: impl FnMut(&mut Self, usize) -> Result<()>,
    ) -> Result<()> {
        let open = self.take(b'[');
        for n in 0..len {
            if !open || n > 0 && !self.take(b',') {
                return Err(Error::malformed(format!("{what} not a list of {len}")));
            }
            item(self, n)?;
        }
        if open && self.take(b']') {
            return Ok(());
        }
        Err(Error::malformed(format!("{what} not a list of {len}")))
    }

    /// Reads an element of a matrix, or returns the invalid text.
    #[inline]
    pub(crate) fn element<T: Element>(&mut self) -> Result<T, &'a [u8]> {
        self.skip_blanks();
        let len = self.rest.iter().position(|b| is_end(*b));
        let (token, rest) = self.rest.split_at(len.unwrap_or(self.rest.len()));
        let value = match token.first() {
            Some(b'"') => non_finite(token).filter(|_| T::DTYPE.is_float()),
            _ => Some(token),
        };
        let value = value.and_then(T::parse).ok_or(token)?;
        self.rest = rest;
        Ok(value)
    }

    /// Consumes `byte` and the blanks before it, if it comes next.
    #[inline]
    fn take(&mut self, byte: u8) -> bool {
        self.skip_blanks();
        match self.rest.split_first() {
            Some((first, rest)) if *first == byte => {
                self.rest = rest;
                true
            }
            _ => false,
        }
    }

    #[inline]
    fn skip_blanks(&mut self) {
        while let Some((b' ' | b'\t' | b'\n' | b'\r', rest)) = self.rest.split_first() {
            self.rest = rest;
        }
    }
}

#[inline]
fn is_end(byte: u8) -> bool {
    matches!(byte, b',' | b']' | b' ' | b'\t' | b'\n' | b'\r')
}

fn non_finite(token: &[u8]) -> Option<&[u8]> {
    let name = token.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    matches!(name, b"nan" | b"inf" | b"-inf").then_some(name)
}
