//! Differences as JSON.

use serde_json::{Value, json};
use spr_core::model::Key;

use super::{Difference, Finding, Noise, Place, Spot, Summary};
use crate::plan::Plan;
use crate::verbs::key_json;

fn place(spot: &Spot) -> Value {
    let apart = spot.apart.is_finite().then_some(spot.apart);
    json!({"row": spot.row, "column": spot.col, "a": spot.a, "b": spot.b, "difference": apart})
}

/// Formats the difference of audio, relative to full scale.
fn noise(noise: &Noise) -> Value {
    json!({
        "samples": noise.values,
        "rms": noise.rms(),
        "largest": noise.largest,
        "snr_db": noise.snr(),
    })
}

/// Formats the differences of one entry.
pub fn finding(key: &Key, finding: &Finding) -> Value {
    let key = key_json(key);
    let mut value = match finding {
        Finding::OnlyA(place) => json!({"key": key, "only_in": "a", "places": {"a": line(place)}}),
        Finding::OnlyB(place) => json!({"key": key, "only_in": "b", "places": {"b": line(place)}}),
        Finding::Key(other) => json!({"key": key, "other_key": key_json(other)}),
        Finding::Differs(differing) => {
            let [a, b] = &differing.places;
            let places = json!({"a": line(a), "b": line(b)});
            let differences = differences(&differing.differences);
            let mut value = json!({"key": key, "places": places, "differences": differences});
            if let Some(other) = &differing.other_key {
                value["other_key"] = key_json(other);
            }
            value
        }
    };
    // Only lines are places.
    if let Some(places) = value["places"].as_object()
        && places.values().all(Value::is_null)
        && let Some(object) = value.as_object_mut()
    {
        object.remove("places");
    }
    value
}

fn line(place: &Option<Place>) -> Value {
    match place {
        Some(place) => json!({"file": place.file, "line": place.line}),
        None => Value::Null,
    }
}

fn differences(differences: &[Difference]) -> Vec<Value> {
    let list = differences.iter().map(|difference| match difference {
        Difference::Shape(what, a, b) => json!({"what": what, "shape": true, "a": a, "b": b}),
        Difference::Other(what, a, b) => json!({"what": what, "a": a, "b": b}),
        Difference::Noise(own) => {
            let mut value = noise(own);
            value["what"] = json!("audio");
            value
        }
        Difference::Values(what, values) => json!({
            "what": what,
            "values": values.differ,
            "of": values.of,
            "first": place(&values.first),
            "worst": place(&values.worst),
        }),
    });
    list.collect()
}

/// Formats the result of a comparison, with the listed findings.
pub fn summary(summary: &Summary, (a, b): (&Plan, &Plan), listed: Vec<Value>) -> Value {
    let worst = summary.worst.as_ref().map(|(key, what, worst)| {
        let mut value = place(worst);
        value["key"] = key_json(key);
        value["what"] = json!(what);
        value
    });
    let kinds = summary.kinds.iter();
    let kinds = kinds.map(|((kind, first), utterances)| {
        let side = if *first { "a" } else { "b" };
        json!({"what": kind, "only_in": side, "utterances": utterances})
    });
    let mut value = json!({
        "a": a.text(),
        "b": b.text(),
        "same": summary.is_same(),
        "compared": summary.compared,
        "different": summary.different,
        "only_a": summary.only_a,
        "only_b": summary.only_b,
        "other_keys": summary.keys,
        "unnamed": summary.unnamed || summary.single.is_some(),
        "kinds": kinds.collect::<Vec<_>>(),
        "values": summary.values,
        "other_types": summary.types,
        "other_metadata": summary.metadata,
        "worst": worst,
        "findings": listed,
    });
    if let Some(own) = &summary.noise {
        value["sound"] = noise(own);
    }
    value
}
