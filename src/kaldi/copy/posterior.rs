//! `copy-post`.

use spr_core::Result;
use spr_core::format::Reader;
use spr_core::model::{Lists, Object, Utterance};

use crate::kaldi::options::Spec;
use crate::kaldi::session::Session;
use crate::kaldi::table::Holder;
use crate::kaldi::{DONE, NOTHING, Tool};

pub(crate) static TOOL: Tool = Tool {
    name: "copy-post",
    usage: "\
Copies posteriors.

Usage: copy-post [options] <post-rspecifier> <post-wspecifier>
 e.g.: copy-post --scale=0.1 ark:post.ark ark,t:-",
    options: &[Spec::float("scale", 1.0, "Multiply all weights by it")],
    arguments: (2, 2),
    run,
};

/// The same frames with other weights; with weights of 0 nothing is left in a frame.
fn scaled(frames: &Lists<(i32, f32)>, scale: f32) -> Lists<(i32, f32)> {
    let mut all = Lists::default();
    for frame in frames.iter() {
        for (id, weight) in frame.iter().filter(|_| scale != 0.0) {
            all.push((*id, weight * scale));
        }
        all.end();
    }
    all
}

fn run(session: &Session) -> Result<u8> {
    let scale = session.options.float("scale");
    let mut reader = session.read_table(session.argument(0), Holder::Posterior)?;
    let mut writer = session.write_table(session.argument(1), &[])?;
    let mut utt = Utterance::default();
    while reader.read(&mut utt)? {
        if let (Some(Object::Posterior(frames)), true) = (&mut utt.object, scale != 1.0) {
            *frames = scaled(frames, scale);
        }
        writer.write(&utt)?;
    }
    let count = writer.count;
    writer.finish()?;
    session
        .log
        .info(format!("Done copying {count} posteriors."));
    Ok(if count > 0 { DONE } else { NOTHING })
}
