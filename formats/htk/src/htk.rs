//! The format `htk`.

use spr_core::Result;
use spr_core::bytes::{Env, Output, Source};
use spr_core::format::{
    Caps, Extent, Format, FormatInfo, Keys, Medium, Nested, Notation, OneReader, Opened, Options,
    Probe, Request, Score, WholeFolder, Writer,
};
use spr_core::model::{DatasetInfo, Utterance};

use crate::body::{self, Wanted};
use crate::caps::NAME;
use crate::frames::Frames;
use crate::header::Header;
use crate::kind::Content;
use crate::list::{self, ListReader, Naming};
use crate::object::{self, NestedHtk};
use crate::probe;
use crate::script;
use crate::style::{self, Style};
use crate::writer;

/// HTK parameter files.
pub static HTK: Htk = Htk;

/// The format `htk`: one utterance a file.
#[derive(Clone, Copy, Debug)]
pub struct Htk;

static INFO: FormatInfo =
    FormatInfo::new(NAME, "HTK parameter files", &["htk", "fea", "plp", "fbk"])
        .also(&["mfc"])
        .options(&[
            style::KIND,
            style::COMPRESS,
            style::CHECK,
            style::BYTE_ORDER,
            writer::SCRIPT,
            list::KEYS,
        ]);

impl Format for Htk {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, head: &Probe<'_>) -> Score {
        let listed = head.extension() == Some("scp");
        if script::is_script(head.head, head.whole, listed) {
            return probe::LIST;
        }
        match probe::score(&INFO, head, NestedHtk.claim(head.head)) {
            Score::No | Score::NameOnly
                if head.len.is_none() && !head.whole && Header::is_likely(head.head) =>
            {
                probe::UNKNOWN_LENGTH
            }
            score => score,
        }
    }

    fn caps(&self, options: &Options, medium: Medium) -> Result<Caps> {
        Ok(writer::caps(&Style::of(options)?, Keys::of_files(medium)))
    }

    fn open(
        &self,
        mut source: Source,
        options: &Options,
        request: &mut Request,
        env: &Env,
    ) -> Result<Opened> {
        let values = request.values;
        if script::is_text(source.peek(script::HEAD)?) {
            let naming = Naming::of(options)?;
            let parse = move |line: &[u8]| script::parse(line, naming);
            let fill = move |source: &mut Source,
                             frames: Option<Frames>,
                             utt: &mut Utterance,
                             env: &Env| {
                let header = Header::read(source, Extent::Whole)?;
                body::read(source, header, Wanted { values, frames }, utt, &env.limits)?;
                match frames {
                    Some(_) => Ok(()),
                    None => object::end(source),
                }
            };
            let reader = ListReader::new(source, request, script::TWICE, parse, fill, env);
            return Ok(Opened::stream(reader));
        }
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
        let wanted = Wanted {
            values,
            frames: None,
        };
        let fill = move |source: &mut Source, utt: &mut Utterance, env: &Env| {
            utt.start();
            body::read(source, header, wanted, utt, &env.limits)?;
            object::end(source)
        };
        Ok(Opened::stream(OneReader::new(source, info, env, fill)?))
    }

    fn create(&self, output: Output, options: &Options, env: &Env) -> Result<Box<dyn Writer>> {
        let extension = INFO.extensions[0];
        writer::create(output, options, extension, env)
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
