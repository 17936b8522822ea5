//! The format `sphinx`.

mod fileids;
mod header;

use spr_core::bytes::{ByteOrder, Env, Output, Source, swap_in_place};
use spr_core::format::{
    Caps, Claim, Count, Empty, Extent, FeatureCaps, Format, FormatInfo, Keys, Medium, Nested,
    Notation, OneReader, OneWriter, Opened, OptionSpec, Options, Probe, Request, Score,
    WholeFolder, Writer,
};
use spr_core::model::{AudioFacts, DatasetInfo, Dtype, Utterance};
use spr_core::{Error, Result};

use crate::frames::Frames;
use crate::list::{self, ListReader};
use crate::listed::{ListFile, Listed};
use crate::{object, probe, script};
use fileids::Naming;
use header::{CEPSTRA, Header, guess};

/// Sphinx feature files.
pub static SPHINX: Sphinx = Sphinx;

/// The format `sphinx`: floats after their number, one utterance a file.
#[derive(Clone, Copy, Debug)]
pub struct Sphinx;

static INFO: FormatInfo = FormatInfo::new("sphinx", "Sphinx feature files", &["mfc"]).options(&[
    OptionSpec {
        name: "dim",
        value: "N",
        help: "values per frame, which the file does not tell (default: 13; read: 40 where only that fits)",
    },
    fileids::FOLDER,
    fileids::EXTENSION,
    fileids::WRITTEN,
    list::KEYS,
]);

const fn caps(keys: Keys, dim: u32) -> Caps {
    let mut features = FeatureCaps::new(&[Dtype::F32]);
    features.same_dim = true;
    features.max_cols = dim as u64;
    let mut caps = Caps::new(Count::One, keys);
    caps.features = Some(features);
    caps.empty = Empty::Shapeless;
    caps.max_rows = (u32::MAX / dim) as u64;
    caps
}

/// The width that the options say.
fn dim(options: &Options) -> Result<Option<u32>> {
    match options.parse("dim")? {
        Some(0) => Err(Error::usage("option dim: a frame has one value at least")),
        dim => Ok(dim),
    }
}

/// A feature file of 13 cepstra a frame inside a container.
struct NestedSphinx;

impl Nested for NestedSphinx {
    fn claim(&self, head: &[u8]) -> Claim {
        let Some(count) = head.first_chunk().filter(|count| **count != [0; 4]) else {
            return Claim::No;
        };
        let counts = [u32::from_be_bytes(*count), u32::from_le_bytes(*count)];
        Claim::Lengths(counts.map(|count| Some(4 + 4 * u64::from(count))))
    }

    fn read(
        &self,
        source: &mut Source,
        extent: Extent,
        utt: &mut Utterance,
        env: &Env,
    ) -> Result<()> {
        let at = source.offset();
        let header = Header::new(Header::read(source, extent)?, CEPSTRA);
        let header = header.map_err(|e| e.file(source.name()).byte(at))?;
        utt.labels = None;
        source.read_matrix(
            utt.features_mut(),
            header.shape(),
            header.order,
            &env.limits,
        )?;
        match extent {
            Extent::Whole => object::end(source),
            Extent::Own => Ok(()),
        }
    }

    fn facts(&self, _: &mut Source, _: &Env) -> Result<AudioFacts> {
        Ok(AudioFacts::default())
    }

    fn write(&self, utt: &Utterance, put: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        caps(Keys::Any, CEPSTRA).check(utt)?;
        write(utt, CEPSTRA, put)
    }
}

/// The header of a file of its own, and how its frames are cut.
fn open_header(source: &mut Source, dim: Option<u32>, env: &Env) -> Result<Header> {
    let stored = Header::read(source, Extent::Whole)?;
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

/// Reads all frames of a file of its own, or some.
fn read(
    source: &mut Source,
    header: Header,
    (values, frames): (bool, Option<Frames>),
    utt: &mut Utterance,
    env: &Env,
) -> Result<()> {
    utt.labels = None;
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

/// Writes the features of `utt`, which has no more than that.
fn write(utt: &Utterance, dim: u32, put: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
    let Some(features) = &utt.features else {
        return Err(Error::unfit("has no features"));
    };
    let (rows, cols) = (features.rows(), features.cols());
    if rows > 0 && cols as u64 != u64::from(dim) {
        return Err(Error::unfit(format!(
            "has {cols} values per frame, the format holds {dim}"
        ))
        .hint("the option dim sets how many values a frame has"));
    }
    let count = u32::try_from(features.len())
        .map_err(|_| Error::unfit(format!("{rows} frames are more than the file can count")))?;
    let mut bytes = count.to_be_bytes().to_vec();
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
        probe::score(&INFO, head, NestedSphinx.claim(head.head))
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
    ) -> Result<Opened> {
        let (dim, values) = (dim(options)?, request.values);
        if script::is_text(source.peek(script::HEAD)?) {
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
            return Ok(Opened::stream(reader));
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
        Ok(Opened::stream(OneReader::new(source, info, env, fill)?))
    }

    fn create(&self, output: Output, options: &Options, _env: &Env) -> Result<Box<dyn Writer>> {
        let dim = dim(options)?.unwrap_or(CEPSTRA);
        let caps = caps(Keys::of_files(output.medium()), dim);
        let encode =
            move |utt: &Utterance, put: &mut dyn FnMut(&[u8]) -> Result<()>| write(utt, dim, put);
        let extension = INFO.extensions[0];
        let list = options.get(fileids::WRITTEN.name);
        let list = list.map(|file| ListFile::create(&output, fileids::WRITTEN.name, file));
        let list = list.transpose()?;
        let files = Box::new(OneWriter::new(output, caps, extension, encode));
        Ok(Listed::over(files, list, |_, key| fileids::line(key)))
    }

    fn folder(&self) -> Option<&dyn WholeFolder> {
        None
    }

    fn nested(&self) -> Option<&dyn Nested> {
        Some(&NestedSphinx)
    }

    fn notation(&self) -> Option<&dyn Notation> {
        None
    }
}
