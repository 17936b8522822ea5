//! Lists of files in one argument: `shard-{000..127}.tar`, `{train,dev}.tar`, `a.tar::b.tar`.

use spr_core::{Error, Result};

/// The most files that an argument may name.
const MOST: usize = 1 << 20;

/// Returns the files that a path with lists in it names, or `None` if it has none.
///
/// Numbers of a range have as many digits as its ends are written with.
///
/// # Errors
/// There are too many.
pub(super) fn expand(path: &str) -> Result<Option<Vec<String>>> {
    let mut all = Vec::new();
    for piece in path.split("::").filter(|piece| !piece.is_empty()) {
        expand_one(piece, &mut all)?;
    }
    let is_list = all.len() > 1 || all.first().is_some_and(|only| only != path);
    Ok(is_list.then_some(all))
}

/// Appends the names that the lists in braces of `text` make, the last list fastest.
fn expand_one(text: &str, all: &mut Vec<String>) -> Result<()> {
    let Some((before, items, after)) = first_list(text)? else {
        if all.len() >= MOST {
            let message = format!("'{text}': more than {MOST} files");
            return Err(Error::usage(message));
        }
        all.push(text.to_owned());
        return Ok(());
    };
    for item in items {
        expand_one(&format!("{before}{item}{after}"), all)?;
    }
    Ok(())
}

/// Finds the first list: the text before it, its items and the text behind it.
fn first_list(text: &str) -> Result<Option<(&str, Vec<String>, &str)>> {
    for (open, _) in text.match_indices('{') {
        let Some(close) = closing(text, open) else {
            continue;
        };
        let (before, inner) = (&text[..open], &text[open + 1..close]);
        let items = match range(inner)? {
            Some(items) => items,
            None => {
                let pieces = pieces(inner);
                if pieces.len() < 2 {
                    continue;
                }
                pieces.into_iter().map(str::to_owned).collect()
            }
        };
        return Ok(Some((before, items, &text[close + 1..])));
    }
    Ok(None)
}

/// Returns the brace that closes the one at `open`.
fn closing(text: &str, open: usize) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in text[open..].char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(open + at);
        }
    }
    None
}

/// Splits at the commas that are in no braces of their own.
fn pieces(inner: &str) -> Vec<&str> {
    let (mut depth, mut start) = (0, 0);
    let mut pieces = Vec::new();
    for (at, c) in inner.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                pieces.push(&inner[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    pieces.push(&inner[start..]);
    pieces
}

/// Returns the numbers of a range such as `000..127` or `8..12..2`, or `None` if it is none.
fn range(inner: &str) -> Result<Option<Vec<String>>> {
    let parts: Vec<_> = inner.split("..").collect();
    let is_number = |part: &&str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    if !(2..=3).contains(&parts.len()) || !parts.iter().all(is_number) {
        return Ok(None);
    }
    let wrong = || Error::usage(format!("'{{{inner}}}' is not a range of numbers"));
    let numbers = parts.iter().map(|part| part.parse::<u64>());
    let numbers = numbers
        .collect::<Result<Vec<_>, _>>()
        .map_err(|_| wrong())?;
    let (first, last, step) = match *numbers.as_slice() {
        [first, last] => (first, last, 1),
        [first, last, step] if step > 0 => (first, last, step),
        _ => return Err(wrong()),
    };
    if first.abs_diff(last) / step >= MOST as u64 {
        return Err(Error::usage(format!(
            "'{{{inner}}}': more than {MOST} files"
        )));
    }
    let padded = parts[..2]
        .iter()
        .any(|part| part.len() > 1 && part.starts_with('0'));
    let width = match padded {
        true => parts[..2].iter().map(|part| part.len()).max().unwrap_or(0),
        false => 0,
    };
    let show = |n: u64| format!("{n:0width$}");
    let up = (0..)
        .map(|n| n * step)
        .take_while(|n| *n <= first.abs_diff(last));
    Ok(Some(match first <= last {
        true => up.map(|n| show(first + n)).collect(),
        false => up.map(|n| show(first - n)).collect(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_name_files() {
        for (path, names) in [
            (
                "s-{000..002}.tar",
                &["s-000.tar", "s-001.tar", "s-002.tar"][..],
            ),
            ("{8..12..2}", &["8", "10", "12"]),
            ("{08..12..2}", &["08", "10", "12"]),
            ("{2..1}x", &["2x", "1x"]),
            ("{a,b}{0..1}", &["a0", "a1", "b0", "b1"]),
            ("{a,{1..2}}", &["a", "1", "2"]),
            ("a.tar::b-{0..1}.tar", &["a.tar", "b-0.tar", "b-1.tar"]),
            ("{7..7}", &["7"]),
        ] {
            assert_eq!(expand(path).unwrap().unwrap(), names, "{path}");
        }
        for path in ["a.tar", "{shard}.tar", "{", "}{", "{a..b}", "{}", "{1..}"] {
            assert_eq!(expand(path).unwrap(), None, "{path}");
        }
        for path in [
            "{0..99999999}",
            "{0..9999}{0..9999}",
            "{1..2..0}",
            "{0..99999999999999999999}",
        ] {
            assert!(expand(path).is_err(), "{path}");
        }
    }
}
