//! Writes parameter files, and a list of them.

use std::sync::{Arc, Mutex, PoisonError};

use spr_core::bytes::{Env, Location, Locator, Output, Part, Sink};
use spr_core::format::{Caps, Keys, OneWriter, OptionSpec, Options, Writer, Written};
use spr_core::loss::LossReport;
use spr_core::model::{CastStats, Decimal, Key, Utterance};
use spr_core::{Error, Result};

use crate::caps::{MOST_PERIOD, of_files};
use crate::encode::encode;
use crate::header::UNIT;
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

/// A script file that is being written.
struct Script {
    /// The folder of the files, as it was typed.
    folder: Location,
    sink: Sink,
}

impl Script {
    /// The list `file` of what goes into the folder `output`.
    fn create(output: &Output, file: Location) -> Result<Self> {
        let wrong = |message| {
            let error = Error::usage(format!("option {}: {message}", SCRIPT.name));
            Err(error.file(file.to_string()))
        };
        let Locator::Folder(folder) = output.locator() else {
            return wrong("only of a folder the files are listed");
        };
        if file.is_within(&folder) {
            return wrong("the list stands beside the folder, not in it");
        }
        Ok(Self {
            folder,
            sink: output.create(Part::At(&file.into()), false)?,
        })
    }

    /// The line for the file of an utterance.
    fn line(&self, key: &Key, extension: &str) -> Result<Vec<u8>> {
        let mut line = self.folder.as_os_str().as_encoded_bytes().to_vec();
        line.push(b'/');
        line.extend_from_slice(key.as_bytes());
        line.push(b'.');
        line.extend_from_slice(extension.as_bytes());
        let odd = |b: &u8| b.is_ascii_control() || matches!(b, b'=' | b'"' | b'\\');
        if line.iter().any(odd) {
            let message = "its file has a name that a script file of HTK can't hold";
            return Err(Error::unfit(message));
        }
        if line.contains(&b' ') {
            line = [b"\"", line.as_slice(), b"\""].concat();
        }
        line.push(b'\n');
        Ok(line)
    }
}

/// Writes files, and what else is asked for.
pub(crate) struct HtkWriter {
    files: Box<dyn Writer>,
    extension: &'static str,
    script: Option<Script>,
    /// What compressing the last utterance cost, and all of them.
    cost: Arc<Mutex<CastStats>>,
    rounded: LossReport,
}

impl HtkWriter {
    /// # Errors
    /// An option is wrong, or the list can't be made.
    pub(crate) fn new(
        output: Output,
        options: &Options,
        extension: &'static str,
        env: &Env,
    ) -> Result<Self> {
        let style = Style::of(options)?;
        let script = options.get(SCRIPT.name).map(Location::from);
        let script = script
            .map(|file| Script::create(&output, file))
            .transpose()?;
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
                env.warn(&Error::unfit(message).utterance(&utt.key));
            }
            put(&bytes)
        };
        let caps = caps(&style, Keys::of_files(output.medium()));
        Ok(Self {
            files: Box::new(OneWriter::new(output, caps, extension, encode)),
            script,
            cost,
            rounded: LossReport::default(),
            extension,
        })
    }
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

impl HtkWriter {
    /// The line that an utterance gets in the script file, if there is one.
    fn line(&self, key: &Key) -> Result<Option<Vec<u8>>> {
        let line = self
            .script
            .as_ref()
            .map(|script| script.line(key, self.extension));
        line.transpose().map_err(|e| e.utterance(key).continuable())
    }
}

impl Writer for HtkWriter {
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
        let cost = *self.cost.lock().unwrap_or_else(PoisonError::into_inner);
        self.rounded.add_rounding(&utt.key, &cost, "_C");
        match self.script.as_mut().zip(line) {
            Some((script, line)) => script.sink.put(&line),
            None => Ok(()),
        }
    }

    fn finish(self: Box<Self>) -> Result<Written> {
        let mut written = self.files.finish()?;
        written.rounded.append(&self.rounded);
        if let Some(script) = self.script {
            written.bytes += script.sink.finish()?;
        }
        Ok(written)
    }
}
