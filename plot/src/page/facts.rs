//! The facts of a data set in words.

use crate::overview::Overview;

/// The source of a data set.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The argument.
    pub input: String,
    /// The format's name.
    pub format: String,
    /// The number of files that were read, and the sum of their sizes in bytes.
    pub files: (usize, u64),
    /// The time at which it was read, in words.
    pub read: String,
}

/// Lists the facts with their names. Those that are not known are left out.
pub(super) fn list(subject: &Subject, all: &Overview) -> Vec<(&'static str, String)> {
    let survey = &all.survey;
    let (info, sound) = (&survey.info, &survey.sound);
    let kinds: Vec<_> = survey.kinds.iter().map(String::as_str).collect();
    let dtypes: Vec<_> = survey.lists.dtypes.iter().copied().collect();
    let lasts = |seconds: &f64| *seconds > 0.0 || sound.utterances > 0;
    let seconds = survey.seconds().filter(lasts);
    let lengths = survey.lengths().filter(|lengths| lengths.max > 0);
    let dim = survey.columns.count;
    let rates = sound.rates.keys();
    let rates: Vec<_> = rates.map(|rate| format!("{rate} Hz")).collect();
    let labels = all.labels.iter().map(|l| l.len().to_string());
    let labels: Vec<_> = labels.collect();
    let sum = survey.columns.from(0).unwrap_or_default();
    let (nan, inf) = (sum.nan, sum.inf);
    let channels = sound.channels.keys().map(ToString::to_string);
    let channels = channels.collect::<Vec<_>>().join(", ");
    let level = |db: Option<f64>| db.map(|db| format!("{db:.2} dB"));
    let clipped = Some(sound.clipped).filter(|n| *n > 0);
    let clipped = clipped.map(|n| match sound.clipped_utterances {
        1 => format!("{n} in 1 utterance"),
        utterances => format!("{n} in {utterances} utterances"),
    });
    let given = |text: String| Some(text).filter(|text| !text.is_empty());
    let facts = [
        ("Format", given(subject.format.clone())),
        ("Size", size(subject.files)),
        ("Read", given(subject.read.clone())),
        ("Utterances", Some(survey.utterances.to_string())),
        ("Holds", given(kinds.join(", "))),
        ("Frames", lengths.map(|_| survey.frames.to_string())),
        (
            "Frames per utterance",
            lengths.map(|l| match l.min == l.max {
                true => l.max.to_string(),
                false => format!("{} to {}", l.min, l.max),
            }),
        ),
        (
            "Median, mean",
            lengths
                .filter(|l| l.min < l.max)
                .map(|l| format!("{}, {:.1}", l.median, l.mean)),
        ),
        ("Duration", seconds.map(duration)),
        ("Columns", (dim > 0).then(|| dim.to_string())),
        ("Type", given(dtypes.join(", "))),
        ("Different labels", given(labels.join(", "))),
        ("Sampling rate", given(rates.join(", "))),
        ("Channels", given(channels)),
        ("Peak", level(sound.peak_db)),
        ("RMS", level(sound.rms_db)),
        ("Clipped samples", clipped),
        (
            "Frame shift",
            info.frame_shift.map(|shift| format!("{shift} s")),
        ),
        (
            "Byte order",
            info.byte_order.map(|o| format!("{} endian", o.name())),
        ),
        ("Packed with", survey.compression()),
        ("Names", Some(names(info.keys.name()).to_owned())),
        ("NaN values", (nan > 0).then(|| nan.to_string())),
        ("Infinite values", (inf > 0).then(|| inf.to_string())),
        ("Not finite", all.gaps()),
    ];
    let known = facts
        .into_iter()
        .filter_map(|(name, text)| Some((name, text?)));
    known.collect()
}

/// Describes the size of files; that of a pipe is unknown.
fn size((files, sum): (usize, u64)) -> Option<String> {
    match files {
        0 => None,
        1 => Some(bytes(sum)),
        _ => Some(format!("{} in {files} files", bytes(sum))),
    }
}

fn bytes(bytes: u64) -> String {
    match bytes as f64 {
        b if b < 1e3 => format!("{bytes} bytes"),
        b if b < 1e6 => format!("{:.1} kB", b / 1e3),
        b if b < 1e9 => format!("{:.1} MB", b / 1e6),
        b => format!("{:.1} GB", b / 1e9),
    }
}

fn names(source: &str) -> &'static str {
    match source {
        "sidecar" => "in a side file",
        "generated" => "made up on reading",
        _ => "stored",
    }
}

/// Formats a duration in seconds, minutes or hours.
pub(super) fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 60.0 => format!("{s:.2} s"),
        s if s < 3600.0 => format!("{:.1} min", s / 60.0),
        s => format!("{:.2} h", s / 3600.0),
    }
}
