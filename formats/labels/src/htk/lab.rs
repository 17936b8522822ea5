//! The format `htk-lab`: label files of HTK.

use spr_core::Result;
use spr_core::bytes::{Env, Output, Source};
use spr_core::format::{
    Caps, Format, FormatInfo, Medium, Nested, Notation, OneWriter, Opened, Options, Probe, Request,
    Score, SegmentCaps, WholeFolder, Writer,
};
use spr_core::model::Utterance;

use super::label::{Labels, Line, UNITS, encode};
use crate::lines::Lines;
use crate::naming::{GAPS, Naming, SYMBOLS};
use crate::{one, probe};

/// Label files of HTK.
pub static HTK_LAB: HtkLab = HtkLab;

/// The format `htk-lab`.
#[derive(Clone, Copy, Debug)]
pub struct HtkLab;

static INFO: FormatInfo =
    FormatInfo::new("htk-lab", "HTK label files", &["lab", "rec"]).options(&[SYMBOLS, GAPS]);

/// What labels can be.
pub(super) fn segments() -> SegmentCaps {
    let mut segments = SegmentCaps::PLAIN;
    segments.scores = true;
    segments.beside_text = false;
    segments.ticks = Some(UNITS);
    segments
}

impl Format for HtkLab {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, head: &Probe<'_>) -> Score {
        let timed = |line: &[u8]| {
            matches!(
                Line::parse(line),
                Ok(Line::Label(Some(_), ..) | Line::Alternative)
            )
        };
        let labels = |line: &[u8]| matches!(Line::parse(line), Ok(Line::Label(..)));
        let score = probe::by_lines(&INFO, head, None, 65, timed);
        match probe::is_named(&INFO, head) {
            // The name tells that single words are labels.
            true => score.max(probe::by_lines(&INFO, head, None, 20, labels)),
            false => score,
        }
    }

    fn caps(&self, _: &Options, medium: Medium) -> Result<Caps> {
        let mut caps = one::caps(medium);
        caps.segments = Some(segments());
        caps.text = true;
        Ok(caps)
    }

    fn open(
        &self,
        source: Source,
        options: &Options,
        _: &mut Request,
        env: &Env,
    ) -> Result<Opened> {
        let naming = Naming::of(options, env)?;
        one::reader(source, env, move |source, utt, env| {
            let mut lines = Lines::new(source, None, env);
            let mut labels = Labels::default();
            while lines.next()? {
                if !labels.add(&lines, &naming)? {
                    return Err(lines.error("a line of a point alone ends nothing here"));
                }
            }
            labels.finish(utt, &naming);
            Ok(())
        })
    }

    fn create(&self, output: Output, options: &Options, env: &Env) -> Result<Box<dyn Writer>> {
        let naming = Naming::of(options, env)?;
        let caps = self.caps(options, output.medium())?;
        let encode = move |utt: &Utterance, put: &mut dyn FnMut(&[u8]) -> Result<()>| {
            let mut bytes = Vec::new();
            encode(utt, &naming, false, &mut bytes)?;
            put(&bytes)
        };
        Ok(Box::new(OneWriter::new(output, caps, "lab", encode)))
    }

    fn folder(&self) -> Option<&dyn WholeFolder> {
        None
    }

    fn nested(&self) -> Option<&dyn Nested> {
        None
    }

    fn notation(&self) -> Option<&dyn Notation> {
        None
    }
}
