//! Single objects, in an archive, in a file named by a script file, or in a separate file.

mod ahead;
mod blanks;
mod chunks;
mod marked;
mod rest;
mod words;

use spr_core::bytes::{Env, Source};
use spr_core::format::Options;
use spr_core::model::{Dtype, Object, Rank, Utterance};
use spr_core::{Error, Result};

use crate::binary::Decoder;
use crate::choice::Content;
use crate::compress::Compress;
use crate::kind::{HOLDERS, ObjectKind, Precision};
use crate::recognise::{self, TOKEN, UnmarkedForm};
use crate::rounding::Rounding;
use crate::scanner::Scanner;
use crate::text::truncated;
use crate::{audio, nested, opaque, probe, wrapped};
use blanks::blanks;
use rest::UnfinishedObject;

/// A reader of consecutive objects that remembers their kinds.
pub(crate) struct ObjectReader {
    env: Env,
    content: Content,
    /// The precision of floats in text.
    precision: Precision,
    /// Whether a long matrix is returned in chunks, and the one that is unfinished.
    chunked: bool,
    rest: Option<UnfinishedObject>,
    /// The count of rounded numbers in text.
    rounding: Rounding,
    /// The kind set by the user.
    holder: Option<ObjectKind>,
    found: DetectedKinds,
    /// The kind of the previous object, if each is read as if it were the first one.
    before: Option<ObjectKind>,
    /// The source of the expected kind.
    judged: ExpectedKind,
    /// Whether the warning about an ambiguous kind was given.
    doubted: bool,
    /// Whether the warning about matrices without rows was given.
    emptied: bool,
    /// The rank of the last features.
    rank: Rank,
    /// Whether there was a binary object.
    binary: bool,
    decoder: Decoder,
    /// Whether compressed matrices are also returned as stored.
    keep: bool,
    /// The treatment of further objects in a file without keys.
    further: Further,
    singles: Scanner<f32>,
    doubles: Scanner<f64>,
    integers: Vec<i32>,
    line: Vec<u8>,
}

/// The treatment of objects after the first one in a file without keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Further {
    /// They are an error.
    Refused,
    /// They are read.
    Read,
    /// They are ignored, as Kaldi's programs do.
    Ignored,
}

impl Further {
    /// Parses the option `all`.
    pub(crate) fn of(options: &Options) -> Result<Self> {
        Ok(match (options.get("all"), options.flag("all")?) {
            (None, _) => Self::Refused,
            (Some(_), true) => Self::Read,
            (Some(_), false) => Self::Ignored,
        })
    }
}

/// The source of the expected kind of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ExpectedKind {
    ByFirst,
    /// None yet: several objects are inspected first.
    Later,
    ByMost,
}

/// The detected kinds of objects.
#[derive(Clone, Debug, Default)]
pub(crate) struct DetectedKinds {
    /// The kind of the first object.
    first: Option<ObjectKind>,
    decided: KindDecisions,
    /// The reason in words.
    decision: Option<String>,
}

/// Decisions about objects with the same start.
#[derive(Clone, Copy, Debug, Default)]
struct KindDecisions {
    /// Tagged 32-bit numbers, and 64-bit ones.
    runs: Option<ObjectKind>,
    wide: Option<ObjectKind>,
    /// Lines in brackets, and others.
    brackets: Option<ObjectKind>,
    lines: Option<ObjectKind>,
}

impl DetectedKinds {
    /// Returns the group of a table with such objects, if one was read.
    pub(crate) fn group(&self) -> Option<&'static str> {
        self.first.map(ObjectKind::group)
    }
}

/// Element types by name, each with a list of itself.
pub(crate) const DTYPES: &[(&str, (Precision, &[Dtype]))] = &[
    ("f32", (Precision::Single, &[Dtype::F32])),
    ("f64", (Precision::Double, &[Dtype::F64])),
];

/// The text after the bracket of an empty vector that is distinguished from a matrix. Kaldi itself
/// writes one space in both.
pub(crate) const EMPTY_VECTOR: &[u8] = b"  ]";

impl ObjectReader {
    /// Creates a reader that skips values that are not requested, if headers contain their number.
    ///
    /// # Errors
    /// The value of an option is invalid.
    pub(crate) fn new(options: &Options, content: Content, env: &Env) -> Result<Self> {
        let (holder, held) = options.choice("holder", HOLDERS)?.unzip();
        let said = options
            .choice("dtype", DTYPES)?
            .map(|(precision, _)| precision);
        Ok(Self {
            env: env.clone(),
            content,
            chunked: false,
            rest: None,
            rounding: Rounding::new(said.is_none() && held.is_none(), env),
            precision: said.or(held).unwrap_or(Precision::Single),
            holder,
            found: DetectedKinds::default(),
            before: None,
            judged: ExpectedKind::ByFirst,
            doubted: false,
            emptied: false,
            rank: match holder {
                Some(ObjectKind::Vector) => Rank::Vector,
                _ => Rank::Matrix,
            },
            binary: false,
            decoder: Decoder::default(),
            keep: content.stored || Compress::of(options)? == Some(Compress::Keep),
            further: Further::of(options)?,
            singles: Scanner::new(env.threads),
            doubles: Scanner::new(env.threads),
            integers: Vec::new(),
            line: Vec::new(),
        })
    }

    /// Returns a reader of objects that skips their values and knows the decisions of this one.
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
            found: DetectedKinds {
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

    /// Reads the object at the current position into `utt`, whose key is already set, and returns
    /// its kind. With `whole` it has no key, and only more objects may follow.
    ///
    /// # Errors
    /// [Continuable](Error::can_continue) if the source is positioned after the object in any case.
    pub(crate) fn read(
        &mut self,
        source: &mut Source,
        utt: &mut Utterance,
        whole: bool,
    ) -> Result<ObjectKind> {
        let decided = self.found.decided;
        let read = self.read_one(source, utt, whole);
        if read.is_err() {
            // A decision made on faulty bytes does not apply to other objects.
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
        if self.judged == ExpectedKind::Later {
            self.before = self.found.first.take().or(self.before);
        }
        let kind = self.read_any(source, utt, whole, at)?;
        if whole && self.rest.is_none() {
            self.expect_end(source)?;
        }
        let settled = self.settle(kind, utt);
        settled.map_err(|e| e.file(source.name()).byte(at))
    }

    /// Takes over an object that was read from a file of another format, and returns its kind.
    ///
    /// # Errors
    /// It is of another kind than the objects before, or than the user says.
    pub(crate) fn take(&mut self, utt: &Utterance, format: &'static str) -> Result<ObjectKind> {
        let kind = nested::kind_of(utt, format);
        match self.holder.filter(|holder| holder.group() != kind.group()) {
            Some(holder) => {
                let error = Error::malformed(format!("holds {kind}, expected {holder}"));
                Err(error.continuable())
            }
            None => self.settle(kind, utt),
        }
    }

    /// Compares the kind of an object with those before.
    fn settle(&mut self, kind: ObjectKind, utt: &Utterance) -> Result<ObjectKind> {
        if let Some(matrix) = &utt.features {
            self.rank = matrix.rank();
        }
        let first = *self.found.first.get_or_insert(kind);
        if first.group() == kind.group() {
            return Ok(kind);
        }
        Err(Error::malformed(self.unlike(kind, first)).continuable())
    }

    fn unlike(&self, kind: ObjectKind, first: ObjectKind) -> String {
        match self.judged {
            ExpectedKind::ByMost => format!("holds {kind}, but most entries hold {first}"),
            _ => format!("holds {kind}, but the first entry held {first}"),
        }
    }

    /// Returns `true` if only white space is left in a file of objects.
    pub(crate) fn at_end(source: &mut Source) -> Result<bool> {
        let (skip, next) = blanks(source, true)?;
        source.skip(skip)?;
        // A failure of a command shows only after its last byte.
        Ok(next.is_none() && source.at_end()?)
    }

    /// Returns `true` if the objects determine their kind, and not the user.
    pub(crate) fn is_open(&self) -> bool {
        self.holder.is_none()
    }

    /// Gives the warnings about the whole input.
    pub(crate) fn end(&mut self) {
        self.rounding.end();
    }

    /// Continues with objects of another file. Until the most frequent kind is known, decisions
    /// about others do not apply to them.
    pub(crate) fn turn(&mut self) {
        if self.judged == ExpectedKind::Later {
            self.found = DetectedKinds::default();
        }
    }

    /// Takes over what another reader has found out about the kinds of these objects.
    pub(crate) fn learn(&mut self, other: Self) {
        let decision = self.found.decision.take();
        self.found = other.found;
        self.found.decision = decision.or(self.found.decision.take());
        (self.before, self.judged, self.doubted) = (other.before, other.judged, other.doubted);
    }

    /// Leaves objects from this byte of the file on to others.
    pub(crate) fn limit(&mut self, byte: u64) {
        self.singles.limit(byte);
        self.doubles.limit(byte);
    }

    /// Returns the kind of all objects, if it is known.
    pub(crate) fn kind(&self) -> Option<ObjectKind> {
        self.holder.or(self.found.first)
    }

    /// Reads each object as if it were the first one.
    pub(crate) fn sample(&mut self) {
        self.judged = ExpectedKind::Later;
    }

    /// Returns the detected kind of the last object.
    pub(crate) fn found(&self) -> &DetectedKinds {
        &self.found
    }

    /// Expects the given kind from now on, which most objects have.
    pub(crate) fn expect(&mut self, found: DetectedKinds) {
        (self.found, self.judged) = (found, ExpectedKind::ByMost);
        if self.found.first.is_none() {
            self.judged = ExpectedKind::ByFirst;
        }
    }

    /// Returns the error for an entry whose kind differs from most, if it does.
    pub(crate) fn misfit(&self, found: &DetectedKinds) -> Option<Error> {
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
            (_, Some(ObjectKind::Wave)) => self.read_nested(source, utt, audio::WAV, whole),
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
                Some(UnmarkedForm::Wave) => self.read_nested(source, utt, audio::WAV, whole),
                Some(UnmarkedForm::Fst) => {
                    self.binary = true;
                    let kind = ObjectKind::Opaque("fst");
                    self.check_holder(source, kind, at)?;
                    keep(utt, kind, opaque::fst(source, whole, &self.env.limits)?)
                }
                other => self.read_unmarked(source, utt, whole, other),
            },
        }
    }

    /// Reads an object without Kaldi's mark: a file of another format, or text.
    fn read_unmarked(
        &mut self,
        source: &mut Source,
        utt: &mut Utterance,
        whole: bool,
        known: Option<UnmarkedForm>,
    ) -> Result<ObjectKind> {
        let format = match whole {
            true => nested::of_file(source, &self.env)?,
            false => None,
        };
        match (format, known) {
            (Some(name), _) => self.read_nested(source, utt, name, whole),
            (None, Some(UnmarkedForm::Other(name))) => {
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
        let weighs = self.content.weighing && format == audio::WAV && !whole;
        if weighs && self.env.nested(format)?.pass(source, &self.env)? {
            return Ok(ObjectKind::Wave);
        }
        let how = (format, whole && self.further == Further::Refused);
        let kind = nested::read(source, utt, how, self.content.files, &self.env)?;
        self.check_holder(source, kind, at)?;
        Ok(kind)
    }

    /// Checks that only white space is left, or another object if further ones are ignored.
    fn expect_end(&self, source: &mut Source) -> Result<()> {
        /// The number of bytes by which another object is recognised.
        const HEAD: usize = 64;
        if self.further == Further::Read || Self::at_end(source)? {
            return Ok(());
        }
        let at = source.offset();
        if !probe::starts_object(source.peek(HEAD)?) {
            return Err(source.malformed("more bytes follow the object"));
        }
        match self.further {
            Further::Refused => {
                let error = Error::malformed("more objects follow the first");
                let error = error.file(source.name()).byte(at);
                Err(error.hint("all=true reads them all, all=false only the first"))
            }
            Further::Read | Further::Ignored => Ok(()),
        }
    }

    /// Checks that the detected kind is the one requested.
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
