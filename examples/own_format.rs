//! Converts between the formats that are built in and one of the program's own.
//!
//! `cargo run --example own_format -- fixtures/samples/kaldi/fbank.scp target/example.toy`

use spr_convert::{ConvertOptions, Error, Result, builtin};

#[path = "../tests/stranger/src/toy.rs"]
pub mod toy;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [input, output] = arguments.as_slice() else {
        return Err(Error::usage("own_format IN OUT"));
    };
    // With these formats `spr_convert::cli::main` is a program with all verbs.
    let formats = builtin::registry().with_format(&toy::TOY);
    let options = ConvertOptions::within(&formats, &builtin::env());
    let outcome = options.convert(input, output)?;
    println!(
        "{} utterances, {} -> {}",
        outcome.written.utterances, outcome.from, outcome.to
    );
    Ok(())
}
