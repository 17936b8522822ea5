//! The facts and pictures of a whole data set.

use spr_core::format::Reader;
use spr_core::text::harmless;
use spr_core::{Error, Result, Symbols};
use spr_stats::{LabelCount, ListedUtterance, Scope, Survey, name_labels};

use super::picture::{Detail, Picture};

/// A chart of a whole data set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chart {
    /// The number of utterances by length.
    Lengths,
    /// The number of occurrences of each label.
    Labels,
    /// The mean and standard deviation of each feature column.
    Dims,
}

impl Chart {
    /// All charts, in the order in which they are drawn.
    pub const ALL: [Self; 3] = [Self::Lengths, Self::Labels, Self::Dims];
}

/// A summary of a data set, made in one pass with little memory.
#[non_exhaustive]
#[derive(Clone, Debug, Default)]
pub struct Overview {
    /// The facts.
    pub survey: Survey,
    /// The counts of each label, one list per column.
    pub labels: Vec<Vec<LabelCount>>,
    /// Pictures of the first, the longest and the shortest utterance, if requested.
    pub pictures: [Option<Picture>; 3],
}

impl Overview {
    /// Reads a data set to its end. `pictures` sets the detail of pictures of utterances.
    ///
    /// # Errors
    /// The data set cannot be read.
    pub fn read(reader: &mut dyn Reader, pictures: Option<Detail>) -> Result<Self> {
        Self::read_past(reader, pictures, Err)
    }

    /// Reads a data set as far as possible and passes errors to `tell`.
    ///
    /// # Errors
    /// Errors that `tell` does not accept.
    pub fn read_past(
        reader: &mut dyn Reader,
        pictures: Option<Detail>,
        tell: impl FnMut(Error) -> Result<()>,
    ) -> Result<Self> {
        let mut drawn = [const { None }; 3];
        let mut survey = Survey::new(Scope::Lists, reader.info());
        survey.read_past(
            reader,
            |survey, utt| {
                let Some(detail) = pictures else {
                    return Ok(());
                };
                for (slot, wanted) in drawn.iter_mut().zip(last_is_head(survey)) {
                    if wanted {
                        *slot = Some(Picture::with(utt, &detail)?);
                    }
                }
                Ok(())
            },
            tell,
        )?;
        Ok(Self {
            labels: std::mem::take(&mut survey.labels).lists(),
            survey,
            pictures: drawn,
        })
    }

    /// Replaces numeric labels by their names, if they have one.
    pub fn name(&mut self, symbols: &Symbols) {
        name_labels(&mut self.labels, symbols);
        let pictures = self.pictures.iter_mut().flatten();
        pictures.for_each(|picture| picture.name(symbols));
    }

    /// Describes the values that are not finite: who has them. `None` if there are none.
    pub fn gaps(&self) -> Option<String> {
        let columns = &self.survey.columns;
        let (count, named) = (columns.odd, &columns.odd_keys);
        let names: Vec<_> = named.iter().map(|key| harmless(&key.to_string())).collect();
        let more = match count > named.len() as u64 {
            true => ", ..",
            false => "",
        };
        let whose = match count {
            0 => return None,
            1 => "one utterance".to_owned(),
            n => format!("{n} utterances"),
        };
        let names = names.join(", ");
        Some(format!("NaN or infinite values in {whose}: {names}{more}"))
    }
}

/// Returns whether the last utterance is the first, the longest and the shortest so far, of those that
/// are not empty.
fn last_is_head(survey: &Survey) -> [bool; 3] {
    let (lists, last) = (&survey.lists, survey.utterances.saturating_sub(1));
    let is_last = |head: Option<&ListedUtterance>| {
        head.is_some_and(|head| head.place == last && head.entry.frames > 0)
    };
    let shortest = lists.shortest_filled.as_ref();
    [last == 0, is_last(lists.longest.first()), is_last(shortest)]
}

#[cfg(test)]
mod tests {
    use super::*;
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

    /// Reads utterances of one column, named `k0`, `k1`, ….
    fn read(columns: &[&[f32]]) -> Overview {
        let utts = columns.iter().enumerate().map(|(i, values)| Utterance {
            key: format!("k{i}").as_str().into(),
            features: Matrix::from_rows(values, 1, Rank::Matrix).ok(),
            ..Utterance::default()
        });
        let mut stack = Stack(utts.rev().collect(), DatasetInfo::default());
        Overview::read(&mut stack, Some(Detail::new(9, 9))).unwrap()
    }

    #[test]
    fn the_first_the_longest_and_the_shortest_are_drawn() {
        let all = read(&[&[0.0; 5], &[], &[0.0; 9], &[0.0; 2], &[0.0; 9], &[0.0; 2]]);
        let keys = all.pictures.map(|p| p.map(|p| p.key.to_string()));
        let keys = keys.each_ref().map(Option::as_deref);
        // Where it is empty there is nothing to be seen.
        assert_eq!(keys, [Some("k0"), Some("k2"), Some("k3")]);
        let all = read(&[&[], &[0.0; 5], &[0.0; 2]]);
        let keys = all.pictures.map(|p| p.map(|p| p.key.to_string()));
        assert_eq!(
            keys.each_ref().map(Option::as_deref),
            [Some("k0"), Some("k1"), Some("k2")]
        );
    }

    #[test]
    fn utterances_with_values_that_are_not_finite_are_named() {
        let (nan, inf) = (f32::NAN, f32::INFINITY);
        let said = read(&[&[1.0], &[nan]]).gaps();
        let one = "NaN or infinite values in one utterance: k1";
        assert_eq!(said.as_deref(), Some(one));
        let said = read(&[&[1.0], &[nan], &[inf], &[2.0], &[nan], &[nan]]).gaps();
        let four = "NaN or infinite values in 4 utterances: k1, k2, k4, ..";
        assert_eq!(said.as_deref(), Some(four));
        assert_eq!(Overview::default().gaps(), None);
    }
}
