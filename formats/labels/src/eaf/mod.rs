//! The format `eaf`: annotations of ELAN.

mod document;
mod read;
mod write;

use spr_core::Result;
use spr_core::bytes::{Env, Output, Source};
use spr_core::format::{
    Caps, Format, FormatInfo, Medium, OpenedDataset, Options, Probe, Request, Score, SegmentCaps,
    Writer,
};
use spr_core::model::About;

use crate::{one, probe};

/// Annotations of ELAN.
pub static EAF: Eaf = Eaf;

/// The format `eaf`.
#[derive(Clone, Copy, Debug)]
pub struct Eaf;

static INFO: FormatInfo = FormatInfo::new("eaf", "annotations of ELAN", &["eaf"]);

/// The root element.
const ROOT: &str = "ANNOTATION_DOCUMENT";
/// The unit of times, of several that the schema has.
const UNIT: &str = "milliseconds";
/// The time resolution.
const TICKS: u32 = 1000;
/// The name of the only tier of a new document, which says nothing.
const DEFAULT: &str = "default";

impl Format for Eaf {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, head: &Probe<'_>) -> Score {
        let root = format!("<{ROOT}");
        let bytes = head.head;
        let is_xml = bytes.trim_ascii_start().starts_with(b"<");
        let mut places = bytes.windows(root.len());
        match is_xml && places.any(|window| window == root.as_bytes()) {
            true => Score::Certain,
            false if probe::is_named(&INFO, head) && !bytes.is_empty() => Score::NameOnly,
            false => Score::No,
        }
    }

    fn caps(&self, _: &Options, medium: Medium) -> Result<Caps> {
        let mut segments = SegmentCaps::PLAIN;
        (segments.tiers, segments.closed) = (true, true);
        segments.ticks = Some(TICKS);
        let mut caps = one::caps(medium);
        caps.segments = Some(segments);
        caps.utf8 = true;
        Ok(caps)
    }

    fn open(
        &self,
        source: Source,
        _: &Options,
        _: &mut Request,
        env: &Env,
    ) -> Result<OpenedDataset> {
        one::reader(source, env, |source, utt, env| {
            let file = source.name().to_owned();
            let bytes = source.rest("a document of ELAN", &env.limits)?;
            let (tiers, warnings) = document::Document::parse(&bytes)
                .and_then(read::tiers)
                .map_err(|e| e.file(&*file))?;
            for warning in warnings {
                env.warn(&warning.file(&*file));
            }
            utt.tiers = tiers;
            Ok(())
        })
    }

    fn create(
        &self,
        output: Output,
        options: &Options,
        _: &About,
        _: &Env,
    ) -> Result<Box<dyn Writer>> {
        let caps = self.caps(options, output.medium())?;
        Ok(one::writer(&EAF, output, caps, "eaf", write::encode))
    }
}
