//! Converts a data set and says what came of it.
//!
//! `cargo run --example convert -- fixtures/samples/kaldi/fbank.scp target/example.jsonl`

use spr_convert::{ConvertOptions, Error, Result};

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [input, output] = arguments.as_slice() else {
        return Err(Error::usage("convert IN OUT"));
    };
    let outcome = ConvertOptions::new()
        .overwrite(true)
        .convert(input, output)?;
    println!(
        "{} utterances, {} frames, {} -> {}",
        outcome.written.utterances, outcome.written.frames, outcome.from, outcome.to
    );
    Ok(())
}
