//! Reads any data set frame by frame: the mean of each feature column, through an `ndarray` view.
//!
//! `cargo run --example mean -- fixtures/samples/kaldi/fbank.scp`

use spr_convert::core::Limits;
use spr_convert::core::model::{Dtype, Utterance};
use spr_convert::core::ndarray::{Array1, Axis};
use spr_convert::{Error, Result};

fn main() -> Result<()> {
    let input = std::env::args()
        .nth(1)
        .ok_or_else(|| Error::usage("mean IN"))?;
    let mut reader = spr_convert::open(&input)?;
    let mut utt = Utterance::default();
    let mut sum = Array1::<f64>::zeros(0);
    let mut frames = 0.0;
    while reader.read(&mut utt)? {
        let Some(features) = &mut utt.features else {
            continue;
        };
        features.cast(Dtype::F64, &Limits::default())?;
        let Some(view) = features.view::<f64>() else {
            continue;
        };
        if sum.is_empty() {
            sum = Array1::zeros(view.ncols());
        }
        sum += &view.sum_axis(Axis(0));
        frames += view.nrows() as f64;
    }
    println!("{:.3}", sum / frames);
    Ok(())
}
