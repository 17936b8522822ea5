//! The format `lilcom`.

use spr_core::Result;
use spr_core::bytes::{Env, Output, Source};
use spr_core::format::{
    Caps, Format, FormatInfo, Keys, Medium, Nested, OneReader, OpenedDataset, OptionSpec, Options,
    Probe, Request, Score, Writer,
};
use spr_core::model::{About, DatasetInfo, Dtype, Utterance};
use spr_syntax::lilcom::{Decoder, Encoder, Header};

use crate::object::{self, NestedLilcom, caps};
use crate::writer;

/// Features compressed by lilcom.
pub static FORMAT: Lilcom = Lilcom;

/// The format `lilcom`: an array, one utterance a file.
#[derive(Clone, Copy, Debug)]
pub struct Lilcom;

const TICK: OptionSpec = OptionSpec {
    name: "tick",
    value: "N",
    help: "round values to 2^N, from -20 to 20 (the default is -5, as in Lhotse)",
};

const REGRESSION: OptionSpec = OptionSpec {
    name: "regression",
    value: "true|false",
    help: "predict values from those before, which makes files smaller (the default); without, values are multiples of the tick",
};

static INFO: FormatInfo = FormatInfo::new(
    "lilcom",
    "features compressed by lilcom, as Lhotse and icefall keep them",
    &["llc"],
)
.options(&[TICK, REGRESSION]);

/// The score of a header, which starts with no more than two fixed bytes.
const LIKELY: Score = Score::Possible(80);

/// Returns the encoder that the options ask for.
///
/// # Errors
/// An option's value is wrong.
fn encoder(options: &Options) -> Result<Encoder> {
    let regression = options.get(REGRESSION.name).is_none() || options.flag(REGRESSION.name)?;
    let tick = options.parse(TICK.name)?.unwrap_or(Encoder::TICK);
    Encoder::new(tick, regression)
}

impl Format for Lilcom {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, head: &Probe<'_>) -> Score {
        let named = head
            .extension()
            .is_some_and(|e| INFO.extensions.contains(&e));
        match Header::of(head.head) {
            Some(_) => LIKELY,
            None if named && !head.head.is_empty() => Score::NameOnly,
            None => Score::No,
        }
    }

    fn caps(&self, options: &Options, medium: Medium) -> Result<Caps> {
        encoder(options)?;
        Ok(caps(Keys::of_files(medium)))
    }

    fn open(
        &self,
        mut source: Source,
        options: &Options,
        request: &mut Request,
        env: &Env,
    ) -> Result<OpenedDataset> {
        encoder(options)?;
        let header = Decoder::open(&mut source)?.header().clone();
        let mut info = DatasetInfo::default();
        if let Some((frames, dim)) = header.matrix() {
            (info.frames, info.dim) = (Some(frames), Some(dim));
            info.dtype = Some(Dtype::F32);
        }
        info.compression = source.compression();
        let values = request.values;
        let fill = move |source: &mut Source, utt: &mut Utterance, env: &Env| {
            utt.start();
            object::read(source, values, utt, &env.limits)?;
            match values {
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
        options: &Options,
        _: &About,
        _: &Env,
    ) -> Result<Box<dyn Writer>> {
        Ok(writer::create(
            output,
            encoder(options)?,
            INFO.extensions[0],
        ))
    }

    fn nested(&self) -> Option<&dyn Nested> {
        Some(&NestedLilcom)
    }
}
