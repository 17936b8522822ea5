//! `spr-convert header FILE`.

use std::io::{self, IsTerminal};

use clap::{Args, ValueEnum, ValueHint};
use serde_json::{Value, json};
use spr_core::bytes::Location;
use spr_core::{Error, Result};
use spr_format_spraak::header::Dialect;
use spr_format_spraak::header::edit::HeaderFile;
use spr_text::visible;

use super::args::file;
use super::document::place;
use super::messages;
use super::out::{print, print_json};
use super::session::Session;

const EXAMPLES: &str = "\
Examples:
  spr-convert header a.trk                             show the header
  spr-convert header a.trk > h.spr                     for header=h.spr
  spr-convert header a.trk --set speaker=ann -o b.trk  with another line
  spr-convert header a.key --kind spr -o a.spr         the other sort of header";

#[derive(Args, Debug, Clone)]
#[command(after_help = EXAMPLES)]
pub(super) struct HeaderArgs {
    /// A SPRAAK file; `-` is standard input
    #[arg(value_name = "FILE", value_parser = file(), value_hint = ValueHint::AnyPath)]
    file: Location,
    /// Give a key a value; a new key comes last
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Take a key away; this comes before --set
    #[arg(long, value_name = "KEY")]
    delete: Vec<String>,
    /// Make it a header of this sort, if the data need not change
    #[arg(long, value_name = "spr|key", hide_possible_values = true)]
    kind: Option<KindArg>,
    /// Say in the key HEADER_LEN how many bytes the header has
    #[arg(long)]
    header_len: bool,
    /// Write the header and the data, which stay as they are; `-` is standard output
    #[arg(
        short,
        long,
        value_name = "OUT",
        value_parser = file(),
        value_hint = ValueHint::AnyPath,
        conflicts_with = "json"
    )]
    output: Option<Location>,
    /// Replace an output that exists
    #[arg(long, requires = "output")]
    overwrite: bool,
    /// Print the header as JSON
    #[arg(long)]
    json: bool,
    /// Say nothing but errors
    #[arg(short, long)]
    quiet: bool,
}

#[derive(ValueEnum, Debug, Clone, Copy)]
enum KindArg {
    Spr,
    Key,
}

/// Shows a header, or writes it with changes.
pub(super) fn run(args: &HeaderArgs, session: &Session) -> Result<u8> {
    let env = session.plain_env(args.quiet);
    let mut file = HeaderFile::open(env.open(&place(&args.file))?, &env)?;
    for key in &args.delete {
        file.delete(key)?;
    }
    for text in &args.set {
        let Some((key, value)) = text.split_once('=') else {
            return Err(Error::usage(format!("--set takes KEY=VALUE, not '{text}'")));
        };
        file.set(key, value.as_bytes())?;
    }
    if let Some(kind) = args.kind {
        file.translate(match kind {
            KindArg::Spr => Dialect::Spr,
            KindArg::Key => Dialect::Key,
        })?;
    }
    if args.header_len {
        file.count()?;
    }
    let Some(output) = &args.output else {
        let header = file.print()?;
        return match args.json {
            true => print_json(as_json(&file, args).to_string()),
            // A terminal is shown text, whatever the bytes are.
            false if io::stdout().is_terminal() => {
                let text = String::from_utf8_lossy(&header);
                let fields =
                    |line: &str| line.split('\t').map(visible).collect::<Vec<_>>().join("\t");
                let lines = text.split_terminator('\n').map(fields);
                print((lines.collect::<Vec<_>>().join("\n") + "\n").as_bytes())
            }
            false => print(&header),
        };
    };
    if output.extension() == Some("key") && file.dialect() == Dialect::Spr {
        return Err(
            Error::usage("ends with .key, but an spr header would be written")
                .file(output.to_string())
                .hint("change the name, or add --kind key"),
        );
    }
    let lines = file.pairs().count() as u64;
    let to = env.output(&place(output)).overwrite(args.overwrite);
    file.write(&to)?;
    to.commit()?;
    if !args.quiet {
        let lines = messages::count(lines, "header line");
        messages::plain(&format!("{lines} ({output})"));
    }
    Ok(super::exit::DONE)
}

fn as_json(file: &HeaderFile, args: &HeaderArgs) -> Value {
    let keys: Vec<_> = file.pairs().map(|(k, v)| [text(k), text(v)]).collect();
    json!({
        "input": args.file.to_string(),
        "kind": match file.dialect() {
            Dialect::Spr => "spr",
            Dialect::Key => "key",
        },
        "header_bytes": file.header_bytes(),
        "data_bytes": file.data_bytes(),
        "keys": keys,
    })
}

/// Text, or what is not text as `{"bytes": hex}`.
fn text(bytes: &[u8]) -> Value {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(_) => {
            let digits: String = bytes.iter().map(|b| format!("{b:02x}")).collect();
            json!({ "bytes": digits })
        }
    }
}
