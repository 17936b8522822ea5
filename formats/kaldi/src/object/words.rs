//! Reading of text objects.

use spr_core::bytes::Source;
use spr_core::model::{Matrix, Object, Rank, Utterance};
use spr_core::{Error, Result};

use super::blanks::blanks;
use super::{EMPTY_VECTOR, ObjectReader, keep, missing};
use crate::kind::{ObjectKind, Precision};
use crate::layout::Layout;
use crate::number::is_space;
use crate::packed::{self, Upper};
use crate::text::{self, truncated};
use crate::{fields, opaque};

impl ObjectReader {
    pub(super) fn read_text(
        &mut self,
        source: &mut Source,
        utt: &mut Utterance,
        whole: bool,
    ) -> Result<ObjectKind> {
        let features = self
            .found
            .first
            .is_some_and(|first| first.group() == "features");
        let floats = matches!(self.holder, Some(kind) if is_bracketed(kind));
        // Line ends may be between a key and a bracket; without a bracket the line is empty.
        let lines = whole || floats || (features && self.found.decided.lines.is_none());
        let (skip, next) = blanks(source, lines)?;
        let near = skip == 0;
        match next {
            None => {
                source.skip(skip)?;
                return Err(missing(source));
            }
            Some(0) => {
                source.skip(skip)?;
                return Err(source.malformed("more than one space before a binary object"));
            }
            _ => {}
        }
        let bracket = self.is_bracket(source, skip)?;
        let kind = match self.holder {
            Some(holder) => holder,
            None => self.decide(source, skip, (bracket, near))?,
        };
        match kind {
            kind if is_bracketed(kind) && bracket => {
                source.skip(skip + 1)?;
                let mut features = utt.spare_features();
                let (kind, upper) = self.read_brackets(source, &mut features)?;
                utt.features = Some(features);
                utt.meta.tags.extend(upper.map(packed::tag));
                Ok(kind)
            }
            kind if is_bracketed(kind) => {
                source.skip(skip)?;
                let word = text::next_word(source)?;
                let error = source.malformed(format!("expected '[', found '{word}'"));
                text::skip_line(source)?;
                Err(error.continuable())
            }
            // In a separate file they are in brackets.
            ObjectKind::Ints if whole && bracket => {
                source.skip(skip + 1)?;
                text::bracketed_integers(source, utt.labels_mut(), &self.env.limits)?;
                Ok(kind)
            }
            ObjectKind::Ints => {
                let (into, block) = (utt.labels_mut(), &mut self.integers);
                if text::integers(source, into, block, &self.env.limits)? {
                    return Ok(kind);
                }
                let word = text::next_word(source)?;
                let error = source.malformed(format!("'{word}' is not an int32"));
                text::skip_line(source)?;
                Err(error.continuable())
            }
            ObjectKind::Gauss => {
                let mut rounded = 0;
                let posterior = fields::gauss(source, &mut rounded, &self.env.limits)?;
                self.rounding.add(rounded, source.name());
                utt.object = Some(Object::GaussPosterior(posterior));
                Ok(kind)
            }
            ObjectKind::Opaque("fst") => keep(
                utt,
                kind,
                opaque::text_fst(source, whole, &self.env.limits)?,
            ),
            _ => self.read_line(source, utt, kind, whole),
        }
    }

    /// Determines the kind of the text at the current position, after `skip` bytes of white space.
    fn decide(
        &mut self,
        source: &mut Source,
        skip: u64,
        (bracket, near): (bool, bool),
    ) -> Result<ObjectKind> {
        if bracket
            && matches!(
                self.found.decided.lines,
                Some(ObjectKind::Token | ObjectKind::Tokens)
            )
        {
            return Ok(ObjectKind::Tokens);
        }
        let ahead = match near {
            true => 0,
            // Skipped line ends do not count.
            false => usize::try_from(skip).unwrap_or(0).saturating_sub(1),
        };
        match self.decide_lines(source, ahead, bracket)? {
            Some(kind) => Ok(kind),
            None if bracket => Ok(ObjectKind::Vector),
            None => Ok(ObjectKind::Ints),
        }
    }

    /// Returns `true` if a bracket that is a whole word is `skip` bytes ahead.
    fn is_bracket(&self, source: &mut Source, skip: u64) -> Result<bool> {
        let skip = usize::try_from(skip).unwrap_or(0);
        let open = |head: &[u8]| head.get(skip).is_none_or(|b| *b == b'[');
        let (head, _) = source.ahead(skip + 2, |head| !open(head))?;
        Ok(match head.get(skip..) {
            Some([b'[', b, ..]) => is_space(*b) || *b == b']',
            Some(b"[") => return Err(truncated(source, "the file ends before the object")),
            _ => false,
        })
    }

    fn read_line(
        &mut self,
        source: &mut Source,
        utt: &mut Utterance,
        kind: ObjectKind,
        whole: bool,
    ) -> Result<ObjectKind> {
        let at = source.offset();
        fields::read_line(source, &mut self.line, kind, &self.env.limits)?;
        let precision = match kind {
            ObjectKind::Float(Precision::Double) => Precision::Double,
            _ => self.precision,
        };
        let mut rounded = 0;
        let result = match kind {
            ObjectKind::Float(_) => {
                fields::number(&self.line, precision, &mut rounded, utt.features_mut())
            }
            _ => fields::object(&self.line, kind, precision, &mut rounded)
                .map(|object| utt.object = Some(object)),
        };
        self.rounding.add(rounded, source.name());
        if result.is_err()
            && self
                .found
                .first
                .is_none_or(|first| first.group() != kind.group())
        {
            // A decision made on faulty bytes does not apply to other objects.
            self.found.decided.lines = None;
        }
        match result {
            Ok(()) => Ok(kind),
            Err(_) if whole && self.holder.is_none() => {
                let error = Error::malformed("no Kaldi object starts here");
                let error = error.file(source.name()).byte(at);
                Err(error.hint("a place in an archive is given as FILE:OFFSET"))
            }
            Err(error) => {
                let hint = format!(
                    "it is read as {kind}; if it is something else, say so with holder=NAME"
                );
                let error = error.file(source.name()).byte(at);
                Err(error.hint(hint).continuable())
            }
        }
    }

    /// Reads a matrix or a vector of text after its bracket, and returns the content above the
    /// diagonal of a packed one.
    fn read_brackets(
        &mut self,
        source: &mut Source,
        into: &mut Matrix,
    ) -> Result<(ObjectKind, Option<Upper>)> {
        let at = source.offset() - 1;
        let closed = |head: &[u8]| head.contains(&b']');
        let wide = source.ahead(EMPTY_VECTOR.len(), closed)?.0 == EMPTY_VECTOR;
        let limits = &self.env.limits;
        let form = match (self.holder, Upper::of(self.holder)) {
            (_, Some(_)) => Layout::of_triangle(),
            (None, None) => Layout::of_any(),
            (Some(_), None) => Layout::default(),
        };
        let shape = match self.precision {
            Precision::Single => text::brackets(source, into, form, &mut self.singles, limits)?,
            Precision::Double => text::brackets(source, into, form, &mut self.doubles, limits)?,
        };
        self.rounding.add(shape.rounded, source.name());
        if shape.is_triangle() {
            let triangle = std::mem::take(into);
            let upper = Upper::of(self.holder).unwrap_or(Upper::Mirrored);
            packed::square((&triangle, self.precision), shape.rows, into, upper, limits)
                .map_err(|e| e.file(source.name()).byte(at))?;
            return Ok((ObjectKind::Matrix, Some(upper)));
        }
        let vector = match self.holder {
            Some(ObjectKind::Vector) if shape.lines => {
                let message = "a line end or ';' inside a vector";
                return Err(Error::malformed(message).file(source.name()).byte(at));
            }
            Some(ObjectKind::Vector) => true,
            Some(_) => false,
            None if shape.rows == 0 && !wide => self.rank == Rank::Vector && !shape.lines,
            None => !shape.lines,
        };
        if vector && shape.glued {
            let message = "two numbers of a vector without a space between them";
            return Err(Error::malformed(message).file(source.name()).byte(at));
        }
        if vector {
            return Ok((ObjectKind::Vector, None));
        }
        into.reshape(Rank::Matrix, shape.rows, shape.cols)?;
        Ok((ObjectKind::Matrix, None))
    }
}

/// Returns `true` if the numbers of a kind are in brackets.
fn is_bracketed(kind: ObjectKind) -> bool {
    matches!(
        kind,
        ObjectKind::Matrix | ObjectKind::Vector | ObjectKind::Symmetric | ObjectKind::Triangular
    )
}
