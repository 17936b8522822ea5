//! Writing archives, with or without a script file beside them.

use std::borrow::Cow;

use spr_core::bytes::{ByteOrder, Env, Locator, Part, Sink, swap_in_place};
use spr_core::format::{Caps, Writer, Written};
use spr_core::model::{Audio, CastStats, Dtype, Matrix, Object, Rank, Utterance};
use spr_core::{Error, Limits, Result};

use crate::audio::{self, SoundForm};
use crate::compress::{Compress, Compressed, compressed, decode};
use crate::encode::{Encoder, Planned};
use crate::files::Files;
use crate::kind::{Precision, group_of};
use crate::nested;
use crate::object::EMPTY_VECTOR;
use crate::opaque;
use crate::packed;
use crate::pieces::Archive;
use crate::recognise::TAG;
use crate::sinks::Sinks;
use crate::wrapped;
use crate::write_object::{self, Style};

/// Bytes put together before they are passed on.
const BLOCK: usize = 64 << 10;

/// How a table looks, and what it holds.
pub(crate) struct TableStyle {
    pub(crate) style: Style,
    /// What becomes of matrices.
    pub(crate) compress: Option<Compress>,
    /// How sound is kept.
    pub(crate) sound: SoundForm,
    /// What changes numbers, where something does.
    pub(crate) rounding: &'static str,
    pub(crate) caps: Caps,
    /// Whether each entry is passed on as soon as it is made.
    pub(crate) flush: bool,
}

pub(crate) struct KaldiWriter {
    archive: Archive,
    table: TableStyle,
    env: Env,
    /// What the first entry held: all others do the same.
    group: Option<String>,
    /// The rank that a reader expects of features by now.
    rank: Rank,
    /// Files for the objects, where they are not all in `archive`.
    files: Option<Files>,
    /// An object that is not a matrix.
    encoded: Vec<u8>,
    block: Vec<u8>,
    written: Written,
}

impl KaldiWriter {
    pub(crate) fn new(sinks: Sinks, table: TableStyle, env: &Env) -> Self {
        Self {
            archive: Archive::new(sinks, table.style, table.rounding, env.threads),
            table,
            env: env.clone(),
            group: None,
            rank: Rank::Matrix,
            files: None,
            encoded: Vec::new(),
            block: Vec::with_capacity(BLOCK),
            written: Written::default(),
        }
    }

    /// A writer of one file an object, each where `files` says.
    pub(crate) fn of_files(files: Files, table: TableStyle, env: &Env) -> Result<Self> {
        Ok(Self {
            files: Some(files),
            ..Self::new(Sinks::only(nowhere(env)?), table, env)
        })
    }

    /// Where the next entry starts, of those that are put directly.
    pub(crate) fn position(&self) -> u64 {
        self.archive.position()
    }

    fn write_compressed(
        &mut self,
        compressed: Compressed<'_>,
        utt: &Utterance,
        matrix: &Matrix,
    ) -> Result<()> {
        match compressed {
            Compressed::Stored(object) if self.table.style == Style::Binary => {
                self.archive.put(b"\0B")?;
                self.archive.put(object)
            }
            Compressed::Stored(_) => self.write_plain(utt, matrix),
            Compressed::Planned(planned) if self.table.style == Style::Binary => {
                self.archive.bytes(b"\0B")?;
                self.archive.compressed(planned)
            }
            Compressed::Planned(planned) => {
                let (matrix, stats) = decoded(&planned)?;
                self.write_plain(utt, &matrix)?;
                self.archive.count_part(stats)
            }
        }
    }

    /// Puts together what is neither a matrix nor sound, before anything is written.
    fn encode_object(&mut self, object: &Object) -> Result<CastStats> {
        if let Object::Opaque { kind, bytes } = object
            && self.files.is_none()
            && !opaque::is_whole(kind, bytes, &Limits::default())
        {
            let message = format!("a {kind} whose end could not be found again in an archive");
            let error = Error::unfit(message);
            return Err(error.hint("a file of its own can hold it: scp:LIST"));
        }
        self.encoded.clear();
        write_object::object(object, self.table.style, &mut self.encoded)
    }

    /// Writes sound as a file behind its size, or alone if it has a file of its own.
    fn write_sized(&mut self, utt: &Utterance) -> Result<()> {
        let made = self.sound_file(utt);
        let file = made.map_err(|e| self.refused(e, utt))?;
        self.start(utt, false)?;
        if self.files.is_none() {
            self.archive.put(&wrapped::sound_head(file.len()))?;
        }
        self.archive.put(&file)
    }

    /// The bytes of a sound file: those that are there, or made of samples.
    fn sound_file<'a>(&self, utt: &'a Utterance) -> Result<Cow<'a, [u8]>> {
        if let Some(Audio::Encoded(encoded)) = &utt.audio {
            return Ok(Cow::Borrowed(&encoded.bytes));
        }
        let mut bytes = Vec::new();
        let format = self.env.nested(self.table.sound.format())?;
        format.write(utt, &mut |part| {
            bytes.extend_from_slice(part);
            Ok(())
        })?;
        Ok(Cow::Owned(bytes))
    }

    /// Writes sound as Kaldi has it; the entry is not started before the bytes are known to come.
    fn write_sound(&mut self, utt: &Utterance) -> Result<()> {
        if self.table.sound != SoundForm::Kaldi {
            return self.write_sized(utt);
        }
        let wav = self.env.nested(nested::WAV);
        let wav = wav.map_err(|e| e.file(self.archive.name()))?;
        let mut started = false;
        let written = wav.write(utt, &mut |bytes| {
            if !started {
                started = true;
                self.start(utt, false)?;
            }
            self.archive.put(bytes)
        });
        written.map_err(|e| if started { e } else { self.refused(e, utt) })
    }

    /// Starts the entry of `utt`: its key, or a file of its own. One of several parts waits with
    /// them for the threads that make them.
    fn start(&mut self, utt: &Utterance, parts: bool) -> Result<()> {
        match &mut self.files {
            Some(files) => {
                let index = files.find(&utt.key);
                let index = index.map_err(|e| e.utterance(&utt.key).continuable())?;
                let file = files.create(index)?;
                self.archive.replace(file, Some(&utt.key)).map(drop)
            }
            None if parts => self.archive.start_parts(&utt.key),
            None => self.archive.start(&utt.key),
        }
    }

    fn refused(&self, error: Error, utt: &Utterance) -> Error {
        let error = error.file(self.archive.name());
        error.utterance(&utt.key).continuable()
    }

    /// Writes `matrix`, the features or labels of `utt`, or of the portion that it is.
    fn write_plain(&mut self, utt: &Utterance, matrix: &Matrix) -> Result<()> {
        match Precision::of(matrix.dtype()) {
            _ if self.table.style != Style::Binary => self.text(utt, matrix),
            None => self.tagged_integers(utt, matrix),
            Some(precision) if matrix.rank() == Rank::Scalar => self.number(matrix, precision),
            Some(precision) => self.binary(utt, matrix, precision),
        }
    }

    /// The lower triangle of a square, row by row.
    fn write_packed(&mut self, dtype: Dtype, rows: &[&[u8]]) -> Result<()> {
        if self.table.style != Style::Binary {
            return self.archive.triangle(rows, dtype);
        }
        self.block.extend_from_slice(match dtype {
            Dtype::F64 => b"\0BDP ",
            _ => b"\0BFP ",
        });
        write_integer(rows.len() as u64, &mut self.block)?;
        for row in rows {
            let start = self.block.len();
            self.block.extend_from_slice(row);
            if ByteOrder::NATIVE == ByteOrder::Big {
                swap_in_place(&mut self.block[start..], dtype.size());
            }
            if self.block.len() >= BLOCK {
                self.flush()?;
            }
        }
        self.flush()
    }

    /// One number with its tag.
    fn number(&mut self, matrix: &Matrix, precision: Precision) -> Result<()> {
        self.block.extend_from_slice(b"\0B");
        self.block.push(match precision {
            Precision::Single => TAG,
            Precision::Double => 8,
        });
        let start = self.block.len();
        self.block.extend_from_slice(matrix.as_bytes());
        if ByteOrder::NATIVE == ByteOrder::Big {
            self.block[start..].reverse();
        }
        self.flush()
    }

    fn binary(&mut self, utt: &Utterance, matrix: &Matrix, precision: Precision) -> Result<()> {
        if utt.starts() {
            self.binary_head(utt, matrix, precision)?;
        }
        if ByteOrder::NATIVE == ByteOrder::Little {
            return self.archive.put(matrix.as_bytes());
        }
        for bytes in matrix.as_bytes().chunks(BLOCK) {
            self.block.extend_from_slice(bytes);
            swap_in_place(&mut self.block, matrix.dtype().size());
            self.flush()?;
        }
        Ok(())
    }

    /// What stands before the numbers of a matrix or vector.
    fn binary_head(
        &mut self,
        utt: &Utterance,
        matrix: &Matrix,
        precision: Precision,
    ) -> Result<()> {
        let token: &[u8] = match (precision, matrix.rank()) {
            (Precision::Single, Rank::Matrix) => b"\0BFM ",
            (Precision::Single, _) => b"\0BFV ",
            (Precision::Double, Rank::Matrix) => b"\0BDM ",
            (Precision::Double, _) => b"\0BDV ",
        };
        self.block.extend_from_slice(token);
        write_integer(utt.whole_frames(), &mut self.block)?;
        if matrix.rank() == Rank::Matrix {
            write_integer(matrix.cols() as u64, &mut self.block)?;
        }
        self.flush()
    }

    fn tagged_integers(&mut self, utt: &Utterance, matrix: &Matrix) -> Result<()> {
        if utt.starts() {
            self.block.extend_from_slice(b"\0B");
            write_integer(utt.whole_frames(), &mut self.block)?;
        }
        for values in matrix.values::<i32>()?.chunks(BLOCK / 5) {
            let groups = values.iter().map(|value| {
                let [a, b, c, d] = value.to_le_bytes();
                [TAG, a, b, c, d]
            });
            groups.for_each(|group| self.block.extend_from_slice(&group));
            self.flush()?;
        }
        self.flush()
    }

    /// Floats in brackets, unless there is but one; integers without.
    fn text(&mut self, utt: &Utterance, matrix: &Matrix) -> Result<()> {
        let archive = &mut self.archive;
        let (open, close): (&'static [u8], &'static [u8]) = match matrix.rank() {
            _ if matrix.dtype() == Dtype::I32 => (b"", b"\n"),
            Rank::Scalar => (b"", b"\n"),
            Rank::Vector => (b" [ ", b"]\n"),
            Rank::Matrix => (b" [", b"]\n"),
        };
        match (matrix.is_empty() && !open.is_empty(), matrix.rank()) {
            (false, rank) => {
                if utt.starts() {
                    archive.bytes(open)?;
                }
                match rank {
                    Rank::Matrix if !open.is_empty() => archive.rows(matrix)?,
                    _ => archive.numbers(matrix)?,
                }
                match utt.ends() {
                    true => archive.bytes(close),
                    false => Ok(()),
                }
            }
            // Kaldi writes one space, and so does its style; where the reader would expect the
            // other rank, something else is written.
            (true, rank)
                if rank == self.rank || matches!(self.table.style, Style::SevenDigits(_)) =>
            {
                archive.bytes(b" [ ]\n")
            }
            (true, Rank::Matrix) => archive.bytes(b" [\n ]\n"),
            (true, _) => {
                archive.bytes(b" [")?;
                archive.bytes(EMPTY_VECTOR)?;
                archive.bytes(b"\n")
            }
        }
    }

    fn flush(&mut self) -> Result<()> {
        self.archive.put(&self.block)?;
        self.block.clear();
        Ok(())
    }
}

impl Writer for KaldiWriter {
    fn caps(&self) -> &Caps {
        &self.table.caps
    }

    fn accept(&mut self, utt: &Utterance) -> Result<()> {
        self.acceptable(utt).map_err(|e| self.refused(e, utt))
    }

    fn write(&mut self, utt: &Utterance) -> Result<()> {
        self.check(utt).map_err(|e| self.refused(e, utt))?;
        let matrix = utt.features.as_ref().or(utt.labels.as_ref());
        self.block.clear();
        match (matrix, &utt.object) {
            (Some(matrix), _) => self.write_matrix(utt, matrix)?,
            (None, Some(object)) => {
                let stats = self.encode_object(object);
                let stats = stats.map_err(|e| self.refused(e, utt))?;
                self.start(utt, false)?;
                self.archive.put(&self.encoded)?;
                self.archive.count(&utt.key, &stats);
            }
            (None, None) => self.write_sound(utt)?,
        }
        self.group.get_or_insert_with(|| group_of(utt).to_owned());
        self.rank = utt.features.as_ref().map_or(self.rank, Matrix::rank);
        if self.files.is_some() && utt.ends() {
            self.written.bytes += self.archive.replace(nowhere(&self.env)?, None)?.finish()?;
        }
        if self.table.flush {
            self.archive.pass_on()?;
        }
        self.written.count(utt);
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<Written> {
        let (bytes, rounded) = self.archive.finish()?;
        self.written.bytes += bytes;
        self.written.rounded = rounded;
        Ok(self.written)
    }
}

impl KaldiWriter {
    /// Checks what an entry can hold, and what all of a table have in common.
    fn check(&self, utt: &Utterance) -> Result<()> {
        self.table.caps.check(utt)?;
        if let Some(sound) = &utt.audio {
            if let (SoundForm::Kaldi, Audio::Samples(sound)) = (self.table.sound, sound) {
                audio::check(sound)?;
            }
            if utt.features.is_some() || utt.labels.is_some() {
                return Err(Error::unfit("has audio that does not stand alone"));
            }
        }
        let group = group_of(utt);
        match self.group.as_deref().filter(|first| *first != group) {
            Some(first) => {
                let message = format!("{group} after entries of {first}");
                Err(Error::unfit(format!(
                    "{message}, which a Kaldi table can't hold"
                )))
            }
            None => Ok(()),
        }
    }

    /// Checks all that is checked on the way to the first byte of an entry.
    fn acceptable(&mut self, utt: &Utterance) -> Result<()> {
        self.check(utt)?;
        if let Some(files) = &self.files {
            files.find(&utt.key)?;
        }
        if utt.features.is_some() || utt.labels.is_some() {
            return compressed(self.table.compress, utt).map(drop);
        }
        match &utt.object {
            Some(object) => self.encode_object(object).map(drop),
            None => self.sound_file(utt).map(drop),
        }
    }

    fn write_matrix(&mut self, utt: &Utterance, matrix: &Matrix) -> Result<()> {
        if !utt.starts() {
            return self.write_plain(utt, matrix);
        }
        let plain = !matches!(self.table.compress, Some(Compress::By(_)));
        if let Some(rows) = packed::triangle(utt).filter(|_| plain) {
            self.start(utt, self.table.style != Style::Binary)?;
            return self.write_packed(matrix.dtype(), &rows);
        }
        let compressed = compressed(self.table.compress, utt);
        let compressed = compressed.map_err(|e| self.refused(e, utt))?;
        let planned = matches!(compressed, Some(Compressed::Planned(_)));
        self.start(utt, planned || self.table.style != Style::Binary)?;
        match compressed {
            Some(compressed) => self.write_compressed(compressed, utt, matrix),
            None => self.write_plain(utt, matrix),
        }
    }
}

/// A stream that keeps nothing.
fn nowhere(env: &Env) -> Result<Sink> {
    env.output(&Locator::Nowhere).create(Part::Main, false)
}

/// What the reader of a compressed matrix will get, and what became of its numbers.
fn decoded(planned: &Planned) -> Result<(Matrix, CastStats)> {
    let limits = Limits {
        max_alloc: u64::MAX,
        ..Limits::default()
    };
    let mut object = Vec::new();
    let stats = Encoder::default().encode(planned, &mut object)?;
    Ok((decode(&object, &limits)?, stats))
}

/// Appends a size with its tag.
fn write_integer(n: u64, out: &mut Vec<u8>) -> Result<()> {
    let n = i32::try_from(n).map_err(|_| Error::unfit("more than 2147483647 rows or columns"))?;
    out.push(TAG);
    out.extend_from_slice(&n.to_le_bytes());
    Ok(())
}
