//! The tool `copy-post`.

use spr_core::Result;
use spr_core::model::{Lists, Object, Utterance};

use super::copy_table;
use crate::Tool;
use crate::options::Spec;
use crate::session::Session;
use crate::table::Holder;

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

/// Scales the weights of all frames. Entries whose weight becomes 0 are removed.
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
    let apply = |utt: &mut Utterance| {
        if let (Some(Object::Posterior(frames)), true) = (&mut utt.object, scale != 1.0) {
            *frames = scaled(frames, scale);
        }
        Ok(())
    };
    copy_table(session, Holder::Posterior, apply, |count| {
        format!("Done copying {count} posteriors.")
    })
}
