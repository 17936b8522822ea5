//! The texts of INFO lists, and the chunks that nothing is kept of.

use spr_core::bytes::{ByteOrder, Env, Source};
use spr_core::model::{Dtype, Matrix, Rank, Tag};
use spr_core::{Error, ErrorKind, Result};

use super::NAME;
use crate::kind::{tag_size, without_nuls};

/// Chunks that say nothing about the sound that the samples do not say: padding, the number of
/// samples, the largest sample, and the size of a long file.
const HARMLESS: [&[u8; 4]; 8] = [
    b"JUNK", b"junk", b"PAD ", b"FLLR", b"fact", b"PEAK", b"ds64", b"data",
];

/// The largest number of chunks that a warning names.
const MOST_NAMED: usize = 8;

/// The texts of a file. Malformed texts, or too many, are dropped with a warning.
#[derive(Default)]
pub(super) struct Texts {
    pub(super) tags: Vec<Tag>,
    /// The memory that all tags of the file take, in bytes.
    held: u64,
    /// The names of chunks that were passed over, each once, up to one more than are named.
    passed: Vec<String>,
}

impl Texts {
    /// Reads a list of `size` bytes.
    ///
    /// # Errors
    /// The system refuses, or the file ends inside the list.
    pub(super) fn read(
        &mut self,
        source: &mut Source,
        size: u32,
        order: ByteOrder,
        env: &Env,
    ) -> Result<()> {
        let (size, place) = (u64::from(size), source.offset());
        let kind = source.peek(4)?;
        if kind != b"INFO" {
            if let Some(kind) = kind.first_chunk() {
                self.pass(*kind, size);
            }
            return source.skip(size);
        }
        let warn = |source: &Source, message: &str| {
            env.warn(&Error::malformed(message).file(source.name()).byte(place));
        };
        if size > env.limits.max_header.min(env.limits.max_alloc) {
            warn(
                source,
                "a list of texts over the limit, which is passed over",
            );
            return source.skip(size);
        }
        let mut list = Matrix::default();
        let shape = (Dtype::U8, Rank::Vector, size, 1);
        source.read_matrix(&mut list, shape, ByteOrder::NATIVE, &env.limits)?;
        match self.parse(list.as_bytes(), order, env.limits.max_alloc) {
            Ok(()) => {}
            Err(ErrorKind::Limit) => warn(
                source,
                "texts over the limit of memory; from some on they are passed over",
            ),
            Err(_) => warn(
                source,
                "the list of texts is broken; what follows in it is passed over",
            ),
        }
        Ok(())
    }

    /// Notes a chunk or list of `size` bytes that is passed over. One of four bytes is empty but for
    /// a kind or a count of 0.
    pub(super) fn pass(&mut self, name: [u8; 4], size: u64) {
        let shown = name.trim_ascii().escape_ascii().to_string();
        let is_new = self.passed.len() <= MOST_NAMED && !self.passed.contains(&shown);
        if size > 4 && is_new && !HARMLESS.contains(&&name) {
            self.passed.push(shown);
        }
    }

    /// Warns of the chunks that were passed over.
    pub(super) fn warn_passed(&self, source: &Source, env: &Env) {
        if self.passed.is_empty() {
            return;
        }
        let (named, more) = self.passed.split_at(self.passed.len().min(MOST_NAMED));
        let more = if more.is_empty() { "" } else { " and others" };
        let named = named.join(", ");
        let message = format!("the metadata in chunks is not read: {named}{more}");
        env.warn(&Error::unfit(message).file(source.name()));
    }

    fn parse(&mut self, list: &[u8], order: ByteOrder, most: u64) -> Result<(), ErrorKind> {
        let mut left = list.get(4..).unwrap_or_default();
        // A single last byte is padding.
        while left.len() > 1 {
            let (key, value, rest) = entry(left, order).ok_or(ErrorKind::Malformed)?;
            self.held = self.held.saturating_add(tag_size(key, value));
            if self.held > most {
                return Err(ErrorKind::Limit);
            }
            self.tags.push(Tag::new(NAME, key, without_nuls(value)));
            left = rest;
        }
        Ok(())
    }
}

/// Returns the first entry of a list: its key, its value, and the rest.
fn entry(list: &[u8], order: ByteOrder) -> Option<(&[u8], &[u8], &[u8])> {
    let (key, rest) = list.split_at_checked(4)?;
    let (size, rest) = rest.split_first_chunk::<4>()?;
    let size = usize::try_from(order.read_u32(*size)).ok()?;
    let (value, rest) = rest.split_at_checked(size)?;
    let padded = size % 2 == 1 && rest.first() == Some(&0);
    Some((key, value, if padded { &rest[1..] } else { rest }))
}
