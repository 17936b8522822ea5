//! The writer of archives, with or without script files.

use std::borrow::Cow;

use spr_core::bytes::{ByteOrder, Env, Locator, Part, Sink, swap_in_place};
use spr_core::format::{Caps, WriteSummary, Writer};
use spr_core::model::{Audio, CastStats, Dtype, Matrix, Object, Rank, Utterance};
use spr_core::{Error, Limits, Result};

use crate::audio::{self, SoundForm};
use crate::compress::{Compress, CompressedForm, compressed, decode};
use crate::encode::{CompressionPlan, Encoder};
use crate::entry_blocks::Archive;
use crate::files::Files;
use crate::kind::{Precision, group_of};
use crate::object::EMPTY_VECTOR;
use crate::opaque;
use crate::packed;
use crate::recognise::TAG;
use crate::sinks::Sinks;
use crate::wrapped;
use crate::write_object::{self, Style};

/// The number of bytes buffered before they are written.
const BLOCK: usize = 64 << 10;

/// The form and capabilities of a table.
pub(crate) struct TableStyle {
    pub(crate) style: Style,
    /// The treatment of matrices.
    pub(crate) compress: Option<Compress>,
    /// The form of audio.
    pub(crate) sound: SoundForm,
    /// The reason for changes of numbers, if there is one.
    pub(crate) rounding: &'static str,
    pub(crate) caps: Caps,
    /// Whether each entry is flushed.
    pub(crate) flush: bool,
}

pub(crate) struct KaldiWriter {
    archive: Archive,
    table: TableStyle,
    env: Env,
    /// The group of the first entry, which all others must have.
    group: Option<String>,
    /// The rank of features that a reader expects.
    rank: Rank,
    /// The files of the objects, unless they are all in `archive`.
    files: Option<Files>,
    /// The bytes of an object that is not a matrix.
    encoded: Vec<u8>,
    block: Vec<u8>,
    written: WriteSummary,
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
            written: WriteSummary::default(),
        }
    }

    /// Creates a writer of one file per object, named by `files`.
    pub(crate) fn of_files(files: Files, table: TableStyle, env: &Env) -> Result<Self> {
        Ok(Self {
            files: Some(files),
            ..Self::new(Sinks::only(nowhere(env)?), table, env)
        })
    }

    /// Returns the position of the next entry that is written directly.
    pub(crate) fn position(&self) -> u64 {
        self.archive.position()
    }

    fn write_compressed(
        &mut self,
        compressed: CompressedForm<'_>,
        utt: &Utterance,
        matrix: &Matrix,
    ) -> Result<()> {
        match compressed {
            CompressedForm::Stored(object) if self.table.style == Style::Binary => {
                self.archive.put(b"\0B")?;
                self.archive.put(object)
            }
            CompressedForm::Stored(_) => self.write_plain(utt, matrix),
            CompressedForm::Planned(planned) if self.table.style == Style::Binary => {
                self.archive.bytes(b"\0B")?;
                self.archive.compressed(planned)
            }
            CompressedForm::Planned(planned) => {
                let (matrix, stats) = decoded(&planned)?;
                self.write_plain(utt, &matrix)?;
                self.archive.count_part(stats)
            }
        }
    }

    /// Encodes an object that is neither a matrix nor audio, before anything is written.
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

    /// Writes an audio file after its size, or by itself if it is a separate file.
    fn write_sized(&mut self, utt: &Utterance) -> Result<()> {
        let made = self.sound_file(utt);
        let file = made.map_err(|e| self.refused(e, utt))?;
        self.start(utt, false)?;
        if self.files.is_none() {
            self.archive.put(&wrapped::sound_head(file.len()))?;
        }
        self.archive.put(&file)
    }

    /// Returns the bytes of an audio file: the stored ones, or encoded samples.
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

    /// Writes audio in Kaldi's form. The entry is started after encoding has succeeded.
    fn write_sound(&mut self, utt: &Utterance) -> Result<()> {
        if self.table.sound != SoundForm::Kaldi {
            return self.write_sized(utt);
        }
        let wav = self.env.nested(audio::WAV);
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

    /// Starts the entry of `utt`: its key, or a separate file. The key of an entry in several parts
    /// waits with them for the threads.
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

    /// Writes `matrix`, which is the features or labels of `utt`, or of a chunk of it.
    fn write_plain(&mut self, utt: &Utterance, matrix: &Matrix) -> Result<()> {
        match Precision::of(matrix.dtype()) {
            _ if self.table.style != Style::Binary => self.text(utt, matrix),
            None => self.tagged_integers(utt, matrix),
            Some(precision) if matrix.rank() == Rank::Scalar => self.number(matrix, precision),
            Some(precision) => self.binary(utt, matrix, precision),
        }
    }

    /// Writes the lower triangle of a square, row by row.
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

    /// Writes a tagged number.
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

    /// Returns the bytes before the numbers of a matrix or vector.
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

    /// Writes floats in brackets, unless there is only one; integers without.
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
            // Kaldi writes one space, and so does its style; another text is written where the
            // reader would expect the other rank.
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

    fn finish(mut self: Box<Self>) -> Result<WriteSummary> {
        let (bytes, rounded) = self.archive.finish()?;
        self.written.bytes += bytes;
        self.written.rounded = rounded;
        Ok(self.written)
    }
}

impl KaldiWriter {
    /// Checks the content of an entry, and that it matches the other entries.
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

    /// Checks everything that could fail before the first byte of an entry.
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
        let planned = matches!(compressed, Some(CompressedForm::Planned(_)));
        self.start(utt, planned || self.table.style != Style::Binary)?;
        match compressed {
            Some(compressed) => self.write_compressed(compressed, utt, matrix),
            None => self.write_plain(utt, matrix),
        }
    }
}

/// Returns a stream that discards its bytes.
fn nowhere(env: &Env) -> Result<Sink> {
    env.output(&Locator::Nowhere).create(Part::Main, false)
}

/// Decodes a compressed matrix as its reader will, and returns the loss.
fn decoded(planned: &CompressionPlan) -> Result<(Matrix, CastStats)> {
    let limits = Limits {
        max_alloc: u64::MAX,
        ..Limits::default()
    };
    let mut object = Vec::new();
    let stats = Encoder::default().encode(planned, &mut object)?;
    Ok((decode(&object, &limits)?, stats))
}

/// Appends a tagged size.
fn write_integer(n: u64, out: &mut Vec<u8>) -> Result<()> {
    let n = i32::try_from(n).map_err(|_| Error::unfit("more than 2147483647 rows or columns"))?;
    out.push(TAG);
    out.extend_from_slice(&n.to_le_bytes());
    Ok(())
}
