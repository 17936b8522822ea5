//! Verification of an output before the commit.

use spr_core::bytes::{Access, Env, Location, Output};
use spr_core::format::{Format, Medium, Options, Reader, Request, WriteSummary};
use spr_core::loss::LossKind;
use spr_core::model::Utterance;
use spr_core::stage::SoundLoader;
use spr_core::{Error, Remedy, Result};

use crate::argument::Target;
use crate::digest::Digest;

/// Checks that `target` can be read back, before the conversion starts.
///
/// # Errors
/// It goes to a pipe, or its values change on purpose.
pub(crate) fn check(target: &Target, output: &Output) -> Result<()> {
    if output.medium() == Medium::Stream {
        return Err(Error::usage("what goes into a pipe can't be read back")
            .file(target.text())
            .suggest(Remedy::LeaveOutVerify));
    }
    if output.locations().iter().any(Location::is_url) {
        return Err(
            Error::usage("what goes to a URL can't be read back before it is there")
                .file(target.text())
                .suggest(Remedy::LeaveOutVerify),
        );
    }
    if target.caps()?.rounded {
        let message = "the output rounds values, so that they can't be compared";
        return Err(Error::usage(message)
            .file(target.text())
            .suggest(Remedy::LeaveOutVerify));
    }
    Ok(())
}

/// Reads a finished output before the commit, as users read it, and compares it with the written
/// data.
///
/// # Errors
/// It cannot be read, or differs.
pub(crate) fn read_back(
    target: &Target,
    output: &Output,
    want: &Digest,
    written: &WriteSummary,
    env: &Env,
) -> Result<()> {
    // Values that the writer dropped were reported.
    let drops = written
        .rounded
        .lines()
        .any(|(kind, _)| kind == LossKind::Metadata);
    let info = target.format().info();
    let known = |name: &str| info.options.iter().any(|option| option.name == name);
    // Ambiguous bytes are read as the kind that was written.
    let holder = want.kind().filter(|_| known("holder"));
    let mut options = target.reader_options()?;
    if let Some(holder) = holder {
        options = options.with("holder", holder);
    }
    let want = (want, drops);
    let differs = match compare(target.format(), &options, output, want, env) {
        Ok(()) => return Ok(()),
        Err(error) => error,
    };
    // Wide numbers that readers take for narrower ones were reported as rounding.
    let wide = info
        .tables
        .wide
        .filter(|(key, _)| options.get(key).is_none());
    let Some((key, value)) = wide else {
        return Err(differs);
    };
    let options = options.with(key, value);
    compare(target.format(), &options, output, want, env).map_err(|_| differs)
}

fn compare(
    format: &'static dyn Format,
    options: &Options,
    output: &Output,
    (want, drops): (&Digest, bool),
    env: &Env,
) -> Result<()> {
    let differs = || {
        let message = "read back, it is not what was written; nothing is kept";
        Error::malformed(message).file(output.name())
    };
    // Warnings about the output are not repeated.
    let mut env = env.seeing(output).listening(|_| {});
    env.access = Access::Safe;
    // Users open the file that was finished last.
    let Some(made) = output.staged().pop() else {
        return match want.steps().is_empty() {
            true => Ok(()),
            false => Err(differs()),
        };
    };
    let mut reader: Box<dyn Reader> = if output.is_folder() {
        if want.steps().is_empty() && env.list(&made)?.is_empty() {
            return Ok(());
        }
        let opened = Request::all().open_folder(format, &made, &[], options, &env)?;
        opened.into_stream()?
    } else {
        let source = env.open_file(&made)?;
        let opened = Request::all().open(format, source, options, &env)?;
        opened.into_stream()?
    };
    let mut got = Digest::like(want);
    let mut utt = Utterance::default();
    let mut sounds = SoundLoader::new(&env);
    while reader.read(&mut utt).map_err(|e| e.context("read back"))? {
        // A folder refers to the sound files in it.
        if !want.has_reference(&utt.key) {
            sounds.load(&mut utt).map_err(|e| e.context("read back"))?;
        }
        got.add(&mut utt, &env);
        let n = got.steps().len();
        if want.is_ordered() && n > 0 && want.steps().get(n - 1) != got.steps().last() {
            return Err(differs().utterance(&utt.key));
        }
    }
    match got.text() == want.text() && got.steps().len() == want.steps().len() {
        true => Ok(()),
        false if drops && got.is_like(want) => Ok(()),
        false => Err(differs()),
    }
}
