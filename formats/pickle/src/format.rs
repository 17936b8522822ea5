//! The format and its registration.

use std::ffi::OsStr;
use std::path::Path;

use spr_core::bytes::{Env, Output, Source};
use spr_core::format::{
    Caps, ChunkSupport, Count, Empty, FeatureCaps, Format, FormatInfo, IndexKind, Keys, LabelCaps,
    Medium, OpenedDataset, Options, Partitioning, Probe, Request, Score, Writer,
};
use spr_core::model::{About, Dtype};
use spr_core::tables::side;
use spr_core::{Error, Result};

use crate::layout::{Layout, SPLIT};
use crate::machine as op;
use crate::protocol::Protocol;
use crate::reader::PickleReader;
use crate::writer;

/// Python pickles of NumPy arrays, as used by PDNN.
pub struct Pickle;

/// The instance for a [`Registry`](spr_core::format::Registry).
pub static FORMAT: Pickle = Pickle;

static INFO: FormatInfo = FormatInfo::new(
    "pickle",
    "Python pickle of NumPy arrays (PDNN)",
    &["pkl", "pickle", "joblib"],
)
.options(&[Protocol::OPTION, Layout::OPTION, side::OPTION, SPLIT])
.needed(&[side::OPTION.name])
.index(IndexKind::SideFile)
.pdnn(Partitioning::Whole);

impl Format for Pickle {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, head: &Probe<'_>) -> Score {
        match score(head.head) {
            Score::No if head.path.is_some_and(is_named) => Score::NameOnly,
            score => score,
        }
    }

    fn caps(&self, options: &Options, medium: Medium) -> Result<Caps> {
        check_written(options)?;
        let layout = Layout::of(options)?.unwrap_or(Layout::Pdnn);
        let beside = match options.get(side::OPTION.name) {
            Some("none") => false,
            Some(_) => true,
            None => medium == Medium::File,
        };
        let joined = layout == Layout::Pdnn;
        let mut features = FeatureCaps::new(FEATURES);
        features.vectors = true;
        (features.same_dim, features.same_dtype) = (joined, joined);
        features.max_cols = MOST;
        let mut labels = LabelCaps::new(LABELS);
        (labels.alone, labels.same_columns) = (false, joined);
        labels.max_columns = MOST;
        let keys = match (layout, beside) {
            (Layout::Dict, _) => Keys::Any,
            (_, true) => Keys::SideFile,
            (_, false) => Keys::None,
        };
        let mut caps = Caps::new(Count::Many, keys);
        caps.boundaries = beside || !joined;
        (caps.features, caps.labels) = (Some(features), Some(labels));
        caps.empty = match (joined, beside) {
            (false, _) => Empty::Kept,
            (true, true) => Empty::Shapeless,
            (true, false) => Empty::Refused,
        };
        caps.max_rows = MOST;
        if joined {
            caps.chunked = ChunkSupport::Any;
        }
        Ok(caps)
    }

    fn open(
        &self,
        source: Source,
        options: &Options,
        request: &mut Request,
        env: &Env,
    ) -> Result<OpenedDataset> {
        PickleReader::open(source, options, request, env).map(OpenedDataset::stream)
    }

    fn create(
        &self,
        output: Output,
        options: &Options,
        _: &About,
        env: &Env,
    ) -> Result<Box<dyn Writer>> {
        let caps = self.caps(options, output.medium())?;
        writer::create(&output, options, caps, env.threads)
    }
}

/// Checks that the options apply to writing.
fn check_written(options: &Options) -> Result<()> {
    Protocol::of(options)?;
    if options.get(SPLIT.name).is_some() {
        return Err(Error::usage("option split: it is for reading"));
    }
    match (Layout::of(options)?, options.get(side::OPTION.name)) {
        (Some(Layout::Dict), Some(path)) if path != "none" => Err(Error::usage(format!(
            "option keys={path}: a dict holds the names itself"
        ))),
        _ => Ok(()),
    }
}

/// Python's largest size.
const MOST: u64 = i64::MAX as u64;

/// The element types that NumPy supports as well.
const FEATURES: &[Dtype] = &[
    Dtype::F32,
    Dtype::F64,
    Dtype::I8,
    Dtype::U8,
    Dtype::I16,
    Dtype::U16,
    Dtype::I32,
    Dtype::U32,
    Dtype::I64,
    Dtype::U64,
    Dtype::F16,
    Dtype::Bool,
];

const LABELS: &[Dtype] = &[
    Dtype::I32,
    Dtype::I64,
    Dtype::I16,
    Dtype::I8,
    Dtype::U8,
    Dtype::U16,
    Dtype::U32,
    Dtype::U64,
    Dtype::F32,
    Dtype::F64,
    Dtype::F16,
    Dtype::Bool,
];

/// Returns `true` if a file has the extension of a pickle, optionally followed by one of joblib's
/// compressions.
fn is_named(path: &Path) -> bool {
    let is_one_of = |path: &Path, extensions: &[&str]| {
        let extension = path.extension().and_then(OsStr::to_str);
        extension.is_some_and(|extension| extensions.contains(&extension))
    };
    let packed = is_one_of(path, &["z", "xz", "lzma", "lz4"]);
    let stem = path.file_stem().map(Path::new).filter(|_| packed);
    is_one_of(stem.unwrap_or(path), INFO.extensions)
}

/// Scores the first bytes.
fn score(head: &[u8]) -> Score {
    match head {
        [op::PROTO, 2..=5, first, ..] => {
            let plausible = matches!(
                *first,
                op::MARK
                    | op::GLOBAL
                    | op::EMPTY_LIST
                    | op::EMPTY_TUPLE
                    | op::EMPTY_DICT
                    | op::EMPTY_SET
                    | op::NONE
                    | op::NEWTRUE
                    | op::NEWFALSE
                    | op::BININT..=op::BININT2
                    | op::LONG1
                    | op::BINFLOAT
                    | op::BINUNICODE
                    | op::SHORT_BINUNICODE
                    | op::BINSTRING..=op::SHORT_BINSTRING
                    | op::BINBYTES..=op::SHORT_BINBYTES
                    | op::BINBYTES8
                    | op::FRAME
            );
            match plausible {
                true if *first == op::FRAME || names_numpy(head) => Score::Certain,
                true => Score::Possible(90),
                false => Score::No,
            }
        }
        // Protocols 0 and 1 have no magic bytes; a tuple, list or dict starts with one of these.
        [b'c' | b'(' | b']' | b'}', ..] if names_numpy(head) => Score::Certain,
        [b'(', b'l' | b'd', b'p', b'0' | b'1', b'\n', ..] | [b']' | b'}', b'q', 0 | 1, ..] => {
            Score::Possible(60)
        }
        [b'c', rest @ ..] if is_global(rest) => Score::Possible(75),
        [b'(', b'S' | b'V', b'\'' | b'"', ..] => Score::Possible(40),
        _ => Score::No,
    }
}

/// Returns `true` if a module and a name follow, one per line, as after the opcode `c`.
fn is_global(text: &[u8]) -> bool {
    let mut lines = text.split(|b| *b == b'\n');
    let is_name = |line: Option<&[u8]>| {
        line.is_some_and(|line| {
            !line.is_empty()
                && line
                    .iter()
                    .all(|b| b.is_ascii_alphanumeric() || b"_.".contains(b))
        })
    };
    is_name(lines.next()) && is_name(lines.next()) && lines.next().is_some()
}

/// Returns `true` if a global of NumPy is named, as in any pickle of an array. The name of an
/// utterance may come first.
fn names_numpy(head: &[u8]) -> bool {
    memchr::memmem::find(head, b"cnumpy.").is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn probe(head: &[u8], path: Option<&str>) -> Score {
        FORMAT.probe(&Probe {
            head,
            whole: true,
            len: None,
            path: path.map(Path::new),
        })
    }

    #[test]
    fn recognises_pickles() {
        for (head, score) in [
            (&b"\x80\x04\x95\x10\0\0\0\0\0\0\0]\x94."[..], Score::Certain),
            (
                b"\x80\x02cnumpy.core.multiarray\n_reconstruct\n",
                Score::Certain,
            ),
            (
                b"(cnumpy.core.multiarray\n_reconstruct\np1\n",
                Score::Certain,
            ),
            (b"\x80\x02]q\x01.", Score::Possible(90)),
            (b"(lp0\n.", Score::Possible(60)),
            (b"}q\x00.", Score::Possible(60)),
            (b"\x80\x07]q\x01.", Score::No),
            (b"\x80\x02\xff", Score::No),
            (b"cos\nsystem\n(S'true'\ntR.", Score::Possible(75)),
            (b"cats and\ndogs\n", Score::No),
            (b"(1 2 3)", Score::No),
            (b"", Score::No),
        ] {
            assert_eq!(probe(head, None), score, "{}", head.escape_ascii());
        }
        assert_eq!(probe(b"", Some("a.pkl")), Score::NameOnly);
        assert_eq!(probe(b"x^", Some("b/a.joblib.z")), Score::NameOnly);
        assert_eq!(probe(b"x^", Some("a.z")), Score::No);
        assert_eq!(probe(b"x", Some("a.pkl2")), Score::No);
    }
}
