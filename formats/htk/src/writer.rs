//! Writing of parameter files, and of a list of them.

use std::sync::{Arc, Mutex, PoisonError};

use spr_core::bytes::{Env, Output};
use spr_core::format::{Caps, Keys, OneWriter, OptionSpec, Options, WriteSummary, Writer};
use spr_core::loss::LossReport;
use spr_core::model::{CastStats, Utterance};
use spr_core::{Error, Remedy, Result};

use crate::caps::of_files;
use crate::encode::encode;
use crate::listed::{ListFile, ListingWriter};
use crate::style::Style;

pub(crate) const SCRIPT: OptionSpec = OptionSpec {
    name: "script",
    value: "PATH",
    help: "beside a folder, write a script file of HTK that lists its files",
};

/// Returns the capabilities of an output with these options.
pub(crate) fn caps(style: &Style, keys: Keys) -> Caps {
    let mut caps = of_files(keys, style.value());
    caps.rounded = style.compressed;
    caps
}

/// Returns the script line for a file.
fn line(file: &[u8]) -> Result<Vec<u8>> {
    let odd = |b: &u8| b.is_ascii_control() || matches!(b, b'=' | b'"' | b'\\');
    if file.iter().any(odd) {
        let message = "its file has a name that a script file of HTK can't hold";
        return Err(Error::unfit(message));
    }
    Ok(match file.contains(&b' ') {
        true => [b"\"", file, b"\""].concat(),
        false => file.to_vec(),
    })
}

/// Creates a writer with the given options.
///
/// # Errors
/// An option is invalid, or the list cannot be created.
pub(crate) fn create(
    output: Output,
    options: &Options,
    extension: &'static str,
    env: &Env,
) -> Result<Box<dyn Writer>> {
    let style = Style::of(options)?;
    let list = options.get(SCRIPT.name);
    let list = list.map(|file| ListFile::create(&output, SCRIPT.name, file));
    let list = list.transpose()?;
    let cost = Arc::new(Mutex::new(CastStats::default()));
    let (last, env) = (cost.clone(), env.clone());
    let (mut bytes, mut warned) = (Vec::new(), false);
    let encode = move |utt: &Utterance, put: &mut dyn FnMut(&[u8]) -> Result<()>| {
        let stats = encode(utt, &style, &mut bytes)?;
        *last.lock().unwrap_or_else(PoisonError::into_inner) = stats;
        let no_shift = utt.features.is_some() && utt.meta.frame_shift.is_none();
        if no_shift && !std::mem::replace(&mut warned, true) {
            let message = "no frame shift is known, without which HTK does not read the files";
            let warning = Error::unfit(message).utterance(&utt.key);
            env.warn(&warning.suggest(Remedy::TellFrameShift));
        }
        put(&bytes)
    };
    let caps = caps(&style, Keys::of_files(output.medium()));
    let files = HtkWriter {
        files: OneWriter::new(output, caps, extension, encode),
        cost,
        rounded: LossReport::default(),
    };
    Ok(ListingWriter::over(
        Box::new(files),
        list,
        move |folder, key| {
            let dot = [b".", extension.as_bytes()].concat();
            let folder = folder.as_os_str().as_encoded_bytes();
            line(&[folder, b"/", key.as_bytes(), &dot].concat())
        },
    ))
}

/// A writer of files that reports the loss by compression.
struct HtkWriter<F> {
    files: OneWriter<F>,
    /// The loss of the last utterance, and of all.
    cost: Arc<Mutex<CastStats>>,
    rounded: LossReport,
}

impl<F> Writer for HtkWriter<F>
where
    F: FnMut(&Utterance, &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> + Send,
{
    fn caps(&self) -> &Caps {
        self.files.caps()
    }

    fn accept(&mut self, utt: &Utterance) -> Result<()> {
        self.files.accept(utt)
    }

    fn write(&mut self, utt: &Utterance) -> Result<()> {
        self.files.write(utt)?;
        let cost = *self.cost.lock().unwrap_or_else(PoisonError::into_inner);
        self.rounded.add_rounding(&utt.key, &cost, "_C");
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<WriteSummary> {
        let mut written = Box::new(self.files).finish()?;
        written.rounded.append(&self.rounded);
        Ok(written)
    }
}
