//! The format `htk`.

use spr_core::bytes::{Env, Output, Source};
use spr_core::format::{
    Caps, Extent, Format, FormatInfo, Keys, Medium, Nested, Notation, OneReader, OneWriter, Opened,
    OptionSpec, Options, Probe, Request, Score, WholeFolder, Writer,
};
use spr_core::model::{DatasetInfo, Utterance};
use spr_core::{Error, Result};

use crate::caps::{NAME, caps};
use crate::header::Header;
use crate::kind::Content;
use crate::object::{self, NestedHtk};
use crate::{body, probe};

/// HTK parameter files.
pub static HTK: Htk = Htk;

/// The format `htk`: one utterance a file.
#[derive(Clone, Copy, Debug)]
pub struct Htk;

static INFO: FormatInfo =
    FormatInfo::new(NAME, "HTK parameter files", &["htk", "fea", "plp", "fbk"])
        .also(&["mfc"])
        .options(&[OptionSpec {
            name: "check",
            value: "true|false",
            help: "write a check sum (false)",
        }]);

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
        let header = Header::read(&mut source, Extent::Whole)?;
        let mut info = DatasetInfo::default();
        if header.kind.content() == Content::Samples {
            info.sample_rate = header.rate();
        } else {
            let (dtype, _, frames, dim) = header.shape();
            info.frames = Some(frames);
            info.dim = Some(dim);
            info.dtype = Some(dtype);
            info.frame_shift = header.frame_shift();
        }
        info.byte_order = Some(header.order);
        info.compression = source.compression();
        let values = request.values;
        let fill = move |source: &mut Source, utt: &mut Utterance, env: &Env| {
            utt.start();
            body::read(source, header, values, utt, &env.limits)?;
            object::end(source)
        };
        Ok(Opened::stream(OneReader::new(source, info, env, fill)?))
    }

    fn create(&self, output: Output, options: &Options, env: &Env) -> Result<Box<dyn Writer>> {
        let checked = options.flag("check")?;
        let caps = caps(Keys::of_files(output.medium()));
        let env = env.clone();
        let mut warned = false;
        let encode = move |utt: &Utterance, put: &mut dyn FnMut(&[u8]) -> Result<()>| {
            let no_shift = utt.features.is_some() && utt.meta.frame_shift.is_none();
            if no_shift && !std::mem::replace(&mut warned, true) {
                let message = "no frame shift is known, without which HTK does not read the files";
                env.warn(&Error::unfit(message).utterance(&utt.key));
            }
            object::write(utt, checked, put)
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
