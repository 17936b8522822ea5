//! What becomes of matrices on their way through: compressed, kept as they were stored, or plain.

use spr_core::bytes::Source;
use spr_core::format::Options;
use spr_core::model::{Matrix, Rank, Tag, Utterance};
use spr_core::{Error, Limits, Result};

use crate::binary::Decoder;
use crate::compressed::Compression;
use crate::encode::{Method, Planned};

/// What becomes of matrices on their way through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compress {
    /// They are compressed.
    By(Method),
    /// Those that were stored compressed stay as they were stored.
    Keep,
}

impl Compress {
    /// What the option asks for.
    pub(crate) fn of(options: &Options) -> Result<Option<Self>> {
        let names = Method::NAMES.iter().map(|(name, m)| (*name, Self::By(*m)));
        let names: Vec<_> = names.chain([("keep", Self::Keep)]).collect();
        options.choice("compress", &names)
    }
}

/// The header line of the format `kaldi` that carries a stored object.
pub(crate) const STORED: &[u8] = b"CM";

/// The header line that carries a stored object from its token on.
pub(crate) fn stored(object: Vec<u8>) -> Tag {
    Tag::new("kaldi", STORED, object)
}

/// Decodes an object from its token on.
pub(crate) fn decode(object: &[u8], limits: &Limits) -> Result<Matrix> {
    let known = [Compression::Columns, Compression::Words, Compression::Bytes];
    let end = object.iter().position(|b| *b == b' ').unwrap_or_default();
    let token = &object[..end];
    let Some(compression) = known.iter().find(|c| c.token().as_bytes() == token) else {
        return Err(Error::malformed("it is not a compressed matrix"));
    };
    let mut source = Source::from_bytes("compressed matrix", object.to_vec())?;
    source.skip(end as u64 + 1)?;
    let mut matrix = Matrix::default();
    Decoder::default().read(&mut source, &mut matrix, *compression, limits)?;
    match source.at_end()? {
        true => Ok(matrix),
        false => Err(source.malformed("more bytes follow the object")),
    }
}

/// What is stored in place of a plain matrix, from its token on.
pub(crate) enum Compressed<'a> {
    /// It was stored so before.
    Stored(&'a [u8]),
    /// It is still to be encoded.
    Planned(Planned),
}

/// What is stored in place of the plain matrix of `utt`; `None` if it is stored plain: vectors,
/// labels, what is empty, and what was not compressed where such matrices are only kept.
///
/// # Errors
/// As [`Planned::new`].
pub(crate) fn compressed(
    compress: Option<Compress>,
    utt: &Utterance,
) -> Result<Option<Compressed<'_>>> {
    let matrix = utt.features.as_ref();
    let matrix = matrix.filter(|matrix| matrix.rank() == Rank::Matrix && !matrix.is_empty());
    match (compress, matrix) {
        (None, _) | (_, None) => Ok(None),
        (Some(Compress::By(method)), Some(matrix)) => {
            Planned::new(matrix, method).map(|planned| Some(Compressed::Planned(planned)))
        }
        (Some(Compress::Keep), Some(matrix)) => {
            let limits = Limits {
                max_alloc: u64::MAX,
                ..Limits::default()
            };
            // A stage may have changed the features since.
            let same = |tag: &&Tag| decode(&tag.value, &limits).is_ok_and(|m| m == *matrix);
            let mut tags = utt.meta.tags.iter().filter(|tag| tag.key == STORED);
            let stored = tags.next().filter(same);
            Ok(stored.map(|tag| Compressed::Stored(&tag.value)))
        }
    }
}
