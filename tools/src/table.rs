//! Tables of one kind of object with 32-bit floats, as the tools see them.

use spr_core::bytes::Env;
use spr_core::format::Reader;
use spr_core::model::{DatasetInfo, Dtype, Key, Matrix, Object, Rank, Utterance};
use spr_core::{Error, Result};
use spr_format_kaldi::{RandomAccessTableReader, TableWriter};

/// The option by which, of several objects in a file, the first one is read, as Kaldi's programs do.
pub(super) const FIRST_ONLY: (&str, &str) = ("all", "false");

/// The kind of object that a tool expects in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holder {
    Matrix,
    Vector,
    Integers,
    Posterior,
    /// HTK files, whose features are a matrix.
    Htk,
    /// Sphinx files, whose features are a matrix.
    Sphinx,
}

impl Holder {
    /// Returns the value of the Kaldi format's option `holder`.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Matrix => "float-matrix",
            Self::Vector => "float-vector",
            Self::Integers => "int32-vector",
            Self::Posterior => "posterior",
            Self::Htk => "htk",
            Self::Sphinx => "sphinx",
        }
    }

    fn holds(self, utt: &Utterance) -> bool {
        let rank = utt.features.as_ref().map(Matrix::rank);
        match self {
            Self::Matrix | Self::Htk | Self::Sphinx => rank == Some(Rank::Matrix),
            Self::Vector => rank == Some(Rank::Vector),
            Self::Integers => rank.is_none() && utt.labels.is_some(),
            Self::Posterior => matches!(utt.object, Some(Object::Posterior(_))),
        }
    }
}

/// A table that is read sequentially.
///
/// Kaldi's option `p` skips entries that cannot be read, with a warning each. An error that affects
/// all following entries ends the table.
pub(super) struct TableIn {
    reader: Box<dyn Reader>,
    holder: Holder,
    /// Whether entries that cannot be read are skipped.
    pub(super) permissive: bool,
    /// Whether the values of matrices are read.
    pub(super) values: bool,
    /// The name of an archive. Of its entries, if it has any, one must be readable: Kaldi opens an
    /// archive with its first entry.
    pub(super) archive: Option<String>,
    /// Whether an entry has been read.
    begun: bool,
    /// The number of entries that were skipped.
    skipped: u64,
    over: bool,
    env: Env,
}

impl TableIn {
    /// Creates a table of which all entries must be readable, with their values.
    pub(super) fn new(reader: Box<dyn Reader>, holder: Holder, env: &Env) -> Self {
        Self {
            reader,
            holder,
            permissive: false,
            values: true,
            archive: None,
            begun: false,
            skipped: 0,
            over: false,
            env: env.clone(),
        }
    }
}

/// Reduces an utterance to the requested object, with 32-bit floats if it has `values`.
fn fit(holder: Holder, utt: &mut Utterance, values: bool, env: &Env) -> Result<()> {
    utt.meta.clear();
    if !holder.holds(utt) {
        return Err(Error::unfit(format!("does not hold a {}", holder.name())));
    }
    let Some(features) = &mut utt.features else {
        return Ok(());
    };
    utt.labels = None;
    if !values {
        return Ok(());
    }
    if features.cast(Dtype::F32, &env.limits)?.clipped > 0 {
        return Err(Error::unfit("a value is beyond the range of 32-bit floats"));
    }
    Ok(())
}

#[warn(clippy::missing_trait_methods)]
impl Reader for TableIn {
    fn info(&self) -> &DatasetInfo {
        self.reader.info()
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        while !self.over {
            let read = self.reader.read(utt);
            let fitted = read.and_then(|more| {
                if more {
                    fit(self.holder, utt, self.values, &self.env)?;
                }
                Ok(more)
            });
            match fitted {
                Ok(true) => {
                    self.begun = true;
                    return Ok(true);
                }
                Ok(false) => {
                    self.over = true;
                    return match &self.archive {
                        Some(archive) if !self.begun && self.skipped > 0 => {
                            let message = format!("none of {} entries can be read", self.skipped);
                            Err(Error::malformed(message).file(archive))
                        }
                        _ => Ok(false),
                    };
                }
                Err(error) if self.permissive && (self.begun || error.can_continue()) => {
                    self.over = !error.can_continue();
                    self.skipped += 1;
                    self.env.warn(&error.utterance(&utt.key));
                }
                Err(error) => {
                    self.over = true;
                    return Err(error);
                }
            }
        }
        Ok(false)
    }
}

/// A table for lookup of matrices by key.
pub(super) struct ByKey {
    table: RandomAccessTableReader,
    holder: Holder,
    /// The entry found last.
    current: Utterance,
    env: Env,
}

impl ByKey {
    /// Opens the table that an rspecifier names.
    ///
    /// # Errors
    /// It is not an rspecifier, or the table cannot be opened.
    pub(super) fn open(text: &str, holder: Holder, env: &Env) -> Result<Self> {
        let pairs = [("holder", holder.name()), FIRST_ONLY];
        Ok(Self {
            table: RandomAccessTableReader::open_with(text, &pairs, env.clone())?,
            holder,
            current: Utterance::default(),
            env: env.clone(),
        })
    }

    /// Returns the matrix of `key`, or `None` if there is none.
    ///
    /// # Errors
    /// The table cannot be read, or breaks a promise of its options.
    pub(super) fn find(&mut self, key: &Key) -> Result<Option<&Matrix>> {
        if self.current.features.is_none() || self.current.key != *key {
            self.current.features = None;
            if !self.table.has_key(key)? {
                return Ok(None);
            }
            self.current.clone_from(self.table.value(key)?);
            fit(self.holder, &mut self.current, true, &self.env).map_err(|e| e.utterance(key))?;
        }
        Ok(self.current.features.as_ref())
    }
}

/// A table that is being written.
pub(super) struct TableOut {
    writer: TableWriter,
    /// The number of entries written.
    pub(super) count: u64,
}

impl TableOut {
    pub(super) fn new(writer: TableWriter) -> Self {
        Self { writer, count: 0 }
    }

    /// Adds an entry.
    ///
    /// # Errors
    /// The table cannot hold it, or the system refuses.
    pub(super) fn write(&mut self, utt: &Utterance) -> Result<()> {
        self.writer.write(utt).map_err(|e| e.utterance(&utt.key))?;
        self.count += 1;
        Ok(())
    }

    /// Adds all entries of a reader.
    ///
    /// # Errors
    /// Reading or writing fails.
    pub(super) fn write_all(&mut self, reader: &mut dyn Reader) -> Result<()> {
        self.write_changed(reader, |_| Ok(()))
    }

    /// Adds all entries of a reader after changing each with `change`.
    ///
    /// # Errors
    /// Reading, changing or writing fails.
    pub(super) fn write_changed(
        &mut self,
        reader: &mut dyn Reader,
        change: impl Fn(&mut Utterance) -> Result<()>,
    ) -> Result<()> {
        let mut utt = Utterance::default();
        while reader.read(&mut utt)? {
            change(&mut utt)?;
            self.write(&utt)?;
        }
        Ok(())
    }

    /// Adds an entry with one integer.
    ///
    /// # Errors
    /// As for [`write`](Self::write), or the number exceeds 32 bits.
    pub(super) fn write_int(&mut self, key: &Key, n: usize) -> Result<()> {
        let n = i32::try_from(n).map_err(|_| Error::unfit(format!("{n} is not an int32")))?;
        self.write(&Utterance {
            key: key.clone(),
            object: Some(Object::Int(n)),
            ..Utterance::default()
        })
    }

    /// Completes the table and commits its files.
    ///
    /// # Errors
    /// The system refuses, or the command at the other end failed.
    pub(super) fn finish(self) -> Result<()> {
        self.writer.close().map(drop)
    }
}
