//! Which label has which colour, where the labels themselves have no room.

use std::collections::BTreeSet;

use super::{Align, CAPTION, Colours, Ink, LETTER, Sheet, shortened};

/// Labels that are listed.
const MOST: usize = 40;
/// Letters of a label in the list.
const LETTERS: usize = 20;
/// The square of the colour, with what keeps it from the label, and one entry from the next.
const SQUARE: f64 = 10.0;
const GAP: f64 = 4.0;
const APART: f64 = 14.0;
const LINE: f64 = 16.0;

/// The labels that are drawn, and those of them that could be written at some place.
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

    /// All labels, numbers in their order, if some could be written nowhere.
    fn entries(&self) -> Vec<&String> {
        if self.drawn.is_subset(&self.written) {
            return Vec::new();
        }
        let mut all: Vec<_> = self.drawn.union(&self.written).collect();
        all.sort_by_key(|label| label.parse().unwrap_or(i64::MAX));
        all
    }
}

impl Sheet {
    /// The colours of labels, and what is to be said of them.
    pub(super) fn legend(&mut self, colours: &Colours) {
        let legend = std::mem::take(&mut self.legend);
        let entries = legend.entries();
        let (left, end) = (self.margins.0, f64::from(self.scene.width) - 8.0);
        let mut x = left;
        for label in entries.iter().take(MOST) {
            let text = shortened(label, LETTERS);
            let width = SQUARE + GAP + text.chars().count() as f64 * LETTER;
            if x > left && x + width > end {
                (x, self.y) = (left, self.y + LINE);
            }
            let colour = Ink::Fixed(colours.get(label));
            self.scene.rect(x, self.y, SQUARE, SQUARE, colour);
            let (at, y) = (x + SQUARE + GAP, self.y + 9.0);
            self.scene.text(at, y, Align::Start, Ink::Muted, text);
            x += width + APART;
        }
        if !entries.is_empty() {
            self.y += LINE + GAP;
        }
        let more = entries.len().saturating_sub(MOST);
        let more = (more > 0).then(|| format!("and {more} more"));
        let notes: Vec<_> = more.into_iter().chain(colours.note()).collect();
        if !notes.is_empty() {
            self.caption(&notes.join("; "), "");
            self.y += CAPTION / 2.0;
        }
    }
}
