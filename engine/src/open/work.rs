//! Work put over readers: the only place where a plan becomes stages.

use spr_core::bytes::Env;
use spr_core::format::{Partitioning, Reader, Registry};
use spr_core::stage::{Prefetch, Speakers};
use spr_core::{Error, KeyMap, Result};
use spr_stats::MeasuredAudio;

use super::joins::join_text;
use crate::plan::Work;
use crate::step::{Again, Extent, ListCache, Surroundings};

/// Puts work over a reader, in its order, in a pass through data that PDNN goes through by
/// `partitioning`. `again` opens the reader, or that of all shares, once more, without the work; `files` has what was read of
/// other files.
///
/// # Errors
/// A file that is needed can't be read, or something is to be read twice and can't be.
pub(crate) fn over(
    mut reader: Box<dyn Reader>,
    work: &[Work],
    (pass, partitioning): (u64, Partitioning),
    again: &Again<'_>,
    files: &ListCache,
    (registry, env): (&Registry, &Env),
) -> Result<Box<dyn Reader>> {
    for (n, piece) in work.iter().enumerate() {
        reader = match piece {
            Work::Step(step) => {
                // The reader before it, opened once more without warnings.
                let before = |extent| {
                    let quiet = env.listening(|_| {});
                    let mut before = work.get(..n).unwrap_or_default().to_vec();
                    before.retain(|work| extent == Extent::Share || !work.shares());
                    over(
                        again(extent)?,
                        &before,
                        (pass, partitioning),
                        &|own| again(if extent == Extent::All { extent } else { own }),
                        files,
                        (registry, &quiet),
                    )
                };
                let at = Surroundings {
                    registry: Some(registry),
                    pass,
                    partitioning,
                    again: Some(&before),
                    files: files.clone(),
                    ..Surroundings::new(env)
                };
                step.over(reader, &at)?
            }
            Work::Labels(labels) => labels.join_over(reader, files, registry, env)?,
            Work::Text(text) => join_text(text, reader, registry, env)?,
            Work::Speakers(table) => {
                let table = files.map(table, || KeyMap::open(table, env))?;
                Box::new(Speakers::new(reader, KeyMap::clone(&table)))
            }
            Work::Measure(columns) => {
                Box::new(MeasuredAudio::new(reader, columns.iter().copied(), env))
            }
            Work::ReadAhead if env.threads > 1 => Box::new(Prefetch::new(reader)),
            Work::ReadAhead => reader,
        };
    }
    Ok(reader)
}

/// The error about standard input that is to be read a second time.
pub(crate) fn read_twice() -> Error {
    Error::usage("standard input can be read only once, and has to be read twice")
        .hint("write it to a file first")
}
