//! `spr-convert header FILE...`.

use std::io::{self, IsTerminal};

use clap::{Args, ValueEnum, ValueHint};
use serde_json::{Value, json};
use spr_core::bytes::{Env, Location, Locator, Source};
use spr_core::text::visible;
use spr_core::{Error, Result};
use spr_engine::document::place;

use super::messages;
use super::out::{print, print_json};
use super::session::Session;
use super::words::file;
use crate::builtin::header::Dialect;
use crate::builtin::header::edit::HeaderFile;

const EXAMPLES: &str = "\
Examples:
  spr-convert header a.trk                             show the header
  spr-convert header a.trk > h.spr                     for header=h.spr
  spr-convert header a.trk --set speaker=ann -o b.trk  with a changed line
  spr-convert header *.trk --set speaker=ann -i        the files themselves
  spr-convert header a.key --kind spr -o a.spr         the other kind of header";

#[derive(Args, Debug, Clone)]
#[command(after_help = EXAMPLES)]
pub(super) struct HeaderArgs {
    /// SPRAAK files, or patterns in quotes; `-` is standard input
    #[arg(value_name = "FILE", value_parser = file(), value_hint = ValueHint::AnyPath, required = true)]
    files: Vec<Location>,
    /// Give a key a value; a new key is added at the end
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Remove a key; this is done before --set
    #[arg(long, value_name = "KEY")]
    delete: Vec<String>,
    /// Change to this kind of header, if the data need not change
    #[arg(long, value_name = "spr|key", hide_possible_values = true)]
    kind: Option<KindArg>,
    /// Store the length of the header in its key HEADER_LEN
    #[arg(long)]
    header_len: bool,
    /// Where to write the header and the data, which stay as they are; `-` is standard output
    #[arg(
        short,
        long,
        value_name = "OUT",
        value_parser = file(),
        value_hint = ValueHint::AnyPath,
        conflicts_with = "json"
    )]
    output: Option<Location>,
    /// Change the files in place: each is written under another name and renamed; links stay
    #[arg(short, long, conflicts_with_all = ["output", "json"])]
    in_place: bool,
    /// Replace an existing output
    #[arg(long, requires = "output")]
    overwrite: bool,
    /// Print the header as JSON
    #[arg(long)]
    json: bool,
    /// Print nothing but errors
    #[arg(short, long)]
    quiet: bool,
}

#[derive(ValueEnum, Debug, Clone, Copy)]
enum KindArg {
    Spr,
    Key,
}

/// Shows headers, or writes them with changes.
pub(super) fn run(args: &HeaderArgs, session: &Session) -> Result<u8> {
    let env = session.plain_env(args.quiet);
    let files = files(&args.files, &env)?;
    if args.in_place && !args.changes() {
        let error = Error::usage("--in-place, but nothing is to change");
        return Err(error.hint("say what: --set KEY=VALUE, --delete KEY, --kind, --header-len"));
    }
    match files.as_slice() {
        [file] if args.in_place => change(file, args, session).map(|()| super::exit::DONE),
        [file] => one(file, args, &env),
        _ if args.output.is_some() => {
            let error = Error::usage(format!("{} files, but one --output", files.len()));
            Err(error.hint("--in-place changes the files themselves"))
        }
        files => Ok(each(files, args, session, &env)),
    }
}

/// The files that are named, and those that patterns match, sorted.
fn files(named: &[Location], env: &Env) -> Result<Vec<Location>> {
    let mut files = Vec::new();
    for file in named {
        let pattern = file.to_str().filter(|text| text.contains(['*', '?', '[']));
        let Some(pattern) = pattern.filter(|_| !env.exists(file)) else {
            files.push(file.clone());
            continue;
        };
        let mut found = env.matching(pattern)?;
        if found.is_empty() {
            return Err(Error::usage(format!("no file matches '{pattern}'")));
        }
        found.sort();
        files.append(&mut found);
    }
    Ok(files)
}

/// Shows or changes several files. One at fault is told, and leaves the others alone.
fn each(files: &[Location], args: &HeaderArgs, session: &Session, env: &Env) -> u8 {
    let mut failed = 0;
    for file in files {
        let done = match args.in_place {
            true => change(file, args, session),
            false if args.json => one(file, args, env).map(drop),
            false => {
                let title = format!("==> {} <==\n", visible(&file.to_string()));
                print(title.as_bytes()).and_then(|_| one(file, args, env).map(drop))
            }
        };
        match done {
            Err(error) if error.is_broken_pipe() => break,
            Err(error) => {
                failed += 1;
                session.error(error);
            }
            Ok(()) => {}
        }
    }
    if args.in_place && !args.quiet {
        let (all, changed) = (files.len() as u64, files.len() as u64 - failed);
        messages::plain(&format!("{changed} of {all} files changed"));
    }
    match failed {
        0 => super::exit::DONE,
        _ => super::exit::FAILED,
    }
}

impl HeaderArgs {
    /// Returns `true` if a change is requested.
    fn changes(&self) -> bool {
        !self.set.is_empty() || !self.delete.is_empty() || self.kind.is_some() || self.header_len
    }

    /// A header with the changes.
    fn changed(&self, source: Source, env: &Env) -> Result<HeaderFile> {
        let mut file = HeaderFile::open(source, env)?;
        for key in &self.delete {
            file.delete(key)?;
        }
        for text in &self.set {
            let Some((key, value)) = text.split_once('=') else {
                return Err(Error::usage(format!("--set takes KEY=VALUE, not '{text}'")));
            };
            file.set(key, value.as_bytes())?;
        }
        if let Some(kind) = self.kind {
            file.translate(match kind {
                KindArg::Spr => Dialect::Spr,
                KindArg::Key => Dialect::Key,
            })?;
        }
        if self.header_len {
            file.count()?;
        }
        Ok(file)
    }
}

/// Changes a file itself: a whole new one takes its place, with its permissions.
fn change(file: &Location, args: &HeaderArgs, session: &Session) -> Result<()> {
    let env = session.plain_env(args.quiet);
    // The target of a link is changed, not the link.
    let file = &env.resolve(file);
    let source = env.open_file(file)?;
    if source.compression().is_some() && file.codec().is_none() {
        let error = Error::usage("is compressed, but its name does not say so");
        return Err(error
            .file(file.to_string())
            .hint("rename it, or write another with -o"));
    }
    let header = args.changed(source, &env)?;
    check_name(file, &header)?;
    // Of what it replaces these surroundings have read nothing.
    let output = session
        .plain_env(args.quiet)
        .output(&Locator::from(file.clone()));
    let output = output.overwrite(true);
    header.write(&output)?;
    output.commit()
}

/// Refuses a name that tells of the other kind of header.
fn check_name(output: &Location, header: &HeaderFile) -> Result<()> {
    if output.plain().extension() == Some("key") && header.dialect() == Dialect::Spr {
        return Err(
            Error::usage("ends with .key, but an spr header would be written")
                .file(output.to_string())
                .hint("change the name, or add --kind key"),
        );
    }
    Ok(())
}

/// Shows the header of a file, or writes another file.
fn one(name: &Location, args: &HeaderArgs, env: &Env) -> Result<u8> {
    let file = args.changed(env.open(&place(name))?, env)?;
    let Some(output) = &args.output else {
        let header = file.print()?;
        return match args.json {
            true => print_json(&as_json(&file, name)),
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
    check_name(output, &file)?;
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

fn as_json(file: &HeaderFile, name: &Location) -> Value {
    let keys: Vec<_> = file.pairs().map(|(k, v)| [text(k), text(v)]).collect();
    json!({
        "input": name.to_string(),
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
