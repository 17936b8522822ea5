//! The tool `copy-vector`.

use spr_core::model::{Dtype, Matrix, Rank, Utterance};
use spr_core::{Error, Limits, Result};

use super::copy_table;
use crate::log::six_digits;
use crate::options::{BINARY, Spec};
use crate::session::Session;
use crate::table::Holder;
use crate::{DONE, Tool};

pub(crate) static TOOL: Tool = Tool {
    name: "copy-vector",
    usage: "\
Copies vectors of floats.

Usage: copy-vector [options] <vector-in-rspecifier> <vector-out-wspecifier>
   or: copy-vector [options] <vector-in-rxfilename> <vector-out-wxfilename>
 e.g.: copy-vector --binary=false 1.vec -
       copy-vector ark:vad.ark ark,t:-",
    options: &[
        BINARY,
        Spec::float("scale", 1.0, "Multiply the vectors of a table by it"),
        Spec::int(
            "change-dim",
            -1,
            "Cut the vectors to this length, or append zeros",
        ),
    ],
    arguments: (2, 2),
    run,
};

/// Resizes a vector to `length` values.
fn resize(vector: &mut Matrix, length: usize, limits: &Limits) -> Result<()> {
    let kept = vector.rows().min(length);
    let old = std::mem::take(vector);
    vector.start(Dtype::F32, Rank::Vector, 1);
    vector.extend_from(&old.values::<f32>()?[..kept], limits)?;
    vector.extend_rows(length - kept, limits)?.fill(0);
    Ok(())
}

fn run(session: &Session) -> Result<u8> {
    let scale = session.options.float("scale");
    let length = usize::try_from(session.options.int("change-dim")).ok();
    let (from, to) = (session.argument(0), session.argument(1));
    let apply = |utt: &mut Utterance| {
        let Some(vector) = &mut utt.features else {
            return Ok(());
        };
        // The zeros that are appended have the sign of the scale.
        if let Some(length) = length {
            resize(vector, length, &session.env.limits)?;
        }
        if scale != 1.0 {
            let values = vector.values_mut::<f32>()?;
            values.iter_mut().for_each(|v| *v *= scale);
        }
        Ok(())
    };
    if !session.are_tables(from, to)? {
        if scale != 1.0 {
            return Err(Error::usage("--scale is for tables, not for single files"));
        }
        let mut utt = session.read_file(from, Holder::Vector)?;
        apply(&mut utt)?;
        session.write_file(&utt, to)?;
        session.log.info(format!("Copied vector to {to}"));
        return Ok(DONE);
    }
    let dim = session.options.int("change-dim");
    copy_table(session, Holder::Vector, apply, |count| {
        if length.is_none() && scale == 1.0 {
            return format!("Copied {count} vectors.");
        }
        let scale = six_digits(scale.into());
        format!("Copied {count} vectors, setting dim to {dim} scaled by {scale}")
    })
}
