//! Utterances in the order of columns.

use std::sync::Arc;

use spr_core::Result;
use spr_core::bytes::Env;
use spr_core::format::Reader;
use spr_core::model::{DatasetInfo, Utterance};
use spr_core::stage::{ReaderExt, Sort, SortKey};
use spr_stats::{OrderColumns, OrderValues, Row};

/// Sorts the utterances of `inner` by columns. Values that are not known come last, which is warned of in
/// `env`.
pub(super) fn sorted(
    inner: Box<dyn Reader>,
    columns: &OrderColumns,
    memory: u64,
    env: &Env,
) -> Box<dyn Reader> {
    if columns.to_string() == "key" {
        return inner.sort(SortKey::Key, memory);
    }
    let values = Arc::new(OrderValues::new(columns.clone()));
    let (shift, own) = (inner.info().frame_shift, values.clone());
    let by = move |utt: &Utterance, out: &mut Vec<u8>| {
        own.append(&Row::new(utt, shift), out);
    };
    Box::new(SortedByColumns {
        sort: Sort::new(inner, SortKey::Bytes(Arc::new(by)), memory),
        values: Some(values),
        env: env.clone(),
    })
}

/// Sorted utterances, with a warning once all are read.
struct SortedByColumns {
    sort: Sort,
    /// What is still to be warned of.
    values: Option<Arc<OrderValues>>,
    env: Env,
}

impl Reader for SortedByColumns {
    fn info(&self) -> &DatasetInfo {
        self.sort.info()
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        // All have been read when the first one is returned.
        let more = self.sort.read(utt)?;
        let values = self.values.take();
        let warnings = values
            .iter()
            .flat_map(|values| values.warnings("they come last"));
        warnings.for_each(|warning| self.env.warn(&warning));
        Ok(more)
    }
}
