//! Patterns for the keys of pieces.

use crate::error::{Error, Result};
use crate::model::{Decimal, Key};

/// The largest width of a field, and number of digits after its point.
const WIDEST: usize = 30;
/// The largest number by which a time is multiplied.
const MOST: u64 = 1_000_000_000;

/// A pattern for the keys of the utterances that are cut from one: `{recording}-{n:05}`.
///
/// Its fields are `{recording}`, `{key}` of the utterance that is cut, `{speaker}`, `{n}`, which counts its
/// pieces from 0, and the times `{start}` and `{end}` in the recording, in seconds. After a colon stand the
/// width, with 0 before it to fill up with zeros, and for times the digits after the point: `{start:010.3}`.
/// `{start*100:07}` is the time in hundredths, as a whole number, as Kaldi's recipes have it. `{{` and `}}`
/// are braces.
///
/// ```
/// use spr_core::stage::KeyPattern;
/// assert!(KeyPattern::parse("{recording}-{start*100:07}-{end*100:07}").is_ok());
/// assert!(KeyPattern::parse("{recording}").is_err(), "the same for all pieces");
/// ```
#[derive(Clone, Debug)]
pub struct KeyPattern {
    parts: Vec<KeyPart>,
}

#[derive(Clone, Debug)]
enum KeyPart {
    Text(String),
    Field { field: Field, layout: Layout },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Recording,
    Key,
    Speaker,
    Number,
    Start,
    End,
}

impl Field {
    const ALL: [(&'static str, Self); 6] = [
        ("recording", Self::Recording),
        ("key", Self::Key),
        ("speaker", Self::Speaker),
        ("n", Self::Number),
        ("start", Self::Start),
        ("end", Self::End),
    ];

    fn is_time(self) -> bool {
        matches!(self, Self::Start | Self::End)
    }

    fn is_number(self) -> bool {
        self.is_time() || self == Self::Number
    }
}

/// The form of a number.
#[derive(Clone, Copy, Debug, Default)]
struct Layout {
    /// The factor of a time, if there is one.
    times: Option<u64>,
    width: usize,
    zeros: bool,
    /// The digits after the point.
    places: Option<usize>,
}

/// The values of one piece.
pub(super) struct KeyValues<'a> {
    pub(super) recording: &'a Key,
    pub(super) key: &'a Key,
    pub(super) speaker: Option<&'a Key>,
    pub(super) number: u64,
    pub(super) start: Decimal,
    pub(super) end: Option<Decimal>,
}

impl Default for KeyPattern {
    /// Returns `{key}-{n:05}`.
    fn default() -> Self {
        let layout = Layout {
            width: 5,
            zeros: true,
            ..Layout::default()
        };
        let plain = Layout::default();
        Self {
            parts: vec![
                KeyPart::Field {
                    field: Field::Key,
                    layout: plain,
                },
                KeyPart::Text("-".to_owned()),
                KeyPart::Field {
                    field: Field::Number,
                    layout,
                },
            ],
        }
    }
}

impl KeyPattern {
    /// Parses a pattern.
    ///
    /// # Errors
    /// A brace has no partner, a field is unknown or has a wrong form, or no field tells the pieces of a
    /// recording apart.
    pub fn parse(text: &str) -> Result<Self> {
        let wrong = |why: &str| {
            let error = Error::usage(format!("'{text}': {why}"));
            error.hint("such as {recording}-{n:05} or {recording}-{start:010.3}-{end:010.3}")
        };
        let (mut parts, mut plain) = (Vec::new(), String::new());
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            let (before, from) = rest.split_at(at);
            plain.push_str(before);
            let doubled = ["{{", "}}"].into_iter().find(|two| from.starts_with(two));
            if let Some(two) = doubled {
                plain.push_str(&two[1..]);
                rest = &from[2..];
                continue;
            }
            let Some((field, after)) = from.strip_prefix('{').and_then(|f| f.split_once('}'))
            else {
                return Err(wrong("a { or } without its partner"));
            };
            if !plain.is_empty() {
                parts.push(KeyPart::Text(std::mem::take(&mut plain)));
            }
            parts.push(parse_field(field).map_err(|why| wrong(&why))?);
            rest = after;
        }
        plain.push_str(rest);
        if !plain.is_empty() {
            parts.push(KeyPart::Text(plain));
        }
        let differs =
            |part: &KeyPart| matches!(part, KeyPart::Field { field, .. } if field.is_number());
        match parts.iter().any(differs) {
            true => Ok(Self { parts }),
            false => Err(wrong(
                "all pieces of a recording would have one key without {n}, {start} or {end}",
            )),
        }
    }

    /// Returns the key of a piece.
    ///
    /// # Errors
    /// A value of the pattern is not known, or a time is too long a number.
    pub(super) fn key(&self, values: &KeyValues<'_>) -> Result<Key> {
        let mut key = Vec::new();
        for part in &self.parts {
            match part {
                KeyPart::Text(text) => key.extend_from_slice(text.as_bytes()),
                KeyPart::Field { field, layout } => values.append(*field, *layout, &mut key)?,
            }
        }
        Ok(Key::from(key.as_slice()))
    }
}

impl KeyValues<'_> {
    fn append(&self, field: Field, layout: Layout, out: &mut Vec<u8>) -> Result<()> {
        let unknown = |what: &str| {
            Error::unfit(format!(
                "has no known {what}, which the pattern of keys has"
            ))
        };
        let time = |time| {
            let text = layout.time(time);
            text.ok_or_else(|| Error::unfit(format!("the time {time} has too many digits")))
        };
        match field {
            Field::Recording => out.extend_from_slice(self.recording.as_bytes()),
            Field::Key => out.extend_from_slice(self.key.as_bytes()),
            Field::Speaker => {
                let speaker = self.speaker.ok_or_else(|| unknown("speaker"))?;
                out.extend_from_slice(speaker.as_bytes());
            }
            Field::Number => out.extend(layout.filled(self.number.to_string()).into_bytes()),
            Field::Start => out.extend(time(self.start)?.into_bytes()),
            Field::End => out.extend(time(self.end.ok_or_else(|| unknown("end"))?)?.into_bytes()),
        }
        Ok(())
    }
}

impl Layout {
    /// Returns a time as text, rounded half up; `None` if it has too many digits.
    fn time(self, time: Decimal) -> Option<String> {
        if self.times.is_none() && self.places.is_none() {
            return Some(self.filled(time.trimmed().to_string()));
        }
        let places = self.places.unwrap_or(0);
        let unit = Decimal::new(1, -i16::try_from(places).ok()?);
        let (steps, share) = time.times(self.times.unwrap_or(1))?.steps(unit)?;
        let steps = steps.checked_add(u64::from(share >= 0.5))?;
        let digits = format!("{steps:0width$}", width = places + 1);
        let (whole, part) = digits.split_at(digits.len() - places);
        Some(self.filled(match part {
            "" => whole.to_owned(),
            part => format!("{whole}.{part}"),
        }))
    }

    /// Returns digits at their width.
    fn filled(self, digits: String) -> String {
        let width = self.width;
        match self.zeros {
            true => format!("{digits:0>width$}"),
            false => format!("{digits:>width$}"),
        }
    }
}

/// Parses what stands between braces: `n:05`, `start:010.3`, `start*100:07`.
fn parse_field(text: &str) -> Result<KeyPart, String> {
    let (name, form) = match text.split_once(':') {
        Some((name, form)) => (name, Some(form)),
        None => (text, None),
    };
    let (name, times) = match name.split_once('*') {
        Some((name, times)) => (name, Some(times)),
        None => (name, None),
    };
    let field = Field::ALL.iter().find(|(own, _)| *own == name);
    let Some((_, field)) = field else {
        let names = Field::ALL.map(|(name, _)| name).join(", ");
        return Err(format!("there is no field {{{name}}}; there are {names}"));
    };
    let wrong = || {
        Err(format!(
            "{{{text}}} is not a field with a width, such as {{n:05}}"
        ))
    };
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let mut layout = Layout::default();
    if let Some(times) = times {
        let factor = times.parse().ok().filter(|n| (1..=MOST).contains(n));
        if !field.is_time() || !digits(times) || factor.is_none() {
            return wrong();
        }
        layout.times = factor;
    }
    if let Some(form) = form {
        let (width, places) = match form.split_once('.') {
            Some((width, places)) => (width, Some(places)),
            None => (form, None),
        };
        let number = |text: &str| text.parse().ok().filter(|n| *n <= WIDEST);
        let valid = |text: &str| digits(text) && number(text).is_some();
        let is_fit = field.is_number()
            && (valid(width) || width.is_empty() && places.is_some())
            && places.is_none_or(|places| field.is_time() && valid(places));
        if !is_fit {
            return wrong();
        }
        layout.zeros = width.starts_with('0');
        layout.width = number(width).unwrap_or(0);
        layout.places = places.and_then(number);
    }
    Ok(KeyPart::Field {
        field: *field,
        layout,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_made_by_patterns() {
        let (recording, key, speaker) = (Key::from("rec"), Key::from("utt"), Key::from("ann"));
        let values = KeyValues {
            recording: &recording,
            key: &key,
            speaker: Some(&speaker),
            number: 7,
            start: Decimal::new(32_505, -4),
            end: Decimal::parse("12.4555"),
        };
        for (pattern, expected) in [
            ("{recording}-{n:05}", "rec-00007"),
            ("{n}", "7"),
            ("{n:3}", "  7"),
            ("{key}_{start}_{end}", "utt_3.2505_12.4555"),
            (
                "{recording}-{start:010.3}-{end:010.3}",
                "rec-000003.251-000012.456",
            ),
            (
                "{speaker}-{start*100:07}-{end*100:07}",
                "ann-0000325-0001246",
            ),
            ("{start*1000:.1}", "3250.5"),
            ("{end:.0}", "12"),
            ("{{{n}}}", "{7}"),
        ] {
            let pattern = KeyPattern::parse(pattern).unwrap();
            assert_eq!(pattern.key(&values).unwrap(), Key::from(expected));
        }
        let default = KeyPattern::default();
        assert_eq!(default.key(&values).unwrap(), Key::from("utt-00007"));
        let open = KeyValues {
            end: None,
            speaker: None,
            ..values
        };
        for pattern in ["{n}{end}", "{n}{speaker}"] {
            let pattern = KeyPattern::parse(pattern).unwrap();
            assert!(pattern.key(&open).is_err());
        }
    }

    #[test]
    fn wrong_patterns_are_refused() {
        for wrong in [
            "",
            "x",
            "{recording}",
            "{speaker}",
            "{n",
            "n}",
            "{}",
            "{nn}",
            "{n:}",
            "{n:x}",
            "{n:5.2}",
            "{n*2}",
            "{recording:5}-{n}",
            "{start:5.}",
            "{start*}",
            "{start*0}",
            "{start:99}",
            "{start:+5}",
        ] {
            assert!(KeyPattern::parse(wrong).is_err(), "{wrong}");
        }
    }
}
