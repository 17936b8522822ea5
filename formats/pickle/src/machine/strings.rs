//! Strings and lines.

use super::*;
use crate::coding::raw_unicode_text;
use crate::payload::INLINE;
use spr_core::bytes::ByteOrder;

/// The numbers of bytes of a line searched first, as most are names, and then at a time.
const SHORT: usize = 128;
const BLOCK: usize = 64 << 10;

impl Machine<'_> {
    /// Executes an opcode with a string.
    pub(super) fn string(&mut self, code: u8) -> Result<()> {
        let len = match code {
            STRING | UNICODE => return self.text_string(code),
            SHORT_BINSTRING | SHORT_BINBYTES | SHORT_BINUNICODE => self.source.byte()?.into(),
            BINSTRING => u64::try_from(self.source.read_i32(ByteOrder::Little)?)
                .map_err(|_| Error::malformed("a string of a negative length"))?,
            BINBYTES | BINUNICODE => self.source.read_u32(ByteOrder::Little)?.into(),
            _ => self.size8()?,
        };
        self.check_left("a string", len)?;
        let payload = self.payload(len)?;
        self.add(match code {
            SHORT_BINUNICODE | BINUNICODE | BINUNICODE8 => Node::Text(payload),
            _ => Node::Bytes(payload),
        })
    }

    /// Returns the next `len` bytes.
    pub(super) fn payload(&mut self, len: u64) -> Result<Payload> {
        match usize::try_from(len) {
            Ok(short) if short <= INLINE => {
                let mut bytes = vec![0; short];
                self.source.fill(&mut bytes)?;
                Ok(Payload::Inline(bytes.into()))
            }
            _ => {
                let at = self.source.offset();
                // Little is read of what follows a jump, even a short one.
                self.source.seek(at + len)?;
                Ok(Payload::Range {
                    at,
                    len,
                    coding: StringCoding::Raw,
                })
            }
        }
    }

    fn text_string(&mut self, code: u8) -> Result<()> {
        let (at, len) = self.line()?;
        if code == UNICODE {
            // A line may have passed through another system and end in CR LF.
            return self.add(Node::Text(if self.line.len() as u64 == len {
                let line = self.line.strip_suffix(b"\r").unwrap_or(&self.line);
                let text = raw_unicode_text(line).map_err(|(_, fault)| Error::malformed(fault))?;
                Payload::Inline(text.into())
            } else {
                Payload::Range {
                    at,
                    len,
                    coding: StringCoding::RawUnicode,
                }
            }));
        }
        let quotes = || Error::malformed("a string without its quotes");
        if self.line.len() as u64 == len {
            let line = self.line.trim_ascii_end();
            let text = match line {
                [open @ (b'\'' | b'"'), text @ .., close] if open == close => text,
                _ => return Err(quotes()),
            };
            let mut bytes = Vec::with_capacity(text.len());
            StringCoding::Escaped
                .decode(text, true, &mut bytes)
                .map_err(|(_, fault)| Error::malformed(fault))?;
            return self.add(Node::Bytes(Payload::Inline(bytes.into())));
        }
        let after = self.source.offset();
        self.source.seek(at + len - 2)?;
        let end: [u8; 2] = self.source.array()?;
        self.source.seek(after)?;
        let (close, tail) = match end {
            [close, b'\r'] => (close, 3),
            [_, close] => (close, 2),
        };
        match self.line.first() {
            Some(open @ (b'\'' | b'"')) if *open == close => {
                self.add(Node::Bytes(Payload::Range {
                    at: at + 1,
                    len: len - tail,
                    coding: StringCoding::Escaped,
                }))
            }
            _ => Err(quotes()),
        }
    }

    /// Reads a short line, the argument of an opcode.
    pub(super) fn short_line(&mut self) -> Result<&[u8]> {
        let (_, len) = self.line()?;
        if self.line.len() as u64 != len {
            return Err(Error::limit(format!(
                "expected a word, found a line of {len} bytes"
            )));
        }
        Ok(&self.line)
    }

    /// Skips a line, keeps its start, and returns its position and length without the line feed.
    fn line(&mut self) -> Result<(u64, u64)> {
        let at = self.source.offset();
        self.line.clear();
        let mut size = SHORT;
        loop {
            let window = self.source.peek(size)?;
            size = BLOCK;
            if window.is_empty() {
                return Err(Error::truncated("the file ends in a line of a pickle"));
            }
            let end = memchr::memchr(b'\n', window);
            let text = &window[..end.unwrap_or(window.len())];
            let room = (INLINE + 1).saturating_sub(self.line.len());
            self.line.extend_from_slice(&text[..text.len().min(room)]);
            let n = text.len() as u64;
            self.source.skip(n + u64::from(end.is_some()))?;
            if end.is_some() {
                let len = self.source.offset() - at - 1;
                return Ok((at, len));
            }
        }
    }
}
