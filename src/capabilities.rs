//! What each format can hold, told from its [`Caps`]: the table of the README and of `formats`.

use std::collections::BTreeSet;

use serde::Serialize;
use spr_core::Result;
use spr_core::format::{
    AudioCaps, Caps, Count, Empty, Format, Keys, Medium, Objects, Options, Registry, Tags, Variant,
};
use spr_core::model::{Dtype, Object, SourceField};

/// One format in words.
#[derive(Clone, Debug, Serialize)]
pub struct Capability {
    /// The name users type.
    pub name: &'static str,
    /// What it is.
    pub title: &'static str,
    /// File extensions.
    pub extensions: &'static [&'static str],
    /// Element types of features, and shapes beside matrices.
    pub features: String,
    /// Frame labels.
    pub labels: String,
    /// Element types of audio samples, and what else sound may be.
    pub audio: String,
    /// Labelled stretches of time.
    pub segments: bool,
    /// What segments have beside a label and times: tiers, scores, speakers.
    pub segment_parts: Vec<&'static str>,
    /// What was said.
    pub text: bool,
    /// Objects that are neither features nor labels.
    pub objects: &'static str,
    /// Element types of named arrays.
    pub arrays: String,
    /// How names are kept.
    pub keys: &'static str,
    /// Frame shift and offset.
    pub frame_shift: bool,
    /// Who speaks, in which language, and where in which recording.
    pub source: bool,
    /// What of that, by name.
    pub source_parts: Vec<&'static str>,
    /// Foreign header lines.
    pub tags: &'static str,
    /// What must be the same in all utterances.
    pub uniform: String,
    /// Utterances without frames.
    pub empty: &'static str,
    /// `key=value` options.
    pub options: Vec<OptionText>,
}

/// One option of a format.
#[derive(Clone, Debug, Serialize)]
pub struct OptionText {
    /// The key.
    pub name: &'static str,
    /// What the value looks like.
    pub value: &'static str,
    /// What it does.
    pub help: &'static str,
}

/// What `format` can hold in a file of its own, or in a folder where it holds one utterance a file.
///
/// # Errors
/// None with the formats built in.
pub fn of(format: &'static dyn Format) -> Result<Capability> {
    with(format, &Options::default())
}

/// What files of `format` can hold whose extensions stand for an option.
///
/// # Errors
/// None with the formats built in.
pub fn variants(format: &'static dyn Format) -> Result<Vec<(&'static str, Capability)>> {
    let of = |variant: &Variant| {
        let options = Options::new(format.info(), [variant.option])?;
        Ok((variant.extension, with(format, &options)?))
    };
    format.info().variants.iter().map(of).collect()
}

/// What `format` can hold with these options.
fn with(format: &'static dyn Format, options: &Options) -> Result<Capability> {
    let info = format.info();
    let file = format.caps(options, Medium::File)?;
    let caps = match file.count {
        Count::Many if format.folder().is_none() => file,
        Count::One | Count::Many => format.caps(options, Medium::Folder)?,
    };
    let options = info.options.iter().map(|o| OptionText {
        name: o.name,
        value: o.value,
        help: o.help,
    });
    Ok(Capability {
        name: info.name,
        title: info.title,
        extensions: info.extensions,
        features: features(&caps),
        labels: labels(&caps),
        audio: audio(&caps.audio),
        segments: caps.segments.is_some(),
        segment_parts: segment_parts(&caps),
        text: caps.text,
        objects: match caps.objects {
            Objects::None => "no",
            Objects::Kinds(kinds) if kinds.len() < Object::KINDS.len() => "some",
            _ => "yes",
        },
        arrays: caps
            .arrays
            .map_or("no".to_owned(), |arrays| dtypes(arrays.dtypes)),
        keys: keys(&caps),
        frame_shift: caps.frame_shift,
        source: !caps.source.is_empty(),
        source_parts: caps.source.iter().map(|field| field.name()).collect(),
        tags: match caps.tags {
            Tags::None => "no",
            Tags::Of(_) | Tags::Named(..) => "its own",
            Tags::Any => "all",
        },
        uniform: uniform(&caps),
        empty: match caps.empty {
            Empty::Refused => "no",
            Empty::Shapeless => "as 0 x 0",
            Empty::Kept => "yes",
        },
        options: options.collect(),
    })
}

/// Whether an output can hold what is named so: `features`, `labels`, `audio`, `segments`, `text`,
/// `arrays`, or the kind of an object.
pub fn holds(caps: &Caps, what: &str) -> bool {
    match what {
        "features" => caps.features.is_some(),
        "labels" => caps.labels.is_some(),
        "audio" => caps.audio.hold_any(),
        "segments" => caps.segments.is_some(),
        "text" => caps.text || caps.objects.hold("token-vector"),
        "arrays" => caps.arrays.is_some(),
        kind => caps.objects.hold(kind),
    }
}

/// The formats that can hold what is named so.
pub fn holding(what: &str, registry: &Registry) -> Vec<&'static str> {
    let held = |format: &&'static dyn Format| {
        let options = Options::default();
        let all = [Medium::File, Medium::Folder].map(|medium| format.caps(&options, medium));
        all.iter().flatten().any(|caps| holds(caps, what))
    };
    let held = registry.formats().filter(held);
    held.map(|format| format.info().name).collect()
}

/// So many element types are named where all others are held.
const FEW: usize = 3;

fn dtypes(list: &[Dtype]) -> String {
    let names = |list: &[Dtype]| {
        let names: Vec<_> = list.iter().map(|dtype| dtype.name()).collect();
        names.join(" ")
    };
    let mut missing = Dtype::ALL.to_vec();
    missing.retain(|dtype| !list.contains(dtype));
    match missing.len() {
        0 => "all types".to_owned(),
        1..=FEW => format!("all types but {}", names(&missing)),
        _ if list.is_empty() => "no".to_owned(),
        _ => names(list),
    }
}

fn audio(caps: &AudioCaps) -> String {
    if !caps.hold_any() {
        return "no".to_owned();
    }
    let samples = (!caps.dtypes.is_empty()).then(|| dtypes(caps.dtypes));
    let encoded = (!caps.encoded.is_empty()).then(|| format!("{} files", caps.encoded.join(" ")));
    let references = caps.references.then(|| "references".to_owned());
    let forms = [samples, encoded, references].into_iter().flatten();
    forms.collect::<Vec<_>>().join(", ")
}

fn segment_parts(caps: &Caps) -> Vec<&'static str> {
    let Some(segments) = caps.segments else {
        return Vec::new();
    };
    let parts = [
        (segments.tiers, "tiers"),
        (segments.scores, "scores"),
        (segments.speakers, "speakers"),
    ];
    let held = parts.into_iter().filter(|(held, _)| *held);
    held.map(|(_, part)| part).collect()
}

fn features(caps: &Caps) -> String {
    let Some(features) = &caps.features else {
        return "no".to_owned();
    };
    let mut text = dtypes(features.dtypes);
    for (held, what) in [(features.vectors, "vectors"), (features.scalars, "numbers")] {
        if held {
            text.push_str(&format!(", {what}"));
        }
    }
    text
}

fn labels(caps: &Caps) -> String {
    let Some(labels) = &caps.labels else {
        return "no".to_owned();
    };
    let columns = if labels.max_columns == 1 {
        "1 column"
    } else {
        "any columns"
    };
    let place = match (labels.with_features, labels.alone) {
        (true, true) => "",
        (true, false) => ", beside features",
        (false, _) => ", in a file of their own",
    };
    format!("{}, {columns}{place}", dtypes(labels.dtypes))
}

fn keys(caps: &Caps) -> &'static str {
    match caps.keys {
        Keys::None => "no",
        Keys::SideFile => "side file",
        Keys::Words => "no spaces",
        Keys::FileNames => "file names",
        Keys::Any => "any bytes",
    }
}

fn uniform(caps: &Caps) -> String {
    let features = caps.features.as_ref();
    let parts = [
        (features.is_some_and(|f| f.same_dim), "columns"),
        (
            features.is_some_and(|f| f.same_dtype && f.dtypes.len() > 1),
            "type",
        ),
    ];
    let parts: Vec<_> = parts
        .iter()
        .filter(|(same, _)| *same)
        .map(|(_, what)| *what)
        .collect();
    if parts.is_empty() {
        "-".to_owned()
    } else {
        parts.join(", ")
    }
}

/// In a table.
pub(crate) fn yes(held: bool) -> &'static str {
    if held { "yes" } else { "no" }
}

/// Whether there are segments, and what they have.
pub(crate) fn segments(capability: &Capability) -> String {
    let own = [yes(capability.segments)].into_iter();
    let all: Vec<_> = own
        .chain(capability.segment_parts.iter().copied())
        .collect();
    all.join(", ")
}

/// What is kept of who speaks, and where in which recording.
pub(crate) fn source(capability: &Capability) -> String {
    match capability.source_parts.len() {
        0 => yes(false).to_owned(),
        few if few < SourceField::ALL.len() => capability.source_parts.join(", "),
        _ => yes(true).to_owned(),
    }
}

/// The table of the README, in Markdown.
///
/// # Errors
/// None with the formats built in.
pub fn markdown(registry: &Registry) -> Result<String> {
    let mut out = String::from(
        "| format | features | labels | audio | segments | text | other objects | arrays | names | must match | empty utterances | frame shift | recording | header lines |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    let mut sorts = BTreeSet::new();
    for format in registry.formats() {
        let name = format.info().name;
        let usual = cells(&of(format)?);
        out.push_str(&format!("| `{name}` | {usual} |\n"));
        for (extension, other) in variants(format)? {
            let other = cells(&other);
            // Formats that share a sort of file tell it once.
            if other != usual && sorts.insert((extension, other.clone())) {
                out.push_str(&format!("| `{name}`: `.{extension}` | {other} |\n"));
            }
        }
    }
    Ok(out)
}

fn cells(c: &Capability) -> String {
    let (segments, source) = (segments(c), source(c));
    let cells = [
        c.features.as_str(),
        &c.labels,
        &c.audio,
        &segments,
        yes(c.text),
        c.objects,
        &c.arrays,
        c.keys,
        &c.uniform,
        c.empty,
        yes(c.frame_shift),
        &source,
        c.tags,
    ];
    cells.join(" | ")
}
