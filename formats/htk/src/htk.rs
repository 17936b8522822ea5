//! The format `htk`.

use spr_core::bytes::{ByteOrder, Env, Output, Source};
use spr_core::format::{
    Caps, Format, FormatInfo, Keys, Medium, Nested, Notation, OneReader, OneWriter, Opened,
    Options, Probe, Request, Score, WholeFolder, Writer,
};
use spr_core::model::{DatasetInfo, Utterance};
use spr_core::{Error, Result};

use crate::caps::{NAME, caps};
use crate::object::{self, Header, NestedHtk};
use crate::probe;

/// HTK parameter files.
pub static HTK: Htk = Htk;

/// The format `htk`: plain floats, one utterance a file.
#[derive(Clone, Copy, Debug)]
pub struct Htk;

static INFO: FormatInfo = FormatInfo::new(
    NAME,
    "HTK parameter files of plain floats",
    &["htk", "fea", "plp", "fbk"],
)
.also(&["mfc"]);

impl Format for Htk {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, head: &Probe<'_>) -> Score {
        probe::score(&INFO, head, NestedHtk.claim(head.head))
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
    ) -> Result<Opened> {
        let header = Header::read(&mut source)?;
        let mut info = DatasetInfo::default();
        let (dtype, _, frames, dim) = header.shape();
        info.frames = Some(frames);
        info.dim = Some(dim);
        info.dtype = Some(dtype);
        info.byte_order = Some(ByteOrder::Big);
        info.compression = source.compression();
        info.frame_shift = header.frame_shift();
        let values = request.values;
        let fill = move |source: &mut Source, utt: &mut Utterance, env: &Env| {
            utt.start();
            utt.labels = None;
            let (into, limits) = (utt.features_mut(), &env.limits);
            match values {
                true => source.read_matrix(into, header.shape(), ByteOrder::Big, limits)?,
                false => source.pass_matrix(into, header.shape(), limits)?,
            }
            header.describe(&mut utt.meta);
            object::end(source)
        };
        Ok(Opened::stream(OneReader::new(source, info, env, fill)?))
    }

    fn create(&self, output: Output, _options: &Options, env: &Env) -> Result<Box<dyn Writer>> {
        let caps = caps(Keys::of_files(output.medium()));
        let env = env.clone();
        let mut warned = false;
        let encode = move |utt: &Utterance, put: &mut dyn FnMut(&[u8]) -> Result<()>| {
            if utt.meta.frame_shift.is_none() && !std::mem::replace(&mut warned, true) {
                let message = "no frame shift is known, without which HTK does not read the files";
                env.warn(&Error::unfit(message).utterance(&utt.key));
            }
            NestedHtk.write(utt, put)
        };
        let extension = INFO.extensions[0];
        Ok(Box::new(OneWriter::new(output, caps, extension, encode)))
    }

    fn folder(&self) -> Option<&dyn WholeFolder> {
        None
    }

    fn nested(&self) -> Option<&dyn Nested> {
        Some(&NestedHtk)
    }

    fn notation(&self) -> Option<&dyn Notation> {
        None
    }
}
