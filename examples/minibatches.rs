//! An epoch of shuffled minibatches with context, as `ndarray` views: here the mean of each batch, and how
//! often its most frequent label comes.
//!
//! `cargo run --example minibatches -- target/sample.pfile`

use std::collections::HashMap;

use spr_convert::core::Limits;
use spr_convert::core::format::Reader;
use spr_convert::core::model::Utterance;
use spr_convert::core::number::random::Rng;
use spr_convert::core::stage::{Batch, Batching, Context, Prefetch, ShapeCheck, ShuffleFrames};
use spr_convert::{Error, Result};

/// Windows of 11 frames in random order, 256 of them at a time, read ahead.
fn minibatches(input: &str) -> Result<Box<dyn Reader>> {
    let limits = Limits::default();
    let reader = spr_convert::open(input)?;
    let reader = ShapeCheck::new(reader, None);
    let reader = Context::new(Box::new(reader), 5, 5, limits);
    let reader = ShuffleFrames::new(Box::new(reader), None, Rng::default(), limits);
    let reader = Batch::new(Box::new(reader), Batching::frames(256).drop_tail(), limits)?;
    Ok(Box::new(Prefetch::new(Box::new(reader))))
}

fn main() -> Result<()> {
    let input = std::env::args()
        .nth(1)
        .ok_or_else(|| Error::usage("minibatches IN"))?;
    let mut reader = minibatches(&input)?;
    let mut batch = Utterance::default();
    while reader.read(&mut batch)? {
        let features = batch.features.as_ref().and_then(|m| m.view::<f32>());
        let labels = batch.labels.as_ref().and_then(|m| m.as_slice::<i32>());
        let (Some(features), Some(labels)) = (features, labels) else {
            return Err(Error::unfit("expected f32 features and i32 labels").utterance(&batch.key));
        };
        let mut counts = HashMap::new();
        for label in labels {
            *counts.entry(*label).or_insert(0) += 1;
        }
        let most = counts.into_iter().max_by_key(|(label, n)| (*n, -label));
        println!(
            "{}: {:?}, mean {:.3}, label and how often {:?}",
            batch.key,
            features.dim(),
            features.mean().unwrap_or_default(),
            most.unwrap_or_default()
        );
    }
    Ok(())
}
