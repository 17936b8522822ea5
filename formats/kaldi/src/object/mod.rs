//! One object, wherever it stands: an archive, a script file's target, a file of its own.

mod ahead;
mod marked;
mod portions;
mod words;

use spr_core::bytes::{Env, Source};
use spr_core::format::Options;
use spr_core::model::{Dtype, Object, Rank, Utterance};
use spr_core::{Error, Result};

use crate::binary::Decoder;
use crate::choice::Content;
use crate::compress::Compress;
use crate::kind::{HOLDERS, ObjectKind, Precision};
use crate::recognise::{self, TOKEN, Unmarked};
use crate::rounding::Rounding;
use crate::scanner::Scanner;
use crate::text::truncated;
use crate::{nested, opaque, probe, wrapped};
use portions::Rest;
use words::blanks;

/// Reads objects one after the other and remembers what they were.
pub(crate) struct ObjectReader {
    env: Env,
    content: Content,
    /// How wide the floats of text are.
    precision: Precision,
    /// Whether a long matrix is given in portions, and the one of which more is to come.
    portioned: bool,
    rest: Option<Rest>,
    /// Numbers of text that were rounded to it.
    rounding: Rounding,
    /// What the user says the input holds.
    holder: Option<ObjectKind>,
    found: Found,
    /// What the object before was, where each is taken as if it was the first.
    before: Option<ObjectKind>,
    /// Whose kind counts.
    judged: Judged,
    /// Whether it was said that what the objects are is open to doubt.
    doubted: bool,
    /// Whether it was said that matrices without rows are taken for empty ones.
    emptied: bool,
    /// The rank of the last features.
    rank: Rank,
    /// Whether anything binary was met.
    binary: bool,
    decoder: Decoder,
    /// Whether compressed matrices are also handed on as they were stored.
    keep: bool,
    /// Whether a file without keys may hold several, all of which are read.
    all: bool,
    singles: Scanner<f32>,
    doubles: Scanner<f64>,
    integers: Vec<i32>,
    line: Vec<u8>,
}

/// By what it is told whether an object is of the right kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Judged {
    ByFirst,
    /// Not yet: several are looked at first.
    Later,
    ByMost,
}

/// What objects were found to be.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    /// What the first one was.
    first: Option<ObjectKind>,
    decided: Decided,
    /// The reason, in words.
    decision: Option<String>,
}

/// What was decided about objects that start alike.
#[derive(Clone, Copy, Debug, Default)]
struct Decided {
    /// Tagged numbers of 32 bits, and those of 64.
    runs: Option<ObjectKind>,
    wide: Option<ObjectKind>,
    /// Lines in brackets, and others.
    brackets: Option<ObjectKind>,
    lines: Option<ObjectKind>,
}

impl Found {
    /// What a table of such objects holds, if one was read.
    pub(crate) fn group(&self) -> Option<&'static str> {
        self.first.map(ObjectKind::group)
    }
}

/// Element types by name, each with the list of itself alone.
pub(crate) const DTYPES: &[(&str, (Precision, &[Dtype]))] = &[
    ("f32", (Precision::Single, &[Dtype::F32])),
    ("f64", (Precision::Double, &[Dtype::F64])),
];

/// What follows the bracket of an empty text vector that is not to be taken for a matrix. Kaldi
/// itself writes one space in both.
pub(crate) const EMPTY_VECTOR: &[u8] = b"  ]";

impl ObjectReader {
    /// Values that are not wanted are passed over where headers tell how many there are.
    ///
    /// # Errors
    /// An option's value is wrong.
    pub(crate) fn new(options: &Options, content: Content, env: &Env) -> Result<Self> {
        let (holder, held) = options.choice("holder", HOLDERS)?.unzip();
        let said = options
            .choice("dtype", DTYPES)?
            .map(|(precision, _)| precision);
        Ok(Self {
            env: env.clone(),
            content,
            portioned: false,
            rest: None,
            rounding: Rounding::new(said.is_none() && held.is_none(), env),
            precision: said.or(held).unwrap_or(Precision::Single),
            holder,
            found: Found::default(),
            before: None,
            judged: Judged::ByFirst,
            doubted: false,
            emptied: false,
            rank: match holder {
                Some(ObjectKind::Vector) => Rank::Vector,
                _ => Rank::Matrix,
            },
            binary: false,
            decoder: Decoder::default(),
            keep: Compress::of(options)? == Some(Compress::Keep),
            all: options.flag("all")?,
            singles: Scanner::new(env.threads),
            doubles: Scanner::new(env.threads),
            integers: Vec::new(),
            line: Vec::new(),
        })
    }

    /// A reader of objects that passes over their values and knows what this one found out.
    pub(crate) fn without_values(&self) -> Self {
        Self {
            env: self.env.clone(),
            content: Content {
                values: false,
                ..self.content
            },
            rest: None,
            emptied: true,
            rounding: self.rounding.silent(),
            found: Found {
                decision: None,
                ..self.found
            },
            decoder: Decoder::default(),
            singles: Scanner::new(self.env.threads),
            doubles: Scanner::new(self.env.threads),
            integers: Vec::new(),
            line: Vec::new(),
            ..*self
        }
    }

    /// Reads the object at the current place into `utt`, whose key is set already, and says what it
    /// is. With `whole` it has no key, and nothing may follow it but more objects.
    ///
    /// # Errors
    /// [Continuable](Error::can_continue) if the source is behind the object all the same.
    pub(crate) fn read(
        &mut self,
        source: &mut Source,
        utt: &mut Utterance,
        whole: bool,
    ) -> Result<ObjectKind> {
        let decided = self.found.decided;
        let read = self.read_one(source, utt, whole);
        if read.is_err() {
            // What was decided on bytes at fault holds for no others.
            self.found.decided = decided;
        }
        read
    }

    fn read_one(
        &mut self,
        source: &mut Source,
        utt: &mut Utterance,
        whole: bool,
    ) -> Result<ObjectKind> {
        let at = source.offset();
        utt.start();
        if self.judged == Judged::Later {
            self.before = self.found.first.take().or(self.before);
        }
        let kind = self.read_any(source, utt, whole, at)?;
        if whole && self.rest.is_none() && !self.all {
            self.expect_end(source)?;
        }
        if !fills_features(kind) {
            utt.features = None;
        }
        if kind != ObjectKind::Ints {
            utt.labels = None;
        }
        if let Some(matrix) = &utt.features {
            self.rank = matrix.rank();
        }
        let first = *self.found.first.get_or_insert(kind);
        if first.group() == kind.group() {
            return Ok(kind);
        }
        let error = Error::malformed(self.unlike(kind, first));
        Err(error.file(source.name()).byte(at).continuable())
    }

    fn unlike(&self, kind: ObjectKind, first: ObjectKind) -> String {
        match self.judged {
            Judged::ByMost => format!("holds {kind}, but most entries hold {first}"),
            _ => format!("holds {kind}, but the first entry held {first}"),
        }
    }

    /// Whether nothing but white space is left of a file of objects.
    pub(crate) fn at_end(source: &mut Source) -> Result<bool> {
        let (skip, next) = blanks(source, true)?;
        source.skip(skip)?;
        // A command that failed shows only behind its last byte.
        Ok(next.is_none() && source.at_end()?)
    }

    /// Whether only the objects tell what they are, and the user does not.
    pub(crate) fn is_open(&self) -> bool {
        self.holder.is_none()
    }

    /// Says at the end of the input what there is to be said of all of it.
    pub(crate) fn end(&mut self) {
        self.rounding.end();
    }

    /// Goes on with objects of another file: before it is known what most are, what was decided on
    /// others does not hold for them.
    pub(crate) fn turn(&mut self) {
        if self.judged == Judged::Later {
            self.found = Found::default();
        }
    }

    /// Takes each object as if it was the first.
    pub(crate) fn sample(&mut self) {
        self.judged = Judged::Later;
    }

    /// What the object read last was found to be.
    pub(crate) fn found(&self) -> &Found {
        &self.found
    }

    /// Takes all objects from now on for such as were found, which most are.
    pub(crate) fn expect(&mut self, found: Found) {
        (self.found, self.judged) = (found, Judged::ByMost);
        if self.found.first.is_none() {
            self.judged = Judged::ByFirst;
        }
    }

    /// The error for an entry that was found to be something else than most, if it was.
    pub(crate) fn misfit(&self, found: &Found) -> Option<Error> {
        let (kind, most) = found.first.zip(self.found.first)?;
        let other = kind.group() != most.group();
        other.then(|| Error::malformed(self.unlike(kind, most)).continuable())
    }

    fn read_any(
        &mut self,
        source: &mut Source,
        utt: &mut Utterance,
        whole: bool,
        at: u64,
    ) -> Result<ObjectKind> {
        let words = matches!(self.holder, Some(ObjectKind::Token | ObjectKind::Tokens));
        match (source.ahead(TOKEN, recognise::is_known)?.0, self.holder) {
            (head, _) if recognise::wrapped(head).is_some() => {
                let kind = wrapped::read(source, utt, self.content.files, &self.env)?;
                self.check_holder(source, kind, at)?;
                Ok(kind)
            }
            (_, Some(ObjectKind::Wave)) => self.read_nested(source, utt, nested::WAV, whole),
            (_, Some(ObjectKind::Htk)) => self.read_nested(source, utt, nested::HTK, whole),
            (_, Some(ObjectKind::Sphinx)) => self.read_nested(source, utt, nested::SPHINX, whole),
            ([0, b'B', ..], _) => {
                source.skip(2)?;
                self.binary = true;
                self.read_binary(source, utt, whole, at)
            }
            ([0], _) => Err(missing(source)),
            _ if words => self.read_text(source, utt, whole),
            (head, _) => match recognise::unmarked(head) {
                Some(Unmarked::Wave) => self.read_nested(source, utt, nested::WAV, whole),
                Some(Unmarked::Fst) => {
                    self.binary = true;
                    let kind = ObjectKind::Opaque("fst");
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
    ) -> Result<ObjectKind> {
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
    ) -> Result<ObjectKind> {
        let at = source.offset();
        if let Some(kind) = nested::kind_of_format(format) {
            self.check_holder(source, kind, at)?;
        }
        let how = (format, whole && !self.all);
        let kind = nested::read(source, utt, how, self.content.files, &self.env)?;
        self.check_holder(source, kind, at)?;
        Ok(kind)
    }

    /// Checks that nothing but white space, or another object, is left. Kaldi's programs read the
    /// first object of a file and look no further.
    fn expect_end(&self, source: &mut Source) -> Result<()> {
        /// Bytes by which another object is known.
        const HEAD: usize = 64;
        if Self::at_end(source)? {
            return Ok(());
        }
        let at = source.offset();
        if !probe::starts_object(source.peek(HEAD)?) {
            return Err(source.malformed("more bytes follow the object"));
        }
        let message = "more objects follow the first, which alone is read; all=true reads them all";
        self.env
            .warn(&Error::malformed(message).file(source.name()).byte(at));
        Ok(())
    }

    /// Whether what was found is what the user asks for.
    fn check_holder(&self, source: &Source, kind: ObjectKind, at: u64) -> Result<()> {
        match self.holder {
            Some(holder) if holder != kind => {
                let message =
                    format!("holds {kind} and not {holder}, which the option holder asks for");
                Err(Error::malformed(message).file(source.name()).byte(at))
            }
            _ => Ok(()),
        }
    }
}

fn fills_features(kind: ObjectKind) -> bool {
    matches!(kind.group(), "features" | "numbers") && kind != ObjectKind::SparseMatrix
}

/// Stores the bytes of an opaque object.
fn keep(utt: &mut Utterance, kind: ObjectKind, bytes: Vec<u8>) -> Result<ObjectKind> {
    if let ObjectKind::Opaque(kind) = kind {
        utt.object = Some(Object::opaque(kind, bytes));
    }
    Ok(kind)
}

fn missing(source: &mut Source) -> Error {
    truncated(source, "the file ends before the object")
}
