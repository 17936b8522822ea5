//! Charts of data sets.

use crate::axes::Axes;
use crate::histogram::{Bar, Histogram, ends_of, of_the_first, spreads};
use crate::overview::Overview;
use crate::scene::{Align, Ink};
use crate::words::whole;

use super::sheet::{MANY, NUMBERS, Sheet};

const CHART: f64 = 180.0;

impl Sheet {
    fn bars(&mut self, histogram: &Histogram) -> Axes {
        self.title(&histogram.title, &[]);
        let (counted, _) = histogram.axes;
        self.caption(counted, "");
        let bars = &histogram.bars;
        let most = bars.iter().map(|bar| bar.count).max().unwrap_or_default();
        let axes = self.field(CHART, histogram.ends(), (0.0, most as f64));
        // Counts are whole numbers.
        let whole = usize::try_from(most).unwrap_or(MANY);
        axes.left(true, whole, &mut self.scene);
        for bar in bars.iter().filter(|bar| bar.count > 0) {
            let (left, right) = (axes.px(bar.from), axes.px(bar.to));
            let gap = if right - left > 3.0 { 1.0 } else { 0.0 };
            let top = axes.py(bar.count as f64).min(axes.py(0.0) - 1.0);
            let h = axes.py(0.0) - top;
            self.scene
                .rect(left + gap, top, right - left - gap, h, Ink::Data);
        }
        let area = axes.area;
        self.scene
            .rect(area.x, area.y + area.h, area.w, 1.0, Ink::Muted);
        axes
    }

    pub(super) fn lengths(&mut self, lengths: &Histogram) {
        let axes = self.bars(lengths);
        match &lengths.bars[..] {
            [_] => self.names(&axes, lengths),
            _ => axes.below(lengths.axes.1, &mut self.scene),
        }
        self.y += NUMBERS;
    }

    /// Draws bars with as many of their names below as fit.
    pub(super) fn labels(&mut self, labels: &Histogram) {
        let axes = self.bars(labels);
        self.names(&axes, labels);
        self.y += NUMBERS;
    }

    fn names(&mut self, axes: &Axes, histogram: &Histogram) {
        let bars = &histogram.bars;
        let longest = bars.iter().map(|b| b.name.chars().count()).max();
        let room = longest.unwrap_or_default() as f64 * 8.0 + 6.0;
        let each = axes.area.w / bars.len().max(1) as f64;
        let every = whole((room / each).ceil()).max(1);
        let y = self.y + 17.0;
        let name = |bar: &Bar| (axes.px(f64::midpoint(bar.from, bar.to)), bar.name.clone());
        for (x, name) in bars.iter().step_by(every).map(name) {
            self.scene.text(x, y, Align::Middle, Ink::Muted, name);
        }
        let end = f64::from(self.scene.width) - 4.0;
        self.scene
            .text(end, y, Align::End, Ink::Muted, histogram.axes.1);
    }

    pub(super) fn dims(&mut self, all: &Overview) {
        let columns = &all.survey.columns.each;
        let (spreads, each) = spreads(columns, whole(self.inner() / 3.0));
        if let Some(gaps) = all.gaps() {
            self.title(&gaps, &[]);
        }
        if spreads.is_empty() {
            return;
        }
        let ends = ends_of(&spreads);
        let (low, high) = (ends.low, ends.high);
        let apart = match each {
            1 => String::new(),
            _ => format!(", {each} columns a bar"),
        };
        let title = format!(
            "Features: mean and standard deviation by column{apart}{}",
            of_the_first(&all.survey.columns)
        );
        self.title(&title, &[]);
        if let Some(note) = ends.note() {
            self.caption(&note, "");
        }
        let axes = self.field(CHART, (0.0, columns.len() as f64), (low, high));
        axes.left(true, MANY, &mut self.scene);
        let within = |value: f64| axes.py(value.clamp(low, high));
        for spread in &spreads {
            let (from, to) = (spread.first, (spread.first + each).min(columns.len()));
            let (left, right) = (axes.px(from as f64), axes.px(to as f64));
            let gap = if right - left > 3.0 { 1.0 } else { 0.0 };
            let (x, w) = (left + gap, right - left - gap);
            let (top, bottom) = (within(spread.high), within(spread.low));
            self.scene
                .rect(x, top, w, (bottom - top).max(1.0), Ink::Soft);
            self.scene
                .rect(x, within(spread.mean) - 1.0, w, 2.0, Ink::Data);
        }
        axes.below("column", &mut self.scene);
        self.y += NUMBERS;
    }
}
