//! Reading of a dict, list or tuple with one entry per utterance.

use std::vec::IntoIter;

use spr_core::bytes::{ByteOrder, Source};
use spr_core::model::{Chunks, DatasetInfo, Dtype, Key, KeySource, Rank, Utterance};
use spr_core::tables::side::SideReader;
use spr_core::{Error, Result};

use super::scope::{Scope, key_source, rank, read_features, read_labels};
use crate::array::Array;
use crate::dataset::{Entry, UtteranceArrays};
use crate::machine::Heap;
use crate::rows::Rows;

/// A reader of entries.
pub(super) struct Entries {
    heap: Heap,
    list: IntoIter<Entry>,
    /// The number of entries consumed.
    read: u64,
    /// The entry that is not finished.
    open: Option<OpenEntry>,
    side: Option<SideReader>,
}

/// An entry that is read in chunks.
struct OpenEntry {
    key: Key,
    features: Rows,
    labels: Option<Rows>,
    rank: Rank,
    chunks: Chunks,
}

impl Entries {
    /// Creates a reader of `list` after checking all its entries, and updates `info`.
    pub(super) fn new(
        heap: Heap,
        list: Vec<Entry>,
        side: Option<SideReader>,
        info: &mut DatasetInfo,
    ) -> Result<Self> {
        let mut common = None;
        let (mut frames, mut work) = (0u64, 0u64);
        for (n, entry) in list.iter().enumerate() {
            let name = |e: Error| e.utterance(&key(entry, &heap, n as u64));
            let part = entry.part(&heap).map_err(name)?;
            frames = frames.saturating_add(part.features.rows);
            let labels = part.labels.as_ref().map_or(0, Array::bytes);
            work = work.saturating_add(part.features.bytes().saturating_add(labels));
            heap.check_work(work)?;
            note(&mut common, &part).map_err(name)?;
        }
        let common = common.unwrap_or_default();
        info.utterances = Some(list.len() as u64);
        info.frames = Some(frames);
        info.dim = common.dim;
        info.dtype = common.dtype;
        info.label_columns = common.label_columns;
        info.byte_order = common.byte_order;
        info.keys = match list.first().and_then(|entry| entry.key(&heap)) {
            Some(_) => KeySource::Stored,
            None => key_source(side.as_ref()),
        };
        Ok(Self {
            heap,
            list: list.into_iter(),
            read: 0,
            open: None,
            side,
        })
    }

    pub(super) fn read(
        &mut self,
        source: &mut Source,
        utt: &mut Utterance,
        scope: &Scope,
    ) -> Result<bool> {
        if self.read_chunk(source, utt, scope)? {
            return Ok(true);
        }
        while let Some(entry) = self.list.next() {
            if scope.is_over(self.read) {
                return Ok(false);
            }
            utt.key = key(&entry, &self.heap, self.read);
            let part = entry.part(&self.heap)?;
            if let Some(side) = &mut self.side {
                side.name_next(&mut utt.key, part.features.rows)?;
            }
            let number = self.read;
            self.read += 1;
            if scope.wants(number, &utt.key) {
                if scope.chunked && self.begin(&part, &utt.key) {
                    return self.read_chunk(source, utt, scope);
                }
                read_part(part, source, utt, scope).map_err(|e| e.utterance(&utt.key))?;
                return Ok(true);
            }
        }
        match &mut self.side {
            Some(side) => side.end().map(|()| false),
            None => Ok(false),
        }
    }
}

impl Entries {
    /// Starts an entry that is read in chunks, if it is long enough.
    fn begin(&mut self, part: &UtteranceArrays, key: &Key) -> bool {
        let features = Rows::new(part.features.clone());
        let Some(chunks) = features.chunks(part.features.rows) else {
            return false;
        };
        self.open = Some(OpenEntry {
            key: key.clone(),
            features,
            labels: part.labels.clone().map(Rows::new),
            rank: rank(&part.features),
            chunks,
        });
        true
    }

    /// Reads the next chunk of the current entry, if there is one.
    fn read_chunk(
        &mut self,
        source: &mut Source,
        utt: &mut Utterance,
        scope: &Scope,
    ) -> Result<bool> {
        let Some(open) = &mut self.open else {
            return Ok(false);
        };
        let Some((chunk, frames)) = open.chunks.deal() else {
            self.open = None;
            return Ok(false);
        };
        utt.key.set(open.key.as_bytes());
        utt.chunk = Some(chunk);
        open.read(source, frames, chunk.is_last, utt, scope)
            .map_err(|e| e.utterance(&utt.key))?;
        Ok(true)
    }
}

impl OpenEntry {
    fn read(
        &mut self,
        source: &mut Source,
        frames: u64,
        last: bool,
        utt: &mut Utterance,
        scope: &Scope,
    ) -> Result<()> {
        read_features(&mut self.features, source, (frames, self.rank), utt, scope)?;
        read_labels(self.labels.as_mut(), source, frames, utt, scope)?;
        let rows = std::iter::once(&mut self.features).chain(&mut self.labels);
        match last {
            true => rows.into_iter().try_for_each(|rows| rows.end(source)),
            false => Ok(()),
        }
    }
}

fn key(entry: &Entry, heap: &Heap, n: u64) -> Key {
    entry.key(heap).unwrap_or_else(|| Key::generated(n))
}

/// Updates `common` with the properties that `part` shares with the entries before.
fn note(common: &mut Option<Common>, part: &UtteranceArrays) -> Result<()> {
    let UtteranceArrays { features, labels } = part;
    let own = Common {
        vectors: features.cols.is_none(),
        dim: Some(features.width()),
        dtype: Some(features.dtype),
        label_columns: labels.as_ref().map(|labels| labels.width()),
        byte_order: Some(features.order),
    };
    let Some(common) = common else {
        *common = Some(own);
        return Ok(());
    };
    if common.vectors != own.vectors {
        return Err(Error::unsupported(
            "vectors and matrices are mixed, so the entries can't be utterances of one data set",
        )
        .hint("split=NAME reads one of them; features and labels are saved as a pair"));
    }
    fn keep<T: PartialEq>(shared: &mut Option<T>, own: Option<T>) {
        if *shared != own {
            *shared = None;
        }
    }
    keep(&mut common.dim, own.dim);
    keep(&mut common.dtype, own.dtype);
    keep(&mut common.label_columns, own.label_columns);
    keep(&mut common.byte_order, own.byte_order);
    Ok(())
}

/// The properties that all entries share.
#[derive(Default)]
struct Common {
    vectors: bool,
    dim: Option<u64>,
    dtype: Option<Dtype>,
    label_columns: Option<u64>,
    byte_order: Option<ByteOrder>,
}

fn read_part(
    part: UtteranceArrays,
    source: &mut Source,
    utt: &mut Utterance,
    scope: &Scope,
) -> Result<()> {
    let (frames, rank) = (part.features.rows, rank(&part.features));
    let end = |rows: &mut Rows, source: &mut Source| match scope.weighing {
        true => Ok(()),
        false => rows.end(source),
    };
    if scope.only_labels && part.is_labels() {
        let mut labels = Rows::new(part.features);
        read_labels(Some(&mut labels), source, frames, utt, scope)?;
        return end(&mut labels, source);
    }
    let mut features = Rows::new(part.features);
    read_features(&mut features, source, (frames, rank), utt, scope)?;
    end(&mut features, source)?;
    let mut labels = part.labels.map(Rows::new);
    read_labels(labels.as_mut(), source, frames, utt, scope)?;
    labels.map_or(Ok(()), |mut labels| end(&mut labels, source))
}
