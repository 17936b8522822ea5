//! The capabilities of each format in words, from its [`Caps`]: the table of the README and of
//! `formats`.

use std::collections::BTreeSet;

use serde::Serialize;
use spr_core::Result;
use spr_core::format::{
    AudioCaps, Caps, Count, Empty, Format, Keys, Medium, Objects, Options, Registry, Tags, Variant,
};
use spr_core::model::{Dtype, Object, SourceField};

/// The capabilities of a format in words.
#[non_exhaustive]
#[derive(Clone, Debug, Serialize)]
pub struct Capability {
    /// The name in arguments.
    pub name: &'static str,
    /// A description.
    pub title: &'static str,
    /// File extensions.
    pub extensions: &'static [&'static str],
    /// Element types of features, and shapes besides matrices.
    pub features: String,
    /// Frame labels.
    pub labels: String,
    /// Element types of audio samples, and other forms of audio.
    pub audio: String,
    /// Segments.
    pub segments: bool,
    /// Properties of segments besides label and times: tiers, scores, speakers.
    pub segment_parts: Vec<&'static str>,
    /// Text.
    pub text: bool,
    /// Objects.
    pub objects: &'static str,
    /// Element types of named arrays.
    pub arrays: String,
    /// The storage of keys.
    pub keys: &'static str,
    /// Frame shift and offset.
    pub frame_shift: bool,
    /// Information about speaker, language and recording.
    pub source: bool,
    /// The fields of that, by name.
    pub source_parts: Vec<&'static str>,
    /// Tags.
    pub tags: &'static str,
    /// The properties that all utterances must share.
    pub uniform: String,
    /// The treatment of utterances without frames.
    pub empty: &'static str,
    /// Further conditions, such as names without brackets.
    pub needs: Vec<String>,
    /// `key=value` options.
    pub options: Vec<OptionText>,
}

/// One option of a format.
#[non_exhaustive]
#[derive(Clone, Debug, Serialize)]
pub struct OptionText {
    /// The key.
    pub name: &'static str,
    /// The form of the value.
    pub value: &'static str,
    /// A description.
    pub help: &'static str,
}

/// Returns the capabilities of `format` in a single file, or in a folder if it has one utterance
/// per file.
///
/// # Errors
/// None with the formats built in.
pub fn of(format: &'static dyn Format) -> Result<Capability> {
    with(format, &Options::default())
}

/// Returns the capabilities of variants of `format` by extension.
///
/// # Errors
/// None with the formats built in.
pub fn variants(format: &'static dyn Format) -> Result<Vec<(&'static str, Capability)>> {
    let of = |variant: &Variant| {
        let options = Options::new(format.info(), [variant.option])?;
        Ok((variant.extension, with(format, &options)?))
    };
    let variants = format.info().variants.by_extension;
    variants.iter().map(of).collect()
}

/// Returns the capabilities of `format` with these options.
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
            Tags::Any | Tags::TextAndOwn(_) => "all",
            _ => "its own",
        },
        uniform: uniform(&caps),
        empty: match caps.empty {
            Empty::Refused => "no",
            Empty::Shapeless => "as 0 x 0",
            Empty::Kept => "yes",
        },
        needs: needs(&caps),
        options: options.collect(),
    })
}

/// Returns `true` if an output supports the named data: `features`, `labels`, `audio`, `segments`,
/// `text`, `arrays`, or the kind of an object.
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

/// Returns the formats that support the named data.
pub fn holding(what: &str, registry: &Registry) -> Vec<&'static str> {
    let held = |format: &&'static dyn Format| {
        let options = Options::default();
        let all = [Medium::File, Medium::Folder].map(|medium| format.caps(&options, medium));
        all.iter().flatten().any(|caps| holds(caps, what))
    };
    let held = registry.formats().filter(held);
    held.map(|format| format.info().name).collect()
}

/// The largest number of exceptions named if all other element types are supported.
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
        Keys::FileNames | Keys::FileName => "file names",
        _ => "any bytes",
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
        (caps.audio.same_rate, "sampling rate"),
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

/// Returns the conditions for storing an utterance, apart from the fields that it has.
fn needs(caps: &Caps) -> Vec<String> {
    let rule = |what: &str, words: &str| (!words.is_empty()).then(|| format!("{what} {words}"));
    let held = |needed: bool, what: &str| needed.then(|| what.to_owned());
    let (features, segments) = (caps.features, caps.segments.unwrap_or_default());
    let (audio, arrays) = (caps.audio, caps.arrays);
    let needs = [
        rule("names", caps.key_rule.words),
        held(caps.utf8, "names and text in UTF-8"),
        rule("text", caps.text_rule.words),
        features.and_then(|f| Some(format!("features of {} columns", f.cols?))),
        held(
            features.is_some_and(|f| f.needs_shift),
            "a frame shift of features",
        ),
        rule("a frame shift", caps.shift_rule.words),
        held(segments.closed, "segments with an end"),
        held(
            segments.needs_some,
            "at least one segment, where there are such",
        ),
        match audio.max_channels {
            1 => Some("sound of one channel".to_owned()),
            most => (most < u64::MAX).then(|| format!("sound of at most {most} channels")),
        },
        rule("a sampling rate", audio.rates.words),
        held(audio.needs_samples, "sound with samples"),
        arrays
            .filter(|arrays| arrays.min_rank > 0)
            .map(|arrays| format!("arrays of at least {} dimensions", arrays.min_rank)),
        arrays.and_then(|arrays| match arrays.max_count {
            usize::MAX => None,
            1 => Some("one array an utterance".to_owned()),
            most => Some(format!("at most {most} arrays an utterance")),
        }),
        arrays.and_then(|arrays| Some(format!("arrays called {}", arrays.name?))),
    ];
    needs.into_iter().flatten().collect()
}

/// Returns the entry of a table.
pub fn yes(held: bool) -> &'static str {
    if held { "yes" } else { "no" }
}

/// Describes support for segments and their properties.
pub fn segments(capability: &Capability) -> String {
    let own = [yes(capability.segments)].into_iter();
    let all: Vec<_> = own
        .chain(capability.segment_parts.iter().copied())
        .collect();
    all.join(", ")
}

/// Describes support for speaker and recording.
pub fn source(capability: &Capability) -> String {
    match capability.source_parts.len() {
        0 => yes(false).to_owned(),
        few if few < SourceField::ALL.len() => capability.source_parts.join(", "),
        _ => yes(true).to_owned(),
    }
}

/// Returns the table of the README in Markdown.
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
            // A variant shared by several formats is listed once.
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
