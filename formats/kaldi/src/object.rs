//! One object, wherever it stands: an archive, a script file's target, a file of its own.

use spr_core::bytes::{ByteOrder, Env, Source};
use spr_core::format::Options;
use spr_core::model::{Dtype, Matrix, Rank, Utterance};
use spr_core::{Error, Result};

use crate::binary::{self, Decoder};
use crate::compressed::Coding;
use crate::recognise::{self, Object, TAG};
use crate::text::{self, truncated};

/// What a user says an input holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holder {
    Matrix(Dtype),
    Vector(Dtype),
    Integers,
}

/// The names of [`Holder`]s.
const HOLDERS: &[(&str, Holder)] = &[
    ("float-matrix", Holder::Matrix(Dtype::F32)),
    ("double-matrix", Holder::Matrix(Dtype::F64)),
    ("float-vector", Holder::Vector(Dtype::F32)),
    ("double-vector", Holder::Vector(Dtype::F64)),
    ("int32-vector", Holder::Integers),
];

/// Reads objects one after the other and remembers what they were.
pub(crate) struct Objects {
    env: Env,
    /// The element type of text.
    dtype: Dtype,
    holder: Option<Holder>,
    /// Whether the first entry held features, and what it was.
    first: Option<(bool, &'static str)>,
    /// The rank of the last features.
    rank: Rank,
    /// Whether it was said that integers look like floats.
    warned: bool,
    /// Compressions met.
    pub(crate) codings: Vec<Coding>,
    /// Whether anything binary was met.
    pub(crate) binary: bool,
    decoder: Decoder,
    singles: Vec<f32>,
    doubles: Vec<f64>,
    integers: Vec<i32>,
}

/// Element types by name, each with the list of itself alone.
pub(crate) const DTYPES: &[(&str, (Dtype, &[Dtype]))] = &[
    ("f32", (Dtype::F32, &[Dtype::F32])),
    ("f64", (Dtype::F64, &[Dtype::F64])),
];

/// What follows the bracket of an empty text vector that is not to be taken for a matrix. Kaldi
/// itself writes one space in both.
pub(crate) const EMPTY_VECTOR: &[u8] = b"  ]";

/// What the kinds of objects are called in messages.
const MATRIX: &str = "a float matrix";
const VECTOR: &str = "a float vector";
const INTEGERS: &str = "an int32 vector";

impl Objects {
    pub(crate) fn new(options: &Options, env: &Env) -> Result<Self> {
        let holder = options.choice("holder", HOLDERS)?;
        let dtype = options.choice("dtype", DTYPES)?;
        let held = match holder {
            Some(Holder::Matrix(dtype) | Holder::Vector(dtype)) => dtype,
            _ => Dtype::F32,
        };
        Ok(Self {
            env: env.clone(),
            warned: false,
            dtype: dtype.map_or(held, |(dtype, _)| dtype),
            holder,
            first: None,
            rank: match holder {
                Some(Holder::Vector(_)) => Rank::Vector,
                _ => Rank::Matrix,
            },
            codings: Vec::new(),
            binary: false,
            decoder: Decoder::default(),
            singles: Vec::new(),
            doubles: Vec::new(),
            integers: Vec::new(),
        })
    }

    /// Whether the first entry held labels.
    pub(crate) fn holds_labels(&self) -> bool {
        self.first.is_some_and(|(features, _)| !features)
    }

    /// Reads the object at the current place into `utt`, whose key is set already. With `whole`
    /// nothing may follow it.
    ///
    /// # Errors
    /// [Continuable](Error::can_continue) if the source is behind the object all the same.
    pub(crate) fn read(
        &mut self,
        source: &mut Source,
        utt: &mut Utterance,
        whole: bool,
    ) -> Result<()> {
        let at = source.offset();
        utt.meta.clear();
        let name = match source.peek(recognise::TOKEN)? {
            [0, b'B', ..] => {
                source.skip(2)?;
                self.binary = true;
                let (object, token) = self.recognise(source, whole, at)?;
                source.skip(token as u64)?;
                self.read_binary(source, utt, object)?
            }
            [0, _, ..] => return Err(source.malformed("byte 0 is not followed by 'B'")),
            [0] => return Err(due(source)),
            head => match recognise::unmarked(head) {
                Some(name) => return Err(Object::refusal(name).file(source.name()).byte(at)),
                None => self.read_text(source, utt, whole)?,
            },
        };
        if whole {
            expect_end(source)?;
        }
        let features = utt.features.is_some();
        if let Some(matrix) = &utt.features {
            self.rank = matrix.rank();
        }
        match *self.first.get_or_insert((features, name)) {
            (first, _) if first == features => Ok(()),
            (_, before) => Err(Error::malformed(format!(
                "holds {name}, but the first entry held {before}"
            ))
            .file(source.name())
            .byte(at)
            .continuable()),
        }
    }

    /// What stands behind the binary mark, and the length of its token.
    fn recognise(&self, source: &mut Source, whole: bool, at: u64) -> Result<(Object, usize)> {
        let head = source.peek(recognise::TOKEN)?;
        if self.holder == Some(Holder::Integers) && head.first() == Some(&TAG) && !whole {
            return Ok((Object::Integers, 0));
        }
        let (object, token) = recognise::binary(source, whole, &self.env.limits)?;
        let due = match (self.holder, object) {
            (_, Object::Other(name)) => {
                return Err(Object::refusal(name).file(source.name()).byte(at));
            }
            (Some(Holder::Matrix(_)), Object::Matrix(_) | Object::Compressed(_))
            | (Some(Holder::Vector(_)), Object::Vector(_))
            | (Some(Holder::Integers), Object::Integers | Object::PackedIntegers)
            | (None, _) => return Ok((object, token)),
            (Some(Holder::Matrix(_)), _) => "matrix",
            (Some(Holder::Vector(_)), _) => "vector of floats",
            (Some(Holder::Integers), _) => "vector of int32",
        };
        let message = format!("holds no {due}, which the option holder asks for");
        Err(Error::malformed(message).file(source.name()).byte(at))
    }

    fn read_binary(
        &mut self,
        source: &mut Source,
        utt: &mut Utterance,
        object: Object,
    ) -> Result<&'static str> {
        let limits = &self.env.limits;
        if matches!(object, Object::Integers | Object::PackedIntegers) {
            let at = source.offset();
            utt.features = None;
            let n = binary::size(source, "numbers")?;
            let labels = utt.labels_mut();
            if object == Object::Integers {
                binary::integers(source, labels, n, limits)?;
            } else {
                let shape = (Dtype::I32, Rank::Vector, n, 1);
                source.read_matrix(labels, shape, ByteOrder::Little, limits)?;
            }
            if self.holder.is_none() && !self.warned && are_floats(labels) {
                self.warned = true;
                let warning = Error::malformed("read as int32, but the bits look like floats");
                let warning = warning.file(source.name()).byte(at).utterance(&utt.key);
                let hint = "if they are integers, say so with holder=int32-vector";
                self.env.warn(&warning.hint(hint));
            }
            return Ok(INTEGERS);
        }
        utt.labels = None;
        let into = utt.features_mut();
        match object {
            Object::Matrix(dtype) => {
                let shape = (
                    binary::size(source, "rows")?,
                    binary::size(source, "columns")?,
                );
                binary::check_shape(source, shape)?;
                let shape = (dtype, Rank::Matrix, shape.0, shape.1);
                source.read_matrix(into, shape, ByteOrder::Little, limits)?;
            }
            Object::Vector(dtype) => {
                let n = binary::size(source, "numbers")?;
                let shape = (dtype, Rank::Vector, n, 1);
                source.read_matrix(into, shape, ByteOrder::Little, limits)?;
                return Ok(VECTOR);
            }
            Object::Compressed(coding) => {
                if !self.codings.contains(&coding) {
                    self.codings.push(coding);
                }
                self.decoder.read(source, into, coding, limits)?;
            }
            Object::Integers | Object::PackedIntegers | Object::Other(_) => {}
        }
        Ok(MATRIX)
    }

    fn read_text(
        &mut self,
        source: &mut Source,
        utt: &mut Utterance,
        whole: bool,
    ) -> Result<&'static str> {
        let at = source.offset();
        skip_blanks(source, false)?;
        // Between a key and a bracket there may be line ends; without a bracket the line is empty.
        let features = self.first.is_some_and(|(features, _)| features);
        let floats = matches!(self.holder, Some(Holder::Matrix(_) | Holder::Vector(_)));
        if whole || features || floats {
            skip_blanks(source, true)?;
        }
        let near = source.offset() == at;
        match source.peek(2)? {
            [] => Err(due(source)),
            [0, ..] => {
                let message = "more than one space before a binary object";
                Err(source.malformed(message))
            }
            [b'[', b] if b.is_ascii_whitespace() || matches!(b, b']' | 0x0b) => {
                if self.holder == Some(Holder::Integers) {
                    let message = "'[' starts no vector of int32, which the option holder asks for";
                    return Err(source.malformed(message));
                }
                source.skip(1)?;
                utt.labels = None;
                self.read_brackets(source, utt.features_mut(), near)
            }
            b"[" => Err(due(source)),
            _ if floats => {
                let word = text::next_word(source)?;
                let error = source.malformed(format!("'{word}' stands where '[' is due"));
                text::skip_line(source)?;
                Err(error.continuable())
            }
            _ => {
                utt.features = None;
                self.read_line(source, utt.labels_mut(), at, whole)
            }
        }
    }

    /// Reads a matrix or a vector of text from behind its bracket; `near` says that nothing stood
    /// before that but the one space after the key.
    fn read_brackets(
        &mut self,
        source: &mut Source,
        into: &mut Matrix,
        near: bool,
    ) -> Result<&'static str> {
        let at = source.offset() - 1;
        let wide = source.peek(EMPTY_VECTOR.len())? == EMPTY_VECTOR;
        let limits = &self.env.limits;
        let shape = match self.dtype {
            Dtype::F64 => text::brackets(source, into, &mut self.doubles, limits)?,
            _ => text::brackets(source, into, &mut self.singles, limits)?,
        };
        if self.holder.is_none() && !shape.lines && is_posterior(source, into, near)? {
            text::skip_line(source)?;
            let error = Object::refusal("a posterior").file(source.name()).byte(at);
            return Err(error
                .hint("if it is a vector, say so with holder=float-vector")
                .continuable());
        }
        let vector = match self.holder {
            Some(Holder::Vector(_)) if shape.lines => {
                let message = "a line end or ';' inside a vector";
                return Err(Error::malformed(message).file(source.name()).byte(at));
            }
            Some(Holder::Vector(_)) => true,
            Some(_) => false,
            None if shape.rows == 0 && !wide => self.rank == Rank::Vector && !shape.lines,
            None => !shape.lines,
        };
        if vector && shape.glued {
            let message = "two numbers of a vector without a space between them";
            return Err(Error::malformed(message).file(source.name()).byte(at));
        }
        if vector {
            return Ok(VECTOR);
        }
        into.reshape(Rank::Matrix, shape.rows, shape.cols)?;
        Ok(MATRIX)
    }

    fn read_line(
        &mut self,
        source: &mut Source,
        into: &mut Matrix,
        at: u64,
        whole: bool,
    ) -> Result<&'static str> {
        if text::integers(source, into, &mut self.integers, &self.env.limits)? {
            if into.is_empty() && self.first.is_none() && is_fst(source)? {
                let refusal = Object::refusal("an FST or lattice");
                return Err(refusal.file(source.name()).byte(at));
            }
            return Ok(INTEGERS);
        }
        let error = if whole {
            let message = "no Kaldi object starts here";
            let error = Error::malformed(message).file(source.name()).byte(at);
            error.hint("a place in an archive is given as FILE:OFFSET")
        } else if self.holds_labels() || self.holder.is_some() {
            let word = text::next_word(source)?;
            source.malformed(format!("'{word}' is no int32"))
        } else {
            let name = recognise::line(source.peek(recognise::LINE)?);
            Object::refusal(name).file(source.name()).byte(at)
        };
        text::skip_line(source)?;
        Err(error.continuable())
    }
}

/// Whether all numbers have the bits of usual floats, and not all of them are 0.
fn are_floats(labels: &Matrix) -> bool {
    let values = labels.as_slice::<i32>().unwrap_or_default();
    values.iter().all(|v| recognise::is_weight(*v)) && values.iter().any(|v| *v != 0)
}

/// Whether the list just read is the first frame of a posterior: another follows on the line, or
/// it has Kaldi's spacing for one, which a vector has not, and holds pairs.
fn is_posterior(source: &mut Source, list: &Matrix, near: bool) -> Result<bool> {
    let after = source.peek(64)?;
    let spaces = after.iter().take_while(|b| matches!(b, b' ' | b'\t'));
    let spaces = spaces.count();
    let next = after.get(spaces);
    if spaces > 0 && next == Some(&b'[') {
        return Ok(true);
    }
    let spaced = near && spaces > 0 && matches!(next, None | Some(b'\r' | b'\n'));
    Ok(spaced && list.rows().is_multiple_of(2) && {
        let singles = list.as_slice::<f32>().unwrap_or_default();
        let doubles = list.as_slice::<f64>().unwrap_or_default();
        singles.iter().step_by(2).all(|id| id.fract() == 0.0)
            && doubles.iter().step_by(2).all(|id| id.fract() == 0.0)
    })
}

/// Whether a line of a text FST follows: it starts with the number of a state and a tab.
fn is_fst(source: &mut Source) -> Result<bool> {
    let line = source.peek(32)?;
    let digits = line.iter().take_while(|b| b.is_ascii_digit()).count();
    Ok(digits > 0 && line.get(digits) == Some(&b'\t'))
}

/// Moves past white space, or only up to the end of the line.
fn skip_blanks(source: &mut Source, lines: bool) -> Result<()> {
    let blank = |b: &u8| crate::number::is_space(*b) && (lines || *b != b'\n');
    loop {
        let bytes = source.peek(64)?;
        let n = bytes.iter().take_while(|b| blank(b)).count();
        source.skip(n as u64)?;
        if n < 64 {
            return Ok(());
        }
    }
}

/// Checks that nothing but white space is left.
fn expect_end(source: &mut Source) -> Result<()> {
    skip_blanks(source, true)?;
    match source.at_end()? {
        true => Ok(()),
        false => Err(source.malformed("more bytes follow the object")),
    }
}

fn due(source: &mut Source) -> Error {
    truncated(source, "the file ends where an object is due")
}
