//! `spr-convert stats IN... --by COLUMN`: the groups of a data set, a line each.

use spr_core::{Result, Symbols};
use spr_stats::{Group, GroupBy, GroupValue, Groups};

use super::messages;
use super::out::{Columns, Out};
use super::table::word;
use crate::verbs::groups::{SUMS, group_value, objects, sums};

/// Prints the titles of a table with tabs.
pub(super) fn titles(by: &[GroupBy], out: &mut Out) -> Result<()> {
    let names = by.iter().map(|by| by.name());
    let titles = ["input", "format"].into_iter().chain(names).chain(SUMS);
    out.tsv(&titles.collect::<Vec<_>>())
}

/// The groups of one input.
pub(super) struct Printed<'a> {
    pub(super) input: &'a str,
    pub(super) format: &'a str,
    pub(super) by: &'a [GroupBy],
    pub(super) groups: &'a Groups,
    pub(super) symbols: Option<&'a Symbols>,
}

impl Printed<'_> {
    /// Prints an object of JSON for each group.
    pub(super) fn json(&self, out: &mut Out) -> Result<()> {
        let lines = objects(
            (self.input, self.format),
            self.by,
            self.groups,
            self.symbols,
        );
        lines.iter().try_for_each(|line| out.json(line))
    }

    /// Prints a line with tabs for each group.
    pub(super) fn tsv(&self, out: &mut Out) -> Result<()> {
        for (values, group) in self.groups.iter() {
            let own = self.by.iter().zip(values);
            let own = own.map(|(by, value)| word(&group_value(*by, value, self.symbols)));
            let input = [self.input.to_owned(), self.format.to_owned()];
            let sums = sums(group).into_iter().map(|sum| word(&sum));
            out.tsv(&input.into_iter().chain(own).chain(sums).collect::<Vec<_>>())?;
        }
        Ok(())
    }

    /// Prints a table of what is known of the groups.
    pub(super) fn table(&self, out: &mut Out) -> Result<()> {
        let rows: Vec<_> = self.groups.iter().collect();
        let names = self.by.iter().map(|by| by.name().to_owned());
        let shown: Vec<_> = columns(&rows).into_iter().collect();
        let mut titles: Vec<_> = names.collect();
        titles.extend(shown.iter().map(|(title, _)| (*title).to_owned()));
        if let Some(first) = titles.first_mut() {
            first.insert_str(0, "  ");
        }
        let mut table = Columns::new(self.by.len());
        table.line(titles, out)?;
        for (values, group) in rows {
            let own = self.by.iter().zip(values);
            let mut words: Vec<_> = own
                .map(
                    |(by, value)| match word(&group_value(*by, value, self.symbols)) {
                        word if word.is_empty() => "-".to_owned(),
                        word => word,
                    },
                )
                .collect();
            if let Some(first) = words.first_mut() {
                first.insert_str(0, "  ");
            }
            words.extend(shown.iter().map(|(_, of)| of(group).unwrap_or("-".into())));
            table.line(words, out)?;
        }
        table.finish(out)
    }

    /// Warns of properties that no utterance has.
    pub(super) fn warn(&self) {
        for name in self.groups.unknown() {
            messages::warning(&format!("{}: no utterance has '{name}'", self.input));
        }
    }
}

/// A column of the table for people: a title, and the text of a group.
type Shown = (&'static str, fn(&Group) -> Option<String>);

/// Returns the columns that are known of any group.
fn columns(rows: &[(&[GroupValue], &Group)]) -> Vec<Shown> {
    let has_spans = rows
        .iter()
        .any(|(_, group)| group.spans != group.utterances);
    let has_frames = rows.iter().any(|(_, group)| group.frames > 0);
    let longest = rows.iter().filter_map(|(_, group)| group.seconds());
    let is_long = longest.fold(0.0, f64::max) >= 3600.0;
    let mut shown: Vec<Shown> = vec![("utterances", |group| Some(group.utterances.to_string()))];
    if has_spans {
        shown.push(("spans", |group| Some(group.spans.to_string())));
    }
    if has_frames {
        shown.push(("frames", |group| Some(group.frames.to_string())));
    }
    match is_long {
        true => shown.push(("hours", |group| {
            Some(format!("{:.3}", group.seconds()? / 3600.0))
        })),
        false => shown.push(("seconds", |group| Some(format!("{:.2}", group.seconds()?)))),
    }
    let timed: [Shown; 3] = [
        ("shortest", |group| {
            Some(format!("{:.2}", group.second_range?.0))
        }),
        ("mean", |group| {
            Some(format!("{:.2}", group.mean_seconds()?))
        }),
        ("longest", |group| {
            Some(format!("{:.2}", group.second_range?.1))
        }),
    ];
    let framed: [Shown; 3] = [
        ("shortest", |group| Some(group.frame_range.0.to_string())),
        ("mean", |group| Some(format!("{:.1}", group.mean_frames()))),
        ("longest", |group| Some(group.frame_range.1.to_string())),
    ];
    let is_timed = rows.iter().any(|(_, group)| group.second_range.is_some());
    shown.extend(if is_timed { timed } else { framed });
    shown.push(("peak dB", |group| {
        group.sound.peak_db.map(|db| format!("{db:.2}"))
    }));
    shown.push(("RMS dB", |group| {
        group.sound.rms_db.map(|db| format!("{db:.2}"))
    }));
    let is_known = |(_, of): &Shown| rows.iter().any(|(_, group)| of(group).is_some());
    shown.retain(is_known);
    shown
}
