//! One run of a tool: its options, environment and tables.

use std::sync::Arc;

use spr_core::bytes::{Access, Env, Locator, MemoryStore, Part, Sink, Source, key_of_file};
use spr_core::format::{Format, Options as FormatOptions, Reader, Request};
use spr_core::model::{About, Key, Utterance};
use spr_core::stage::Prefetch;
use spr_core::{Error, Result};
use spr_format_kaldi::specifier::{self, Table};
use spr_format_kaldi::{FORMAT, TableWriter};

use super::log::{Log, quoted};
use super::options::Options;
use super::table::{ByKey, FIRST_ONLY, Holder, TableIn, TableOut};

/// The state of a run.
#[derive(Clone)]
pub(super) struct Session {
    pub(super) log: Log,
    pub(super) options: Options,
    pub(super) env: Env,
    /// The request for every table and file.
    request: Request,
}

impl Session {
    pub(super) fn new(log: Log, options: Options, mut env: Env) -> Self {
        env.access = match options.flag("allow-pipes") {
            true => Access::Files,
            false => Access::Typed,
        };
        Self {
            log,
            options,
            env,
            request: Request::all(),
        }
    }

    /// Returns a session that reads only shapes; the values of matrices are then undefined.
    pub(super) fn without_values(&self) -> Self {
        Self {
            request: Request::all().headers(),
            ..self.clone()
        }
    }

    /// Returns an argument, counted from 0.
    pub(super) fn argument(&self, i: usize) -> &str {
        self.options.arguments().get(i).map_or("", String::as_str)
    }

    /// Opens a table for reading on a separate thread.
    ///
    /// # Errors
    /// `text` is not an rspecifier, or the table cannot be opened.
    pub(super) fn read_table(&self, text: &str, holder: Holder) -> Result<Box<dyn Reader>> {
        self.read_requested(text, holder, self.request.clone())
    }

    /// Opens a table like [`read_table`](Self::read_table), but reads only what `request` selects.
    ///
    /// # Errors
    /// As for [`read_table`](Self::read_table).
    pub(super) fn read_requested(
        &self,
        text: &str,
        holder: Holder,
        request: Request,
    ) -> Result<Box<dyn Reader>> {
        let Some(specifier) = specifier::rspecifier(text).transpose()? else {
            return Err(Error::usage(format!("'{text}' is not a table to read"))
                .hint("such as ark:FILE or scp:FILE"));
        };
        let source = specifier.open(&self.env)?;
        let pairs = specifier
            .options()
            .chain([("holder", holder.name()), FIRST_ONLY]);
        let options = FormatOptions::new(FORMAT.info(), pairs)?;
        let values = request.values;
        let reader = request.open(&FORMAT, source, &options, &self.env)?;
        let mut table = TableIn::new(reader.into_stream()?, holder, &self.env);
        (table.values, table.permissive) = (values, specifier.permissive);
        let archive = (specifier.table == Table::Ark).then_some(&specifier.locator);
        table.archive = archive.map(ToString::to_string);
        Ok(Box::new(Prefetch::new(Box::new(table))))
    }

    /// Opens a table for lookup of matrices by key.
    ///
    /// # Errors
    /// `text` is not an rspecifier, or the table cannot be opened.
    pub(super) fn read_by_key(&self, text: &str) -> Result<ByKey> {
        ByKey::open(text, Holder::Matrix, &self.env)
    }

    /// Reads the object in a file, which may be named with an offset or a range.
    ///
    /// # Errors
    /// The file cannot be read, or the object is of another kind.
    pub(super) fn read_file(&self, text: &str, holder: Holder) -> Result<Utterance> {
        let name = key_of_file(&text.into());
        let key = match name.check_word() {
            Ok(()) => name,
            Err(_) => Key::from("object"),
        };
        // Kaldi accepts the same names for files as in a script file.
        let place = if text.is_empty() { "-" } else { text };
        let line = [key.as_bytes(), b" ", place.as_bytes(), b"\n"].concat();
        let script = Source::from_bytes(text, line)?;
        let pairs = [("table", "scp"), ("holder", holder.name()), FIRST_ONLY];
        let options = FormatOptions::new(FORMAT.info(), pairs)?;
        let mut env = self.env.clone();
        env.access = Access::Files;
        let request = self.request.clone();
        let reader = request.open(&FORMAT, script, &options, &env)?;
        let mut table = TableIn::new(reader.into_stream()?, holder, &env);
        table.values = self.request.values;
        let mut utt = Utterance::default();
        match table.read(&mut utt)? {
            true => Ok(utt),
            false => Err(Error::truncated("there is no object in it").file(text)),
        }
    }

    /// Creates a table with options of the Kaldi format. Existing files are replaced.
    ///
    /// # Errors
    /// `text` is not a wspecifier, or the table cannot be created.
    pub(super) fn write_table(&self, text: &str, pairs: &[(&str, &str)]) -> Result<TableOut> {
        if specifier::wspecifier(text).is_none() {
            return Err(Error::usage(format!("'{text}' is not a table to write"))
                .hint("such as ark:FILE, ark,t:FILE or ark,scp:FILE,FILE"));
        }
        let pairs = [&[("digits", "kaldi")], pairs].concat();
        let writer = TableWriter::open_with(text, &pairs, self.env.clone())?;
        Ok(TableOut::new(writer))
    }

    /// Writes one object, without a key, to a file.
    ///
    /// # Errors
    /// `text` is not a valid file name, or the system refuses.
    pub(super) fn write_file(&self, utt: &Utterance, text: &str) -> Result<()> {
        let store = MemoryStore::new();
        let env = self.env.clone().with_store(Arc::new(store.clone()));
        let output = env.output(&Locator::file("object"));
        let style = (!self.options.flag("binary")).to_string();
        let pairs = [("text", style.as_str()), ("digits", "kaldi")];
        let options = FormatOptions::new(FORMAT.info(), pairs)?;
        let mut writer = FORMAT.create(output.clone(), &options, &About::default(), &env)?;
        writer.write(utt)?;
        writer.finish()?;
        output.commit()?;
        // In an archive the same bytes follow the key and a space.
        let skip = utt.key.as_bytes().len() + 1;
        let entry = store.get("object");
        match entry.as_ref().and_then(|entry| entry.get(skip..)) {
            Some(bytes) => self.write_bytes(bytes, text),
            None => Err(Error::unfit("nothing was stored").utterance(&utt.key)),
        }
    }

    /// Writes a whole file.
    ///
    /// # Errors
    /// `text` is not a valid file name, or the system refuses.
    pub(super) fn write_bytes(&self, bytes: &[u8], text: &str) -> Result<()> {
        let output = self.env.output(&specifier::wxfilename(text)?);
        let output = output.overwrite(true);
        let mut sink = output.create(Part::Main, false)?;
        sink.put(bytes)?;
        sink.finish()?;
        output.commit()
    }

    /// Prints to standard output.
    pub(super) fn print(&self, text: &str) -> Result<()> {
        self.write_bytes(text.as_bytes(), "-")
    }

    /// Opens standard output for lines written one by one.
    pub(super) fn lines(&self) -> Result<Sink> {
        self.env
            .output(&Locator::Standard)
            .create(Part::Main, false)
    }

    /// Returns `true` if both arguments are tables, and `false` if neither is.
    ///
    /// # Errors
    /// Only one of them is a table.
    pub(super) fn are_tables(&self, from: &str, to: &str) -> Result<bool> {
        let table = is_rspecifier(from);
        if table != specifier::wspecifier(to).is_some() {
            return Err(Error::usage(format!(
                "Cannot mix archives with regular files: '{from}' and '{to}'"
            )));
        }
        Ok(table)
    }
}

/// Returns `true` if an argument is an rspecifier and not a file, by Kaldi's own rules.
pub(super) fn is_rspecifier(text: &str) -> bool {
    specifier::rspecifier(text).is_some()
}

/// Returns the name of an input file as in messages.
pub(super) fn printable_input(text: &str) -> String {
    match text {
        "" | "-" => "standard input".to_owned(),
        text => quoted(text),
    }
}

/// Returns the name of an output file as in messages.
pub(super) fn printable_output(text: &str) -> String {
    match text {
        "" | "-" => "standard output".to_owned(),
        text => quoted(text),
    }
}
