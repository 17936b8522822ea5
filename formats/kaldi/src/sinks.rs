//! The streams of an archive and its script file.

use spr_core::bytes::{Location, Locator, Output, Part, Sink};
use spr_core::{Error, Result};

use crate::specifier::{Table, rxfilename};

/// The destinations of an archive and its script file.
pub(crate) struct Sinks {
    pub(crate) archive: Sink,
    /// The script file, and the archive's name in it.
    pub(crate) script: Option<(Sink, Vec<u8>)>,
}

impl Sinks {
    /// Opens the streams of a table. An output with the name of a script file is one, with its
    /// archive beside it, unless `table` says that it is the archive.
    ///
    /// # Errors
    /// A script file cannot refer to the archive, or the output cannot be created.
    pub(crate) fn open(output: &Output, table: Option<Table>) -> Result<Self> {
        let main = output.locator();
        let named = output.companion("scp").is_some();
        if let Locator::File(file) = &main
            && file.plain().extension() == Some("scp")
            && !named
            && table.is_none()
        {
            let archive = Locator::File(file.plain().with_extension("ark"));
            let name = name_in_script(&archive)?;
            return Ok(Self {
                archive: output.create(Part::At(&archive), false)?,
                script: Some((output.create(Part::Main, false)?, name)),
            });
        }
        let script = match named {
            true => {
                let name = name_in_script(&main)?;
                Some((output.create(Part::Named("scp"), false)?, name))
            }
            false => None,
        };
        Ok(Self {
            archive: output.create(Part::Main, false)?,
            script,
        })
    }

    /// Returns a stream without a script file.
    pub(crate) fn only(archive: Sink) -> Self {
        Self {
            archive,
            script: None,
        }
    }
}

/// Returns the name of an archive in script lines, if it can be read by that.
fn name_in_script(archive: &Locator) -> Result<Vec<u8>> {
    let name = archive.to_string();
    let refuse = |why: &str| {
        Err(Error::usage(format!("a script file can't point into it: {why}")).file(&name))
    };
    match archive {
        Locator::File(file) if file.codec().is_some() => return refuse("it is compressed"),
        Locator::File(_) | Locator::Nowhere => {}
        _ => return refuse("it is not a file"),
    }
    let place = rxfilename(&format!("{name}:7")).ok();
    if place != Some(Locator::FileAt(name.clone().into(), 7)) || name.contains('\n') {
        return refuse("Kaldi does not take the name");
    }
    Ok(Location::from(name).as_os_str().as_encoded_bytes().to_vec())
}
