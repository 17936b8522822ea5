//! Tables as used by Kaldi's programs, under Kaldi's names.

use spr_core::bytes::{Env, Output};
use spr_core::format::{
    ErrorPolicy, Format, Options, RandomAccess, Reader, Request, WriteSummary, Writer,
};
use spr_core::model::{About, Key, Utterance};
use spr_core::{Error, KeyMap, Result};

use crate::FORMAT;
use crate::format::keyed;
use crate::specifier::{Rspecifier, Wspecifier, rspecifier, wspecifier};

fn read_specifier(text: &str) -> Result<Rspecifier> {
    let none = || Error::usage(format!("'{text}' is not an rspecifier")).hint("such as ark:FILE");
    rspecifier(text).ok_or_else(none)?
}

fn write_specifier(text: &str) -> Result<Wspecifier> {
    let none = || Error::usage(format!("'{text}' is not a wspecifier")).hint("such as ark:FILE");
    wspecifier(text).ok_or_else(none)?
}

/// Returns the options that a specifier implies, and the given ones.
fn options<K: Into<String>, V: Into<String>>(
    own: impl Iterator<Item = (K, V)>,
    more: &[(&str, &str)],
) -> Result<Options> {
    let own = own.map(|(key, value)| (key.into(), value.into()));
    let more = more.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned()));
    Options::new(FORMAT.info(), own.chain(more))
}

/// Reads a table sequentially.
///
/// The first entry is read at once. With the option `p`, entries that cannot be read are reported
/// to the [`Env`] and skipped, and damage that affects all following entries ends the table.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let file = folder.path().join("ali.txt");
/// # std::fs::write(&file, "ann-1 3 3 7 \nbob-1 5 \n")?;
/// use spr_format_kaldi::SequentialTableReader;
/// let mut table = SequentialTableReader::open(&format!("ark:{}", file.display()))?;
/// let mut frames = 0;
/// while !table.done() {
///     frames += table.value().frames();
///     table.next()?;
/// }
/// assert_eq!(frames, 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct SequentialTableReader {
    reader: Box<dyn Reader>,
    current: Utterance,
    permissive: bool,
    done: bool,
    env: Env,
}

impl SequentialTableReader {
    /// Opens a table by its rspecifier and reads the first entry.
    ///
    /// # Errors
    /// The text is not an rspecifier, or the table or its first entry cannot be read.
    pub fn open(rspecifier: &str) -> Result<Self> {
        Self::open_with(rspecifier, &[], Env::default())
    }

    /// Does the same as [`open`](Self::open) with options of the [format](FORMAT).
    ///
    /// # Errors
    /// As for [`open`](Self::open), or an option is unknown.
    pub fn open_with(rspecifier: &str, more: &[(&str, &str)], env: Env) -> Result<Self> {
        let spec = read_specifier(rspecifier)?;
        let source = spec.open(&env)?;
        let options = options(spec.options(), more)?;
        let request = Request::all().on_error(ErrorPolicy::skip_if(spec.permissive));
        let opened = request.open(&FORMAT, source, &options, &env)?;
        let mut table = Self {
            reader: opened.into_stream()?,
            current: Utterance::default(),
            permissive: spec.permissive,
            done: false,
            env,
        };
        table.next()?;
        Ok(table)
    }

    /// Returns `true` after the last entry.
    pub fn done(&self) -> bool {
        self.done
    }

    /// Returns the key of the current entry.
    pub fn key(&self) -> &Key {
        &self.current.key
    }

    /// Returns the current entry.
    pub fn value(&self) -> &Utterance {
        &self.current
    }

    /// Reads the next entry.
    ///
    /// # Errors
    /// It cannot be read, and the option `p` was not given.
    #[expect(clippy::should_implement_trait, reason = "Kaldi's name, and it lends")]
    pub fn next(&mut self) -> Result<()> {
        loop {
            match self.reader.read(&mut self.current) {
                Ok(more) => {
                    self.done = !more;
                    return Ok(());
                }
                Err(error) if self.permissive => {
                    self.env.warn(&error);
                    self.done = !error.can_continue();
                    if self.done {
                        return Ok(());
                    }
                }
                Err(error) => {
                    self.done |= !error.can_continue();
                    return Err(error);
                }
            }
        }
    }
}

/// Looks up entries of a table by key.
///
/// In memory are the lines of a script file, the positions of skipped entries of an archive on
/// disk, or the skipped entries of a pipe. Kaldi's options determine which of these can be dropped,
/// and where a search may stop. Their promises are checked.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let file = folder.path().join("ali.txt");
/// # std::fs::write(&file, "ann-1 3 3 7 \nbob-1 5 \n")?;
/// use spr_format_kaldi::RandomAccessTableReader;
/// let mut table = RandomAccessTableReader::open(&format!("ark:{}", file.display()))?;
/// assert!(!table.has_key(&"eve-1".into())?);
/// assert_eq!(table.value(&"bob-1".into())?.frames(), 1);
/// assert_eq!(table.value(&"ann-1".into())?.frames(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct RandomAccessTableReader {
    table: Box<dyn RandomAccess>,
    /// The key of the last entry found, if there was one.
    found: Option<Key>,
    current: Utterance,
    name: String,
}

impl RandomAccessTableReader {
    /// Opens a table by its rspecifier.
    ///
    /// # Errors
    /// The text is not an rspecifier, or the table cannot be opened; a script file is read
    /// completely.
    pub fn open(rspecifier: &str) -> Result<Self> {
        Self::open_with(rspecifier, &[], Env::default())
    }

    /// Does the same as [`open`](Self::open) with options of the [format](FORMAT).
    ///
    /// # Errors
    /// As for [`open`](Self::open), or an option is unknown.
    pub fn open_with(rspecifier: &str, more: &[(&str, &str)], env: Env) -> Result<Self> {
        let spec = read_specifier(rspecifier)?;
        let source = spec.open(&env)?;
        let name = source.name().to_owned();
        let permissive = spec.permissive.then_some(("permissive", "true"));
        let own = spec.options().chain(permissive);
        let request = Request::all().on_error(ErrorPolicy::skip_if(spec.permissive));
        Ok(Self {
            table: keyed(source, &options(own, more)?, &request, &env)?,
            found: None,
            current: Utterance::default(),
            name,
        })
    }

    /// Returns `true` if there is an entry with this key; its value is read as well.
    ///
    /// # Errors
    /// The table is damaged, or breaks a promise of its options.
    pub fn has_key(&mut self, key: &Key) -> Result<bool> {
        if self.found.as_ref() == Some(key) {
            return Ok(true);
        }
        self.found = None;
        if self.table.find(key, &mut self.current)? {
            self.found = Some(key.clone());
        }
        Ok(self.found.is_some())
    }

    /// Returns the entry with this key.
    ///
    /// # Errors
    /// As for [`has_key`](Self::has_key), or there is none.
    pub fn value(&mut self, key: &Key) -> Result<&Utterance> {
        match self.has_key(key)? {
            true => Ok(&self.current),
            false => Err(Error::unfit("there is no such key")
                .utterance(key)
                .file(&self.name)
                .continuable()),
        }
    }
}

/// Looks up entries by keys that another table maps, such as utterances to speakers.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let at = |name: &str| format!("ark:{}", folder.path().join(name).display());
/// # std::fs::write(folder.path().join("cmvn"), "ann  [\n  1 2 ]\nbob  [\n  3 4 ]\n")?;
/// # std::fs::write(folder.path().join("utt2spk"), "ann-1 ann\nann-2 ann\nbob-1 bob\n")?;
/// use spr_format_kaldi::RandomAccessTableReaderMapped;
/// let mut cmvn = RandomAccessTableReaderMapped::open(&at("cmvn"), &at("utt2spk"))?;
/// assert_eq!(cmvn.value(&"ann-2".into())?.key, "ann".into());
/// assert_eq!(cmvn.value(&"bob-1".into())?.frames(), 1);
/// assert!(cmvn.has_key(&"eve-1".into()).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct RandomAccessTableReaderMapped {
    table: RandomAccessTableReader,
    map: Option<KeyMap>,
}

impl RandomAccessTableReaderMapped {
    /// Opens a table, and the table of words that maps keys to its keys. If the latter is empty,
    /// keys are mapped to themselves.
    ///
    /// # Errors
    /// As for [`RandomAccessTableReader::open`], or the map is not an archive of words, or a key
    /// occurs twice.
    pub fn open(rspecifier: &str, utt2spk_rspecifier: &str) -> Result<Self> {
        Self::open_with(rspecifier, utt2spk_rspecifier, &[], Env::default())
    }

    /// Does the same as [`open`](Self::open) with options of the [format](FORMAT) for the table.
    ///
    /// # Errors
    /// As for [`open`](Self::open), or an option is unknown.
    pub fn open_with(
        rspecifier: &str,
        utt2spk_rspecifier: &str,
        more: &[(&str, &str)],
        env: Env,
    ) -> Result<Self> {
        let map = match utt2spk_rspecifier {
            "" => None,
            text => {
                let words = read_specifier(text)?.words(text)?;
                Some(KeyMap::open(&words, &env)?)
            }
        };
        Ok(Self {
            table: RandomAccessTableReader::open_with(rspecifier, more, env)?,
            map,
        })
    }

    /// Returns `true` if there is an entry with the key that this one maps to.
    ///
    /// # Errors
    /// As for [`RandomAccessTableReader::has_key`], or the key is not in the map.
    pub fn has_key(&mut self, key: &Key) -> Result<bool> {
        self.table.has_key(mapped(self.map.as_ref(), key)?)
    }

    /// Returns the entry with the key that this one maps to.
    ///
    /// # Errors
    /// As for [`has_key`](Self::has_key), or there is none.
    pub fn value(&mut self, key: &Key) -> Result<&Utterance> {
        self.table.value(mapped(self.map.as_ref(), key)?)
    }
}

fn mapped<'a>(map: Option<&'a KeyMap>, key: &'a Key) -> Result<&'a Key> {
    map.map_or(Ok(key), |map| map.get(key))
}

/// Writes a table. Files get their final names when it is closed.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let at = |name: &str| folder.path().join(name).display().to_string();
/// use spr_format_kaldi::{RandomAccessTableReader, TableWriter};
/// use spr_core::model::{Matrix, Rank, Utterance};
/// let mut table = TableWriter::open(&format!("ark,scp:{},{}", at("a.ark"), at("a.scp")))?;
/// table.write(&Utterance {
///     key: "ann-1".into(),
///     features: Some(Matrix::from_rows(&[0.5f32, 1.0, 1.5, 2.0], 2, Rank::Matrix)?),
///     ..Utterance::default()
/// })?;
/// assert_eq!(table.close()?.utterances, 1);
/// let mut table = RandomAccessTableReader::open(&format!("scp:{}", at("a.scp")))?;
/// assert_eq!(table.value(&"ann-1".into())?.frames(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct TableWriter {
    writer: Box<dyn Writer>,
    output: Output,
    permissive: bool,
    env: Env,
}

impl TableWriter {
    /// Creates a table from its wspecifier. Existing files are replaced, as in Kaldi.
    ///
    /// # Errors
    /// The text is not a wspecifier, or the outputs cannot be created.
    pub fn open(wspecifier: &str) -> Result<Self> {
        Self::open_with(wspecifier, &[], Env::default())
    }

    /// Does the same as [`open`](Self::open) with options of the [format](FORMAT).
    ///
    /// # Errors
    /// As for [`open`](Self::open), or an option is unknown.
    pub fn open_with(wspecifier: &str, more: &[(&str, &str)], env: Env) -> Result<Self> {
        let spec = write_specifier(wspecifier)?;
        let output = spec.output(&env).overwrite(true);
        Ok(Self {
            writer: FORMAT.create(
                output.clone(),
                &options(spec.options(), more)?,
                &About::default(),
                &env,
            )?,
            output,
            permissive: spec.permissive,
            env,
        })
    }

    /// Writes an entry: the key, and the only object of the utterance.
    ///
    /// # Errors
    /// The table cannot hold it, or the system refuses. With the option `p`, entries that the
    /// script file does not list are reported to the [`Env`] and skipped.
    pub fn write(&mut self, utt: &Utterance) -> Result<()> {
        match self.writer.write(utt) {
            Err(error) if self.permissive && error.can_continue() => {
                self.env.warn(&error);
                Ok(())
            }
            result => result,
        }
    }

    /// Completes the table and commits its files.
    ///
    /// # Errors
    /// The system refuses; then nothing is left behind.
    pub fn close(self) -> Result<WriteSummary> {
        let written = self.writer.finish()?;
        self.output.commit()?;
        Ok(written)
    }
}
