//! The format `sphinx`.

mod fileids;
mod header;

use spr_core::bytes::{ByteOrder, Env, Output, PutNumber, Source, swap_in_place};
use spr_core::format::{
    Caps, Claim, Count, Empty, FeatureCaps, Format, FormatInfo, Keys, Medium, Nested, ObjectBounds,
    OneReader, OneWriter, OpenedDataset, OptionSpec, Options, Probe, Request, Score, Writer,
};
use spr_core::model::{About, DatasetInfo, Dtype, Utterance};
use spr_core::{Error, Result};

use crate::frames::Frames;
use crate::list::{self, ListReader};
use crate::listed::{ListFile, ListingWriter};
use crate::{htk, object, probe, script};
use fileids::Naming;
use header::{CEPSTRA, Header, guess};

/// The option that says how many values a frame has.
const DIM: &str = "dim";

/// Sphinx feature files.
pub static SPHINX: Sphinx = Sphinx;

/// The format `sphinx`: floats after their count, one utterance per file.
#[derive(Clone, Copy, Debug)]
pub struct Sphinx;

static INFO: FormatInfo = FormatInfo::new("sphinx", "Sphinx feature files", &["mfc"])
.listed_in(&[fileids::ENDING])
.options(&[
    OptionSpec {
        name: DIM,
        value: "N",
        help: "values per frame, which the file does not tell (default: 13; read: 40 where only that fits)",
    },
    fileids::FOLDER,
    fileids::EXTENSION,
    fileids::WRITTEN,
    list::KEYS,
])
.needed(&[DIM]);

const fn caps(keys: Keys, dim: u32) -> Caps {
    let mut features = FeatureCaps::new(&[Dtype::F32]);
    features.same_dim = true;
    (features.cols, features.cols_option) = (Some(dim as u64), Some(DIM));
    let mut caps = Caps::new(Count::One, keys);
    caps.features = Some(features);
    caps.empty = Empty::Shapeless;
    caps.max_rows = (u32::MAX / dim) as u64;
    caps
}

/// Returns the width set by the options.
fn dim(options: &Options) -> Result<Option<u32>> {
    match options.parse(DIM)? {
        Some(0) => Err(Error::usage("option dim: a frame has one value at least")),
        dim => Ok(dim),
    }
}

/// A feature file with 13 cepstra per frame inside a container.
struct NestedSphinx;

impl Nested for NestedSphinx {
    fn claim(&self, head: &[u8]) -> Claim {
        let Some(count) = head.first_chunk().filter(|count| **count != [0; 4]) else {
            return Claim::No;
        };
        let counts = [ByteOrder::Big, ByteOrder::Little].map(|order| order.read_u32(*count));
        Claim::Lengths(counts.map(|count| Some(4 + 4 * u64::from(count))))
    }

    fn read(
        &self,
        source: &mut Source,
        extent: ObjectBounds,
        utt: &mut Utterance,
        env: &Env,
    ) -> Result<()> {
        let at = source.offset();
        let header = Header::new(Header::read(source, extent)?, CEPSTRA);
        let header = header.map_err(|e| e.file(source.name()).byte(at))?;
        source.read_matrix(
            utt.features_mut(),
            header.shape(),
            header.order,
            &env.limits,
        )?;
        match extent {
            ObjectBounds::Whole => object::end(source),
            ObjectBounds::Own => Ok(()),
        }
    }

    fn pass(&self, _: &mut Source, _: &Env) -> Result<bool> {
        Ok(false)
    }

    fn write(&self, utt: &Utterance, put: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        caps(Keys::Any, CEPSTRA).check(utt)?;
        write(utt, put)
    }
}

/// Reads the header of a file by itself, and determines the width of its frames.
fn open_header(source: &mut Source, dim: Option<u32>, env: &Env) -> Result<Header> {
    let stored = Header::read(source, ObjectBounds::Whole)?;
    let dim = match dim {
        Some(dim) => dim,
        None => {
            let (dim, guessed) = guess(stored.0);
            if let Some(guessed) = guessed {
                env.warn(&Error::unfit(guessed).file(source.name()));
            }
            dim
        }
    };
    Header::new(stored, dim).map_err(|e| e.file(source.name()).byte(0))
}

/// Reads all frames of a file by itself, or a range.
fn read(
    source: &mut Source,
    header: Header,
    (values, frames): (bool, Option<Frames>),
    utt: &mut Utterance,
    env: &Env,
) -> Result<()> {
    let (dtype, rank, all, dim) = header.shape();
    let (before, rows) = match frames {
        None => (0, all),
        Some(frames) => frames.of(all).map_err(|e| e.file(source.name()))?,
    };
    if before > 0 {
        source.expect(4 * dim * before)?;
        source.skip(4 * dim * before)?;
    }
    let shape = (dtype, rank, rows, dim);
    match values {
        true => source.read_matrix(utt.features_mut(), shape, header.order, &env.limits)?,
        false => source.pass_matrix(utt.features_mut(), shape, &env.limits)?,
    }
    match frames {
        Some(_) => Ok(()),
        None => object::end(source),
    }
}

/// Writes the features of `utt`, which must have no other fields.
fn write(utt: &Utterance, put: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
    let Some(features) = &utt.features else {
        return Err(Error::unfit("has no features"));
    };
    let count = u32::try_from(features.len()).map_err(|_| {
        let rows = features.rows();
        Error::unfit(format!("{rows} frames are more than the file can count"))
    })?;
    let mut bytes = Vec::new();
    bytes.put_u32(count, ByteOrder::Big);
    bytes.extend_from_slice(bytemuck::cast_slice(features.values::<f32>()?));
    if ByteOrder::NATIVE == ByteOrder::Little {
        swap_in_place(&mut bytes[4..], 4);
    }
    put(&bytes)
}

impl Format for Sphinx {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, head: &Probe<'_>) -> Score {
        let listed = head.extension() == Some(fileids::ENDING);
        if listed && script::is_text(head.head) {
            return probe::LIST;
        }
        // A size alone does not make a file of HTK one of Sphinx.
        let of_htk = |extension: &str| htk::INFO.extensions.contains(&extension);
        let of_htk = head.extension().is_some_and(of_htk);
        match of_htk {
            true => Score::No,
            false => probe::score(&INFO, head, NestedSphinx.claim(head.head)),
        }
    }

    fn caps(&self, options: &Options, medium: Medium) -> Result<Caps> {
        Ok(caps(
            Keys::of_files(medium),
            dim(options)?.unwrap_or(CEPSTRA),
        ))
    }

    fn open(
        &self,
        mut source: Source,
        options: &Options,
        request: &mut Request,
        env: &Env,
    ) -> Result<OpenedDataset> {
        let (dim, values) = (dim(options)?, request.values);
        if script::is_list(&mut source, &INFO)? {
            let naming = Naming::of(options)?;
            let parse = move |line: &[u8]| naming.parse(line);
            let fill = move |source: &mut Source,
                             frames: Option<Frames>,
                             utt: &mut Utterance,
                             env: &Env| {
                let header = open_header(source, dim, env)?;
                read(source, header, (values, frames), utt, env)
            };
            let reader = ListReader::new(source, request, fileids::TWICE, parse, fill, env);
            return Ok(OpenedDataset::stream(reader));
        }
        let header = open_header(&mut source, dim, env)?;
        let mut info = DatasetInfo::default();
        info.frames = Some(header.frames);
        info.dim = Some(header.dim);
        info.dtype = Some(Dtype::F32);
        info.byte_order = Some(header.order);
        info.compression = source.compression();
        let fill = move |source: &mut Source, utt: &mut Utterance, env: &Env| {
            utt.start();
            read(source, header, (values, None), utt, env)
        };
        Ok(OpenedDataset::stream(OneReader::new(
            source, info, env, fill,
        )?))
    }

    fn create(
        &self,
        output: Output,
        options: &Options,
        _: &About,
        _env: &Env,
    ) -> Result<Box<dyn Writer>> {
        let dim = dim(options)?.unwrap_or(CEPSTRA);
        let caps = caps(Keys::of_files(output.medium()), dim);
        let encode =
            move |utt: &Utterance, put: &mut dyn FnMut(&[u8]) -> Result<()>| write(utt, put);
        let extension = INFO.extensions[0];
        let list = options.get(fileids::WRITTEN.name);
        let list = list.map(|file| ListFile::create(&output, fileids::WRITTEN.name, file));
        let list = list.transpose()?;
        let files = Box::new(OneWriter::new(output, caps, extension, encode));
        Ok(ListingWriter::over(files, list, |_, key| {
            fileids::line(key)
        }))
    }

    fn nested(&self) -> Option<&dyn Nested> {
        Some(&NestedSphinx)
    }
}
