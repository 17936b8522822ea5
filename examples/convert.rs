//! Converts a data set and says what came of it.
//!
//! `cargo run --example convert -- fixtures/samples/kaldi/fbank.scp target/example.jsonl`

use spr_convert::argument::{Input, Target};
use spr_convert::job::Job;
use spr_convert::{Error, Result, builtin};

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [input, output] = arguments.as_slice() else {
        return Err(Error::usage("convert IN OUT"));
    };
    let (registry, env) = (builtin::registry(), builtin::env());
    let inputs = Input::parse(input, None, &[], &registry, &env)?;
    let target = Target::parse(output, None, &[], &registry, &env)?;
    let job = Job::new(inputs, &target).overwrite(true);
    let outcome = job.run(&registry, &env, &mut ())?;
    println!(
        "{} utterances, {} frames, {} -> {}",
        outcome.written.utterances, outcome.written.frames, outcome.from, outcome.to
    );
    Ok(())
}
