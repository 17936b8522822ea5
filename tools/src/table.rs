//! Tables as the tools see them: of one kind of object, floats of 32 bits.

use spr_core::bytes::Env;
use spr_core::format::Reader;
use spr_core::model::{DatasetInfo, Dtype, Key, Matrix, Object, Rank, Utterance};
use spr_core::{Error, Result};
use spr_format_kaldi::{RandomAccessTableReader, TableWriter};

/// What a tool expects a table to hold.
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
    /// The value of the Kaldi format's option `holder`.
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

/// A table that is read from front to back.
///
/// Kaldi's option `p` passes over entries that can't be read, with a warning each; what is broken
/// beyond the next entry ends the table then.
pub(super) struct TableIn {
    reader: Box<dyn Reader>,
    holder: Holder,
    /// Whether entries that can't be read are passed over.
    pub(super) permissive: bool,
    /// Whether matrices hold their values, or anything.
    pub(super) values: bool,
    /// Whether an entry was read.
    begun: bool,
    over: bool,
    env: Env,
}

impl TableIn {
    /// A table of which all entries must be read, with their values.
    pub(super) fn new(reader: Box<dyn Reader>, holder: Holder, env: &Env) -> Self {
        Self {
            reader,
            holder,
            permissive: false,
            values: true,
            begun: false,
            over: false,
            env: env.clone(),
        }
    }
}

/// Leaves of an utterance what was asked for, if it holds `values` as 32-bit floats.
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
                Ok(more) => {
                    self.begun = true;
                    self.over = !more;
                    return Ok(more);
                }
                Err(error) if self.permissive && (self.begun || error.can_continue()) => {
                    self.over = !error.can_continue();
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

/// A table whose matrices are asked for by key.
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
    /// It is none, or can't be opened.
    pub(super) fn open(text: &str, holder: Holder, env: &Env) -> Result<Self> {
        let pairs = [("holder", holder.name())];
        Ok(Self {
            table: RandomAccessTableReader::open_with(text, &pairs, env.clone())?,
            holder,
            current: Utterance::default(),
            env: env.clone(),
        })
    }

    /// The matrix of `key`; `None` if there is none.
    ///
    /// # Errors
    /// The table can't be read, or does not keep what its options promise.
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

/// A table that is written.
pub(super) struct TableOut {
    writer: TableWriter,
    /// Entries written.
    pub(super) count: u64,
}

impl TableOut {
    pub(super) fn new(writer: TableWriter) -> Self {
        Self { writer, count: 0 }
    }

    /// Adds an entry.
    ///
    /// # Errors
    /// The table can't hold it, or the system refuses.
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

    /// Adds all entries of a reader, each changed by `change`.
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

    /// Adds an entry of one integer.
    ///
    /// # Errors
    /// As [`write`](Self::write); the number is beyond 32 bits.
    pub(super) fn write_int(&mut self, key: &Key, n: usize) -> Result<()> {
        let n = i32::try_from(n).map_err(|_| Error::unfit(format!("{n} is not an int32")))?;
        self.write(&Utterance {
            key: key.clone(),
            object: Some(Object::Int(n)),
            ..Utterance::default()
        })
    }

    /// Completes the table and gives its files their names.
    ///
    /// # Errors
    /// The system refuses, or the command at the other end failed.
    pub(super) fn finish(self) -> Result<()> {
        self.writer.close().map(drop)
    }
}
