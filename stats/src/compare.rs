//! Data sets side by side: their facts, and what only some of them have.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::label::LabelCount;
use crate::survey::Survey;

/// The names that are listed of what data sets share or lack.
const NAMED: usize = 10;

/// A data set that is compared with others.
#[derive(Clone, Copy, Debug)]
pub struct Compared<'a> {
    /// Its name, as users know it.
    pub name: &'a str,
    /// Its facts, of the scope [`Lists`](crate::Scope::Lists).
    pub survey: &'a Survey,
    /// The counts of its labels, a list for each column.
    pub labels: &'a [Vec<LabelCount>],
}

/// Returns a table of facts: a name, and the value of each data set. Facts that are known of none are
/// left out.
pub fn side_by_side(sets: &[Compared<'_>]) -> Vec<(&'static str, Vec<String>)> {
    type Fact = fn(&Compared<'_>) -> Option<String>;
    let facts: [(&str, Fact); 12] = [
        ("utterances", |set| Some(set.survey.utterances.to_string())),
        ("frames", |set| positive(set.survey.frames)),
        ("hours", |set| {
            Some(format!("{:.3}", set.survey.seconds()? / 3600.0))
        }),
        ("speakers", |set| positive(set.survey.sources.speakers())),
        ("languages", |set| {
            let languages = set.survey.sources.languages.keys();
            joined(languages.map(ToString::to_string))
        }),
        ("frames each", |set| {
            let lengths = set.survey.lengths().filter(|lengths| lengths.max > 0)?;
            let (min, mean, max) = (lengths.min, lengths.mean, lengths.max);
            Some(format!("{min} to {max}, mean {mean:.1}"))
        }),
        ("seconds each", |set| {
            let lists = &set.survey.lists;
            let end = |list: &[crate::ListedUtterance]| list.first()?.entry.seconds;
            let (least, most) = (end(&lists.shortest)?, end(&lists.longest)?);
            let mean = set.survey.seconds()? / set.survey.utterances as f64;
            Some(format!("{least:.2} to {most:.2}, mean {mean:.2}"))
        }),
        ("columns", |set| positive(set.survey.columns.count as u64)),
        ("types", |set| {
            let dtypes = set.survey.lists.dtypes.iter();
            joined(dtypes.map(ToString::to_string))
        }),
        ("labels", |set| {
            joined(set.labels.iter().map(|list| list.len().to_string()))
        }),
        ("rates", |set| {
            joined(set.survey.sound.rates.keys().map(ToString::to_string))
        }),
        ("RMS", |set| {
            Some(format!("{:.2} dB", set.survey.sound.rms_db?))
        }),
    ];
    let rows = facts.into_iter().filter_map(|(name, of)| {
        let values: Vec<_> = sets.iter().map(of).collect();
        let is_known = values.iter().any(Option::is_some);
        let values = values.into_iter().map(|value| value.unwrap_or("-".into()));
        is_known.then(|| (name, values.collect()))
    });
    rows.collect()
}

fn positive(count: u64) -> Option<String> {
    (count > 0).then(|| count.to_string())
}

fn joined(words: impl Iterator<Item = String>) -> Option<String> {
    let words: Vec<_> = words.collect();
    (!words.is_empty()).then(|| words.join(", "))
}

/// Returns sentences about the speakers that data sets have in common, and the labels that only one of
/// them has.
pub fn differences(sets: &[Compared<'_>]) -> Vec<String> {
    let mut found = Vec::new();
    for (at, one) in sets.iter().enumerate() {
        for other in sets.iter().skip(at + 1) {
            found.extend(shared_speakers(one, other));
        }
    }
    found.extend(lone_labels(sets));
    found
}

fn shared_speakers(one: &Compared<'_>, other: &Compared<'_>) -> Option<String> {
    let (own, others) = (&one.survey.sources, &other.survey.sources);
    if own.speakers() == 0 || others.speakers() == 0 {
        return None;
    }
    let shared = own.speakers_in_common(others);
    let both = format!("{} and {}", one.name, other.name);
    let theirs = &other.survey.lists.speakers;
    let names = one.survey.lists.speakers.keys();
    let names = names.filter(|speaker| theirs.contains_key(*speaker));
    let named = named(names.map(ToString::to_string), shared);
    Some(match shared {
        0 => format!("{both} share no speaker"),
        1 => format!("{both} share 1 speaker: {named}"),
        n => format!("{both} share {n} speakers: {named}"),
    })
}

/// Returns a sentence for each data set and column with labels that no other data set has.
fn lone_labels(sets: &[Compared<'_>]) -> Vec<String> {
    let labelled = sets.iter().filter(|set| !set.labels.is_empty());
    let columns = labelled.clone().map(|set| set.labels.len()).max();
    let mut found = Vec::new();
    if labelled.count() < 2 {
        return found;
    }
    for column in 0..columns.unwrap_or_default() {
        let own = |set: &Compared<'_>| -> Vec<String> {
            let list = set.labels.get(column).into_iter().flatten();
            list.map(|count| label(&count.label)).collect()
        };
        let mut holders = BTreeMap::<String, usize>::new();
        for label in sets.iter().flat_map(own) {
            *holders.entry(label).or_default() += 1;
        }
        for set in sets {
            let lone = own(set).into_iter();
            let lone: Vec<_> = lone
                .filter(|label| holders.get(label) == Some(&1))
                .collect();
            let count = lone.len() as u64;
            let noun = match (count, columns) {
                (0, _) => continue,
                (1, Some(1)) => "label".to_owned(),
                (_, Some(1)) => "labels".to_owned(),
                _ => format!("labels of column {column}"),
            };
            let named = named(lone.into_iter(), count);
            found.push(format!("{count} {noun} only in {}: {named}", set.name));
        }
    }
    found
}

fn label(value: &Value) -> String {
    match value {
        Value::String(name) => name.clone(),
        Value::Null => "beyond i64".to_owned(),
        value => value.to_string(),
    }
}

/// Returns the first of `count` names.
fn named(names: impl Iterator<Item = String>, count: u64) -> String {
    let names: Vec<_> = names.take(NAMED).collect();
    let more = match count > names.len() as u64 {
        true => ", ..",
        false => "",
    };
    format!("{}{more}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scope;
    use spr_core::Result;
    use spr_core::format::Reader;
    use spr_core::model::{DatasetInfo, Matrix, Rank, Utterance};

    /// Utterances that are read from the last to the first.
    struct Stack(Vec<Utterance>, DatasetInfo);

    impl Reader for Stack {
        fn info(&self) -> &DatasetInfo {
            &self.1
        }

        fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
            let next = self.0.pop();
            Ok(next.map(|next| *utt = next).is_some())
        }
    }

    fn survey(utts: &[(&str, &[i32])]) -> Survey {
        let utts = utts.iter().map(|(speaker, labels)| {
            let mut utt = Utterance {
                labels: Matrix::from_rows(labels, 1, Rank::Vector).ok(),
                ..Utterance::default()
            };
            utt.meta.speaker = Some((*speaker).into());
            utt
        });
        let mut survey = Survey::new(Scope::Lists, &DatasetInfo::default());
        let mut stack = Stack(utts.collect(), DatasetInfo::default());
        survey.read(&mut stack).unwrap();
        survey
    }

    #[test]
    fn data_sets_are_compared() {
        let surveys = [
            survey(&[("ann", &[1, 2, 3]), ("bob", &[2])]),
            survey(&[("bob", &[2, 9]), ("cleo", &[2])]),
        ];
        let labels = surveys.each_ref().map(|survey| survey.labels.lists());
        let sets = [0, 1].map(|at| Compared {
            name: ["train", "valid"][at],
            survey: &surveys[at],
            labels: &labels[at],
        });
        let table = side_by_side(&sets);
        let row = |name: &str| table.iter().find(|row| row.0 == name).map(|row| &row.1[..]);
        assert_eq!(
            row("utterances"),
            Some(&["2".to_owned(), "2".to_owned()][..])
        );
        assert_eq!(row("labels"), Some(&["3".to_owned(), "2".to_owned()][..]));
        assert_eq!(row("rates"), None);
        let each = ["1 to 3, mean 2.0", "1 to 2, mean 1.5"].map(str::to_owned);
        assert_eq!(row("frames each"), Some(&each[..]));
        assert_eq!(
            differences(&sets),
            [
                "train and valid share 1 speaker: bob",
                "2 labels only in train: 1, 3",
                "1 label only in valid: 9",
            ]
        );
        assert!(differences(&sets[..1]).is_empty());
    }
}
