//! Pictures and overviews as text.

use spr_text::harmless;

use super::axis::Axis;
use super::colour::{Colours, NONE, Rgb, of_256, scale};
use super::heat::Heat;
use super::histogram::{
    Histogram, LABEL_COLUMNS, ends_of, labels, left_out, lengths, of_the_first, spreads,
};
use super::picture::Picture;
use super::range::Range;
use super::spectrum::Spectrum;
use super::ticks::{number, ticks};
use super::track::Track;
use super::wave::Wave;
use super::{Chart, Overview, shortened, whole};

/// Characters left of a chart.
const LEFT: usize = 9;
/// Lines of features, and of sound.
const LINES: usize = 20;
/// Lines around the features of an utterance: its name, values, labels and numbers.
const AROUND: usize = 4;
/// Lines of a sheet of several charts.
const SHEET: usize = 40;
const WAVE: usize = 9;
/// Bars in a chart.
const BARS: usize = 24;
/// From low to high.
const SHADES: &[u8] = b" .:-=+*#%@";

/// How many characters wide the terminal is, if there is one.
pub fn width() -> Option<u16> {
    terminal_size::terminal_size().map(|(width, _)| width.0)
}

/// How text is to look.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// Characters in a line.
    pub width: usize,
    /// Lines, about; `None` for as many as are usual.
    pub height: Option<usize>,
    /// Colours and block characters, where the terminal shows them; else the text is ASCII, but for
    /// names.
    pub depth: Option<Depth>,
}

/// Which colours a terminal shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// 256.
    Eight,
    /// Of 24 bits.
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
    /// Columns of a picture that fills a line.
    pub fn cols(&self) -> usize {
        self.width.clamp(40, 400) - LEFT
    }

    /// Rows of features that are told apart.
    pub fn rows(&self) -> usize {
        let lines = self.height.map_or(LINES, |h| h.saturating_sub(AROUND));
        lines.clamp(2, 400) * if self.depth.is_some() { 2 } else { 1 }
    }
}

/// An utterance, made in this style.
pub fn picture(picture: &Picture, style: &Style) -> String {
    let mut lines = vec![harmless(&picture.key.to_string())];
    // The axis of what is drawn, told below its last line.
    let mut open: Option<Axis> = None;
    let mut change = |axis: Option<Axis>, lines: &mut Vec<String>| {
        if let Some(old) = open.filter(|old| axis != Some(*old)) {
            lines.push(below(old, style.cols()));
        }
        open = axis;
    };
    for (i, wave) in picture.waves.iter().enumerate() {
        if picture.spectra.len() > 1 {
            lines.push(line("", &format!("channel {i}")));
        }
        change(Some(wave.axis), &mut lines);
        lines.extend(draw_wave(wave, style));
        if let Some(spectrum) = picture.spectra.get(i) {
            lines.extend(draw_spectrum(spectrum, style));
        }
    }
    if let Some(heat) = &picture.heat {
        change(Some(picture.axis), &mut lines);
        lines.extend(draw_heat(heat, style));
    }
    let colours = Colours::of(std::slice::from_ref(picture));
    for track in &picture.tracks {
        change(Some(track.axis), &mut lines);
        lines.push(draw_track(track, &colours, style));
    }
    change(None, &mut lines);
    let note = colours.note().filter(|_| style.depth.is_some());
    lines.extend(note.map(|note| line("", &note)));
    joined(lines)
}

/// A row of cells with as many columns as there is room for.
fn stretched<T: Copy>(row: &[T], style: &Style) -> Vec<T> {
    let cols = style.cols();
    let places = (0..cols).map(|col| col * row.len() / cols);
    places.filter_map(|place| row.get(place).copied()).collect()
}

/// Charts of a data set; those that it has no data for are left out.
pub fn overview(all: &Overview, charts: &[Chart], style: &Style) -> String {
    let columns = &all.stats.labels;
    let labelled = columns.len().min(LABEL_COLUMNS);
    let count = |chart: &Chart| match chart {
        Chart::Labels => labelled,
        _ => 1,
    };
    let count = charts.iter().map(count).sum::<usize>();
    let height = style.height.or((count > 1).then_some(SHEET));
    // A chart has a title and an empty line behind it.
    let most = height.map_or(BARS, |h| (h / count.max(1)).saturating_sub(2).max(2));
    let mut parts = Vec::new();
    for chart in charts {
        match chart {
            Chart::Lengths => parts.extend(lengths(all, most).map(|h| bars(&h, style))),
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

/// A line behind what stands left of it.
fn line(left: &str, rest: &str) -> String {
    format!("{left:>width$} {rest}", width = LEFT - 1)
}

fn draw_heat(heat: &Heat, style: &Style) -> Vec<String> {
    let last = heat.first + heat.dim as i64 - 1;
    let ends = (heat.first.to_string(), last.to_string());
    let values = (heat.range.low, heat.range.high);
    let mut lines = draw_cells(
        &heat.cells,
        heat.cols,
        (&ends.0, &ends.1),
        values,
        "",
        style,
    );
    if let Some(scale) = lines.first_mut() {
        let gap = match style.depth {
            Some(depth) => halves(None, &[NONE], depth),
            None => shade(NONE).to_string(),
        };
        let gap = heat.has_gaps().then(|| format!("{gap} NaN/inf"));
        for note in heat.range.note().into_iter().chain(gap) {
            scale.push_str("  ");
            scale.push_str(&note);
        }
    }
    lines
}

fn draw_spectrum(spectrum: &Spectrum, style: &Style) -> Vec<String> {
    let top = format!("{:.0} Hz", spectrum.hertz);
    let (cells, cols) = (&spectrum.cells, spectrum.cols);
    draw_cells(
        cells,
        cols,
        ("0 Hz", &top),
        (spectrum.low, spectrum.high),
        " dB",
        style,
    )
}

/// Coloured cells below their scale, with names of the lowest and the highest row.
fn draw_cells(
    cells: &[u8],
    cols: usize,
    (bottom, top): (&str, &str),
    (low, high): (f64, f64),
    unit: &str,
    style: &Style,
) -> Vec<String> {
    let rows = cells.chunks(cols.max(1));
    let rows: Vec<_> = rows.map(|row| stretched(row, style)).collect();
    let each = if style.depth.is_some() { 2 } else { 1 };
    let count = rows.len().div_ceil(each);
    let title = |i: usize| match i {
        _ if i + 1 == count => bottom.to_owned(),
        0 => top.to_owned(),
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
            None => lower.iter().map(|level| shade(*level)).collect(),
        };
        line(&title(i), &text)
    };
    let mut lines: Vec<_> = (0..count).map(draw).collect();
    let step = (high - low) / 50.0;
    let (low, high) = (number(low, step), number(high, step));
    let bar: String = match style.depth {
        Some(depth) => halves(None, &(0..24).map(|i| i * 11).collect::<Vec<u8>>(), depth),
        None => String::from_utf8_lossy(SHADES).into_owned(),
    };
    lines.insert(0, line("", &format!("{low} {bar} {high}{unit}")));
    lines
}

fn shade(level: u8) -> char {
    let place = usize::from(level) * SHADES.len() / 255;
    match level {
        NONE => '?',
        _ => SHADES.get(place).map_or(' ', |b| char::from(*b)),
    }
}

/// Two rows of cells in a line: the upper half of a character has one colour, the ground another.
fn halves(upper: Option<&[u8]>, lower: &[u8], depth: Depth) -> String {
    let mut text = String::new();
    for (i, level) in lower.iter().enumerate() {
        let below = depth.code(scale(*level));
        match upper.and_then(|row| row.get(i)) {
            Some(above) => {
                let above = depth.code(scale(*above));
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

fn draw_track(track: &Track, colours: &Colours, style: &Style) -> String {
    let cols = style.cols();
    let place = |share: f64| whole((share * cols as f64).round()).min(cols);
    let mut text = String::new();
    let mut at = 0;
    for span in &track.spans {
        let (from, to) = (place(span.from).max(at), place(span.to));
        if to <= from {
            continue;
        }
        text.extend(std::iter::repeat_n(' ', from - at));
        let label = harmless(&span.label);
        let width = to - from;
        match style.depth {
            Some(depth) => {
                let word = if label.chars().count() > width {
                    ""
                } else {
                    &label
                };
                text.push_str(&painted(
                    &format!("{word:^width$}"),
                    colours.get(&span.label),
                    depth,
                ));
            }
            None => {
                // One letter of several says nothing.
                let fits = label.chars().count() < width || width > 3;
                let word = if fits {
                    shortened(&label, width - 1)
                } else {
                    String::new()
                };
                text.push_str(&format!("|{word:<rest$}", rest = width - 1));
            }
        }
        at = to;
    }
    line(&shortened(&harmless(&track.name), LEFT - 1), &text)
}

fn draw_wave(wave: &Wave, style: &Style) -> Vec<String> {
    let (low, high) = wave.ends(|peak| peak);
    let step = (high - low) / WAVE as f64;
    let full = if style.depth.is_some() {
        '\u{2588}'
    } else {
        '#'
    };
    let peaks = stretched(&wave.peaks, style);
    let draw = |i: usize| {
        let top = high - i as f64 * step;
        let middle = top - step / 2.0;
        let sound = wave.span.is_none();
        // Rounding must not keep the least value out of the last line.
        let bottom = if i + 1 == WAVE { low } else { top - step };
        let cells = peaks.iter().map(|(least, most)| {
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
            0 => number(high, (high - low) / 100.0),
            _ if i + 1 == WAVE => number(low, (high - low) / 100.0),
            _ => String::new(),
        };
        line(&title, &cells.collect::<String>())
    };
    (0..WAVE).map(draw).collect()
}

/// Numbers below a chart of so many columns.
fn below(axis: Axis, cols: usize) -> String {
    let unit = if axis.seconds { " s" } else { " frames" };
    let mut text = String::new();
    for (value, word) in ticks(axis.from, axis.to, (cols / 12).max(1)) {
        let share = (value - axis.from) / (axis.to - axis.from);
        let at = whole(share * cols as f64);
        if at >= text.len() + usize::from(!text.is_empty()) {
            text.push_str(&" ".repeat(at - text.len()));
            text.push_str(&word);
        }
    }
    line("", &(text + unit))
}

fn bars(histogram: &Histogram, style: &Style) -> String {
    let bars = &histogram.bars;
    let named = bars.iter().map(|bar| bar.name.chars().count()).max();
    let counted = bars.iter().map(|bar| bar.count.to_string().len()).max();
    let (named, counted) = (named.unwrap_or_default(), counted.unwrap_or_default());
    let room = style
        .width
        .clamp(40, 400)
        .saturating_sub(named + counted + 6)
        .max(10);
    let most = bars.iter().map(|bar| bar.count).max().unwrap_or_default();
    let mut lines = vec![histogram.title.clone()];
    for bar in bars {
        let share = bar.count as f64 / most.max(1) as f64;
        let length = whole((share * room as f64).ceil());
        let full = if style.depth.is_some() {
            "\u{2588}"
        } else {
            "#"
        };
        let (name, drawn) = (&bar.name, full.repeat(length));
        lines.push(format!(
            "  {name:>named$}  {:>counted$}  {drawn}",
            bar.count
        ));
    }
    joined(lines)
}

/// A line a column: the mean between the ends of a deviation.
fn dims(all: &Overview, most: usize, style: &Style) -> Option<String> {
    let columns = &all.stats.features;
    let (spreads, each) = spreads(columns, most);
    let gaps = all.gaps();
    if spreads.is_empty() {
        return gaps.map(|gaps| gaps + "\n");
    }
    let range = ends_of(&spreads);
    let Range { low, high, .. } = range;
    let room = style.cols() - 10;
    let place = |value: f64| {
        let share = (value.clamp(low, high) - low) / (high - low);
        let share = if share.is_finite() { share } else { 0.5 };
        whole((share * (room - 1) as f64).round()).min(room - 1)
    };
    let title = "Features: mean and standard deviation by column";
    let note = range.note().map(|note| format!("; values {note}"));
    let title = format!("{title}{}", of_the_first(&all.stats));
    let mut lines: Vec<_> = gaps.into_iter().collect();
    lines.push(title + &note.unwrap_or_default());
    let step = (high - low) / 50.0;
    let ends = (number(low, step), number(high, step));
    let width = room.saturating_sub(ends.0.len());
    lines.push(format!("{:18}{}{:>width$}", "", ends.0, ends.1));
    for spread in &spreads {
        let (from, to, mean) = (place(spread.low), place(spread.high), place(spread.mean));
        let cell = |i: usize| match i {
            _ if i == mean => 'o',
            _ if (from..=to).contains(&i) => '-',
            _ => ' ',
        };
        let text: String = (0..room).map(cell).collect();
        let last = (spread.first + each).min(columns.len()) - 1;
        let name = match each {
            1 => spread.first.to_string(),
            _ => format!("{}-{last}", spread.first),
        };
        let mean = number(spread.mean, step);
        lines.push(format!("{name:>7} {mean:>9} {text}"));
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
                "         0.0  .:-=+*#%@ 9.0  ? NaN/inf",
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
