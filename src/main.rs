//! The program `spr-convert`.

use std::process::ExitCode;

use spr_convert::{builtin, cli};

fn main() -> ExitCode {
    cli::main(builtin::registry())
}
