//! `stats --by`: the groups of a data set, and what is told of each.

use serde_json::{Map, Value, json};
use spr_core::model::Key;
use spr_core::{Error, Result, Symbols};
use spr_stats::{Group, GroupBy, GroupValue, Groups};

use super::key_json;

/// The sums of a group, in the order in which they are printed. Lengths are those of spans: runs of a
/// label or segments, else utterances.
pub const SUMS: [&str; 14] = [
    "utterances",
    "spans",
    "frames",
    "min_frames",
    "mean_frames",
    "max_frames",
    "seconds",
    "min_seconds",
    "mean_seconds",
    "max_seconds",
    "peak_db",
    "rms_db",
    "clipped",
    "zeros",
];

/// Returns the properties of these names.
///
/// # Errors
/// There is no property of a name, it is named twice, or it has the name of a sum.
pub fn parse(names: &[String]) -> Result<Vec<GroupBy>> {
    let mut by = Vec::<GroupBy>::new();
    for name in names {
        let found = GroupBy::find(name)?;
        if by.iter().any(|other| other.name() == found.name()) {
            return Err(Error::usage(format!("'{name}' is named twice")));
        }
        if SUMS.contains(&found.name()) {
            let message = format!("'{name}' is counted in each group, and makes none");
            return Err(Error::usage(message));
        }
        by.push(found);
    }
    Ok(by)
}

/// Returns an object of JSON for each group of a data set, whose argument and format are given.
pub fn objects(
    (input, format): (&str, &str),
    by: &[GroupBy],
    groups: &Groups,
    symbols: Option<&Symbols>,
) -> Vec<Map<String, Value>> {
    let object = |(values, group): (&[GroupValue], &Group)| {
        let mut line = Map::new();
        line.insert("input".to_owned(), json!(input));
        line.insert("format".to_owned(), json!(format));
        for (by, value) in by.iter().zip(values) {
            line.insert(by.name().to_owned(), group_value(*by, value, symbols));
        }
        let sums = SUMS.iter().zip(sums(group));
        line.extend(sums.map(|(name, value)| ((*name).to_owned(), value)));
        line
    };
    groups.iter().map(object).collect()
}

/// Returns what the utterances of a group share, with labels by their names.
pub fn group_value(by: GroupBy, value: &GroupValue, symbols: Option<&Symbols>) -> Value {
    match value {
        GroupValue::Unknown => Value::Null,
        GroupValue::Text(text) => key_json(&Key::from(&**text)),
        GroupValue::Number(number) => {
            let number = number.json();
            let symbols = symbols.filter(|_| matches!(by, GroupBy::Label));
            let name = symbols.zip(number.as_i64());
            let name = name.and_then(|(symbols, n)| symbols.name_of(n));
            name.map_or(number, |name| Key::from(name).to_string().into())
        }
    }
}

/// Returns the sums in the order of [`SUMS`].
pub fn sums(group: &Group) -> [Value; 14] {
    let (least, most) = group.frame_range;
    let seconds = group.second_range;
    let sound = Some(&group.sound).filter(|sound| sound.measured > 0);
    [
        json!(group.utterances),
        json!(group.spans),
        json!(group.frames),
        json!(least),
        json!(group.mean_frames()),
        json!(most),
        json!(group.seconds()),
        json!(seconds.map(|range| range.0)),
        json!(group.mean_seconds()),
        json!(seconds.map(|range| range.1)),
        json!(sound.and_then(|sound| sound.peak_db)),
        json!(sound.and_then(|sound| sound.rms_db)),
        json!(sound.map(|sound| sound.clipped)),
        json!(sound.map(|sound| sound.zeros)),
    ]
}
