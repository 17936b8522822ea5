//! The reader.

mod entries;
mod joined;
mod scope;

use std::sync::Arc;

use spr_core::bytes::{Codec, Env, Source};
use spr_core::format::{ChunkSupport, Options, Reader, Request};
use spr_core::model::{DatasetInfo, Utterance};
use spr_core::tables::side::{self, SideReader};
use spr_core::{Error, ErrorKind, Limits, Result};

use crate::dataset::{Dataset, Terms};
use crate::layout::{Layout, SPLIT};
use crate::machine::{self, Heap, Loader, Value};
use entries::Entries;
use joined::JoinedReader;
use scope::Scope;

/// A reader of pickled arrays.
pub(crate) struct PickleReader {
    file: Arc<str>,
    source: Source,
    body: Body,
    ended: bool,
    info: DatasetInfo,
    scope: Scope,
}

enum Body {
    Joined(Box<JoinedReader>),
    Entries(Box<Entries>),
}

impl PickleReader {
    pub(crate) fn open(
        source: Source,
        options: &Options,
        request: &mut Request,
        env: &Env,
    ) -> Result<Self> {
        let side = SideReader::find(&source, options, env)?;
        let mut source = undo_joblib(source)?.into_seekable()?;
        let (heap, top) = load_all(&mut source, &env.limits)?;
        let mut info = DatasetInfo::default();
        let tell = |guess: Error| env.warn(&guess.file(source.name()));
        let tell_left_out = |error: Error| env.warn_left_out(&error.file(source.name()));
        let tell: [&dyn Fn(Error); 2] = [&tell, &tell_left_out];
        let body = Body::find(heap, top, side, options, tell, &mut info);
        let mut body = body.map_err(|e| e.file(source.name()))?;
        if let Body::Joined(joined) = &mut body {
            joined.share(env.threads);
        }
        info.compression = source.compression();
        let scope = Scope {
            run: request.take_run(),
            keys: request.take_keys(),
            values: request.values,
            label_values: request.label_values,
            weighing: request.weighing,
            only_labels: request.parts.labels && !request.parts.features,
            chunked: request.chunks != ChunkSupport::No && request.values && request.parts.features,
            limits: env.limits,
        };
        if scope.keys.is_some() || scope.run.is_some() {
            info = info.without_totals();
        }
        Ok(Self {
            file: source.name().into(),
            source,
            body,
            ended: false,
            info,
            scope,
        })
    }
}

impl Body {
    /// Interprets the value of a pickle, and updates `info`.
    fn find(
        mut heap: Heap,
        top: Value,
        side: Option<SideReader>,
        options: &Options,
        [tell, tell_left_out]: [&dyn Fn(Error); 2],
        info: &mut DatasetInfo,
    ) -> Result<Self> {
        let terms = Terms {
            layout: Layout::of(options)?,
            has_names: side.is_some(),
            tell,
            tell_left_out,
        };
        let mut dataset = Dataset::find(&mut heap, top, &terms)?;
        if let Some(name) = options.get(SPLIT.name) {
            dataset = dataset.split(&heap, name)?;
        }
        match dataset {
            Dataset::Joined(entry) => {
                let joined = JoinedReader::new(entry.part(&heap)?, side, info);
                Ok(Self::Joined(Box::new(joined)))
            }
            Dataset::Entries { list, named } => {
                if named {
                    check_option(options)?;
                }
                let side = side.filter(|_| !named);
                let entries = Entries::new(heap, list, side, info)?;
                Ok(Self::Entries(Box::new(entries)))
            }
        }
    }
}

impl Reader for PickleReader {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        if self.ended {
            return Ok(false);
        }
        utt.start();
        utt.origin.file = Some(self.file.clone());
        let result = match &mut self.body {
            Body::Joined(joined) => joined.read(&mut self.source, utt, &self.scope),
            Body::Entries(entries) => entries.read(&mut self.source, utt, &self.scope),
        };
        self.ended = !matches!(result, Ok(true));
        result.map_err(|e| e.file(self.source.name()))
    }
}

/// Rejects a side file if the pickle has names.
fn check_option(options: &Options) -> Result<()> {
    match options.get(side::OPTION.name) {
        None | Some("none") => Ok(()),
        Some(path) => Err(Error::usage(format!(
            "keys={path}: the utterances have names in the pickle"
        ))),
    }
}

/// Decompresses a pickle that joblib compressed, which is not a separate file type.
fn undo_joblib(mut source: Source) -> Result<Source> {
    let name = match source.peek(6)? {
        [0x78, 0x01 | 0x5e | 0x9c | 0xda, ..] => return source.undo(Codec::Zlib),
        [0xfd, b'7', b'z', b'X', b'Z', 0] => "xz",
        [0x5d, 0, 0, _, _, _] => "lzma",
        [0x04, 0x22, 0x4d, 0x18, ..] => "lz4",
        _ => return Ok(source),
    };
    let message = format!("is compressed by {name}, which is not read");
    Err(source
        .error(ErrorKind::Unsupported, message)
        .hint("decompress it first, or save it with compress='gzip'"))
}

/// Loads all pickles in the file, which were dumped in sequence. Returns the only value, or a list
/// of all values. Only blanks may be between them and after the last one.
fn load_all(source: &mut Source, limits: &Limits) -> Result<(Heap, Value)> {
    let mut loader = Loader::new(source, limits);
    let mut values = vec![loader.next(source)?];
    while let Some(byte) = next_byte(source)? {
        if !OPENING.contains(&byte) {
            let message = "something follows the pickle";
            return Err(source.error(ErrorKind::Unsupported, message));
        }
        values.push(loader.next(source)?);
    }
    loader.end(values).map_err(|e| e.file(source.name()))
}

/// The opcodes with which a supported pickle can start.
const OPENING: &[u8] = &[
    machine::PROTO,
    machine::MARK,
    machine::GLOBAL,
    machine::EMPTY_LIST,
    machine::EMPTY_DICT,
];

/// Returns the first non-blank byte without consuming it, or `None` at the end of the file.
fn next_byte(source: &mut Source) -> Result<Option<u8>> {
    loop {
        let window = source.peek(64)?;
        if window.is_empty() {
            return Ok(None);
        }
        let blanks = window
            .iter()
            .take_while(|b| b.is_ascii_whitespace())
            .count();
        let next = window.get(blanks).copied();
        source.skip(blanks as u64)?;
        if next.is_some() {
            return Ok(next);
        }
    }
}
