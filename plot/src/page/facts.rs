//! What a page says of a data set in words.

use super::Subject;
use crate::Overview;

/// Facts and their names; those that are not known are left out.
pub(super) fn list(subject: &Subject, all: &Overview) -> Vec<(&'static str, String)> {
    let (info, stats) = (&subject.info, &all.stats);
    let kinds: Vec<_> = all.kinds.iter().map(String::as_str).collect();
    let dtypes: Vec<_> = all.dtypes.iter().copied().collect();
    let sound: f64 = all
        .durations
        .iter()
        .map(|(d, n)| (*d as f64) * (*n as f64))
        .sum();
    let seconds = match all.durations.is_empty() {
        true => stats.seconds.filter(|s| *s > 0.0),
        false => Some(sound / 100.0),
    };
    let lengths = stats.lengths.filter(|lengths| lengths.max > 0);
    let dim = stats.columns();
    let rates: Vec<_> = all
        .rates
        .iter()
        .take(4)
        .map(|r| format!("{r} Hz"))
        .collect();
    let labels = stats.labels.iter().map(|l| l.len().to_string());
    let labels: Vec<_> = labels.take(6).collect();
    let sum = stats.columns_from(0).unwrap_or_default();
    let (nan, inf) = (sum.nan, sum.inf);
    let codings = info.compression.as_deref().into_iter();
    let codings: Vec<_> = codings
        .chain(all.codings.iter().map(String::as_str))
        .collect();
    let sound_of = stats.sound.clone().unwrap_or_default();
    let channels = sound_of.channels.keys().map(ToString::to_string);
    let channels = channels.collect::<Vec<_>>().join(", ");
    let level = |db: Option<f64>| db.map(|db| format!("{db:.2} dB"));
    let clipped = Some(sound_of.clipped).filter(|n| *n > 0);
    let clipped = clipped.map(|n| match sound_of.clipped_utterances {
        1 => format!("{n} in 1 utterance"),
        utterances => format!("{n} in {utterances} utterances"),
    });
    let given = |text: String| Some(text).filter(|text| !text.is_empty());
    let facts = [
        ("Format", given(subject.format.clone())),
        ("File size", subject.bytes.map(bytes)),
        ("Read", given(subject.read.clone())),
        ("Utterances", Some(stats.utterances.to_string())),
        ("Holds", given(kinds.join(", "))),
        ("Frames", lengths.map(|_| stats.frames.to_string())),
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
        ("Peak", level(sound_of.peak_db)),
        ("RMS", level(sound_of.rms_db)),
        ("Clipped samples", clipped),
        (
            "Frame shift",
            info.frame_shift.map(|shift| format!("{shift} s")),
        ),
        (
            "Byte order",
            info.byte_order.map(|o| format!("{} endian", o.name())),
        ),
        ("Packed with", given(codings.join("+"))),
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

/// Seconds, minutes or hours.
pub(super) fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 60.0 => format!("{s:.2} s"),
        s if s < 3600.0 => format!("{:.1} min", s / 60.0),
        s => format!("{:.2} h", s / 3600.0),
    }
}
