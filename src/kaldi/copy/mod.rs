//! The tools that copy tables and files.

pub(super) mod feats;
pub(super) mod htk;
pub(super) mod integers;
pub(super) mod matrix;
pub(super) mod posterior;
pub(super) mod vector;
