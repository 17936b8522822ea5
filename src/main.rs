//! The program `spr-convert`.

use std::process::ExitCode;

use spr_convert::cli;
use spr_convert::core::bytes::Local;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    let local = Local::new();
    let signals = cli::Signals::watch(&local, cli::name(&arguments));
    let status = cli::run(arguments, &local);
    signals.settle();
    ExitCode::from(status)
}
