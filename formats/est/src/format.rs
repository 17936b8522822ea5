//! The format `est`.

use spr_core::bytes::{ByteOrder, Env, Output, Source};
use spr_core::format::{
    ArrayCaps, Caps, Count, Empty, FeatureCaps, Format, FormatInfo, Keys, Medium, OneReader,
    OneWriter, OpenedDataset, OptionSpec, Options, Probe, Request, Score, Tags, Writer,
};
use spr_core::model::{About, DatasetInfo, Dtype, Utterance};
use spr_core::{Error, Result};

use crate::encode::encode;
use crate::frames;
use crate::header::{Form, Header, MAGIC, MOST, NAME};

/// Tracks of the Edinburgh Speech Tools.
pub static FORMAT: Est = Est;

/// The format `est`: a track, one utterance a file.
#[derive(Clone, Copy, Debug)]
pub struct Est;

const TEXT: OptionSpec = OptionSpec {
    name: "text",
    value: "true|false",
    help: "numbers as text, DataType ascii (reading: whatever the header says)",
};

const BYTE_ORDER: OptionSpec = OptionSpec {
    name: "byteorder",
    value: "little|big",
    help: "ByteOrder 01 (the default) or 10 (reading: whatever the header says)",
};

static INFO: FormatInfo = FormatInfo::new(
    NAME,
    "tracks of the Edinburgh Speech Tools and Festival",
    &["track", "est", "f0", "pm", "lpc", "mcep"],
)
.options(&[TEXT, BYTE_ORDER]);

const fn caps(keys: Keys) -> Caps {
    let mut features = FeatureCaps::new(&[Dtype::F32]);
    features.max_cols = MOST;
    let mut arrays = ArrayCaps::new(&[Dtype::F32, Dtype::Bool]);
    arrays.max_rank = 1;
    let mut caps = Caps::new(Count::One, keys);
    caps.features = Some(features);
    caps.arrays = Some(arrays);
    caps.empty = Empty::Kept;
    caps.columnless = true;
    (caps.frame_shift, caps.frame_offset) = (true, true);
    caps.tags = Tags::Of(NAME);
    caps.max_rows = MOST;
    caps
}

/// The form that the options ask for.
///
/// # Errors
/// An option's value is wrong, or text is asked for in a byte order.
fn form(options: &Options) -> Result<Form> {
    let orders = [("little", ByteOrder::Little), ("big", ByteOrder::Big)];
    let order = options.choice(BYTE_ORDER.name, &orders)?;
    match (options.flag(TEXT.name)?, order) {
        (true, None) => Ok(Form::Ascii),
        (true, Some(_)) => Err(Error::usage(
            "option byteorder: numbers in text have no byte order",
        )),
        (false, order) => Ok(Form::Binary(order.unwrap_or(ByteOrder::Little))),
    }
}

impl Format for Est {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    // Files of another kind are recognised as well, to be refused by the name of their kind.
    fn probe(&self, head: &Probe<'_>) -> Score {
        match head.head.strip_prefix(MAGIC) {
            Some([b' ' | b'\t', ..]) => Score::Certain,
            _ => Score::No,
        }
    }

    fn caps(&self, options: &Options, medium: Medium) -> Result<Caps> {
        form(options)?;
        Ok(caps(Keys::of_files(medium)))
    }

    fn open(
        &self,
        mut source: Source,
        options: &Options,
        _request: &mut Request,
        env: &Env,
    ) -> Result<OpenedDataset> {
        form(options)?;
        let header = Header::read(&mut source, &env.limits)?;
        let mut info = DatasetInfo::default();
        info.frames = Some(header.rows);
        info.dim = Some(header.cols);
        info.dtype = Some(Dtype::F32);
        info.byte_order = match header.form {
            Form::Ascii => None,
            Form::Binary(order) => Some(order),
        };
        info.compression = source.compression();
        let fill = move |source: &mut Source, utt: &mut Utterance, env: &Env| {
            utt.start();
            let clock = frames::read(source, &header, utt.features_mut(), &env.limits)?;
            utt.meta.tags.clone_from(&header.tags);
            let described = clock.describe(header.spacing, utt);
            described.map_err(|e| header.lines.place(e, source))
        };
        Ok(OpenedDataset::stream(OneReader::new(
            source, info, env, fill,
        )?))
    }

    fn create(
        &self,
        output: Output,
        options: &Options,
        _about: &About,
        _env: &Env,
    ) -> Result<Box<dyn Writer>> {
        let form = form(options)?;
        let caps = caps(Keys::of_files(output.medium()));
        let encode = move |utt: &Utterance, put: &mut dyn FnMut(&[u8]) -> Result<()>| {
            put(&encode(utt, form)?)
        };
        let extension = INFO.extensions[0];
        Ok(Box::new(OneWriter::new(output, caps, extension, encode)))
    }
}
