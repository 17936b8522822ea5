//! The format `htk`.

use spr_core::Result;
use spr_core::bytes::{Env, Output, Source};
use spr_core::format::{
    Caps, Format, FormatInfo, Keys, Medium, Nested, ObjectBounds, OneReader, OpenedDataset,
    Options, Probe, Request, Score, Writer,
};
use spr_core::model::{About, DatasetInfo, Utterance};

use crate::body::{self, DataRequest};
use crate::frames::Frames;
use crate::header::Header;
use crate::header::NAME;
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

pub(crate) static INFO: FormatInfo =
    FormatInfo::new(NAME, "HTK parameter files", &["htk", "fea", "plp", "fbk"])
        .also(&["mfc"])
        .listed_in(&["scp"])
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
    ) -> Result<OpenedDataset> {
        let values = request.values;
        if script::is_list(&mut source, &INFO)? {
            let naming = Naming::of(options)?;
            let parse = move |line: &[u8]| script::parse(line, naming);
            let fill = move |source: &mut Source,
                             frames: Option<Frames>,
                             utt: &mut Utterance,
                             env: &Env| {
                let header = Header::read(source, ObjectBounds::Whole)?;
                body::read(
                    source,
                    header,
                    DataRequest { values, frames },
                    utt,
                    &env.limits,
                )?;
                match frames {
                    Some(_) => Ok(()),
                    None => object::end(source),
                }
            };
            let reader = ListReader::new(source, request, script::TWICE, parse, fill, env);
            return Ok(OpenedDataset::stream(reader));
        }
        let header = Header::read(&mut source, ObjectBounds::Whole)?;
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
        let wanted = DataRequest {
            values,
            frames: None,
        };
        let fill = move |source: &mut Source, utt: &mut Utterance, env: &Env| {
            utt.start();
            body::read(source, header, wanted, utt, &env.limits)?;
            object::end(source)
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
        env: &Env,
    ) -> Result<Box<dyn Writer>> {
        let extension = INFO.extensions[0];
        writer::create(output, options, extension, env)
    }

    fn nested(&self) -> Option<&dyn Nested> {
        Some(&NestedHtk)
    }
}
