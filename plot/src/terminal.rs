//! Pictures and overviews as terminal text.

use spr_core::text::harmless;

use super::axis::Axis;
use super::colour::{Colours, NONE, Rgb, of_256, scale};
use super::heat::Heat;
use super::histogram::{
    Bar, Histogram, LABEL_COLUMNS, Spread, ends_of, labels, left_out, lengths, of_the_first,
    spreads,
};
use super::overview::{Chart, Overview};
use super::picture::Picture;
use super::spectrum::Spectrum;
use super::ticks::{numbers, ticks};
use super::track::Track;
use super::wave::Wave;
use super::words::{shortened, whole, wrapped};

/// The width of the margin left of a chart, in characters.
const LEFT: usize = 9;
/// The number of lines for features, and for waveforms.
const LINES: usize = 20;
/// The number of lines around the features of an utterance: its name, values, labels and numbers.
const AROUND: usize = 4;
/// The number of lines of a sheet with several charts.
const SHEET: usize = 40;
const WAVE: usize = 9;
/// The largest number of bars in a chart.
const BARS: usize = 24;
/// Characters from low to high.
const SHADES: &[u8] = b" .:-=+*#%@";

/// Returns the width of the terminal in characters, if there is one.
pub fn width() -> Option<u16> {
    terminal_size::terminal_size().map(|(width, _)| width.0)
}

/// The style of terminal output.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// The width in characters.
    pub width: usize,
    /// The approximate height in lines; `None` for the default.
    pub height: Option<usize>,
    /// The colour depth, if the terminal shows colours and block characters. Otherwise the text is
    /// ASCII, except for names.
    pub depth: Option<Depth>,
}

/// The colour depth of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// 256 colours.
    Eight,
    /// 24-bit colours.
    Full,
}

impl Depth {
    fn code(self, rgb: Rgb) -> String {
        let [r, g, b] = rgb;
        match self {
            Self::Eight => format!("5;{}", of_256(rgb)),
            Self::Full => format!("2;{r};{g};{b}"),
        }
    }
}

impl Style {
    /// Returns the largest number of characters in a line.
    fn width(&self) -> usize {
        self.width.clamp(40, 400)
    }

    /// Returns the number of columns of a picture that fills a line.
    pub fn cols(&self) -> usize {
        self.width() - LEFT
    }

    /// Returns the number of rows of features.
    pub fn rows(&self) -> usize {
        let lines = self.height.map_or(LINES, |h| h.saturating_sub(AROUND));
        lines.clamp(2, 400) * if self.depth.is_some() { 2 } else { 1 }
    }
}

/// Formats an utterance.
pub fn picture(picture: &Picture, style: &Style) -> String {
    let key = harmless(&picture.key.to_string());
    let mut lines = vec![shortened(&key, style.width())];
    let beyond = picture.beyond.and_then(|_| picture.facts().pop());
    for note in picture.notes.iter().cloned().chain(beyond) {
        lines.extend(behind(&note, style));
    }
    // The axis of the last drawn item, printed below it.
    let mut open: Option<Axis> = None;
    let mut change = |axis: Option<Axis>, lines: &mut Vec<String>| {
        if let Some(old) = open.filter(|old| axis != Some(*old)) {
            lines.push(below(old, style.cols()));
        }
        open = axis;
    };
    for (i, wave) in picture.waves.iter().enumerate() {
        let channel = (picture.spectra.len() > 1).then(|| format!("channel {i}"));
        let facts: Vec<_> = channel.into_iter().chain(wave.note()).collect();
        if !facts.is_empty() {
            lines.extend(behind(&facts.join("; "), style));
        }
        let along = picture.along(wave.axis);
        change(Some(along), &mut lines);
        let part = along.shares(wave.axis);
        lines.extend(draw_wave(wave, part, style));
        if let Some(spectrum) = picture.spectra.get(i) {
            lines.extend(draw_spectrum(spectrum, part, style));
        }
    }
    if let Some(heat) = &picture.heat {
        let along = picture.along(picture.axis);
        change(Some(along), &mut lines);
        lines.extend(draw_heat(heat, along.shares(picture.axis), style));
    }
    let colours = Colours::of(picture.labels());
    for track in &picture.tracks {
        let along = picture.along(track.axis);
        change(Some(along), &mut lines);
        lines.push(draw_track(track, along.shares(track.axis), &colours, style));
    }
    change(None, &mut lines);
    let note = colours.note().filter(|_| style.depth.is_some());
    lines.extend(note.iter().flat_map(|note| behind(note, style)));
    joined(lines)
}

/// Wraps text beside the left margin of a chart.
fn behind(text: &str, style: &Style) -> Vec<String> {
    let lines = wrapped(text, style.cols()).into_iter();
    lines.map(|text| line("", &text)).collect()
}

/// Stretches a row of cells to the given part of a line, from 0 to 1, with nothing outside it.
fn stretched<T: Copy>(row: &[T], (from, to): (f64, f64), style: &Style) -> Vec<Option<T>> {
    let cols = style.cols();
    let [from, to] = [from, to].map(|share| whole((share * cols as f64).round()).min(cols));
    let (from, to) = (from.min(cols - 1), to.max(from + 1).min(cols));
    let cell = |col: usize| {
        let place = col.checked_sub(from)? * row.len() / (to - from);
        row.get(place).copied()
    };
    (0..to).map(cell).collect()
}

/// Formats the charts of a data set, except those without data.
pub fn overview(all: &Overview, charts: &[Chart], style: &Style) -> String {
    let columns = &all.labels;
    let labelled = columns.len().min(LABEL_COLUMNS);
    let count = |chart: &Chart| match chart {
        Chart::Labels => labelled,
        _ => 1,
    };
    let count = charts.iter().map(count).sum::<usize>();
    let height = style.height.or((count > 1).then_some(SHEET));
    // A chart has a title and is followed by an empty line.
    let most = height.map_or(BARS, |h| (h / count.max(1)).saturating_sub(2).max(2));
    let mut parts = Vec::new();
    for chart in charts {
        match chart {
            Chart::Lengths => parts.extend(lengths(&all.survey, most).map(|h| bars(&h, style))),
            Chart::Labels => {
                let few = columns.iter().take(LABEL_COLUMNS).enumerate();
                let drawn = few.filter_map(|(i, counts)| labels(i, counts, most));
                parts.extend(drawn.map(|h| bars(&h, style)));
                parts.extend(left_out(columns).map(|text| text + "\n"));
            }
            Chart::Dims => {
                let lines = height.map_or(2 * BARS, |_| most.saturating_sub(1).max(2));
                parts.extend(dims(all, lines, style));
            }
        }
    }
    parts.join("\n")
}

fn joined(lines: Vec<String>) -> String {
    let lines = lines.iter().map(|line| line.trim_end().to_owned() + "\n");
    lines.collect()
}

/// Returns a line after its left margin.
fn line(left: &str, rest: &str) -> String {
    format!("{left:>width$} {rest}", width = LEFT - 1)
}

fn draw_heat(heat: &Heat, part: (f64, f64), style: &Style) -> Vec<String> {
    let gap = match style.depth {
        Some(depth) => halves(None, &[Some(NONE)], depth),
        None => shade(NONE).to_string(),
    };
    let gaps = heat
        .gaps()
        .map(|gaps| (2 + gaps.len(), format!("{gap} {gaps}")));
    let note = heat.range.note().map(|note| (note.len(), note));
    let values = (heat.range.low, heat.range.high);
    let bar = heat.has_values().then(|| bar(values, "", style));
    let mut lines = flowing(bar.into_iter().chain(note).chain(gaps), style);
    let ends = heat.ends();
    let cells = (&heat.cells[..], heat.cols);
    lines.extend(draw_cells(cells, part, (&ends.0, &ends.1), style));
    lines
}

fn draw_spectrum(spectrum: &Spectrum, part: (f64, f64), style: &Style) -> Vec<String> {
    let top = format!("{:.0} Hz", spectrum.hertz);
    let bar = bar((spectrum.low, spectrum.high), " dB", style);
    let mut lines = flowing([bar].into_iter(), style);
    let cells = (&spectrum.cells[..], spectrum.cols);
    lines.extend(draw_cells(cells, part, ("0 Hz", &top), style));
    lines
}

/// Returns the colour scale between its values, and its width in characters.
fn bar((low, high): (f64, f64), unit: &str, style: &Style) -> (usize, String) {
    let mut ends = numbers(&[low, high], (high - low) / 50.0).into_iter();
    let (low, high) = (
        ends.next().unwrap_or_default(),
        ends.next().unwrap_or_default(),
    );
    let around = low.len() + high.len() + unit.len() + 2;
    let (length, bar) = match style.depth {
        Some(depth) => {
            let length = style.cols().saturating_sub(around).clamp(2, 24);
            let level = |i: usize| u8::try_from(i * 254 / (length - 1)).ok();
            let levels: Vec<_> = (0..length).map(level).collect();
            (length, halves(None, &levels, depth))
        }
        None => (SHADES.len(), String::from_utf8_lossy(SHADES).into_owned()),
    };
    (around + length, format!("{low} {bar} {high}{unit}"))
}

/// Arranges items with the given widths in as few lines as possible.
fn flowing(parts: impl Iterator<Item = (usize, String)>, style: &Style) -> Vec<String> {
    let (mut lines, mut used): (Vec<String>, usize) = (Vec::new(), 0);
    for (length, part) in parts {
        match lines
            .last_mut()
            .filter(|_| used + 2 + length <= style.cols())
        {
            Some(last) => {
                last.push_str("  ");
                last.push_str(&part);
                used += 2 + length;
            }
            None => {
                lines.push(line("", &part));
                used = length;
            }
        }
    }
    lines
}

/// Draws coloured cells, with the names of the lowest and the highest row.
fn draw_cells(
    (cells, cols): (&[u8], usize),
    part: (f64, f64),
    (bottom, top): (&str, &str),
    style: &Style,
) -> Vec<String> {
    let rows = cells.chunks(cols.max(1));
    let rows: Vec<_> = rows.map(|row| stretched(row, part, style)).collect();
    let each = if style.depth.is_some() { 2 } else { 1 };
    let count = rows.len().div_ceil(each);
    let title = |i: usize| match i {
        _ if i + 1 == count => shortened(&harmless(bottom), LEFT - 1),
        0 => shortened(&harmless(top), LEFT - 1),
        _ => String::new(),
    };
    // An odd row stands alone at the top.
    let pad = rows.len() % each;
    let draw = |i: usize| {
        let upper = (i * each).checked_sub(pad).and_then(|at| rows.get(at));
        let lower = rows
            .get(i * each + each - 1 - pad)
            .map_or(&[][..], Vec::as_slice);
        let text = match style.depth {
            Some(depth) => halves(upper.map(Vec::as_slice), lower, depth),
            None => lower.iter().map(|level| level.map_or(' ', shade)).collect(),
        };
        line(&title(i), &text)
    };
    (0..count).map(draw).collect()
}

fn shade(level: u8) -> char {
    let place = usize::from(level) * SHADES.len() / 255;
    match level {
        NONE => '?',
        _ => SHADES.get(place).map_or(' ', |b| char::from(*b)),
    }
}

/// Draws two rows of cells in one line, as the foreground and background of half blocks.
fn halves(upper: Option<&[Option<u8>]>, lower: &[Option<u8>], depth: Depth) -> String {
    let mut text = String::new();
    for (i, level) in lower.iter().enumerate() {
        let Some(level) = level else {
            text.push(' ');
            continue;
        };
        let below = depth.code(scale(*level));
        match upper.and_then(|row| row.get(i).copied().flatten()) {
            Some(above) => {
                let above = depth.code(scale(above));
                text.push_str(&format!("\x1b[38;{above};48;{below}m\u{2580}"));
            }
            None => text.push_str(&format!("\x1b[38;{below}m\u{2584}")),
        }
    }
    text + "\x1b[0m"
}

fn painted(text: &str, ground: Rgb, depth: Depth) -> String {
    let (ink, ground) = (depth.code([17; 3]), depth.code(ground));
    format!("\x1b[38;{ink};48;{ground}m{text}\x1b[0m")
}

fn draw_track(track: &Track, (from, to): (f64, f64), colours: &Colours, style: &Style) -> String {
    let cols = style.cols();
    let place = |share: f64| whole(((from + share * (to - from)) * cols as f64).round()).min(cols);
    let mut text = String::new();
    let mut at = 0;
    let starts = track.spans.iter().skip(1).map(|span| place(span.from));
    for (span, next) in track.spans.iter().zip(starts.chain([cols])) {
        let from = place(span.from).max(at).min(cols - 1);
        // A span narrower than a character takes one; the rest of a point's space is for its label.
        let to = match span.is_point() {
            true => next.max(from + 1),
            false => place(span.to).max(from + 1),
        };
        if from < at {
            continue;
        }
        text.extend(std::iter::repeat_n(' ', from - at));
        let label = harmless(&span.label);
        let width = to - from;
        let coloured = style.depth.filter(|_| !span.is_point());
        let room = if coloured.is_some() { width } else { width - 1 };
        // A single letter of a longer label is omitted.
        let word = match label.chars().count() <= room || width > 3 {
            true => shortened(&label, room),
            false => String::new(),
        };
        text.push_str(&match coloured {
            Some(depth) => {
                let ground = colours.get(&span.label);
                painted(&format!("{word:^room$}"), ground, depth)
            }
            None => format!("|{word:<room$}"),
        });
        at = to;
    }
    line(&shortened(&harmless(&track.name), LEFT - 1), &text)
}

fn draw_wave(wave: &Wave, part: (f64, f64), style: &Style) -> Vec<String> {
    let (low, high) = wave.ends(|peak| peak);
    let step = (high - low) / WAVE as f64;
    let mut ends = numbers(&[low, high], (high - low) / 100.0).into_iter();
    let ends = (
        ends.next().unwrap_or_default(),
        ends.next().unwrap_or_default(),
    );
    let full = if style.depth.is_some() {
        '\u{2588}'
    } else {
        '#'
    };
    let peaks = stretched(&wave.peaks, part, style);
    let draw = |i: usize| {
        let top = high - i as f64 * step;
        let middle = top - step / 2.0;
        let sound = wave.span.is_none();
        // The smallest value stays in the last line in spite of rounding.
        let bottom = if i + 1 == WAVE { low } else { top - step };
        let cells = peaks.iter().map(|peak| {
            let Some((least, most)) = peak else {
                return ' ';
            };
            let inside = match sound {
                true => *most >= middle && *least <= middle,
                false => *most >= bottom && *least <= top,
            };
            let flat = sound && i == WAVE / 2;
            if inside {
                full
            } else if flat {
                '-'
            } else {
                ' '
            }
        });
        let title = match i {
            0 => &ends.1,
            _ if i + 1 == WAVE => &ends.0,
            _ => "",
        };
        line(title, &cells.collect::<String>())
    };
    (0..WAVE).map(draw).collect()
}

/// Returns the numbers below a chart, with the unit behind the last one.
fn below(axis: Axis, cols: usize) -> String {
    let unit = axis.unit.word();
    let marks = ticks(axis.from, axis.to, (cols / 12).max(1));
    let last = marks.len().saturating_sub(1);
    let mut text = String::new();
    for (i, (value, mut word)) in marks.into_iter().enumerate() {
        if i == last {
            word = format!("{word} {unit}");
        }
        let share = (value - axis.from) / (axis.to - axis.from);
        let at = whole(share * cols as f64).min(cols.saturating_sub(word.len()));
        if at >= text.len() + usize::from(!text.is_empty()) {
            text.push_str(&" ".repeat(at - text.len()));
            text.push_str(&word);
        } else if i == last && text.len() + 1 + unit.len() <= cols {
            text = format!("{text} {unit}");
        }
    }
    line("", if text.is_empty() { unit } else { &text })
}

fn bars(histogram: &Histogram, style: &Style) -> String {
    let bars = &histogram.bars;
    let name = |bar: &Bar| shortened(&harmless(&bar.name), style.width() / 3);
    let named = bars.iter().map(|bar| name(bar).chars().count()).max();
    let counted = bars.iter().map(|bar| bar.count.to_string().len()).max();
    let (named, counted) = (named.unwrap_or_default(), counted.unwrap_or_default());
    let room = style.width().saturating_sub(named + counted + 6).max(1);
    let most = bars.iter().map(|bar| bar.count).max().unwrap_or_default();
    let full = if style.depth.is_some() {
        "\u{2588}"
    } else {
        "#"
    };
    let mut lines = wrapped(&histogram.title, style.width());
    for bar in bars {
        let share = bar.count as f64 / most.max(1) as f64;
        let drawn = full.repeat(whole((share * room as f64).ceil()));
        let (name, count) = (name(bar), bar.count);
        lines.push(format!("  {name:>named$}  {count:>counted$}  {drawn}"));
    }
    joined(lines)
}

/// Draws one line per column: the mean within one standard deviation.
fn dims(all: &Overview, most: usize, style: &Style) -> Option<String> {
    let columns = &all.survey.columns.each;
    let (spreads, each) = spreads(columns, most);
    let mut lines = Vec::new();
    let mut say = |text: String| lines.extend(wrapped(&text, style.width()));
    all.gaps().map(&mut say);
    if spreads.is_empty() {
        return (!lines.is_empty()).then(|| joined(lines));
    }
    let ends = ends_of(&spreads);
    let (low, high) = (ends.low, ends.high);
    let title = "Features: mean and standard deviation by column";
    let note = ends.note().map(|note| format!("; {note}"));
    let of = of_the_first(&all.survey.columns);
    say(format!("{title}{of}{}", note.unwrap_or_default()));
    let last = |spread: &Spread| (spread.first + each).min(columns.len()) - 1;
    let names = spreads.iter().map(|spread| match each {
        1 => spread.first.to_string(),
        _ => format!("{}-{}", spread.first, last(spread)),
    });
    let names: Vec<_> = names.collect();
    let step = (high - low) / 50.0;
    let means: Vec<_> = spreads.iter().map(|spread| spread.mean).collect();
    let means = numbers(&means, step);
    let longest = |texts: &[String], least| texts.iter().map(String::len).fold(least, usize::max);
    let (named, meant) = (longest(&names, 7), longest(&means, 9));
    let left = named + meant + 2;
    let room = style.width().saturating_sub(left + 1).max(2);
    let place = |value: f64| {
        let share = (value.clamp(low, high) - low) / (high - low);
        let share = if share.is_finite() { share } else { 0.5 };
        whole((share * (room - 1) as f64).round()).min(room - 1)
    };
    let ends = numbers(&[low, high], step);
    let ends: Vec<_> = ends.iter().map(String::as_str).collect();
    let used = ends.iter().map(|end| end.len()).sum();
    let apart = " ".repeat(room.saturating_sub(used).max(1));
    lines.push(format!("{:left$}{}", "", ends.join(&apart)));
    for ((spread, name), mean) in spreads.iter().zip(names).zip(means) {
        let (from, to, middle) = (place(spread.low), place(spread.high), place(spread.mean));
        let cell = |i: usize| match i {
            _ if i == middle => 'o',
            _ if (from..=to).contains(&i) => '-',
            _ => ' ',
        };
        let text: String = (0..room).map(cell).collect();
        lines.push(format!("{name:>named$} {mean:>meant$} {text}"));
    }
    Some(joined(lines))
}

#[cfg(test)]
mod tests {
    use super::*;
    use spr_core::model::{Matrix, Rank, Utterance};

    fn sample() -> Picture {
        let utt = Utterance {
            key: "a\x1b[2J".into(),
            features: Matrix::from_rows(&[0.0f32, 9.0, 0.0, 5.0, 0.0, f32::NAN], 2, Rank::Matrix)
                .ok(),
            labels: Matrix::from_rows(&[3, 3, 4], 1, Rank::Vector).ok(),
            ..Utterance::default()
        };
        Picture::of(&utt, 60, 20).unwrap()
    }

    #[test]
    fn plain_text_is_ascii() {
        let style = Style {
            width: 41,
            height: None,
            depth: None,
        };
        let text = picture(&sample(), &style);
        assert_eq!(
            text.lines().collect::<Vec<_>>(),
            [
                "a\\u{1b}[2J",
                "         0.0  .:-=+*#%@ 9.0",
                "         ? 1 value NaN/inf",
                "       1 @@@@@@@@@@@+++++++++++??????????",
                "       0",
                "  labels |3                   |4",
                "         0                    2 frames"
            ]
        );
    }

    #[test]
    fn colours_are_put_back() {
        let style = Style {
            width: 80,
            height: None,
            depth: Some(Depth::Full),
        };
        let text = picture(&sample(), &style);
        assert!(
            text.contains("\x1b[38;2;253;231;37;48;2;68;1;84m\u{2580}"),
            "{text:?}"
        );
        assert!(!text.contains("\x1b[2J"));
        for line in text.lines().filter(|line| line.contains('\x1b')) {
            assert!(
                line.ends_with("\x1b[0m") || line.contains("\x1b[0m "),
                "{line:?}"
            );
        }
    }
}
