//! The colours of labels that are too narrow for text.

use std::collections::BTreeSet;

/// The largest number of labels listed; more would share colours.
const MOST: usize = 40;

/// The labels drawn, and those that were written somewhere.
#[derive(Default)]
pub(super) struct Legend {
    drawn: BTreeSet<String>,
    written: BTreeSet<String>,
}

impl Legend {
    pub(super) fn add(&mut self, label: &str, written: bool) {
        let set = match written {
            true => &mut self.written,
            false => &mut self.drawn,
        };
        if !label.is_empty() && !set.contains(label) {
            set.insert(label.to_owned());
        }
    }

    /// Returns all labels, numbers in numeric order, if some could not be written.
    pub(super) fn entries(&self) -> Vec<&String> {
        let mut all: Vec<_> = self.drawn.union(&self.written).collect();
        if self.drawn.is_subset(&self.written) || all.len() > MOST {
            return Vec::new();
        }
        all.sort_by_key(|label| label.parse().unwrap_or(i64::MAX));
        all
    }
}

#[cfg(test)]
mod tests {
    use crate::draw::pictures;
    use crate::scene::Item;
    use crate::{Picture, Scene};
    use spr_core::model::{Matrix, Rank, Utterance};

    fn texts(scene: &Scene) -> Vec<&str> {
        let mut texts = Vec::new();
        for item in &scene.items {
            if let Item::Text { text, .. } = item {
                texts.push(text.as_str());
            }
        }
        texts
    }

    fn drawn(labels: &[i32]) -> Scene {
        let utt = Utterance {
            labels: Matrix::from_rows(labels, 1, Rank::Vector).ok(),
            ..Utterance::default()
        };
        pictures(&[Picture::of(&utt, 660, 9).unwrap()], 800)
    }

    #[test]
    fn labels_without_room_are_listed() {
        // Each label takes a third of the width.
        let wide = drawn(&[10, 9, 11]);
        assert_eq!(texts(&wide).iter().filter(|t| **t == "10").count(), 1);
        let narrow: Vec<_> = (0..660).map(|i| i % 12 + 1000).collect();
        let narrow = drawn(&narrow);
        let texts = texts(&narrow);
        let first = texts.iter().position(|t| *t == "1000").unwrap();
        let listed: Vec<_> = (1000..1012).map(|n| n.to_string()).collect();
        assert_eq!(texts[first..], listed);
    }

    #[test]
    fn many_labels_are_counted_whatever_the_width() {
        let many: Vec<_> = (0..2000).collect();
        let scene = drawn(&many);
        let note = "2000 labels share 36 colours";
        assert!(texts(&scene).ends_with(&[note]), "{:?}", texts(&scene));
    }
}
