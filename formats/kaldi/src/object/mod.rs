//! One object, wherever it stands: an archive, a script file's target, a file of its own.

mod words;

use spr_core::bytes::{ByteOrder, Env, Source};
use spr_core::format::Options;
use spr_core::model::{
    DatasetInfo, Dtype, KeySource, Matrix, Object, Rank, Utterance, is_word_byte,
};
use spr_core::{Error, Result};

use crate::binary::{self, Decoder};
use crate::decide::{self, Decision};
use crate::encode::{Compress, stored};
use crate::kind::{HOLDERS, Kind, Precision};
use crate::number::is_space;
use crate::packed::{self, Upper};
use crate::recognise::{self, Form, TAG, TOKEN, Unmarked};
use crate::text::truncated;
use crate::{nested, opaque, tagged};
use words::blanks;

/// Reads objects one after the other and remembers what they were.
pub(crate) struct ObjectReader {
    env: Env,
    /// Whether the values of features are read, and not passed over.
    values: bool,
    /// How wide the floats of text are.
    precision: Precision,
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
    /// Whether anything binary was met.
    binary: bool,
    decoder: Decoder,
    /// Whether compressed matrices are also handed on as they were stored.
    keep: bool,
    singles: Vec<f32>,
    doubles: Vec<f64>,
    integers: Vec<i32>,
    line: Vec<u8>,
}

/// Element types by name, each with the list of itself alone.
pub(crate) const DTYPES: &[(&str, (Precision, &[Dtype]))] = &[
    ("f32", (Precision::Single, &[Dtype::F32])),
    ("f64", (Precision::Double, &[Dtype::F64])),
];

/// What a look at the first object tells.
#[derive(Clone, Copy, Default)]
struct FirstObject {
    binary: bool,
    labels: bool,
}

/// What follows the bracket of an empty text vector that is not to be taken for a matrix. Kaldi
/// itself writes one space in both.
pub(crate) const EMPTY_VECTOR: &[u8] = b"  ]";

impl ObjectReader {
    /// Without `values`, those of features are passed over where headers tell how many there are.
    ///
    /// # Errors
    /// An option's value is wrong.
    pub(crate) fn new(options: &Options, values: bool, env: &Env) -> Result<Self> {
        let (holder, held) = options.choice("holder", HOLDERS)?.unzip();
        let said = options
            .choice("dtype", DTYPES)?
            .map(|(precision, _)| precision);
        Ok(Self {
            env: env.clone(),
            values,
            precision: said.or(held).unwrap_or(Precision::Single),
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
    pub(crate) fn without_values(&self) -> Self {
        Self {
            env: self.env.clone(),
            values: false,
            decision: None,
            decoder: Decoder::default(),
            singles: Vec::new(),
            doubles: Vec::new(),
            integers: Vec::new(),
            line: Vec::new(),
            ..*self
        }
    }

    /// What is known of a data set by the objects that were read so far; `file` is that of the data
    /// set itself.
    pub(crate) fn known(&self, file: &Source, keys: KeySource) -> DatasetInfo {
        let first = FirstObject {
            binary: self.binary,
            labels: self.first == Some(Kind::Ints),
        };
        self.describe(file, keys, first)
    }

    fn describe(&self, file: &Source, keys: KeySource, first: FirstObject) -> DatasetInfo {
        let mut info = DatasetInfo::new(keys);
        info.compression = file.compression();
        info.decision.clone_from(&self.decision);
        info.label_columns = first.labels.then_some(1);
        info.byte_order = first.binary.then_some(ByteOrder::Little);
        info
    }

    /// Decides ahead of reading what the first object is, and says what is known of the data set by
    /// that; with `bare` the object has no key. What is broken is left for reading.
    pub(crate) fn look_ahead(
        &mut self,
        source: &mut Source,
        bare: bool,
        keys: KeySource,
    ) -> Result<DatasetInfo> {
        let first = self.first_object(source, bare)?;
        Ok(self.describe(source, keys, first))
    }

    fn first_object(&mut self, source: &mut Source, bare: bool) -> Result<FirstObject> {
        const HEAD: usize = 4096;
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
            (false, None) => return Ok(FirstObject::default()),
        };
        let (binary, kind) = match (&head[value..], self.holder) {
            (head, Some(holder)) => (head.starts_with(b"\0B"), Some(holder)),
            ([0, b'B', TAG, ..], None) => match bare && is_packed(source, value + 2)? {
                true => (true, Some(Kind::Ints)),
                false => (true, self.decide_runs(source, value + 2)?),
            },
            ([0, b'B', ..], None) => (true, None),
            ([0, ..] | [], None) => (false, None),
            (head, None) => match recognise::unmarked(head) {
                Some(other) => (other == Unmarked::Fst, None),
                None => {
                    let bracket = head.iter().find(|b| !is_space(**b)) == Some(&b'[');
                    (false, self.decide_lines(source, value, bracket)?)
                }
            },
        };
        Ok(FirstObject {
            binary,
            labels: kind == Some(Kind::Ints),
        })
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

    /// Reads the object at the current place into `utt`, whose key is set already, and says what it
    /// is. With `whole` nothing may follow it.
    ///
    /// # Errors
    /// [Continuable](Error::can_continue) if the source is behind the object all the same.
    pub(crate) fn read(
        &mut self,
        source: &mut Source,
        utt: &mut Utterance,
        whole: bool,
    ) -> Result<Kind> {
        let at = source.offset();
        utt.start();
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
            return Ok(kind);
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
        match (source.peek(TOKEN)?, self.holder) {
            (_, Some(Kind::Wave)) => self.read_nested(source, utt, nested::WAV, whole),
            (_, Some(Kind::Htk)) => self.read_nested(source, utt, nested::HTK, whole),
            (_, Some(Kind::Sphinx)) => self.read_nested(source, utt, nested::SPHINX, whole),
            ([0, b'B', ..], _) => {
                source.skip(2)?;
                self.binary = true;
                self.read_binary(source, utt, whole, at)
            }
            ([0], _) => Err(due(source)),
            _ if words => self.read_text(source, utt, whole),
            (head, _) => match recognise::unmarked(head) {
                Some(Unmarked::Wave) => self.read_nested(source, utt, nested::WAV, whole),
                Some(Unmarked::Fst) => {
                    self.binary = true;
                    let kind = Kind::Opaque("fst");
                    self.check_holder(source, kind, at)?;
                    keep(utt, kind, opaque::fst(source, &self.env.limits)?)
                }
                other => self.read_unmarked(source, utt, whole, other),
            },
        }
    }

    /// Reads what has no mark of Kaldi's own: a file of another format, or text.
    fn read_unmarked(
        &mut self,
        source: &mut Source,
        utt: &mut Utterance,
        whole: bool,
        known: Option<Unmarked>,
    ) -> Result<Kind> {
        let format = match whole {
            true => nested::of_file(source, &self.env)?,
            false => None,
        };
        match (format, known) {
            (Some(name), _) => self.read_nested(source, utt, name, whole),
            (None, Some(Unmarked::Other(name))) => {
                let error = recognise::refusal(name).file(source.name());
                Err(error.byte(source.offset()))
            }
            _ if source.peek(1)? == b"\0" => Err(source.malformed("byte 0 is not followed by 'B'")),
            _ => self.read_text(source, utt, whole),
        }
    }

    /// Reads an object of another format.
    fn read_nested(
        &self,
        source: &mut Source,
        utt: &mut Utterance,
        format: &'static str,
        whole: bool,
    ) -> Result<Kind> {
        let at = source.offset();
        if let Some(kind) = nested::kind_of_format(format) {
            self.check_holder(source, kind, at)?;
        }
        let kind = nested::read(source, utt, (format, whole), &self.env)?;
        self.check_holder(source, kind, at)?;
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
            Form::Matrix(precision) => {
                let shape = (
                    binary::size(source, "rows")?,
                    binary::size(source, "columns")?,
                );
                binary::check_shape(source, shape)?;
                let shape = (precision.dtype(), Rank::Matrix, shape.0, shape.1);
                self.floats(source, utt.features_mut(), shape)?;
                Kind::Matrix
            }
            Form::Vector(precision) => {
                let n = binary::size(source, "numbers")?;
                let shape = (precision.dtype(), Rank::Vector, n, 1);
                self.floats(source, utt.features_mut(), shape)?;
                Kind::Vector
            }
            Form::Compressed(compression) => {
                utt.origin.coding = Some(compression.token().into());
                let into = utt.features.get_or_insert_default();
                if !self.values {
                    Decoder::pass(source, into, compression, limits)?;
                    return Ok(Kind::Matrix);
                }
                self.decoder.read(source, into, compression, limits)?;
                if self.keep && !into.is_empty() {
                    utt.meta
                        .tags
                        .push(stored(self.decoder.stored(compression)?));
                }
                Kind::Matrix
            }
            Form::Packed(precision) => {
                let upper = Upper::of(self.holder);
                if upper.is_none() {
                    self.check_holder(source, Kind::Matrix, at)?;
                }
                let how = (precision, upper.unwrap_or(Upper::Mirrored));
                packed::read(source, utt.features_mut(), how, limits)?;
                Kind::Matrix
            }
            Form::Numpy => return self.read_nested(source, utt, nested::NPY, whole),
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
        match self.values {
            true => source.read_matrix(into, shape, ByteOrder::Little, limits),
            false => source.pass_matrix(into, shape, limits),
        }
    }

    /// Reads a number of 64 bits: an integer where the bits are no usual float.
    fn read_wide(&mut self, source: &mut Source, utt: &mut Utterance, at: u64) -> Result<Kind> {
        let bytes = opaque::exactly(source, 9, &self.env.limits)?;
        let value = bytes.last_chunk().map_or(0.0, |b| f64::from_le_bytes(*b));
        let usual = value == 0.0 || (1e-100..1e100).contains(&value.abs()) || !value.is_finite();
        let kind = Kind::Float(Precision::Double);
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
        if matches!(self.holder, None | Some(Kind::Ints)) && whole && is_packed(source, 0)? {
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
        utt.object = Some(Object::opaque(kind, bytes));
    }
    Ok(kind)
}

/// Bytes with the binary mark before them.
fn marked(bytes: &[u8]) -> Vec<u8> {
    [b"\0B", bytes].concat()
}

/// Whether all that is left from `skip` bytes ahead on is a vector of int32 in one piece: the
/// count, then 4 bytes a number.
fn is_packed(source: &mut Source, skip: usize) -> Result<bool> {
    let Some([TAG, a, b, c, d]) = source.peek(skip + 5)?.get(skip..) else {
        return Ok(false);
    };
    let n = i32::from_le_bytes([*a, *b, *c, *d]);
    let Some(count) = usize::try_from(n).ok().filter(|n| *n > 0) else {
        return Ok(false);
    };
    let due = count.saturating_mul(4).saturating_add(skip + 5);
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
