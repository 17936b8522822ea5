//! Writing archives, with or without a script file beside them.

use spr_core::bytes::{ByteOrder, Codec, Env, Locator, Output, Part, swap_in_place};
use spr_core::format::{Place, Writer, Written};
use spr_core::model::{Dtype, Matrix, Object, Rank, Utterance, is_word_byte};
use spr_core::{Error, Limits, Result};

use crate::encode::{Compress, Compressed, Encoder, Planned, compressed, decode, is_stored};
use crate::files::Files;
use crate::kind::group_of;
use crate::object::EMPTY_VECTOR;
use crate::opaque;
use crate::pieces::Archive;
use crate::put::{self, Style};
use crate::recognise::TAG;
use crate::specifier::rxfilename;
use crate::wave;

/// Bytes put together before they are passed on.
const BLOCK: usize = 64 << 10;

pub(crate) struct KaldiWriter {
    archive: Archive,
    style: Style,
    /// Element types of features.
    dtypes: &'static [Dtype],
    /// What the first entry held: all others do the same.
    group: Option<&'static str>,
    /// The rank that a reader expects of features by now.
    rank: Rank,
    /// Files for the objects, where they are not all in `archive`.
    files: Option<Files>,
    compress: Option<Compress>,
    /// An object that is no matrix.
    encoded: Vec<u8>,
    block: Vec<u8>,
    written: Written,
}

impl KaldiWriter {
    pub(crate) fn new(
        output: &Output,
        style: Style,
        dtypes: &'static [Dtype],
        env: &Env,
    ) -> Result<Self> {
        let script = match output.companion("scp") {
            Some(_) => {
                let name = name_in_script(output)?;
                Some((output.create(Part::Named("scp"), false)?, name))
            }
            None => None,
        };
        let archive = output.create(Part::Main, false)?;
        Ok(Self {
            archive: Archive::new(archive, script, style, env.threads),
            style,
            dtypes,
            group: None,
            rank: Rank::Matrix,
            files: None,
            compress: None,
            encoded: Vec::new(),
            block: Vec::with_capacity(BLOCK),
            written: Written::default(),
        })
    }

    /// A writer of one file an object, each where `files` says.
    pub(crate) fn of_files(
        files: Files,
        style: Style,
        dtypes: &'static [Dtype],
        env: &Env,
    ) -> Result<Self> {
        Ok(Self {
            files: Some(files),
            ..Self::new(&Output::nowhere(), style, dtypes, env)?
        })
    }

    /// Compresses the matrices.
    pub(crate) fn compress(self, compress: Option<Compress>) -> Self {
        Self { compress, ..self }
    }

    fn write_compressed(&mut self, compressed: Compressed<'_>, matrix: &Matrix) -> Result<()> {
        match compressed {
            Compressed::Stored(object) if self.style == Style::Binary => {
                self.archive.put(b"\0B")?;
                self.archive.put(object)
            }
            Compressed::Stored(_) => self.write_object(matrix),
            Compressed::Planned(planned) if self.style == Style::Binary => {
                self.archive.bytes(b"\0B")?;
                self.archive.compressed(planned)
            }
            Compressed::Planned(planned) => self.write_object(&decoded(&planned)?),
        }
    }

    /// Puts together what is no matrix, before anything is written.
    fn encode_other(&mut self, utt: &Utterance) -> Result<()> {
        if let Some(object) = &utt.object {
            if let Object::Opaque { kind, bytes } = object
                && self.files.is_none()
                && !opaque::is_whole(kind, bytes, &Limits::default())
            {
                let message = format!("a {kind} whose end could not be told in an archive");
                return Err(unfit(message).hint("a file of its own can hold it: scp:LIST"));
            }
            self.encoded.clear();
            return put::object(object, self.style, &mut self.encoded);
        }
        let Some(audio) = &utt.audio else {
            return Ok(());
        };
        if self.style != Style::Binary {
            return Err(unfit("audio, of which no text can be made"));
        }
        if !audio.is_of(&[Dtype::I16]) {
            return Err(unfit("audio whose samples are no matrix of i16"));
        }
        self.encoded.clear();
        self.encoded.extend_from_slice(&wave::header(audio)?);
        Ok(())
    }

    fn write_other(&mut self, utt: &Utterance) -> Result<()> {
        self.archive.put(&self.encoded)?;
        match &utt.audio {
            Some(audio) => wave::write_samples(audio, self.archive.direct()?, &mut self.encoded),
            None => Ok(()),
        }
    }

    fn write_object(&mut self, matrix: &Matrix) -> Result<()> {
        match (matrix.dtype(), matrix.rank()) {
            _ if self.style != Style::Binary => self.text(matrix),
            (_, Rank::Scalar) => self.number(matrix),
            (Dtype::I32, _) => self.tagged_integers(matrix),
            _ => self.binary(matrix),
        }
    }

    /// One number with its tag.
    fn number(&mut self, matrix: &Matrix) -> Result<()> {
        self.block.extend_from_slice(b"\0B");
        self.block.push(match matrix.dtype() {
            Dtype::F64 => 8,
            _ => TAG,
        });
        let start = self.block.len();
        self.block.extend_from_slice(matrix.as_bytes());
        if ByteOrder::NATIVE == ByteOrder::Big {
            self.block[start..].reverse();
        }
        self.flush()
    }

    fn binary(&mut self, matrix: &Matrix) -> Result<()> {
        let token: &[u8] = match (matrix.dtype(), matrix.rank()) {
            (Dtype::F64, Rank::Matrix) => b"\0BDM ",
            (Dtype::F64, _) => b"\0BDV ",
            (_, Rank::Matrix) => b"\0BFM ",
            _ => b"\0BFV ",
        };
        self.block.extend_from_slice(token);
        put_integer(matrix.rows(), &mut self.block)?;
        if matrix.rank() == Rank::Matrix {
            put_integer(matrix.cols(), &mut self.block)?;
        }
        self.flush()?;
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

    fn tagged_integers(&mut self, matrix: &Matrix) -> Result<()> {
        self.block.extend_from_slice(b"\0B");
        put_integer(matrix.rows(), &mut self.block)?;
        for values in matrix
            .as_slice::<i32>()
            .unwrap_or_default()
            .chunks(BLOCK / 5)
        {
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
    fn text(&mut self, matrix: &Matrix) -> Result<()> {
        let archive = &mut self.archive;
        if matrix.dtype() == Dtype::I32 || matrix.rank() == Rank::Scalar {
            archive.numbers(matrix)?;
            return archive.bytes(b"\n");
        }
        match (matrix.is_empty(), matrix.rank()) {
            (false, Rank::Matrix) => {
                archive.bytes(b" [")?;
                archive.rows(matrix)?;
                archive.bytes(b"]\n")
            }
            (false, _) => {
                archive.bytes(b" [ ")?;
                archive.numbers(matrix)?;
                archive.bytes(b"]\n")
            }
            // Kaldi writes one space, and so does its style; where the reader would expect the
            // other rank, more is due otherwise.
            (true, rank) if rank == self.rank || self.style == Style::SevenDigits => {
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
    fn write(&mut self, utt: &Utterance) -> Result<()> {
        let refused = |e: Error, archive: &Archive| {
            let e = e.file(archive.name());
            e.utterance(&utt.key).continuable()
        };
        let matrix = self.check(utt).map_err(|e| refused(e, &self.archive))?;
        let compressed = compressed(self.compress, utt).map_err(|e| refused(e, &self.archive))?;
        self.encode_other(utt)
            .map_err(|e| refused(e, &self.archive))?;
        self.block.clear();
        if let Some(files) = &mut self.files {
            let index = files
                .find(&utt.key)
                .map_err(|e| e.utterance(&utt.key).continuable())?;
            self.archive.replace(files.create(index)?)?;
        } else if matrix.is_some() && self.style != Style::Binary
            || matches!(compressed, Some(Compressed::Planned(_)))
        {
            self.archive.start_parts(&utt.key)?;
        } else {
            self.archive.start(&utt.key)?;
        }
        match (matrix, compressed) {
            (Some(matrix), Some(compressed)) => self.write_compressed(compressed, matrix)?,
            (Some(matrix), None) => self.write_object(matrix)?,
            (None, _) => self.write_other(utt)?,
        }
        self.group = Some(group_of(utt));
        self.rank = utt.features.as_ref().map_or(self.rank, Matrix::rank);
        if self.files.is_some() {
            let nowhere = Output::nowhere().create(Part::Main, false)?;
            self.written.bytes += self.archive.replace(nowhere)?.finish()?;
        }
        self.written.count(utt);
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<Written> {
        self.written.bytes += self.archive.finish()?;
        Ok(self.written)
    }
}

impl KaldiWriter {
    /// The one matrix of `utt` that an entry holds, `None` if it is no matrix; if an entry can hold
    /// all of it.
    fn check<'a>(&self, utt: &'a Utterance) -> Result<Option<&'a Matrix>> {
        let key = utt.key.as_bytes();
        if key.is_empty() {
            return Err(unfit("the key is empty"));
        }
        if let Some(b) = key.iter().find(|b| !is_word_byte(**b)) {
            return Err(unfit(format!("byte 0x{b:02x} in the key")));
        }
        let kept = self.compress == Some(Compress::Keep) && is_stored(&utt.meta);
        if !utt.meta.is_empty() && !kept {
            return Err(unfit("frame times and header lines"));
        }
        let group = group_of(utt);
        if let Some(first) = self.group.filter(|first| *first != group) {
            return Err(unfit(format!("{group} behind entries of {first}")));
        }
        let matrix = match (&utt.features, &utt.labels) {
            (None, None)
                if utt.others().count() == 1 && (utt.object.is_some() || utt.audio.is_some()) =>
            {
                None
            }
            _ if utt.other().is_some() => {
                return Err(unfit(format!(
                    "{} with something else",
                    utt.other().unwrap_or_default()
                )));
            }
            (Some(features), None) => Some(self.check_features(features)?),
            (None, Some(labels)) => Some(check_labels(labels)?),
            (Some(_), Some(_)) => {
                let hint = "write the labels apart with --labels-out";
                return Err(unfit("features and labels together").hint(hint));
            }
            (None, None) => return Err(unfit("neither features nor labels")),
        };
        let Some(matrix) = matrix else {
            return Ok(None);
        };
        let largest = matrix.rows().max(matrix.cols());
        if i32::try_from(largest).is_err() {
            return Err(unfit(format!("{largest} rows or columns")));
        }
        Ok(Some(matrix))
    }

    fn check_features<'a>(&self, matrix: &'a Matrix) -> Result<&'a Matrix> {
        let (rows, cols) = (matrix.rows(), matrix.cols());
        if !self.dtypes.contains(&matrix.dtype()) {
            return Err(unfit(format!("features of {}", matrix.dtype())));
        }
        match matrix.rank() {
            Rank::Matrix if (rows == 0) != (cols == 0) => {
                Err(unfit(format!("a matrix of {rows} rows and {cols} columns")))
            }
            Rank::Vector if cols != 1 => Err(unfit(format!("a vector of {cols} columns"))),
            Rank::Scalar if rows != 1 || cols != 1 => {
                Err(unfit(format!("a number of {rows} x {cols} values")))
            }
            _ => Ok(matrix),
        }
    }
}

/// What the reader of a compressed matrix will get.
fn decoded(planned: &Planned) -> Result<Matrix> {
    let limits = Limits {
        max_alloc: u64::MAX,
        ..Limits::default()
    };
    let mut object = Vec::new();
    Encoder::default().encode(planned, &mut object);
    decode(&object, &limits)
}

fn check_labels(matrix: &Matrix) -> Result<&Matrix> {
    if matrix.dtype() != Dtype::I32 {
        return Err(unfit(format!("labels of {}", matrix.dtype())));
    }
    if matrix.cols() != 1 {
        return Err(unfit(format!("{} labels a frame", matrix.cols())));
    }
    Ok(matrix)
}

fn unfit(what: impl std::fmt::Display) -> Error {
    Error::unfit(format!("{what}, which this Kaldi table can't hold"))
}

/// The archive's name as script lines give it, if it can be read from there.
fn name_in_script(output: &Output) -> Result<String> {
    let name = output.name();
    let refuse = |why: &str| {
        Err(Error::usage(format!("a script file can't point into it: {why}")).file(&name))
    };
    if Place::of(output) != Place::File {
        return refuse("it is no file");
    }
    if output
        .path()
        .is_some_and(|path| Codec::from_path(&path).is_some())
    {
        return refuse("it is compressed");
    }
    let place = rxfilename(&format!("{name}:7")).ok();
    if place != Some(Locator::FileAt(name.clone().into(), 7)) || name.contains('\n') {
        return refuse("Kaldi does not take the name");
    }
    Ok(name)
}

/// Appends a size with its tag.
fn put_integer(n: usize, out: &mut Vec<u8>) -> Result<()> {
    let n = i32::try_from(n).map_err(|_| Error::unfit("more than 2147483647 rows or columns"))?;
    out.push(TAG);
    out.extend_from_slice(&n.to_le_bytes());
    Ok(())
}
