//! Round numbers along an axis.

use super::words::whole;

/// Returns the smallest round step, 1, 2 or 5 times a power of ten, that is at least `step`.
pub(super) fn round_step(step: f64) -> f64 {
    if !(step > 0.0 && step.is_finite()) {
        return 1.0;
    }
    let power = 10f64.powf(step.log10().floor());
    let factors = [1.0, 2.0, 5.0, 10.0].into_iter();
    let mut steps = factors.map(|factor| factor * power);
    // Tolerates rounding errors in round steps.
    steps.find(|s| *s >= step * 0.999_999).unwrap_or(step)
}

/// Returns about `most` round numbers from `from` to `to`, as text and in order.
pub(super) fn ticks(from: f64, to: f64, most: usize) -> Vec<(f64, String)> {
    let span = to - from;
    if !(from.is_finite() && span.is_finite()) || most == 0 {
        return Vec::new();
    }
    if span <= 0.0 {
        return vec![(from, number(from, span))];
    }
    let step = round_step(span / most as f64);
    let first = (from / step).ceil();
    let count = whole((to / step).floor() - first).min(2 * most);
    let places = (0..=count).map(|i| (first + i as f64) * step);
    // Adding 0 removes the sign of a negative zero.
    let places = places.filter(|v| *v <= to + step * 1e-6).map(|v| v + 0.0);
    let places: Vec<_> = places.collect();
    let texts = numbers(&places, step);
    places.into_iter().zip(texts).collect()
}

/// Formats a number with enough digits to distinguish it from another one `step` away.
pub(super) fn number(value: f64, step: f64) -> String {
    numbers(&[value], step).pop().unwrap_or_default()
}

/// Formats numbers with enough digits to distinguish them from others `step` away, all in the same
/// notation.
pub(super) fn numbers(values: &[f64], step: f64) -> Vec<String> {
    let size = values.iter().fold(step.abs(), |size, v| size.max(v.abs()));
    let powers = size != 0.0 && !(1e-4..1e7).contains(&size);
    let digits = match step > 0.0 {
        true if powers => ((size / step).log10() - 1.0).ceil().clamp(1.0, 6.0),
        true => (-step.log10() - 1e-9).ceil().clamp(0.0, 6.0),
        false if powers => 1.0,
        false => 2.0,
    };
    let digits = whole(digits);
    let text = |value: &f64| match value.abs() {
        0.0 if powers => "0".to_owned(),
        // Numbers near 1 are easier to read without an exponent.
        near if powers && (1e-2..1e3).contains(&near) => brief(*value),
        _ if powers => format!("{value:.digits$e}"),
        _ => format!("{value:.digits$}"),
    };
    values.iter().map(text).collect()
}

/// Formats a number with at most four decimals.
pub(super) fn brief(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(from: f64, to: f64, most: usize) -> Vec<String> {
        let ticks = ticks(from, to, most);
        ticks.into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(
            texts(0.0, 2.91, 6),
            ["0.0", "0.5", "1.0", "1.5", "2.0", "2.5"]
        );
        assert_eq!(texts(0.0, 40.0, 4), ["0", "10", "20", "30", "40"]);
        assert_eq!(texts(-1.0, 1.0, 2), ["-1", "0", "1"]);
        assert_eq!(texts(3.0, 3.0, 5), ["3.00"]);
        assert_eq!(texts(0.0, 4e8, 2), ["0", "2.0e8", "4.0e8"]);
    }

    #[test]
    fn numbers_have_one_notation() {
        for (values, texts) in [
            ([3_024_900.0, 1.5e7], ["3.0e6", "1.5e7"]),
            ([2.7, 1e30], ["2.7", "1.0e30"]),
            ([0.0, 1e-6], ["0", "1.0e-6"]),
            ([-1.5, 20.0], ["-1.5", "20.0"]),
        ] {
            let step = (values[1] - values[0]) / 50.0;
            assert_eq!(numbers(&values, step), texts, "{values:?}");
        }
    }

    #[test]
    fn odd_ranges_have_few_ticks() {
        for (from, to) in [(f64::NAN, 1.0), (0.0, f64::INFINITY), (-1e308, 1e308)] {
            assert!(ticks(from, to, 5).is_empty(), "{from} {to}");
        }
        assert!(ticks(1e15, 1e15 + 1.0, 5).len() <= 11);
        assert_eq!(texts(1.0, 0.0, 5).len(), 1);
    }
}
