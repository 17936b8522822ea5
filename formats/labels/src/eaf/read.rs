//! The tiers of a document, with the times of their annotations.

use std::collections::HashMap;

use spr_core::model::{Decimal, Segment, Tier};
use spr_core::{Error, Result};

use super::DEFAULT;
use super::document::{Annotation, Document, StoredTier, Times};
use crate::order;

/// Returns the tiers, and warnings.
///
/// # Errors
/// An annotation refers to nothing, or has no times.
pub(super) fn tiers(document: Document) -> Result<(Vec<Tier>, Vec<Error>)> {
    let Document {
        mut slots,
        tiers: stored,
        is_shifted,
    } = document;
    let mut warnings = Vec::new();
    let mut warn = |message: String| warnings.push(Error::unfit(message));
    if stored.is_empty() {
        return Err(Error::malformed("the document has no tiers"));
    }
    if is_shifted {
        warn("a recording starts at another time (TIME_ORIGIN), which the times ignore".to_owned());
    }
    if stored.iter().any(|tier| tier.has_parent) {
        warn("which tier belongs to which (PARENT_REF) is not kept".to_owned());
    }
    let mut spread = 0;
    for tier in &stored {
        spread += spread_slots(tier, &mut slots).map_err(Error::malformed)?;
    }
    if spread > 0 {
        warn(format!(
            "{spread} time slots without a time are spread evenly between their neighbours"
        ));
    }
    let annotations = stored.iter().flat_map(|tier| &tier.annotations);
    let mut by_id = HashMap::new();
    for annotation in annotations {
        if by_id.insert(&*annotation.id, annotation).is_some() {
            let id = &annotation.id;
            return Err(Error::malformed(format!("a second annotation '{id}'")));
        }
    }
    let mut tiers = Vec::with_capacity(stored.len());
    for tier in &stored {
        let mut segments = Vec::with_capacity(tier.annotations.len());
        for annotation in &tier.annotations {
            let (start, end) = times(annotation, &by_id, &slots).map_err(Error::malformed)?;
            let mut segment = Segment::new(start, Some(end), annotation.value.as_bytes());
            segment.speaker = tier.participant.as_ref().map(|name| name.as_bytes().into());
            segments.push(segment);
        }
        if order::sort(&mut segments) {
            let name = tier.name.escape_debug();
            warn(format!("the tier '{name}' {}", order::SORTED));
        }
        tiers.push(Tier {
            name: tier.name.as_bytes().into(),
            ..Tier::only(segments)
        });
    }
    if let [only] = &mut *tiers
        && *only.name == *DEFAULT.as_bytes()
    {
        only.name = Box::default();
    }
    Ok((tiers, warnings))
}

/// Gives the time slots without a time times between those of their neighbours in a tier, and returns
/// their number.
fn spread_slots(
    tier: &StoredTier,
    slots: &mut HashMap<String, Option<u64>>,
) -> Result<u64, String> {
    let mut spread = 0;
    // The slots from the last one with a time on.
    let mut chain: Vec<&str> = Vec::new();
    for annotation in &tier.annotations {
        let Times::Slots(start, end) = &annotation.times else {
            continue;
        };
        if chain.last() != Some(&&**start) {
            chain = vec![start];
        }
        chain.push(end);
        let known = |slot: &str| slots.get(slot).copied().flatten();
        let Some(last) = known(end) else { continue };
        let Some(first) = chain.first().and_then(|first| known(first)) else {
            chain = vec![end];
            continue;
        };
        let parts = chain.len() as u64 - 1;
        for (n, slot) in (0..).zip(&chain) {
            let unknown = slots.get_mut(*slot).filter(|time| time.is_none());
            if let Some(time) = unknown {
                let length = u128::from(last.saturating_sub(first));
                let part = length * n / u128::from(parts.max(1));
                *time = Some(first.saturating_add(u64::try_from(part).unwrap_or(u64::MAX)));
                spread += 1;
            }
        }
        chain = vec![end];
    }
    Ok(spread)
}

/// Returns the times of an annotation: its own, or those of the one that it refers to.
fn times(
    annotation: &Annotation,
    by_id: &HashMap<&str, &Annotation>,
    slots: &HashMap<String, Option<u64>>,
) -> Result<(Decimal, Decimal), String> {
    let mut own = annotation;
    for _ in 0..=by_id.len() {
        let (start, end) = match &own.times {
            Times::Slots(start, end) => (start, end),
            Times::Parent(parent) => {
                own = by_id.get(&**parent).ok_or_else(|| {
                    format!(
                        "the annotation '{}' refers to '{parent}', which is not there",
                        own.id
                    )
                })?;
                continue;
            }
        };
        let time = |slot: &str| match slots.get(slot) {
            Some(Some(time)) => i64::try_from(*time)
                .map(|time| Decimal::new(time, -3).trimmed())
                .map_err(|_| format!("the time {time} is too large")),
            Some(None) => Err(format!(
                "the annotation '{}' has no time at its slot '{slot}'",
                own.id
            )),
            None => Err(format!(
                "the annotation '{}' has a slot '{slot}' that is not there",
                own.id
            )),
        };
        let (start, end) = (time(start)?, time(end)?);
        return match start <= end {
            true => Ok((start, end)),
            false => Err(format!(
                "the annotation '{}' starts at {start} s and ends before that, at {end} s",
                own.id
            )),
        };
    }
    Err(format!(
        "the annotation '{}' refers to itself",
        annotation.id
    ))
}
