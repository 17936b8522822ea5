//! Two utterances of one key.

use spr_core::model::{Matrix, Object, Rank, Segment, Utterance, Wide};

use super::values::{Tolerance, Values};

/// One thing in which two utterances differ.
#[derive(Clone, Debug, PartialEq)]
pub enum Difference {
    /// What they hold.
    Kinds(String, String),
    /// The shape of something: rows and columns.
    Shape(&'static str, String, String),
    /// Numbers.
    Values(&'static str, Values),
    /// Something that has no numbers to count.
    Other(&'static str, String, String),
}

/// What two utterances differ in, and what differs that is no difference in what they hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Compared {
    /// The differences.
    pub differences: Vec<Difference>,
    /// Whether element types differ.
    pub types: bool,
    /// Whether header lines, the frame shift or the like differ.
    pub metadata: bool,
}

impl Tolerance {
    /// Compares two utterances, whatever their keys.
    pub fn utterances(&self, a: &Utterance, b: &Utterance) -> Compared {
        let mut found = Compared {
            metadata: a.meta != b.meta,
            ..Compared::default()
        };
        let (kinds, others) = (kinds(a), kinds(b));
        if kinds != others {
            found.differences.push(Difference::Kinds(kinds, others));
        }
        self.matrix(
            "features",
            a.features.as_ref(),
            b.features.as_ref(),
            &mut found,
        );
        self.matrix("labels", a.labels.as_ref(), b.labels.as_ref(), &mut found);
        if let (Some(a), Some(b)) = (&a.audio, &b.audio) {
            if a.rate != b.rate {
                let rates = [a.rate, b.rate].map(|rate| format!("{rate} samples/s"));
                let [a, b] = rates;
                found.differences.push(Difference::Other("audio", a, b));
            }
            self.matrix("audio", Some(&a.samples), Some(&b.samples), &mut found);
        }
        let more = &mut found.differences;
        if let (Some(a), Some(b)) = (&a.segments, &b.segments) {
            more.extend(self.segments(a, b));
        }
        if let (Some(a), Some(b)) = (&a.text, &b.text)
            && a != b
        {
            more.push(Difference::Other("text", shown(a), shown(b)));
        }
        if let (Some(a), Some(b)) = (&a.object, &b.object) {
            more.extend(self.objects(a, b));
        }
        found
    }

    fn matrix(
        &self,
        what: &'static str,
        a: Option<&Matrix>,
        b: Option<&Matrix>,
        found: &mut Compared,
    ) {
        let (Some(a), Some(b)) = (a, b) else {
            return;
        };
        found.types |= a.dtype() != b.dtype();
        let (mine, theirs) = (shape(what, a), shape(what, b));
        if mine != theirs {
            let shape = Difference::Shape(what, mine, theirs);
            found.differences.push(shape);
        } else if let Some(values) = self.matrices(a, b) {
            found.differences.push(Difference::Values(what, values));
        }
    }

    fn segments(&self, a: &[Segment], b: &[Segment]) -> Option<Difference> {
        if a.len() != b.len() {
            let [a, b] = [a, b].map(|list| list.len().to_string());
            return Some(Difference::Shape("segments", a, b));
        }
        let labels = |(a, b): &(&Segment, &Segment)| a.label != b.label;
        if let Some((a, b)) = a.iter().zip(b).find(labels) {
            let [a, b] = [a, b].map(|segment| shown(&segment.label));
            return Some(Difference::Other("segments", a, b));
        }
        let times = |s: &Segment| [s.start, s.end.unwrap_or(f64::NAN)].map(Wide::Float);
        let pairs = a.iter().flat_map(times).zip(b.iter().flat_map(times));
        let values = self.compare(pairs, 2, 2 * a.len() as u64)?;
        Some(Difference::Values("segments", values))
    }

    /// Objects are the same if all but their floats is, and these are close.
    fn objects(&self, a: &Object, b: &Object) -> Option<Difference> {
        if a == b || a.kind() != b.kind() {
            return None;
        }
        let (mine, theirs) = (Parts::of(a), Parts::of(b));
        if mine.exact != theirs.exact || mine.floats.len() != theirs.floats.len() {
            let sizes = [&mine, &theirs].map(|p| format!("{} items", p.exact.len()));
            let [a, b] = sizes;
            return Some(Difference::Other("object", a, b));
        }
        let of = mine.floats.len() as u64;
        let floats = |parts: Parts| parts.floats.into_iter().map(Wide::Float);
        let values = self.compare(floats(mine).zip(floats(theirs)), 1, of)?;
        Some(Difference::Values("object", values))
    }
}

/// The whole numbers and lengths of an object, and its floats.
#[derive(Default)]
struct Parts {
    exact: Vec<i64>,
    floats: Vec<f64>,
}

impl Parts {
    fn of(object: &Object) -> Self {
        let mut parts = Self::default();
        match object {
            Object::Int(v) => parts.exact.push((*v).into()),
            Object::Bool(v) => parts.exact.push((*v).into()),
            Object::IntLists(lists) => lists.iter().for_each(|list| {
                parts.len(list.len());
                parts.exact.extend(list.iter().map(|v| i64::from(*v)));
            }),
            Object::IntPairs(pairs) => {
                parts
                    .exact
                    .extend(pairs.iter().flatten().map(|v| i64::from(*v)));
            }
            Object::FloatPairs(pairs) => {
                parts
                    .floats
                    .extend(pairs.iter().flatten().map(|v| f64::from(*v)));
            }
            Object::Floats(values) => parts.floats.extend(values.iter().map(|v| f64::from(*v))),
            Object::Posterior(lists) => lists.iter().for_each(|list| {
                parts.len(list.len());
                parts
                    .exact
                    .extend(list.iter().map(|(id, _)| i64::from(*id)));
                parts
                    .floats
                    .extend(list.iter().map(|(_, weight)| f64::from(*weight)));
            }),
            Object::GaussPosterior(posterior) => {
                posterior.ids.iter().for_each(|list| {
                    parts.len(list.len());
                    parts.exact.extend(list.iter().map(|id| i64::from(*id)));
                });
                posterior.vectors.iter().for_each(|list| {
                    parts.len(list.len());
                    parts.floats.extend(list.iter().map(|v| f64::from(*v)));
                });
            }
            Object::Token(bytes) | Object::Opaque { bytes, .. } => parts.bytes(bytes),
            Object::Tokens(words) => words.iter().for_each(|word| parts.bytes(word)),
            Object::SparseVector(sparse) | Object::SparseMatrix(sparse) => {
                parts.exact.push(sparse.dim.into());
                sparse.rows.iter().for_each(|row| {
                    parts.len(row.len());
                    parts
                        .exact
                        .extend(row.iter().map(|(col, _)| i64::from(*col)));
                    parts.floats.extend(row.iter().map(|(_, value)| *value));
                });
            }
            _ => {}
        }
        parts
    }

    fn len(&mut self, n: usize) {
        self.exact.push(i64::try_from(n).unwrap_or(i64::MAX));
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.len(bytes.len());
        self.exact.extend(bytes.iter().map(|b| i64::from(*b)));
    }
}

fn kinds(utt: &Utterance) -> String {
    let features = utt.features.iter().map(|_| "features");
    let labels = utt.labels.iter().map(|_| "labels");
    let kinds: Vec<_> = features.chain(labels).chain(utt.others()).collect();
    kinds.join("+")
}

/// The shape; labels of one column are a list, however they are kept.
fn shape(what: &str, matrix: &Matrix) -> String {
    match matrix.rank() {
        Rank::Scalar => "one number".to_owned(),
        Rank::Vector => matrix.rows().to_string(),
        Rank::Matrix if what == "labels" && matrix.cols() == 1 => matrix.rows().to_string(),
        // Where there are no rows, formats differ in whether they keep the columns.
        Rank::Matrix if matrix.is_empty() => "0 x 0".to_owned(),
        Rank::Matrix => format!("{} x {}", matrix.rows(), matrix.cols()),
    }
}

/// The beginning of a text, safe to be shown.
fn shown(bytes: &[u8]) -> String {
    const MOST: usize = 40;
    let text = String::from_utf8_lossy(bytes);
    let mut shown: String = text
        .chars()
        .take(MOST)
        .flat_map(char::escape_debug)
        .collect();
    if text.chars().count() > MOST {
        shown.push('…');
    }
    format!("'{shown}'")
}
