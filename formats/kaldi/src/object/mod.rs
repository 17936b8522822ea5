//! One object, wherever it stands: an archive, a script file's target, a file of its own.

mod words;

use spr_core::bytes::{ByteOrder, Env, Source};
use spr_core::format::Options;
use spr_core::model::{Audio, Dtype, Matrix, Object, Rank, Utterance, is_word_byte};
use spr_core::{Error, Result};

use crate::binary::{self, Decoder};
use crate::compressed::Coding;
use crate::decide::{self, Decision};
use crate::encode::{Compress, stored};
use crate::kind::{HOLDERS, Kind};
use crate::number::is_space;
use crate::packed::{self, Upper};
use crate::recognise::{self, Form, TAG, TOKEN, Unmarked};
use crate::text::truncated;
use crate::{foreign, opaque, tagged, wave};
use words::blanks;

/// Reads objects one after the other and remembers what they were.
pub(crate) struct Objects {
    env: Env,
    /// The element type of text.
    dtype: Dtype,
    /// What the user says the input holds.
    holder: Option<Kind>,
    /// What the first entry was.
    first: Option<Kind>,
    /// What was found about runs of tagged numbers, lines in brackets and other lines.
    runs: Option<Kind>,
    brackets: Option<Kind>,
    lines: Option<Kind>,
    decision: Option<String>,
    /// The rank of the last features.
    rank: Rank,
    /// Compressions met.
    pub(crate) codings: Vec<Coding>,
    /// Whether anything binary was met.
    pub(crate) binary: bool,
    decoder: Decoder,
    /// Whether compressed matrices are also handed on as they were stored.
    keep: bool,
    singles: Vec<f32>,
    doubles: Vec<f64>,
    integers: Vec<i32>,
    line: Vec<u8>,
}

/// Element types by name, each with the list of itself alone.
pub(crate) const DTYPES: &[(&str, (Dtype, &[Dtype]))] = &[
    ("f32", (Dtype::F32, &[Dtype::F32])),
    ("f64", (Dtype::F64, &[Dtype::F64])),
];

/// What follows the bracket of an empty text vector that is not to be taken for a matrix. Kaldi
/// itself writes one space in both.
pub(crate) const EMPTY_VECTOR: &[u8] = b"  ]";

impl Objects {
    pub(crate) fn new(options: &Options, env: &Env) -> Result<Self> {
        let (holder, held) = options.choice("holder", HOLDERS)?.unzip();
        let dtype = options.choice("dtype", DTYPES)?;
        Ok(Self {
            env: env.clone(),
            dtype: dtype.map_or(held.unwrap_or(Dtype::F32), |(dtype, _)| dtype),
            holder,
            first: None,
            runs: None,
            brackets: None,
            lines: None,
            decision: None,
            rank: match holder {
                Some(Kind::Vector) => Rank::Vector,
                _ => Rank::Matrix,
            },
            codings: Vec::new(),
            binary: false,
            decoder: Decoder::default(),
            keep: Compress::of(options)? == Some(Compress::Keep),
            singles: Vec::new(),
            doubles: Vec::new(),
            integers: Vec::new(),
            line: Vec::new(),
        })
    }

    /// A reader of objects that passes over their values and knows what this one found out.
    pub(crate) fn trial(&self) -> Self {
        let mut env = self.env.clone();
        env.values = false;
        Self {
            env,
            decision: None,
            codings: Vec::new(),
            decoder: Decoder::default(),
            singles: Vec::new(),
            doubles: Vec::new(),
            integers: Vec::new(),
            line: Vec::new(),
            ..*self
        }
    }

    /// Whether the first entry held labels.
    pub(crate) fn holds_labels(&self) -> bool {
        self.first == Some(Kind::Ints)
    }

    /// What the objects were found to be and why, where several kinds start alike.
    pub(crate) fn decision(&self) -> Option<&str> {
        self.decision.as_deref()
    }

    /// Decides ahead of reading what the first object is; with `bare` it has no key. What is
    /// broken is left for reading.
    pub(crate) fn look_ahead(&mut self, source: &mut Source, bare: bool) -> Result<()> {
        const HEAD: usize = 4096;
        if self.holder.is_some() {
            return Ok(());
        }
        let head = source.peek(HEAD)?;
        let key = head
            .iter()
            .position(|b| !is_space(*b))
            .and_then(|start| {
                let end = head[start..].iter().position(|b| is_space(*b))?;
                Some((start, start + end))
            })
            .filter(|(start, end)| head[*start..*end].iter().all(|b| is_word_byte(*b)));
        let value = match (bare, key) {
            (true, _) => 0,
            (false, Some((_, end))) if matches!(head[end], b' ' | b'\t') => end + 1,
            (false, Some((_, end))) => end,
            (false, None) => return Ok(()),
        };
        match &head[value..] {
            [0, b'B', TAG, ..] => self.decide_runs(source, value + 2).map(drop),
            [0, ..] | [] => Ok(()),
            value if recognise::unmarked(value).is_some() => Ok(()),
            rest => {
                let bracket = rest.iter().find(|b| !is_space(**b)) == Some(&b'[');
                self.decide_lines(source, value, bracket).map(drop)
            }
        }
    }

    fn decide_runs(&mut self, source: &mut Source, skip: usize) -> Result<Option<Kind>> {
        if self.runs.is_none() {
            let decision = decide::runs(source, skip, &self.env.limits)?;
            self.runs = self.note(decision);
        }
        Ok(self.runs)
    }

    fn decide_lines(
        &mut self,
        source: &mut Source,
        skip: usize,
        bracket: bool,
    ) -> Result<Option<Kind>> {
        let known = match bracket {
            true => self.brackets,
            false => self.lines,
        };
        if known.is_some() {
            return Ok(known);
        }
        let decision = decide::lines(source, skip, &self.env.limits)?;
        let kind = self.note(decision);
        match bracket {
            true => self.brackets = kind,
            false => self.lines = kind,
        }
        if kind == Some(Kind::Posterior) {
            (self.brackets, self.lines) = (kind, kind);
        }
        Ok(kind)
    }

    fn note(&mut self, decision: Option<Decision>) -> Option<Kind> {
        let Decision { kind, why } = decision?;
        // A list in brackets says by itself whether it is a vector or a matrix.
        if kind != Kind::Vector {
            self.decision.get_or_insert(why);
        }
        Some(kind)
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
        utt.clear_others();
        let kind = self.read_any(source, utt, whole, at)?;
        if whole {
            expect_end(source)?;
        }
        if !fills_features(kind) {
            utt.features = None;
        }
        if kind != Kind::Ints {
            utt.labels = None;
        }
        if let Some(matrix) = &utt.features {
            self.rank = matrix.rank();
        }
        let first = *self.first.get_or_insert(kind);
        if first.group() == kind.group() {
            return Ok(());
        }
        let message = format!("holds {kind}, but the first entry held {first}");
        Err(Error::malformed(message)
            .file(source.name())
            .byte(at)
            .continuable())
    }

    fn read_any(
        &mut self,
        source: &mut Source,
        utt: &mut Utterance,
        whole: bool,
        at: u64,
    ) -> Result<Kind> {
        let words = matches!(self.holder, Some(Kind::Token | Kind::Tokens));
        match source.peek(TOKEN)? {
            _ if matches!(self.holder, Some(Kind::Wave | Kind::Htk | Kind::Sphinx)) => {}
            [0, b'B', ..] => {
                source.skip(2)?;
                self.binary = true;
                return self.read_binary(source, utt, whole, at);
            }
            [0] => return Err(due(source)),
            _ if words => return self.read_text(source, utt, whole),
            head => match recognise::unmarked(head) {
                Some(Unmarked::Wave) => return self.read_foreign(source, utt, Kind::Wave, whole),
                Some(Unmarked::Fst) => {
                    self.binary = true;
                    let kind = Kind::Opaque("fst");
                    self.check_holder(source, kind, at)?;
                    return keep(utt, kind, opaque::fst(source, &self.env.limits)?);
                }
                Some(Unmarked::Other(name)) => {
                    return Err(recognise::refusal(name).file(source.name()).byte(at));
                }
                None => {
                    let marked = source.peek(1)? == b"\0";
                    let by_size = match whole {
                        true => foreign::by_size(source)?,
                        false => None,
                    };
                    if let Some(kind) = by_size {
                        return self.read_foreign(source, utt, kind, whole);
                    }
                    if marked {
                        return Err(source.malformed("byte 0 is not followed by 'B'"));
                    }
                    return self.read_text(source, utt, whole);
                }
            },
        }
        let kind = self.holder.unwrap_or(Kind::Wave);
        self.read_foreign(source, utt, kind, whole)
    }

    /// Reads a wave, HTK or Sphinx file.
    fn read_foreign(
        &mut self,
        source: &mut Source,
        utt: &mut Utterance,
        kind: Kind,
        whole: bool,
    ) -> Result<Kind> {
        self.check_holder(source, kind, source.offset())?;
        let limits = &self.env.limits;
        match kind {
            Kind::Wave => {
                let audio = utt.audio.get_or_insert_with(Audio::default);
                wave::read(source, audio, whole, limits)?;
            }
            Kind::Htk => {
                let into = utt.features.get_or_insert_default();
                foreign::htk(source, into, &mut utt.meta, limits)?;
            }
            _ => foreign::sphinx(source, utt.features_mut(), whole, limits)?,
        }
        Ok(kind)
    }

    /// Whether what was found is what the user asks for.
    fn check_holder(&self, source: &Source, kind: Kind, at: u64) -> Result<()> {
        match self.holder {
            Some(holder) if holder != kind => {
                let message =
                    format!("holds {kind} and not {holder}, which the option holder asks for");
                Err(Error::malformed(message).file(source.name()).byte(at))
            }
            _ => Ok(()),
        }
    }

    fn read_binary(
        &mut self,
        source: &mut Source,
        utt: &mut Utterance,
        whole: bool,
        at: u64,
    ) -> Result<Kind> {
        let bools = [self.holder, self.first].contains(&Some(Kind::Bool));
        let (form, token) = recognise::binary(source, bools)?;
        if form == Form::Run {
            return self.read_run(source, utt, whole, at);
        }
        if let Some(kind) = form.kind() {
            self.check_holder(source, kind, at)?;
        }
        source.skip(token as u64)?;
        let limits = &self.env.limits;
        Ok(match form {
            Form::Matrix(dtype) => {
                let shape = (
                    binary::size(source, "rows")?,
                    binary::size(source, "columns")?,
                );
                binary::check_shape(source, shape)?;
                let shape = (dtype, Rank::Matrix, shape.0, shape.1);
                self.floats(source, utt.features_mut(), shape)?;
                Kind::Matrix
            }
            Form::Vector(dtype) => {
                let n = binary::size(source, "numbers")?;
                let shape = (dtype, Rank::Vector, n, 1);
                self.floats(source, utt.features_mut(), shape)?;
                Kind::Vector
            }
            Form::Compressed(coding) => {
                if !self.codings.contains(&coding) {
                    self.codings.push(coding);
                }
                let into = utt.features.get_or_insert_default();
                if !self.env.values {
                    Decoder::pass(source, into, coding, limits)?;
                    return Ok(Kind::Matrix);
                }
                self.decoder.read(source, into, coding, limits)?;
                if self.keep && !into.is_empty() {
                    utt.meta.tags.push(stored(self.decoder.stored(coding)?));
                }
                Kind::Matrix
            }
            Form::Packed(dtype) => {
                let upper = Upper::of(self.holder);
                if upper.is_none() {
                    self.check_holder(source, Kind::Matrix, at)?;
                }
                let how = (dtype, upper.unwrap_or(Upper::Mirrored));
                packed::read(source, utt.features_mut(), how, limits)?;
                Kind::Matrix
            }
            Form::Numpy => {
                let kind = foreign::numpy(source, utt.features_mut(), limits)?;
                self.check_holder(source, kind, at)?;
                kind
            }
            Form::SparseVector => {
                utt.object = Some(Object::SparseVector(tagged::sparse_vector(source, limits)?));
                Kind::SparseVector
            }
            Form::SparseMatrix => {
                utt.object = Some(Object::SparseMatrix(tagged::sparse_matrix(source, limits)?));
                Kind::SparseMatrix
            }
            Form::Bool => {
                utt.object = Some(Object::Bool(source.byte()? == b'T'));
                Kind::Bool
            }
            Form::Wide => return self.read_wide(source, utt, at),
            Form::Sized(kind, n) => {
                let value = opaque::exactly(source, n + 1, limits)?;
                return keep(utt, Kind::Opaque(kind), marked(&value));
            }
            Form::Blob => {
                let head = opaque::exactly(source, 12, limits)?;
                let size = head.last_chunk().map_or(-1, |n| i64::from_le_bytes(*n));
                let Ok(size) = u64::try_from(size) else {
                    return Err(source.malformed(format!("a blob of {size} bytes")));
                };
                let bytes = [head, opaque::exactly(source, size, limits)?].concat();
                return keep(utt, Kind::Opaque("blob"), marked(&bytes));
            }
            Form::Tokens => {
                let bytes = match whole {
                    true => opaque::rest(source, limits)?,
                    false => opaque::tokens(source, limits)?,
                };
                return keep(utt, Kind::Opaque("tokens-object"), marked(&bytes));
            }
            Form::Run => return Err(source.malformed("no known object")),
        })
    }

    /// Reads the values of a matrix or vector, or passes over them.
    fn floats(
        &self,
        source: &mut Source,
        into: &mut Matrix,
        shape: (Dtype, Rank, u64, u64),
    ) -> Result<()> {
        let limits = &self.env.limits;
        match self.env.values {
            true => source.read_matrix(into, shape, ByteOrder::Little, limits),
            false => source.pass_matrix(into, shape, limits),
        }
    }

    /// Reads a number of 64 bits: an integer where the bits are no usual float.
    fn read_wide(&mut self, source: &mut Source, utt: &mut Utterance, at: u64) -> Result<Kind> {
        let bytes = opaque::exactly(source, 9, &self.env.limits)?;
        let value = bytes.last_chunk().map_or(0.0, |b| f64::from_le_bytes(*b));
        let usual = value == 0.0 || (1e-100..1e100).contains(&value.abs()) || !value.is_finite();
        let kind = Kind::Float(Dtype::F64);
        if !usual && self.holder.is_none() && self.first.is_none_or(|first| first != kind) {
            return keep(utt, Kind::Opaque("int64"), marked(&bytes));
        }
        self.check_holder(source, kind, at)?;
        utt.features = Some(Matrix::from_rows(&[value], 1, Rank::Scalar)?);
        Ok(kind)
    }

    /// Reads tagged 32-bit numbers, or a vector of int32 in one piece in a file of its own.
    fn read_run(
        &mut self,
        source: &mut Source,
        utt: &mut Utterance,
        whole: bool,
        at: u64,
    ) -> Result<Kind> {
        if matches!(self.holder, None | Some(Kind::Ints)) && whole && is_packed(source)? {
            let n = binary::size(source, "numbers")?;
            let shape = (Dtype::I32, Rank::Vector, n, 1);
            source.read_matrix(utt.labels_mut(), shape, ByteOrder::Little, &self.env.limits)?;
            return Ok(Kind::Ints);
        }
        let kind = match self.holder {
            Some(holder) if holder.is_run() => holder,
            Some(holder) => {
                let message = format!("does not hold {holder}, which the option holder asks for");
                return Err(Error::malformed(message).file(source.name()).byte(at));
            }
            None => match self.decide_runs(source, 0)? {
                Some(kind) => kind,
                None => return Err(decide::unknown(source)),
            },
        };
        let limits = &self.env.limits;
        match kind {
            Kind::Ints => {
                let n = binary::size(source, "numbers")?;
                binary::integers(source, utt.labels_mut(), n, limits)?;
                if matches!(source.peek(1)?, [TAG]) {
                    let message = "more tagged numbers follow than an int32-vector has";
                    let error = Error::malformed(message).file(source.name()).byte(at);
                    return Err(error.hint("if it is something else, say so with holder=NAME"));
                }
            }
            Kind::Float(_) => {
                let bytes = opaque::exactly(source, 5, limits)?;
                let value = bytes.last_chunk().map_or(0.0, |b| f32::from_le_bytes(*b));
                utt.features = Some(Matrix::from_rows(&[value], 1, Rank::Scalar)?);
            }
            _ => utt.object = Some(tagged::object(source, kind, limits)?),
        }
        Ok(kind)
    }
}

fn fills_features(kind: Kind) -> bool {
    matches!(kind.group(), "features" | "numbers") && kind != Kind::SparseMatrix
}

/// Stores the bytes of an opaque object.
fn keep(utt: &mut Utterance, kind: Kind, bytes: Vec<u8>) -> Result<Kind> {
    if let Kind::Opaque(kind) = kind {
        utt.object = Some(Object::Opaque { kind, bytes });
    }
    Ok(kind)
}

/// Bytes with the binary mark before them.
fn marked(bytes: &[u8]) -> Vec<u8> {
    [b"\0B", bytes].concat()
}

/// Whether all that is left is a vector of int32 in one piece: the count, then 4 bytes a number.
fn is_packed(source: &mut Source) -> Result<bool> {
    let [TAG, a, b, c, d] = *source.peek(5)? else {
        return Ok(false);
    };
    let n = i32::from_le_bytes([a, b, c, d]);
    let Some(due) = usize::try_from(n).ok().filter(|n| *n > 0) else {
        return Ok(false);
    };
    let due = due.saturating_mul(4).saturating_add(5);
    if let Some(left) = source.remaining() {
        return Ok(left == due as u64);
    }
    Ok(source.peek(due.saturating_add(1))?.len() == due)
}

/// Checks that nothing but white space is left.
fn expect_end(source: &mut Source) -> Result<()> {
    let (skip, next) = blanks(source, true)?;
    source.skip(skip)?;
    // A command that failed shows only behind its last byte.
    match next.is_none() && source.at_end()? {
        true => Ok(()),
        false => Err(source.malformed("more bytes follow the object")),
    }
}

fn due(source: &mut Source) -> Error {
    truncated(source, "the file ends where an object is due")
}
