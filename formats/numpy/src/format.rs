//! The format `npy`.

use spr_core::Result;
use spr_core::bytes::{Env, Output, Source};
use spr_core::format::{
    Caps, ChunkSupport, Format, FormatInfo, Keys, Medium, Nested, OneReader, OneWriter,
    OpenedDataset, Options, Probe, Request, Score, Writer,
};
use spr_core::model::{About, Chunks, DatasetInfo, Utterance};

use crate::caps::caps;
use crate::header::{Header, MAGIC};
use crate::object::{self, NestedArray};

/// NumPy arrays.
pub static FORMAT: Npy = Npy;

/// The format `npy`: an array, one utterance per file.
#[derive(Clone, Copy, Debug)]
pub struct Npy;

static INFO: FormatInfo = FormatInfo::new("npy", "NumPy arrays", &["npy"]);

impl Format for Npy {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, head: &Probe<'_>) -> Score {
        let named = head
            .extension()
            .is_some_and(|e| INFO.extensions.contains(&e));
        if head.head.starts_with(MAGIC) {
            Score::Certain
        } else if named && !head.head.is_empty() {
            Score::NameOnly
        } else {
            Score::No
        }
    }

    fn caps(&self, _options: &Options, medium: Medium) -> Result<Caps> {
        Ok(caps(Keys::of_files(medium)))
    }

    fn open(
        &self,
        mut source: Source,
        _options: &Options,
        request: &mut Request,
        env: &Env,
    ) -> Result<OpenedDataset> {
        let header = Header::read(&mut source, &env.limits)?;
        let mut info = DatasetInfo::default();
        match *header.shape {
            [frames, dim] => (info.frames, info.dim) = (Some(frames), Some(dim)),
            [frames] => (info.frames, info.dim) = (Some(frames), Some(1)),
            _ => {}
        }
        info.dtype = (header.shape.len() <= 2).then_some(header.dtype);
        info.byte_order = (header.dtype.size() > 1).then_some(header.order);
        info.compression = source.compression();
        let (values, labels) = (request.values, object::wants_labels(request));
        let chunked = values && !labels && request.chunks != ChunkSupport::No;
        let mut chunks = object::chunks(&header).filter(|_| chunked);
        let fill = move |source: &mut Source, utt: &mut Utterance, env: &Env| {
            utt.start();
            utt.chunk = match chunks.as_mut().and_then(Chunks::deal) {
                Some((chunk, rows)) => {
                    object::rows(source, &header, (chunk, rows), utt, &env.limits)?;
                    Some(chunk)
                }
                None => {
                    object::read(source, &header, values, utt, &env.limits)?;
                    if labels {
                        object::take_as_labels(utt);
                    }
                    None
                }
            };
            match utt.ends() {
                true => object::end(source),
                false => Ok(()),
            }
        };
        Ok(OpenedDataset::stream(OneReader::new(
            source, info, env, fill,
        )?))
    }

    fn create(
        &self,
        output: Output,
        _options: &Options,
        _: &About,
        _env: &Env,
    ) -> Result<Box<dyn Writer>> {
        let caps = caps(Keys::of_files(output.medium()));
        let encode =
            |utt: &Utterance, put: &mut dyn FnMut(&[u8]) -> Result<()>| NestedArray.write(utt, put);
        let extension = INFO.extensions[0];
        Ok(Box::new(OneWriter::new(output, caps, extension, encode)))
    }

    fn nested(&self) -> Option<&dyn Nested> {
        Some(&NestedArray)
    }
}
