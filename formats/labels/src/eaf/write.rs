//! The writer of documents.

use std::fmt::Write;

use quick_xml::escape::escape;
use spr_core::model::{Segment, Tier, Utterance};
use spr_core::{Error, Result};

use super::{DEFAULT, ROOT, TICKS, UNIT};

/// The start of a document. The schema wants an author and a date, and nothing says them.
const HEAD: &str = "AUTHOR=\"\" DATE=\"1970-01-01T00:00:00+00:00\" FORMAT=\"3.0\" VERSION=\"3.0\" \
    xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" \
    xsi:noNamespaceSchemaLocation=\"http://www.mpi.nl/tools/elan/EAFv3.0.xsd\"";
/// The type of all tiers: annotations with times of their own.
const TYPE: &str = "default-lt";

pub(super) fn encode(utt: &Utterance, out: &mut Vec<u8>) -> Result<()> {
    if utt.tiers.is_empty() {
        return Err(Error::unfit("has no tiers"));
    }
    let (mut slots, mut tiers) = (String::new(), String::new());
    let mut annotations = 0;
    for tier in &utt.tiers {
        start_tier(tier, &utt.tiers, &mut tiers)?;
        let mut last = 0;
        for segment in &tier.segments {
            annotations += 1;
            let (start, end) = times(segment)?;
            if start < last {
                let message = format!("the segment at {} overlaps the one before", segment.start);
                let hint = "a tier of ELAN holds one thing at a time";
                return Err(Error::unfit(message).hint(hint));
            }
            last = end;
            let names = [2 * annotations - 1, 2 * annotations];
            for (n, time) in names.into_iter().zip([start, end]) {
                line(
                    &mut slots,
                    2,
                    &format!("<TIME_SLOT TIME_SLOT_ID=\"ts{n}\" TIME_VALUE=\"{time}\"/>"),
                );
            }
            let [first, second] = names;
            let label = text(&segment.label)?;
            let value = escape(label).replace('\r', "&#13;");
            line(&mut tiers, 2, "<ANNOTATION>");
            line(
                &mut tiers,
                3,
                &format!(
                    "<ALIGNABLE_ANNOTATION ANNOTATION_ID=\"a{annotations}\" \
                     TIME_SLOT_REF1=\"ts{first}\" TIME_SLOT_REF2=\"ts{second}\">"
                ),
            );
            line(
                &mut tiers,
                4,
                &format!("<ANNOTATION_VALUE>{value}</ANNOTATION_VALUE>"),
            );
            line(&mut tiers, 3, "</ALIGNABLE_ANNOTATION>");
            line(&mut tiers, 2, "</ANNOTATION>");
        }
        line(&mut tiers, 1, "</TIER>");
    }
    let mut all = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    line(&mut all, 0, &format!("<{ROOT} {HEAD}>"));
    line(
        &mut all,
        1,
        &format!("<HEADER MEDIA_FILE=\"\" TIME_UNITS=\"{UNIT}\"/>"),
    );
    line(&mut all, 1, "<TIME_ORDER>");
    all.push_str(&slots);
    line(&mut all, 1, "</TIME_ORDER>");
    all.push_str(&tiers);
    line(
        &mut all,
        1,
        &format!(
            "<LINGUISTIC_TYPE GRAPHIC_REFERENCES=\"false\" LINGUISTIC_TYPE_ID=\"{TYPE}\" \
             TIME_ALIGNABLE=\"true\"/>"
        ),
    );
    line(&mut all, 0, &format!("</{ROOT}>"));
    out.extend_from_slice(all.as_bytes());
    Ok(())
}

/// Appends an indented line.
fn line(out: &mut String, level: usize, text: &str) {
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{:1$}{text}", "", 4 * level);
}

/// Starts a tier of a document.
fn start_tier(tier: &Tier, all: &[Tier], out: &mut String) -> Result<()> {
    let name = name(&tier.name, "name of a tier")?;
    if tier.points {
        return Err(Error::unfit(format!(
            "the tier '{name}' is one of points, which ELAN has not"
        )));
    }
    let is_only = all.len() == 1;
    if is_only && name == DEFAULT {
        let message = format!("the only tier is named '{DEFAULT}', which stands for no name");
        return Err(Error::unfit(message));
    }
    if all.iter().filter(|other| other.name == tier.name).count() > 1 {
        return Err(Error::unfit(format!("has two tiers of the name '{name}'")));
    }
    let shown = if is_only && name.is_empty() {
        DEFAULT
    } else {
        name
    };
    let shown = escape(shown);
    let element = format!("<TIER LINGUISTIC_TYPE_REF=\"{TYPE}\" TIER_ID=\"{shown}\">");
    line(out, 1, &element);
    Ok(())
}

/// Returns start and end in milliseconds.
fn times(segment: &Segment) -> Result<(u64, u64)> {
    let (start, end) = crate::one::ticks(segment, TICKS)?;
    match start < end {
        true => Ok((start, end)),
        false => {
            let message = format!("the segment at {} has no length", segment.start);
            Err(Error::unfit(message))
        }
    }
}

/// Checks that XML can hold a text.
fn text(bytes: &[u8]) -> Result<&str> {
    let shown = || spr_core::model::Key::from(bytes);
    let text = std::str::from_utf8(bytes)
        .map_err(|_| Error::unfit(format!("the label '{}' is not UTF-8", shown())))?;
    let odd =
        |c: char| c < ' ' && !matches!(c, '\t' | '\n' | '\r') || c == '\u{fffe}' || c == '\u{ffff}';
    match text.find(odd) {
        Some(_) => {
            let message = format!("the label '{}' holds a character that XML has not", shown());
            Err(Error::unfit(message))
        }
        None => Ok(text),
    }
}

/// Checks that an attribute can hold a name.
fn name<'a>(bytes: &'a [u8], what: &str) -> Result<&'a str> {
    let name = text(bytes)?;
    match name.contains(char::is_control) {
        true => Err(Error::unfit(format!(
            "the {what} '{}' holds a line end or tab",
            name.escape_debug()
        ))),
        false => Ok(name),
    }
}

#[cfg(test)]
mod tests {
    use spr_core::model::Decimal;

    use super::*;

    #[test]
    fn what_elan_does_not_hold() {
        let segment = |start: i64, end: i64| {
            Segment::new(Decimal::new(start, 0), Some(Decimal::new(end, 0)), b"x")
        };
        let of = |name: &str, segments| Utterance {
            tiers: vec![Tier {
                name: name.as_bytes().into(),
                ..Tier::only(segments)
            }],
            ..Utterance::default()
        };
        let mut control = segment(0, 1);
        control.label = b"\x01"[..].into();
        for (utt, told) in [
            (Utterance::default(), "has no tiers"),
            (of("default", vec![]), "stands for no name"),
            (of("a\nb", vec![]), "holds a line end or tab"),
            (
                of("", vec![segment(0, 2), segment(1, 3)]),
                "overlaps the one before",
            ),
            (of("", vec![segment(1, 1)]), "has no length"),
            (of("", vec![control]), "holds a character that XML has not"),
        ] {
            let error = encode(&utt, &mut Vec::new()).unwrap_err();
            assert!(error.to_string().contains(told), "{error}");
        }
    }
}
