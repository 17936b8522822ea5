//! The program `spr-convert`.

use std::process::ExitCode;

use spr_convert::builtin::Places;
use spr_convert::cli;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    let places = Places::default();
    let signals = cli::Signals::watch(&places, cli::name(&arguments));
    let status = cli::run(arguments, &places);
    signals.settle();
    ExitCode::from(status)
}
