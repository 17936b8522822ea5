//! All verbs of `spr-convert`, on its formats and one more.

use std::process::ExitCode;

use spr_convert::{builtin, cli};

fn main() -> ExitCode {
    cli::main(builtin::registry().with_format(&stranger::TOY))
}
