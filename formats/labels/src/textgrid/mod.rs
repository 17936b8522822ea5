//! The format `textgrid`: label files of Praat.

mod binary;
mod encoding;
mod grid;
mod text;
mod tokens;

use spr_core::Result;
use spr_core::bytes::{Env, MemoryCounter, Output, Source};
use spr_core::format::{
    Caps, Format, FormatInfo, Medium, OpenedDataset, OptionSpec, Options, Probe, Request, Score,
    SegmentCaps, Tags, Writer,
};
use spr_core::model::{About, Utterance};

use crate::naming::{GAPS, Naming, SYMBOLS};
use crate::{one, probe};
use grid::{Grid, NAME, TAGS};

/// TextGrids of Praat.
pub static TEXTGRID: TextGrid = TextGrid;

/// The format `textgrid`.
#[derive(Clone, Copy, Debug)]
pub struct TextGrid;

const FORM: OptionSpec = OptionSpec {
    name: "form",
    value: "long|short|binary",
    help: "the form that is written; long without it",
};

const ENCODING: OptionSpec = OptionSpec {
    name: "encoding",
    value: "utf8|utf16",
    help: "how text is written; utf8 without it",
};

static INFO: FormatInfo = FormatInfo::new(
    NAME,
    "Praat TextGrids",
    &["TextGrid", "textgrid", "Textgrid", "TEXTGRID"],
)
.options(&[FORM, ENCODING, SYMBOLS, GAPS])
.needed(&[SYMBOLS.name]);

/// The form of a file.
#[derive(Clone, Copy)]
enum Form {
    Long,
    Short,
    Binary,
}

impl Format for TextGrid {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, head: &Probe<'_>) -> Score {
        let is_binary = head.head.strip_prefix(binary::MAGIC);
        let is_binary = is_binary.is_some_and(|rest| rest.starts_with(b"\x08TextGrid"));
        match is_binary || text::starts(&encoding::glance(head.head)) {
            true => Score::Certain,
            false if probe::is_named(&INFO, head) && !head.head.is_empty() => Score::NameOnly,
            false => Score::No,
        }
    }

    fn caps(&self, _: &Options, medium: Medium) -> Result<Caps> {
        let mut segments = SegmentCaps::PLAIN;
        (segments.tiers, segments.closed) = (true, true);
        let mut caps = one::caps(medium);
        caps.segments = Some(segments);
        caps.tags = Tags::Named(NAME, TAGS);
        Ok(caps)
    }

    fn open(
        &self,
        source: Source,
        options: &Options,
        _: &mut Request,
        env: &Env,
    ) -> Result<OpenedDataset> {
        let naming = Naming::of(options, env)?;
        one::reader(source, env, move |source, utt, env| {
            if source.peek(binary::MAGIC.len())?.starts_with(binary::MAGIC) {
                return binary::read(source, &naming, utt, &env.limits);
            }
            let file = source.name().to_owned();
            let bytes = whole(source, env)?;
            let read = encoding::decode(bytes)
                .and_then(|text| text::read(&text, &naming, utt, &env.limits));
            read.map_err(|e| e.file(file))
        })
    }

    fn create(
        &self,
        output: Output,
        options: &Options,
        _: &About,
        env: &Env,
    ) -> Result<Box<dyn Writer>> {
        let naming = Naming::of(options, env)?;
        let forms = [
            ("long", Form::Long),
            ("short", Form::Short),
            ("binary", Form::Binary),
        ];
        let form = options.choice(FORM.name, &forms)?.unwrap_or(Form::Long);
        let wide = options.choice(ENCODING.name, &[("utf8", false), ("utf16", true)])?;
        let wide = wide.unwrap_or(false);
        let caps = self.caps(options, output.medium())?;
        let encode = move |utt: &Utterance, out: &mut Vec<u8>| {
            let grid = Grid::of(utt, &naming)?;
            *out = match (form, wide) {
                (Form::Binary, _) => binary::write(&grid)?,
                (Form::Long, false) => text::long(&grid).into_bytes(),
                (Form::Short, false) => text::short(&grid).into_bytes(),
                (Form::Long, true) => encoding::encode(&text::long(&grid)),
                (Form::Short, true) => encoding::encode(&text::short(&grid)),
            };
            Ok(())
        };
        let extension = INFO.extensions[0];
        Ok(one::writer(&TEXTGRID, output, caps, extension, encode))
    }
}

/// Reads all bytes of a file, within the limits.
fn whole(source: &mut Source, env: &Env) -> Result<Vec<u8>> {
    const BLOCK: usize = 1 << 16;
    let mut held = MemoryCounter::new("a TextGrid");
    let mut bytes = Vec::new();
    loop {
        let block = source.peek(BLOCK)?;
        let n = block.len();
        if n == 0 {
            return Ok(bytes);
        }
        bytes.extend_from_slice(block);
        source.skip(n as u64)?;
        held.add(n, source, &env.limits)?;
    }
}
