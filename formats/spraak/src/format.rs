//! The two formats.

use spr_core::Result;
use spr_core::bytes::{Env, Location, Output, Source};
use spr_core::format::{
    AudioCaps, Caps, Count, DataVariant, Empty, FeatureCaps, FileVariants, Format, FormatInfo,
    Keys, Medium, Notation, OpenedDataset, Options, Probe, Request, Score, Tags, Variant, Writer,
};
use spr_core::model::{About, Dtype, Object, Utterance};

use crate::contents::TAGS;
use crate::header::layers::{FileDescription, gather};
use crate::list::{self, ListWriter};
use crate::options::{self, Reading, Writing};
use crate::probe::score;
use crate::raw::Raw;
use crate::reader;
use crate::vocabulary::Dialect;
use crate::writer::SpraakWriter;

/// SPRAAK files with one utterance each, and one of the two types of header.
pub struct Spraak(pub(crate) Dialect);

/// SPRAAK files with their own header, `spr`.
pub static SPR: Spraak = Spraak(Dialect::Spr);

/// Files with the older header, `key`.
pub static KEY: Spraak = Spraak(Dialect::Key);

/// The options implied by the extensions of lists.
const LISTS: &[Variant] = &[
    Variant {
        extension: "seg",
        option: ("data", "SEG"),
    },
    Variant {
        extension: "cor",
        option: ("data", "CORPUS"),
    },
    Variant {
        extension: "lex",
        option: ("data", "DICTIONARY"),
    },
];

/// The options for data that no file of numeric rows can hold.
const FOR_DATA: &[DataVariant] = &[
    DataVariant {
        is: |utt| bare(utt) && utt.object.is_none() && !utt.tiers.is_empty(),
        option: ("data", "SEG"),
    },
    DataVariant {
        is: |utt| bare(utt) && utt.tiers.is_empty() && is_said(utt),
        option: ("data", "CORPUS"),
    },
];

const VARIANTS: FileVariants = FileVariants::by_extension(LISTS)
    .by_data(FOR_DATA)
    .headerless("header");

/// Returns `true` if there are neither numbers for a file nor frame labels.
fn bare(utt: &Utterance) -> bool {
    utt.features.is_none() && utt.labels.is_none() && utt.audio.is_none() && utt.arrays.is_empty()
}

/// Returns `true` if it is a transcript, as text or as words.
fn is_said(utt: &Utterance) -> bool {
    match &utt.object {
        None => utt.text.is_some(),
        Some(object) => matches!(object, Object::Token(_) | Object::Tokens(_)),
    }
}

static SPR_INFO: FormatInfo = FormatInfo::new(
    "spr",
    "SPRAAK features, samples, segments and lists",
    &["spr", "trk", "sam", "seg", "cor", "lex"],
)
.options(&options::SPR)
.needed(&["symbols"])
.variants(VARIANTS);

static KEY_INFO: FormatInfo =
    FormatInfo::new("key", "SPRAAK files with the older key header", &["key"])
        .also(&["spr", "trk", "sam"])
        .options(&options::KEY)
        .needed(&["symbols"])
        .variants(VARIANTS);

impl Format for Spraak {
    fn info(&self) -> &'static FormatInfo {
        match self.0 {
            Dialect::Spr => &SPR_INFO,
            Dialect::Key => &KEY_INFO,
        }
    }

    fn probe(&self, head: &Probe<'_>) -> Score {
        score(self.0, head, self.info().extensions)
    }

    fn caps(&self, options: &Options, medium: Medium) -> Result<Caps> {
        // The options may be for reading; those of a writer are checked when one is created.
        let writing = Writing::likely(self.0, options)?;
        if let Some(caps) = list::caps::of(options.get("data"), medium) {
            return Ok(caps);
        }
        let (plain, listed) = (
            writing.code.is_none() && writing.header && writing.packed.is_none(),
            medium == Medium::Folder && options.get("cor").is_some(),
        );
        let dtypes = dtypes(&writing);
        let mut caps = Caps::new(Count::One, Keys::of_files(medium));
        caps.empty = Empty::Kept;
        (caps.frame_shift, caps.frame_offset) = (writing.header, writing.header);
        caps.text = listed;
        if writing.header {
            caps.tags = Tags::Of(TAGS);
        }
        if options.get("data").is_none() && plain && !listed {
            caps.objects = list::caps::OPAQUE;
        }
        match writing.code {
            Some(_) => {
                caps.audio = AudioCaps::samples(&[Dtype::I16]);
                caps.rounded = true;
            }
            None => {
                caps.features = Some(FeatureCaps::new(dtypes));
                caps.audio = AudioCaps::samples(dtypes);
            }
        }
        Ok(caps)
    }

    fn open(
        &self,
        mut source: Source,
        options: &Options,
        request: &mut Request,
        env: &Env,
    ) -> Result<OpenedDataset> {
        let reading = Reading::of(options).map_err(|e| e.file(source.name()))?;
        let own = FileDescription::default();
        // With a corpus, the keys in the options apply to its files.
        let given = match list::is_driving(options) {
            true => &own,
            false => &reading.given,
        };
        let header = gather(&mut source, self.0, given, env)?;
        let Some(kind) = list::ListKind::of(&header) else {
            list::check_options(options, &[]).map_err(|e| e.file(source.name()))?;
            let reader = reader::open(source, &header, reading, request.values, env)?;
            return Ok(OpenedDataset::Stream(reader));
        };
        let format = match self.0 {
            Dialect::Spr => &SPR,
            Dialect::Key => &KEY,
        };
        let reader = list::open(source, &header, kind, (format, options), request, env)?;
        Ok(OpenedDataset::Stream(reader))
    }

    fn create(
        &self,
        output: Output,
        options: &Options,
        _: &About,
        env: &Env,
    ) -> Result<Box<dyn Writer>> {
        if let Some(writer) = list::create(&output, self, self.0, options, env)? {
            return Ok(writer);
        }
        let writing = Writing::of(self.0, options)?;
        let cor = output.is_folder().then_some("cor");
        list::check_options(options, cor.as_slice()).map_err(|e| e.file(output.name()))?;
        let corpus = options.get("cor").map(Location::from);
        let corpus = corpus.map(|file| ListWriter::beside(&output, file, self.0, env));
        let corpus = corpus.transpose()?;
        let caps = self.caps(options, output.medium())?;
        Ok(Box::new(SpraakWriter::new(
            output, writing, caps, corpus, env,
        )))
    }

    fn notation(&self) -> Option<&dyn Notation> {
        match self.0 {
            Dialect::Spr => Some(&Raw),
            Dialect::Key => None,
        }
    }
}

/// Returns the element types that can be written. Types that hold narrower ones exactly come first.
fn dtypes(writing: &Writing) -> &'static [Dtype] {
    match (writing.dialect, writing.unsigned) {
        _ if !writing.header => Dtype::COMMON,
        (Dialect::Spr, _) => Dtype::COMMON,
        (Dialect::Key, false) => &[Dtype::I8, Dtype::I16, Dtype::I32, Dtype::F32, Dtype::F64],
        (Dialect::Key, true) => &[Dtype::U8, Dtype::U16, Dtype::U32, Dtype::F32, Dtype::F64],
    }
}
