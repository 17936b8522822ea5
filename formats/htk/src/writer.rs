//! Writes parameter files, and a list of them.

use std::sync::{Arc, Mutex, PoisonError};

use spr_core::bytes::{Env, Output};
use spr_core::format::{Caps, Keys, OneWriter, OptionSpec, Options, Writer, Written};
use spr_core::loss::LossReport;
use spr_core::model::{CastStats, Decimal, Utterance};
use spr_core::{Error, Remedy, Result};

use crate::caps::{MOST_PERIOD, of_files};
use crate::encode::encode;
use crate::header::UNIT;
use crate::listed::{ListFile, Listed};
use crate::style::Style;

pub(crate) const SCRIPT: OptionSpec = OptionSpec {
    name: "script",
    value: "PATH",
    help: "beside a folder, write a script file of HTK that lists its files",
};

/// What the options say that an output can hold.
pub(crate) fn caps(style: &Style, keys: Keys) -> Caps {
    let mut caps = of_files(keys, style.value());
    caps.rounded = style.compressed;
    caps
}

/// The line of a script file for a file.
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

/// A writer of files, and of what else the options ask for.
///
/// # Errors
/// An option is wrong, or the list can't be made.
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
        check_period(utt)?;
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
    Ok(Listed::over(Box::new(files), list, move |folder, key| {
        let dot = [b".", extension.as_bytes()].concat();
        let folder = folder.as_os_str().as_encoded_bytes();
        line(&[folder, b"/", key.as_bytes(), &dot].concat())
    }))
}

/// Refuses what HTK does not read.
fn check_period(utt: &Utterance) -> Result<()> {
    let most = Decimal::new(i64::from(MOST_PERIOD), UNIT).trimmed();
    let shift = match (&utt.features, utt.waveform()) {
        (Some(_), _) => utt.meta.frame_shift,
        (None, Some(sound)) => Decimal::near_sample(1, sound.rate),
        (None, None) => None,
    };
    match shift.filter(|shift| *shift > most) {
        None => Ok(()),
        Some(shift) => Err(Error::unfit(format!(
            "has a frame shift of {shift} s: HTK reads no files with more than {most} s"
        ))),
    }
}

/// Writes files, and tells what compressing them costs.
struct HtkWriter<F> {
    files: OneWriter<F>,
    /// That of the last utterance, and of all.
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

    fn finish(self: Box<Self>) -> Result<Written> {
        let mut written = Box::new(self.files).finish()?;
        written.rounded.append(&self.rounded);
        Ok(written)
    }
}
