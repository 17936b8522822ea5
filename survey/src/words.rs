//! Numbers in words.

/// Returns a size with its unit: `4.2 GB`.
#[expect(clippy::cast_precision_loss, reason = "two digits are shown")]
pub fn size(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["kB", "MB", "GB", "TB", "PB"];
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64 / 1e3;
    let mut units = UNITS.iter();
    let mut unit = units.next();
    while value >= 999.5
        && let Some(next) = units.next()
    {
        value /= 1e3;
        unit = Some(next);
    }
    let unit = unit.copied().unwrap_or_default();
    match value < 9.95 {
        true => format!("{value:.1} {unit}"),
        false => format!("{value:.0} {unit}"),
    }
}

/// Returns seconds as hours, with as many digits as tell something; `–` if they are not known.
pub fn hours(seconds: Option<f64>) -> String {
    let Some(hours) = seconds.map(|seconds| seconds / 3600.0) else {
        return "–".to_owned();
    };
    match hours {
        h if h >= 99.95 => format!("{h:.0}"),
        h if h >= 0.95 || h == 0.0 => format!("{h:.1}"),
        h => format!("{h:.4}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_two_digits() {
        let cases = [
            (0, "0 B"),
            (999, "999 B"),
            (1000, "1.0 kB"),
            (9_960, "10 kB"),
            (999_600, "1.0 MB"),
            (4_200_000_000, "4.2 GB"),
            (u64::MAX, "18447 PB"),
        ];
        for (bytes, text) in cases {
            assert_eq!(size(bytes), text);
        }
    }

    #[test]
    fn hours_have_the_digits_that_tell() {
        let cases = [
            (0.0, "0.0"),
            (36.0, "0.0100"),
            (5400.0, "1.5"),
            (720_000.0, "200"),
        ];
        for (seconds, text) in cases {
            assert_eq!(hours(Some(seconds)), text);
        }
        assert_eq!(hours(None), "–");
    }
}
