//! The writer: one member for each field of an utterance.

use rawzip::path::ZipFilePath;
use spr_core::bytes::{Output, Part};
use spr_core::format::{Caps, WriteSummary, Writer};
use spr_core::model::{KeySet, Utterance};
use spr_core::{Error, Result};

use super::ENDING;
use super::zip::{Name, ZipWriter};
use crate::object;
use crate::parts::{self, Role};

/// The longest name in a zip archive.
const LONGEST: usize = u16::MAX as usize;

/// Returns the name of the member for a field of an utterance.
fn member(utt: &Utterance, role: Role<'_>) -> Vec<u8> {
    let mut name = parts::name(utt.key.as_bytes(), role);
    name.extend_from_slice(ENDING);
    name
}

/// Returns `true` if a name is to be marked as UTF-8: unless others would take a marked name for the path of
/// another file.
fn is_marked(name: &[u8]) -> bool {
    !name.is_ascii()
        && std::str::from_utf8(name).is_ok_and(|text| ZipFilePath::from_str(text).as_str() == text)
}

/// A sequential writer of an archive.
pub(super) struct NpzWriter {
    zip: Option<ZipWriter>,
    level: Option<u32>,
    caps: Caps,
    names: KeySet,
    name: String,
    written: WriteSummary,
}

impl NpzWriter {
    /// Creates a writer that deflates members if a level is given.
    pub(super) fn new(output: &Output, level: Option<u32>, caps: Caps) -> Result<Self> {
        Ok(Self {
            zip: Some(ZipWriter::new(output.create(Part::Main, false)?)?),
            level,
            caps,
            names: KeySet::default(),
            name: output.name(),
            written: WriteSummary::default(),
        })
    }

    fn check(&self, utt: &Utterance) -> Result<()> {
        parts::check(utt, &self.caps, &self.names)?;
        match parts::parts(utt)?
            .iter()
            .any(|(role, ..)| member(utt, *role).len() > LONGEST)
        {
            true => Err(Error::unfit("the key is too long for a zip archive")),
            false => Ok(()),
        }
    }

    fn put(&self, utt: &Utterance, zip: &mut ZipWriter) -> Result<()> {
        for (role, values, shape) in parts::parts(utt)? {
            let bytes = &member(utt, role);
            let marked = is_marked(bytes);
            zip.member(&Name { bytes, marked }, self.level, |put| {
                object::write(&values, &shape, put)
            })?;
        }
        Ok(())
    }

    fn unwritten(&self) -> Error {
        Error::usage("is not written any more").file(&self.name)
    }
}

impl Writer for NpzWriter {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn accept(&mut self, utt: &Utterance) -> Result<()> {
        self.check(utt)
            .map_err(|e| e.utterance(&utt.key).continuable())
    }

    fn write(&mut self, utt: &Utterance) -> Result<()> {
        self.accept(utt)?;
        // After an error the archive is not written any more.
        let mut zip = self.zip.take().ok_or_else(|| self.unwritten())?;
        self.put(utt, &mut zip)?;
        self.zip = Some(zip);
        self.names.insert(&utt.key);
        self.written.count(utt);
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<WriteSummary> {
        let zip = self.zip.take().ok_or_else(|| self.unwritten())?;
        self.written.bytes = zip.finish()?;
        Ok(self.written)
    }
}
