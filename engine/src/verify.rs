//! Verification of an output before the commit.

use spr_core::bytes::{Access, Env, Location, Output};
use spr_core::format::{Format, Medium, Options, Reader, Request, WriteSummary};
use spr_core::model::Utterance;
use spr_core::recording;
use spr_core::{Error, Remedy, Result};

use crate::argument::Target;
use crate::digest::FieldDigest;

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
    want: &FieldDigest,
    written: &WriteSummary,
    env: &Env,
) -> Result<()> {
    let info = target.format().info();
    let known = |name: &str| info.options.iter().any(|option| option.name == name);
    let options = target.reader_options()?;
    let compared =
        |options: &Options| compare(target.format(), options, output, (want, written), env);
    let differs = match compared(&options) {
        Ok(()) => return Ok(()),
        Err(error) => error,
    };
    // Wide numbers that readers take for narrower ones were reported as rounding.
    let wide = |options: &Options| {
        let (key, value) = info.tables.wide?;
        let unset = options.get(key).is_none();
        unset.then(|| options.with(key, value))
    };
    if wide(&options).is_some_and(|wide| compared(&wide).is_ok()) {
        return Ok(());
    }
    // Ambiguous bytes may be read as the kind that was written if that is asked for.
    let Some(holder) = want.kind().filter(|_| known("holder")) else {
        return Err(differs);
    };
    let told = options.with("holder", holder);
    if compared(&told).is_err() && wide(&told).is_none_or(|wide| compared(&wide).is_err()) {
        return Err(differs);
    }
    let message = format!("is read as what was written with holder={holder} only");
    env.warn(&Error::unfit(message).file(output.name()));
    Ok(())
}

fn compare(
    format: &'static dyn Format,
    options: &Options,
    output: &Output,
    (want, written): (&FieldDigest, &WriteSummary),
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
        return match want.is_empty() {
            true => Ok(()),
            false => Err(differs()),
        };
    };
    let mut reader: Box<dyn Reader> = if output.is_folder() {
        if want.is_empty() && env.list(&made)?.is_empty() {
            return Ok(());
        }
        let opened = Request::all().open_folder(format, &made, &[], options, &env)?;
        opened.into_stream()?
    } else {
        let source = env.open_file(&made)?;
        let opened = Request::all().open(format, source, options, &env)?;
        opened.into_stream()?
    };
    let mut got = FieldDigest::like(want);
    let mut utt = Utterance::default();
    while reader.read(&mut utt).map_err(|e| e.context("read back"))? {
        // A folder refers to the sound files in it.
        if !want.has_reference(got.len(), &utt.key) {
            recording::load(&mut utt, &env).map_err(|e| e.context("read back"))?;
        }
        got.add_read(&mut utt, want, &env);
        if !got.is_in_step(want) {
            return Err(differs().utterance(&utt.key));
        }
    }
    match got.is_same(want, written) {
        true => Ok(()),
        false => Err(differs()),
    }
}
