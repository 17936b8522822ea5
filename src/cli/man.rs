//! `spr-convert man [VERB]`.

use std::io::{IsTerminal, Write, stdout};
use std::process::{self, Stdio};

use clap::{Args, Command, ValueHint};
use spr_core::bytes::{Env, Location, Parents};
use spr_core::{Error, Result};
use spr_engine::document::Document;

use super::exit::DONE;
use super::out::print;
use super::page;
use super::session::Session;
use super::words::file;
use super::{messages, misspelt};

pub(super) const EXAMPLES: &str = "\
Examples:
  spr-convert man                                read the page of the program
  spr-convert man ls                             read that of a verb
  spr-convert man ls > ls.1                      have it as a file
  spr-convert man --dir ~/.local/share/man/man1  write all of them";

#[derive(Args, Debug, Clone)]
pub(super) struct ManArgs {
    /// The verb whose page to print, instead of the program's; also `shards merge`
    #[arg(value_name = "VERB")]
    verb: Vec<String>,
    /// Write all pages to this folder, created if needed
    #[arg(
        long,
        value_name = "DIR",
        value_parser = file(),
        value_hint = ValueHint::AnyPath,
        conflicts_with = "verb"
    )]
    dir: Option<Location>,
}

/// Prints a manual page, by `man` where that is a terminal, or writes all.
pub(super) fn run(args: &ManArgs, program: Command, session: &Session) -> Result<u8> {
    let mut program = whole(program);
    program.build();
    if let Some(folder) = &args.dir {
        let mut env = session.plain_env(false);
        // Pages that are easily made again need not survive a power failure.
        env.durable = false;
        return write_all(&program, folder, &env);
    }
    let mut command = &program;
    for verb in &args.verb {
        command = misspelt::sub(verb, command)?;
    }
    let page = render(command)?;
    if !stdout().is_terminal() {
        return print(&page);
    }
    match shown(&page) {
        true => Ok(DONE),
        false => print(command.clone().render_long_help().to_string().as_bytes()),
    }
}

/// Shows a page on the terminal by `man`; whether it could.
fn shown(page: &[u8]) -> bool {
    let mut man = process::Command::new("man");
    let Ok(mut man) = man.args(["-l", "-"]).stdin(Stdio::piped()).spawn() else {
        return false;
    };
    // One who has seen enough closes it before its end.
    if let Some(mut to) = man.stdin.take() {
        let _ = to.write_all(page);
    }
    man.wait().is_ok_and(|status| status.success())
}

/// Returns a command and its verbs with the options that `-h` leaves out.
fn whole(command: Command) -> Command {
    let command = command.mut_args(|arg| arg.hide_short_help(false));
    command.mut_subcommands(whole)
}

fn render(command: &Command) -> Result<Vec<u8>> {
    page::render(command).map_err(|e| Error::io("cannot make the manual page", e))
}

/// Writes a page a verb, named as `man` looks for them.
fn write_all(program: &Command, folder: &Location, env: &Env) -> Result<u8> {
    let mut made = Parents::default();
    make(folder, env, &mut made)?;
    let pages = write_page(program, folder, env)?;
    made.keep();
    let pages = messages::count(pages, "page");
    messages::say("note", &format!("{pages} in {folder}"));
    Ok(DONE)
}

/// Writes the page of a command and those of its verbs. Returns their number.
fn write_page(command: &Command, folder: &Location, env: &Env) -> Result<u64> {
    let name = command
        .get_display_name()
        .unwrap_or_else(|| command.get_name());
    let page = folder.join(format!("{name}.1"));
    let mut document = Document::create(&page, true, env)?;
    document.put(&render(command)?)?;
    document.finish()?;
    let mut pages = 1;
    for verb in command.get_subcommands() {
        pages += write_page(verb, folder, env)?;
    }
    Ok(pages)
}

/// Makes a folder, and those that it stands in.
fn make(folder: &Location, env: &Env, made: &mut Parents) -> Result<()> {
    if let Some(parent) = folder.parent() {
        make(&parent, env, made)?;
    }
    made.make(folder, env)
}
