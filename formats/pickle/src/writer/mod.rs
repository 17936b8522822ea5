//! The writer.

mod elements;
mod encoder;
mod entries;
mod joined;

use spr_core::Result;
use spr_core::bytes::Output;
use spr_core::format::{Caps, Options, Writer};

use crate::layout::Layout;
use entries::EntryWriter;
use joined::JoinedWriter;

/// Creates a writer of the layout set by the options, with the capabilities `caps`.
///
/// # Errors
/// The value of an option is invalid, or the output cannot be created.
pub(crate) fn create(
    output: &Output,
    options: &Options,
    caps: Caps,
    threads: usize,
) -> Result<Box<dyn Writer>> {
    Ok(match Layout::of(options)? {
        None | Some(Layout::Pdnn) => {
            Box::new(JoinedWriter::create(output, options, caps, threads)?)
        }
        Some(layout) => Box::new(EntryWriter::create(output, options, layout, caps)?),
    })
}
