//! Joins of data sets by key.

use spr_core::bytes::Env;
use spr_core::format::{ErrorPolicy, FieldSet, OpenedDataset, Reader, Registry, Request};
use spr_core::stage::{JoinLabels, JoinText, segments_by_recording};
use spr_core::{KeyMap, Result};

use crate::plan::{Labels, Plan};
use crate::step::ListCache;

impl Labels {
    /// Opens the data set and joins its labels to `reader`, by key or by speaker.
    ///
    /// # Errors
    /// It, or the table of speakers, can't be opened.
    pub fn join_to(
        &self,
        reader: Box<dyn Reader>,
        registry: &Registry,
        env: &Env,
    ) -> Result<Box<dyn Reader>> {
        self.join_over(reader, &ListCache::default(), registry, env)
    }

    /// Does the same with tables that may have been read already.
    ///
    /// # Errors
    /// As for [`join_to`](Self::join_to).
    pub(crate) fn join_over(
        &self,
        reader: Box<dyn Reader>,
        files: &ListCache,
        registry: &Registry,
        env: &Env,
    ) -> Result<Box<dyn Reader>> {
        // Faulty labels affect only their utterance.
        let parts = FieldSet {
            // The label of a one-frame utterance may be a single integer.
            objects: true,
            ..FieldSet::LABELS
        };
        let request = Request::all().parts(parts).on_error(ErrorPolicy::Skip);
        let table = match self.data.table(request, registry, env)? {
            OpenedDataset::Stream(labels) if self.as_segments => {
                OpenedDataset::Stream(segments_by_recording(labels, env))
            }
            table => table,
        };
        let joined = JoinLabels::new(reader, table, self.text(), env);
        let joined = joined.as_segments(self.as_segments);
        let mut joined = joined.tolerant(self.tolerance);
        joined = joined.rounded(self.data.inputs.iter().any(|input| input.round));
        if let Some(table) = &self.speakers {
            let map = files.map(table, || KeyMap::open(table, env))?;
            joined = joined.mapped(KeyMap::clone(&map));
        }
        Ok(Box::new(joined))
    }
}

/// Opens a data set, and joins its text to `reader` by key.
///
/// # Errors
/// It cannot be opened.
pub(super) fn join_text(
    text: &Plan,
    reader: Box<dyn Reader>,
    registry: &Registry,
    env: &Env,
) -> Result<Box<dyn Reader>> {
    let parts = FieldSet {
        // Words may be an object.
        objects: true,
        labels: false,
        segments: false,
        ..FieldSet::LABELS
    };
    let request = Request::all().parts(parts).words();
    let request = request.on_error(ErrorPolicy::Skip);
    let table = text.table(request, registry, env)?;
    Ok(Box::new(JoinText::new(reader, table, text.text(), env)))
}
