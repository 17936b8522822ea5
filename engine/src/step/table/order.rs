//! Steps that order utterances.

use std::sync::Arc;

use spr_core::Result;
use spr_core::bytes::Env;
use spr_core::format::Reader;
use spr_core::model::{DatasetInfo, Utterance};
use spr_core::stage::{ReaderExt, Sort, SortKey};
use spr_stats::{OrderColumns, OrderValues, Row};

use super::super::kind::{Kind, Level, Phase, Subject};
use super::super::operation::{Reach, Stage};
use super::super::parse::{COUNT, SIZE, count, rng, size};
use super::super::values::Parameters;

pub(super) static SHUFFLE: Kind = Kind {
    name: "shuffle",
    aliases: &[],
    usage: "shuffle(N[,seed=N]) or shuffle",
    what: "in random order, N at a time in memory, or all that fit",
    parameters: Parameters {
        positional: &["n"],
        named: &["seed"],
        ..Parameters::NONE
    },
    options: &[],
    flags: &[],
    phase: Phase::Choice,
    subject: Subject::Utterances,
    takes: Level::Batches,
    gives: None,
    leaves_out: false,
    parse: |values| {
        let n = values.get("n", count, COUNT)?.unwrap_or(usize::MAX);
        let rng = rng(values)?;
        let stage = Stage::new(Reach::Others, [], move |reader, at| {
            Ok(reader.shuffle_utterances(n, rng.of_pass(at.pass), at.env.limits))
        });
        stage.parsed()
    },
};

pub(super) static SORT: Kind = Kind {
    name: "sort",
    aliases: &[],
    usage: "sort(COLUMN,...[,memory=SIZE]), such as sort(speaker,-seconds)",
    what: "in the order of columns of `ls`, else of keys; - from high to low; in 128m of memory if nothing is said",
    parameters: Parameters {
        positional: &["column"],
        many: true,
        named: &["memory"],
        ..Parameters::NONE
    },
    options: &[],
    flags: &["by", "memory"],
    phase: Phase::Choice,
    subject: Subject::Utterances,
    takes: Level::Utterances,
    gives: None,
    leaves_out: false,
    parse: |values| {
        let columns: OrderColumns = match values.list("column") {
            Some(text) => values.made("column", text.parse())?,
            None => "key".parse()?,
        };
        let memory = values.get("memory", size, SIZE)?.unwrap_or(128 << 20);
        let names: Vec<_> = columns.names().collect();
        let stage = Stage::new(Reach::Others, [], move |reader, at| {
            Ok(sorted(reader, &columns, memory, at.env))
        });
        stage.by(names).parsed()
    },
};

/// Sorts the utterances of `inner` by columns. Values that are not known come last, which is warned of in
/// `env`.
fn sorted(
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
    /// The values of which no warning was given yet.
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
