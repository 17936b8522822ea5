//! The program `spr-convert`.

use std::process::ExitCode;

fn main() -> ExitCode {
    spr_convert::cli::main(std::env::args_os())
}
