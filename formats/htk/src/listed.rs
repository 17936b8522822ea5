//! A list of the files in a folder, written beside it.

use spr_core::bytes::{Location, Locator, Output, Part, Sink};
use spr_core::format::{Caps, WriteSummary, Writer};
use spr_core::model::{Key, Utterance};
use spr_core::{Error, Result};

/// A list of the files in a folder, being written.
pub(crate) struct ListFile {
    folder: Location,
    sink: Sink,
}

impl ListFile {
    /// Creates the list `file`, named by an option, of the files in the folder `output`.
    ///
    /// # Errors
    /// The output is not a folder, contains the list, or the list cannot be created.
    pub(crate) fn create(output: &Output, option: &str, file: &str) -> Result<Self> {
        let file = Location::from(file);
        let wrong = |message| {
            let error = Error::usage(format!("option {option}: {message}"));
            Err(error.file(file.to_string()))
        };
        let Locator::Folder(folder) = output.locator() else {
            return wrong("only of a folder the files are listed");
        };
        if file.is_within(&folder) {
            return wrong("the list must be next to the folder, not in it");
        }
        Ok(Self {
            folder,
            sink: output.create(Part::At(&file.into()), false)?,
        })
    }
}

/// Returns the line for the file of a key in a folder, without the line end.
type Line = dyn Fn(&Location, &Key) -> Result<Vec<u8>> + Send;

/// A writer of files that lists them as well.
pub(crate) struct ListingWriter {
    files: Box<dyn Writer>,
    list: ListFile,
    line: Box<Line>,
}

impl ListingWriter {
    /// Wraps the writer `files`, and adds the lines that `line` returns to `list`, if there is one.
    pub(crate) fn over(
        files: Box<dyn Writer>,
        list: Option<ListFile>,
        line: impl Fn(&Location, &Key) -> Result<Vec<u8>> + Send + 'static,
    ) -> Box<dyn Writer> {
        match list {
            Some(list) => Box::new(Self {
                files,
                list,
                line: Box::new(line),
            }),
            None => files,
        }
    }

    fn line(&self, key: &Key) -> Result<Vec<u8>> {
        let line = (self.line)(&self.list.folder, key);
        let mut line = line.map_err(|e| e.utterance(key).continuable())?;
        line.push(b'\n');
        Ok(line)
    }
}

#[warn(clippy::missing_trait_methods)]
impl Writer for ListingWriter {
    fn caps(&self) -> &Caps {
        self.files.caps()
    }

    fn accept(&mut self, utt: &Utterance) -> Result<()> {
        self.line(&utt.key)?;
        self.files.accept(utt)
    }

    fn write(&mut self, utt: &Utterance) -> Result<()> {
        let line = self.line(&utt.key)?;
        self.files.write(utt)?;
        self.list.sink.put(&line)
    }

    fn finish(self: Box<Self>) -> Result<WriteSummary> {
        let mut written = self.files.finish()?;
        written.bytes += self.list.sink.finish()?;
        Ok(written)
    }
}
