//! The writer of a table beside sound files that are there.

use spr_core::bytes::{Env, Location, Locator, Output, Part, Sink};
use spr_core::format::{Caps, WriteSummary, Writer};
use spr_core::model::{Audio, Utterance};
use spr_core::{Error, Result};
use spr_syntax::manifest::source::{no_sound, utf8};

use super::caps::NAMED;
use super::columns::TABLES;
use super::row;

pub(super) struct TableWriter {
    table: Sink,
    /// The folder of the table, as it is.
    folder: Location,
    /// The last folder of sound files, and where it is.
    last: Option<(Location, Location)>,
    env: Env,
    row: Vec<u8>,
    written: WriteSummary,
}

impl TableWriter {
    /// Creates the table, which has the name that is looked for.
    ///
    /// # Errors
    /// It has another name, or cannot be created.
    pub(super) fn new(output: &Output, env: &Env) -> Result<Self> {
        let locator = output.locator();
        let table = locator.location();
        let name = table
            .and_then(Location::name)
            .and_then(|name| name.to_str());
        if name != Some(TABLES[0]) {
            let message = format!(
                "is not called {}, as the table of an AudioFolder is",
                TABLES[0]
            );
            return Err(Error::usage(message)
                .file(output.name())
                .hint("a folder, audiofolder:OUT/, gets copies of the sound and the table"));
        }
        let folder = table.and_then(Location::parent);
        Ok(Self {
            table: output.create(Part::Main, false)?,
            folder: env.resolve(&folder.unwrap_or_else(|| ".".into())),
            last: None,
            env: env.clone(),
            row: Vec::new(),
            written: WriteSummary::default(),
        })
    }

    fn make(&mut self, utt: &Utterance) -> Result<()> {
        let made = self.fields(utt);
        made.map_err(|e| e.utterance(&utt.key).file(self.table.name()).continuable())
    }

    fn fields(&mut self, utt: &Utterance) -> Result<()> {
        let Some(Audio::Reference(audio)) = &utt.audio else {
            return Err(no_sound("is about", utt));
        };
        NAMED.check(utt)?;
        let is_whole =
            audio.span.bounds().is_none() && audio.channel.is_none() && audio.len.is_none();
        let file = match &audio.at {
            Locator::File(file) if is_whole => self.inside(file),
            _ => None,
        };
        let Some(file) = file else {
            let message = format!(
                "its sound is no whole file in the table's folder, but {}",
                audio.at
            );
            return Err(
                Error::unfit(message).hint("a folder, audiofolder:OUT/, gets copies of the sound")
            );
        };
        let stem = file.with_extension("");
        let is_told = stem.as_os_str().as_encoded_bytes() == utt.key.as_bytes();
        let key = utf8(utt.key.as_bytes(), "the key")?;
        let Some(file) = file.to_str() else {
            return Err(Error::unfit("the name of its sound file is not UTF-8"));
        };
        row::write(utt, file, (!is_told).then_some(key), &mut self.row)
    }

    /// Returns the name of a file from the table's folder on, if it is inside.
    fn inside(&mut self, file: &Location) -> Option<Location> {
        let parent = file.parent().unwrap_or_else(|| ".".into());
        if self.last.as_ref().is_none_or(|(last, _)| *last != parent) {
            let full = self.env.resolve(&parent);
            self.last = Some((parent, full));
        }
        let (_, full) = self.last.as_ref()?;
        full.join(file.name()?.to_owned()).relative_to(&self.folder)
    }
}

impl Writer for TableWriter {
    fn caps(&self) -> &Caps {
        &NAMED
    }

    fn accept(&mut self, utt: &Utterance) -> Result<()> {
        self.make(utt)
    }

    fn write(&mut self, utt: &Utterance) -> Result<()> {
        self.make(utt)?;
        self.table.put(&self.row)?;
        self.written.count(utt);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<WriteSummary> {
        let mut written = self.written;
        written.bytes += self.table.finish()?;
        Ok(written)
    }
}
