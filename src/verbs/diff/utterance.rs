//! Comparison of two utterances with the same key.

use std::borrow::Cow;

use spr_core::Result;
use spr_core::model::{Array, Matrix, NamedArray, Rank, Utterance};

use super::noise::Noise;
use super::values::{Tolerance, Values};

/// A difference between two utterances.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq)]
pub enum Difference {
    /// The shape of a field: rows and columns.
    Shape(Cow<'static, str>, String, String),
    /// Numbers.
    Values(Cow<'static, str>, Values),
    /// The difference of audio samples.
    Noise(Noise),
    /// A field without numbers to count.
    Other(Cow<'static, str>, String, String),
}

/// The differences between two utterances, and properties that differ without being differences in
/// content.
#[non_exhaustive]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UtteranceDiff {
    /// The differences in fields that both have.
    pub differences: Vec<Difference>,
    /// The fields that only the first has.
    pub only_a: Vec<String>,
    /// The fields that only the second has.
    pub only_b: Vec<String>,
    /// Whether they have any field in common, or none at all.
    pub shared: bool,
    /// Whether element types differ.
    pub types: bool,
    /// Whether tags, the frame shift or the like differ, or the form of the audio.
    pub metadata: bool,
}

impl Tolerance {
    /// Compares the data of two utterances, without their keys, origins and what is known besides.
    ///
    /// # Errors
    /// None with matrices as they should be.
    pub fn utterances(&self, a: &Utterance, b: &Utterance) -> Result<UtteranceDiff> {
        // All fields are named, so that a new one is not forgotten.
        let Utterance {
            key: _,
            features,
            labels,
            audio,
            tiers,
            text: _,
            object,
            arrays,
            sequences: _,
            meta: _,
            origin: _,
            part: _,
            chunk: _,
            level: _,
            spare: _,
        } = a;
        let mut found = UtteranceDiff::default();
        let (mine, theirs) = (kinds(a), kinds(b));
        let beyond = |some: &[String], others: &[String]| -> Vec<_> {
            let alone = some.iter().filter(|kind| !others.contains(kind));
            alone.cloned().collect()
        };
        found.only_a = beyond(&mine, &theirs);
        found.only_b = beyond(&theirs, &mine);
        let beside = found.only_a.len() + found.only_b.len();
        found.shared = beside == 0 || found.only_a.len() < mine.len();
        if let (Some(a), Some(b)) = (features, &b.features) {
            self.matrix("features".into(), a, b, &mut found)?;
        }
        if let (Some(a), Some(b)) = (labels, &b.labels) {
            self.matrix("labels".into(), a, b, &mut found)?;
        }
        if let (Some(a), Some(b)) = (audio, &b.audio) {
            self.sound(a, b, &mut found)?;
        }
        self.tiers(tiers, &b.tiers, &mut found);
        if let (Some(a), Some(b)) = (a.said(), b.said())
            && a != b
        {
            let [a, b] = shown_apart(&a, &b);
            found
                .differences
                .push(Difference::Other("text".into(), a, b));
        }
        if let (Some(a), Some(b)) = (object, &b.object) {
            self.objects(a, b, &mut found);
        }
        self.arrays(arrays, &b.arrays, &mut found)?;
        Ok(found)
    }

    pub(super) fn matrix(
        &self,
        what: Cow<'static, str>,
        a: &Matrix,
        b: &Matrix,
        found: &mut UtteranceDiff,
    ) -> Result<()> {
        let shapes = [a, b].map(|matrix| shape(&what, matrix));
        self.numbers(what, shapes, a, b, found)
    }

    fn numbers(
        &self,
        what: Cow<'static, str>,
        [mine, theirs]: [String; 2],
        a: &Matrix,
        b: &Matrix,
        found: &mut UtteranceDiff,
    ) -> Result<()> {
        found.types |= a.dtype() != b.dtype();
        if mine != theirs {
            found
                .differences
                .push(Difference::Shape(what, mine, theirs));
        } else if let Some(values) = self.matrices(a, b)? {
            found.differences.push(Difference::Values(what, values));
        }
        Ok(())
    }

    /// Compares arrays by name, if both have some. Values are indexed linearly.
    fn arrays(&self, a: &[NamedArray], b: &[NamedArray], found: &mut UtteranceDiff) -> Result<()> {
        if a.is_empty() || b.is_empty() {
            return Ok(());
        }
        let (mine, theirs) = (by_name(a), by_name(b));
        let names = |arrays: &[&NamedArray]| {
            let names: Vec<_> = arrays
                .iter()
                .map(|named| shown(named.name.as_bytes()))
                .collect();
            names.join(" ")
        };
        if !mine
            .iter()
            .map(|named| &named.name)
            .eq(theirs.iter().map(|named| &named.name))
        {
            let [a, b] = [names(&mine), names(&theirs)];
            found
                .differences
                .push(Difference::Other("arrays".into(), a, b));
            return Ok(());
        }
        for (a, b) in mine.into_iter().zip(theirs) {
            let what = format!("array {}", shown(a.name.as_bytes()));
            let sizes = [a, b].map(|named| size(&named.array));
            let [a, b] = [a, b].map(|named| named.array.values());
            self.numbers(what.into(), sizes, a, b, found)?;
        }
        Ok(())
    }
}

fn by_name(arrays: &[NamedArray]) -> Vec<&NamedArray> {
    let mut sorted: Vec<_> = arrays.iter().collect();
    sorted.sort_by_key(|named| &named.name);
    sorted
}

fn kinds(utt: &Utterance) -> Vec<String> {
    let features = utt.features.iter().map(|_| "features");
    let labels = utt.labels.iter().map(|_| "labels");
    let kinds = features.chain(labels).chain(utt.others());
    kinds.map(str::to_owned).collect()
}

/// Formats the shape; single-column labels are a list in any form.
fn shape(what: &str, matrix: &Matrix) -> String {
    match matrix.rank() {
        Rank::Scalar => "one number".to_owned(),
        Rank::Vector => matrix.rows().to_string(),
        Rank::Matrix if what == "labels" && matrix.cols() == 1 => matrix.rows().to_string(),
        // Without rows, formats differ in whether they store the number of columns.
        Rank::Matrix if matrix.is_empty() => "0 x 0".to_owned(),
        Rank::Matrix => format!("{} x {}", matrix.rows(), matrix.cols()),
    }
}

/// Formats the sizes of an array.
fn size(array: &Array) -> String {
    let sizes: Vec<_> = array.shape().iter().map(ToString::to_string).collect();
    match sizes.is_empty() {
        true => "one number".to_owned(),
        false => sizes.join(" x "),
    }
}

/// The most characters that are shown of a text.
const MOST: usize = 40;
/// Those before the first one that differs.
const BEFORE: usize = 12;

/// Returns the beginning of a text, safe to be shown.
pub(super) fn shown(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    format!("'{}'", from(&text, 0))
}

/// Returns two texts that differ, safe to be shown, from shortly before the place where they do.
pub(super) fn shown_apart(a: &[u8], b: &[u8]) -> [String; 2] {
    let texts = [a, b].map(String::from_utf8_lossy);
    let [a, b] = [&texts[0], &texts[1]].map(|text| text.chars());
    let alike = a.zip(b).take_while(|(a, b)| a == b).count();
    let start = match alike < MOST / 2 {
        true => 0,
        false => alike - BEFORE,
    };
    texts.map(|text| format!("'{}'", from(&text, start)))
}

fn from(text: &str, start: usize) -> String {
    let mut shown = if start > 0 { "…" } else { "" }.to_owned();
    let rest = text.chars().skip(start);
    for character in rest.clone().take(MOST) {
        match character {
            '"' => shown.push('"'),
            other => shown.extend(other.escape_debug()),
        }
    }
    if rest.count() > MOST {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use spr_core::Limits;
    use spr_core::model::Dtype;

    fn named(name: &str, dtype: Dtype, shape: &[usize]) -> NamedArray {
        NamedArray {
            name: name.to_owned(),
            array: Array::new(dtype, shape, &Limits::default()).unwrap(),
        }
    }

    #[test]
    fn long_texts_are_shown_where_they_differ() {
        let long = "the quick brown fox jumps over the lazy dog again and again and again";
        let [a, b] = shown_apart(long.as_bytes(), long.replace("dog", "cat").as_bytes());
        assert_eq!(a, "'…er the lazy dog again and again and agai…'");
        assert_eq!(b, "'…er the lazy cat again and again and agai…'");
        let [a, b] = shown_apart(b"one\xff", b"one");
        assert_eq!((&*a, &*b), ("'one\u{fffd}'", "'one'"));
    }

    #[test]
    fn arrays_are_compared_by_name() {
        let compared = |a: &[NamedArray], b: &[NamedArray]| {
            let of = |arrays: &[NamedArray]| Utterance {
                arrays: arrays.to_vec(),
                ..Utterance::default()
            };
            Tolerance::default().utterances(&of(a), &of(b)).unwrap()
        };
        let (x, y) = (named("x", Dtype::F32, &[2, 3]), named("y", Dtype::I8, &[]));
        let both = [x.clone(), y.clone()];
        let turned = compared(&both, &[y.clone(), x.clone()]);
        assert_eq!(
            turned,
            UtteranceDiff {
                shared: true,
                ..UtteranceDiff::default()
            }
        );
        let wider = compared(&both, &[named("x", Dtype::F64, &[2, 3]), y.clone()]);
        assert!(wider.types && wider.differences.is_empty());
        let mut other = x.clone();
        other.array.values_mut().values_mut::<f32>().unwrap()[4] = 1.0;
        let alone = compared(&both, &[]);
        assert!(alone.differences.is_empty() && alone.only_b.is_empty());
        assert_eq!(alone.only_a, ["arrays"]);
        for different in [
            vec![x.clone()],
            vec![x.clone(), named("z", Dtype::I8, &[])],
            vec![named("x", Dtype::F32, &[3, 2]), y.clone()],
            vec![other, y],
        ] {
            assert_eq!(compared(&both, &different).differences.len(), 1);
            assert_eq!(compared(&different, &both).differences.len(), 1);
        }
    }
}
