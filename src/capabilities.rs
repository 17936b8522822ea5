//! What each format can hold, told from its [`Caps`]: the table of the README and of `formats`.

use serde::Serialize;
use spr_core::Result;
use spr_core::format::{Caps, Count, Empty, Format, Keys, Objects, Options, Place, Registry, Tags};
use spr_core::model::{Dtype, Object};

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
    /// Element types of audio samples.
    pub audio: String,
    /// Labelled stretches of time.
    pub segments: bool,
    /// What was said.
    pub text: bool,
    /// Objects that are neither features nor labels.
    pub objects: &'static str,
    /// How names are kept.
    pub keys: &'static str,
    /// Frame shift and offset.
    pub frame_times: bool,
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

/// Kinds of files of a format that hold something else: the format, its option `data`, and the
/// extension that asks for it.
const KINDS: [(&str, &str, &str); 2] = [("spr", "SEG", "seg"), ("spr", "CORPUS", "cor")];

/// What `format` can hold with these options.
fn with(format: &'static dyn Format, options: &Options) -> Result<Capability> {
    let info = format.info();
    let file = format.caps(options, Place::File)?;
    let caps = match file.count {
        Count::One => format.caps(options, Place::Folder)?,
        Count::Many => file,
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
        audio: dtypes(caps.audio),
        segments: caps.segments,
        text: caps.text,
        objects: match caps.objects {
            Objects::None => "no",
            Objects::Kinds(kinds) if kinds.len() < Object::KINDS.len() => "some",
            _ => "yes",
        },
        keys: keys(&caps),
        frame_times: caps.frame_times,
        tags: match caps.tags {
            Tags::None => "no",
            Tags::Of(_) => "its own",
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

fn dtypes(list: &[Dtype]) -> String {
    if list.len() == Dtype::ALL.len() {
        return "all types".to_owned();
    }
    if list.is_empty() {
        return "no".to_owned();
    }
    list.iter().map(|d| d.name()).collect::<Vec<_>>().join(" ")
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
        Keys::Words => "words",
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

/// The table of the README, in Markdown.
///
/// # Errors
/// None with the formats built in.
pub fn markdown(registry: &Registry) -> Result<String> {
    let mut out = String::from(
        "| format | features | labels | audio | segments | text | other objects | names | same in all | no frames | frame shift | header lines |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for format in registry.formats() {
        let name = format.info().name;
        row(&format!("`{name}`"), &of(format)?, &mut out);
        for (_, data, extension) in KINDS.iter().filter(|(of, ..)| *of == name) {
            let options = Options::new(format.info(), [("data", *data)])?;
            row(
                &format!("`{name}`: `.{extension}`"),
                &with(format, &options)?,
                &mut out,
            );
        }
    }
    Ok(out)
}

fn row(name: &str, c: &Capability, out: &mut String) {
    out.push_str(&format!(
        "| {name} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
        c.features,
        c.labels,
        c.audio,
        yes(c.segments),
        yes(c.text),
        c.objects,
        c.keys,
        c.uniform,
        c.empty,
        yes(c.frame_times),
        c.tags
    ));
}
