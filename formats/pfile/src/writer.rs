//! The writer: rows in sequence, then the table and the header.

use spr_core::bytes::{Env, Output, Part, Sink};
use spr_core::format::{Caps, Options, WriteSummary, Writer};
use spr_core::model::{Matrix, Utterance};
use spr_core::tables::side::SideWriter;
use spr_core::{Error, Remedy, Result};

use crate::canonical::{self, MAX_COLUMNS};
use crate::interleave::{BLOCK, Columns};

/// The largest number of rows in a file, as some readers use signed numbers.
pub(crate) const MAX_ROWS: u64 = i32::MAX as u64;

/// A writer of PFiles in canonical form.
pub(crate) struct PFileWriter {
    sink: Sink,
    side: Option<SideWriter>,
    env: Env,
    caps: Caps,
    widths: Option<RowWidths>,
    /// Buffered rows, and the number of words in them.
    block: Vec<u32>,
    filled: usize,
    /// The first row of each sentence.
    starts: Vec<u32>,
    rows: u32,
    written: WriteSummary,
}

/// The numbers of feature and label columns, the same in all utterances.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct RowWidths {
    features: usize,
    labels: usize,
}

impl RowWidths {
    fn columns(self) -> usize {
        2 + self.features + self.labels
    }
}

impl PFileWriter {
    pub(crate) fn create(
        output: &Output,
        options: &Options,
        caps: Caps,
        env: &Env,
    ) -> Result<Self> {
        let mut sink = output.create(Part::Main, true)?;
        let side = SideWriter::create(output, options)?;
        sink.put(&[0; canonical::SIZE])?;
        Ok(Self {
            sink,
            side,
            env: env.clone(),
            caps,
            widths: None,
            block: Vec::new(),
            filled: 0,
            starts: Vec::new(),
            rows: 0,
            written: WriteSummary::default(),
        })
    }

    /// Returns the widths of the utterance, after checking that it can be stored completely.
    fn check(&self, utt: &Utterance) -> Result<RowWidths> {
        let added = self.added(utt);
        added.map_err(|e| e.file(self.sink.name()).utterance(&utt.key).continuable())
    }

    fn added(&self, utt: &Utterance) -> Result<RowWidths> {
        self.caps.check(utt)?;
        let width = |matrix: &Option<Matrix>| matrix.as_ref().map_or(0, Matrix::cols);
        let widths = RowWidths {
            features: width(&utt.features),
            labels: width(&utt.labels),
        };
        if let Some(first) = self.widths
            && first != widths
        {
            return Err(Error::unfit(format!(
                "{} features and {} labels per frame, the utterances before it have {} and {}",
                widths.features, widths.labels, first.features, first.labels
            )));
        }
        if widths.features + widths.labels > MAX_COLUMNS {
            return Err(Error::unfit(format!(
                "{} columns, the header has room for {MAX_COLUMNS}",
                widths.features + widths.labels
            )));
        }
        let more = match utt.starts() {
            true => utt.whole_frames(),
            false => utt.frames(),
        };
        let rows = u64::from(self.rows).saturating_add(more);
        match u32::try_from(rows) {
            Ok(all) if u64::from(all) <= MAX_ROWS => Ok(widths),
            _ => Err(Error::unfit(format!(
                "makes {rows} rows, a PFile holds at most {MAX_ROWS}"
            ))),
        }
    }

    fn start(&mut self, widths: RowWidths) {
        let columns = widths.columns();
        self.block = vec![0; BLOCK.div_ceil(columns) * columns];
        self.widths = Some(widths);
        if widths.labels != 1 {
            let message = format!(
                "{} labels per frame; PDNN reads exactly one label column",
                widths.labels
            );
            let warning = Error::unsupported(message).file(self.sink.name());
            self.env.warn(&match widths.labels {
                0 => warning.suggest(Remedy::JoinLabels),
                _ => warning,
            });
        }
    }

    /// Adds rows of the current sentence.
    fn write_rows(&mut self, utt: &Utterance, widths: RowWidths) -> Result<()> {
        // There are no more sentences than rows, and those were counted.
        let number = u32::try_from(self.starts.len()).map_or(u32::MAX, |n| n.saturating_sub(1));
        let start = self.starts.last().copied().unwrap_or_default();
        let stride = widths.columns();
        let features = Columns {
            at: 2,
            width: widths.features,
            stride,
        };
        let labels = Columns {
            at: 2 + widths.features,
            width: widths.labels,
            stride,
        };
        let mut feature_words = words(&utt.features);
        let mut label_words = words(&utt.labels);
        let frames = usize::try_from(utt.frames()).unwrap_or(usize::MAX);
        let mut left = frames;
        while left > 0 {
            let free = &mut self.block[self.filled..];
            let count = left.min(free.len() / stride);
            let rows = &mut free[..count * stride];
            for row in rows.chunks_exact_mut(stride) {
                if let [sentence_cell, frame_cell, ..] = row {
                    let frame = self.rows - start;
                    (*sentence_cell, *frame_cell) = (number.to_be(), frame.to_be());
                }
                self.rows += 1;
            }
            features.spread(take(&mut feature_words, count * widths.features), rows);
            labels.spread(take(&mut label_words, count * widths.labels), rows);
            self.filled += count * stride;
            left -= count;
            if self.filled == self.block.len() {
                self.flush()?;
            }
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        let rows = &self.block[..self.filled];
        self.filled = 0;
        self.sink.put(bytemuck::cast_slice(rows))
    }
}

impl Writer for PFileWriter {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn accept(&mut self, utt: &Utterance) -> Result<()> {
        self.check(utt).map(drop)
    }

    fn write(&mut self, utt: &Utterance) -> Result<()> {
        let widths = self.check(utt)?;
        if self.widths.is_none() {
            self.start(widths);
        }
        if utt.starts() {
            self.starts.push(self.rows);
        }
        self.write_rows(utt, widths)
            .map_err(|e| e.utterance(&utt.key))?;
        if let (true, Some(side)) = (utt.ends(), &mut self.side) {
            side.write(&utt.key, utt.whole_frames())?;
        }
        self.written.count(utt);
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<WriteSummary> {
        self.flush()?;
        let sentences = u32::try_from(self.starts.len()).unwrap_or(u32::MAX);
        self.starts.push(self.rows);
        for entry in &mut self.starts {
            *entry = entry.to_be();
        }
        self.sink.put(bytemuck::cast_slice(&self.starts))?;
        let widths = self.widths.unwrap_or_default();
        let text = canonical::text(sentences, self.rows, widths.features, widths.labels);
        self.sink.patch(0, text.as_bytes())?;
        // The side file comes first: when the data appear, their names already exist.
        let names = self.side.map_or(Ok(0), SideWriter::finish)?;
        self.written.bytes = names + self.sink.finish()?;
        Ok(self.written)
    }
}

/// Returns the elements as 32-bit words, whatever their type.
fn words(matrix: &Option<Matrix>) -> &[u32] {
    matrix
        .as_ref()
        .map_or(&[], |m| bytemuck::cast_slice(m.as_bytes()))
}

/// Splits off the first `n` of `words`.
fn take<'a>(words: &mut &'a [u32], n: usize) -> &'a [u32] {
    let (first, rest) = words.split_at(n);
    *words = rest;
    first
}
