//! The canonical text header.

use std::fmt::Write;

/// The size of the header in bytes; the text is padded with NUL.
pub(crate) const SIZE: usize = 32768;
/// The largest number of feature and label columns whose letters fit into the header.
pub(crate) const MAX_COLUMNS: usize = 32_400;
/// Returns the text of a header in canonical form.
pub(crate) fn text(sentences: u32, frames: u32, features: usize, labels: usize) -> String {
    let columns = 2 + features + labels;
    let words = u64::from(frames) * columns as u64;
    let entries = u64::from(sentences) + 1;
    let first_label = 2 + features;
    let (f, d) = ("f".repeat(features), "d".repeat(labels));
    let mut text = String::with_capacity(SIZE);
    // Writing to a string cannot fail.
    let _ = write!(
        text,
        "-pfile_header version 0 size {SIZE}\n\
         -num_sentences {sentences}\n\
         -num_frames {frames}\n\
         -first_feature_column 2\n\
         -num_features {features}\n\
         -first_label_column {first_label}\n\
         -num_labels {labels}\n\
         -format dd{f}{d}\n\
         -data size {words} offset 0 ndim 2 nrow {frames} ncol {columns}\n\
         -sent_table_data size {entries} offset {words} ndim 1\n\
         -end\n"
    );
    text
}
