//! The two formats.

use std::path::Path;

use spr_core::Result;
use spr_core::bytes::{Env, Output, Source};
use spr_core::format::{
    Caps, Count, Empty, FeatureCaps, Format, FormatInfo, Keys, Lookup, Objects, Options, Place,
    Probe, Reader, Score, Tags, Writer,
};
use spr_core::model::Dtype;

use crate::contents::TAGS;
use crate::header::layers::{Given, gather};
use crate::list::{self, ListWriter};
use crate::options::{self, Reading, Writing};
use crate::probe::score;
use crate::reader::SpraakReader;
use crate::vocabulary::Dialect;
use crate::writer::SpraakWriter;

/// SPRAAK files, one utterance each, with one of the two sorts of header.
pub struct Spraak(pub(crate) Dialect);

/// SPRAAK files with their own header, `spr`.
pub static SPR: Spraak = Spraak(Dialect::Spr);

/// Files with the older header, `key`.
pub static KEY: Spraak = Spraak(Dialect::Key);

static SPR_INFO: FormatInfo = FormatInfo {
    name: "spr",
    title: "SPRAAK features, samples, segments and lists",
    extensions: &["spr", "trk", "sam", "seg", "cor", "lex"],
    options: &options::SPR,
};

static KEY_INFO: FormatInfo = FormatInfo {
    name: "key",
    title: "the same with the older key header",
    extensions: &["key"],
    options: &options::KEY,
};

impl Format for Spraak {
    fn info(&self) -> &'static FormatInfo {
        match self.0 {
            Dialect::Spr => &SPR_INFO,
            Dialect::Key => &KEY_INFO,
        }
    }

    fn probe(&self, head: &Probe<'_>) -> Score {
        score(self.0, head, self.info().extensions)
    }

    fn caps(&self, options: &Options, place: Place) -> Result<Caps> {
        // The options may be for reading: what they ask of a writer is checked when there is one.
        let writing = Writing::likely(self.0, options)?;
        if let Some(caps) = list::caps::of(options.get("data"), place) {
            return Ok(caps);
        }
        let plain = writing.code.is_none() && writing.header && !writing.packed;
        let dtypes = dtypes(&writing);
        let features = FeatureCaps {
            dtypes,
            vectors: false,
            scalars: false,
            same_dim: false,
            same_dtype: false,
            max_cols: u64::MAX,
        };
        Ok(Caps {
            count: Count::One,
            keys: match place {
                Place::Folder | Place::File => Keys::FileNames,
                Place::Stream => Keys::None,
            },
            boundaries: true,
            features: writing.code.is_none().then_some(features),
            labels: None,
            empty: Empty::Kept,
            frame_times: writing.header,
            objects: match options.get("data") {
                None if plain => list::caps::OPAQUE,
                _ => Objects::None,
            },
            audio: match writing.code {
                Some(_) => &[Dtype::I16],
                None => dtypes,
            },
            segments: false,
            text: place == Place::Folder && options.get("cor").is_some(),
            tags: match writing.header {
                true => Tags::Of(TAGS),
                false => Tags::None,
            },
            max_rows: u64::MAX,
        })
    }

    fn open(&self, mut source: Source, options: &Options, env: &Env) -> Result<Box<dyn Reader>> {
        let reading = Reading::of(options).map_err(|e| e.file(source.name()))?;
        let own = Given::default();
        // With a corpus, what the user says is said of its files.
        let given = match list::is_driving(options) {
            true => &own,
            false => &reading.given,
        };
        let header = gather(&mut source, self.0, given, env)?;
        if let Some(kind) = list::Kind::of(&header) {
            let format = match self.0 {
                Dialect::Spr => &SPR,
                Dialect::Key => &KEY,
            };
            return list::open(source, &header, kind, format, options, env);
        }
        list::check_options(options, &[]).map_err(|e| e.file(source.name()))?;
        SpraakReader::open(source, &header, reading, env)
    }

    fn salvage(&self, source: Source, options: &Options, env: &Env) -> Result<Box<dyn Reader>> {
        self.open(source, options, env)
    }

    fn open_keyed(&self, source: Source, options: &Options, env: &Env) -> Result<Lookup> {
        Ok(Lookup::Ordered(self.open(source, options, env)?))
    }

    fn create(&self, output: Output, options: &Options, env: &Env) -> Result<Box<dyn Writer>> {
        if let Some(writer) = list::create(&output, self, self.0, options, env)? {
            return Ok(writer);
        }
        let writing = Writing::of(self.0, options)?;
        let cor = output.is_folder().then_some("cor");
        list::check_options(options, cor.as_slice()).map_err(|e| e.file(output.name()))?;
        let corpus = options.get("cor").map(Path::new);
        let corpus = corpus.map(|path| ListWriter::beside(&output, path, self.0));
        let corpus = corpus.transpose()?;
        Ok(Box::new(SpraakWriter::new(output, writing, corpus, env)))
    }
}

/// Element types that can be written. Those come first that hold narrower ones exactly.
fn dtypes(writing: &Writing) -> &'static [Dtype] {
    match (writing.dialect, writing.unsigned) {
        _ if !writing.header => Dtype::ALL,
        (Dialect::Spr, _) => Dtype::ALL,
        (Dialect::Key, false) => &[Dtype::I8, Dtype::I16, Dtype::I32, Dtype::F32, Dtype::F64],
        (Dialect::Key, true) => &[Dtype::U8, Dtype::U16, Dtype::U32, Dtype::F32, Dtype::F64],
    }
}
