//! The treatment of matrices: compressed, kept as stored, or plain.

use spr_core::bytes::Source;
use spr_core::format::Options;
use spr_core::model::{Matrix, Rank, Tag, Utterance};
use spr_core::{Error, Limits, Result};

use crate::binary::Decoder;
use crate::compressed::Compression;
use crate::encode::{CompressionPlan, Method};

/// The treatment of matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compress {
    /// They are compressed.
    By(Method),
    /// Matrices that were stored compressed are kept as stored.
    Keep,
}

impl Compress {
    /// Parses the option.
    pub(crate) fn of(options: &Options) -> Result<Option<Self>> {
        let names = Method::NAMES.iter().map(|(name, m)| (*name, Self::By(*m)));
        let names: Vec<_> = names.chain([("keep", Self::Keep)]).collect();
        options.choice("compress", &names)
    }
}

/// The key of the tag, of format `kaldi`, with an object as stored.
pub(crate) const STORED: &[u8] = b"CM";

/// Returns the tag with an object as stored, from its token on.
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

/// The compressed form of a matrix, from its token on.
pub(crate) enum CompressedForm<'a> {
    /// The form in which it was stored before.
    Stored(&'a [u8]),
    /// The form that is to be encoded.
    Planned(CompressionPlan),
}

/// Returns the compressed form of the matrix of `utt`, or `None` if it is stored plain: vectors,
/// labels, empty matrices, and with `keep` those that were not compressed.
///
/// # Errors
/// As for [`CompressionPlan::new`].
pub(crate) fn compressed(
    compress: Option<Compress>,
    utt: &Utterance,
) -> Result<Option<CompressedForm<'_>>> {
    let matrix = utt.features.as_ref();
    let matrix = matrix.filter(|matrix| matrix.rank() == Rank::Matrix && !matrix.is_empty());
    match (compress, matrix) {
        (None, _) | (_, None) => Ok(None),
        (Some(Compress::By(method)), Some(matrix)) => CompressionPlan::new(matrix, method)
            .map(|planned| Some(CompressedForm::Planned(planned))),
        (Some(Compress::Keep), Some(matrix)) => {
            let limits = Limits {
                max_alloc: u64::MAX,
                ..Limits::default()
            };
            // A stage may have changed the features since.
            let same = |tag: &&Tag| decode(&tag.value, &limits).is_ok_and(|m| m == *matrix);
            let mut tags = utt.meta.tags.iter().filter(|tag| tag.key == STORED);
            let stored = tags.next().filter(same);
            Ok(stored.map(|tag| CompressedForm::Stored(&tag.value)))
        }
    }
}
