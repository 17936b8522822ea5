//! `spr-convert man [VERB]`.

use clap::{Args, Command, ValueHint};
use spr_core::bytes::{Env, Location, Parents};
use spr_core::{Error, Result, nearest};

use super::args::file;
use super::document::Document;
use super::exit::DONE;
use super::messages;
use super::out::print;
use super::page;
use super::session::Session;

pub(super) const EXAMPLES: &str = "\
Examples:
  spr-convert man | man -l -                     read the page of the program
  spr-convert man ls | man -l -                  read that of a verb
  spr-convert man --dir ~/.local/share/man/man1  write all of them";

#[derive(Args, Debug, Clone)]
pub(super) struct ManArgs {
    /// The verb whose page to print, instead of the program's
    #[arg(value_name = "VERB")]
    verb: Option<String>,
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

/// Prints a manual page, or writes all.
pub(super) fn run(args: &ManArgs, program: Command, session: &Session) -> Result<u8> {
    let mut program = whole(program).mut_subcommands(whole);
    program.build();
    if let Some(folder) = &args.dir {
        let mut env = session.plain_env(false);
        // What is so easily made anew need not outlive a power cut.
        env.durable = false;
        return write_all(&program, folder, &env);
    }
    let page = match &args.verb {
        Some(verb) => render(find(&program, verb)?)?,
        None => render(&program)?,
    };
    print(&page)
}

/// With the options that `-h` leaves out.
fn whole(command: Command) -> Command {
    command.mut_args(|arg| arg.hide_short_help(false))
}

fn find<'a>(program: &'a Command, verb: &str) -> Result<&'a Command> {
    program.find_subcommand(verb).ok_or_else(|| {
        let error = Error::usage(format!("unknown verb '{verb}'"));
        match nearest(verb, program.get_subcommands().map(Command::get_name)) {
            Some(near) => error.hint(format!("did you mean '{near}'?")),
            None => error.hint("spr-convert --help lists the verbs"),
        }
    })
}

fn render(command: &Command) -> Result<Vec<u8>> {
    page::render(command).map_err(|e| Error::io("cannot make the manual page", e))
}

/// Writes a page a verb, named as `man` looks for them.
fn write_all(program: &Command, folder: &Location, env: &Env) -> Result<u8> {
    let mut made = Parents::default();
    make(folder, env, &mut made)?;
    let mut pages = 0;
    for command in std::iter::once(program).chain(program.get_subcommands()) {
        let name = command
            .get_display_name()
            .unwrap_or_else(|| command.get_name());
        let page = folder.join(format!("{name}.1"));
        let mut document = Document::create(&page, true, env)?;
        document.put(&render(command)?)?;
        document.finish()?;
        pages += 1;
    }
    made.keep();
    let pages = messages::count(pages, "page");
    messages::say("note", &format!("{pages} in {folder}"));
    Ok(DONE)
}

/// Makes a folder, and those that it stands in.
fn make(folder: &Location, env: &Env, made: &mut Parents) -> Result<()> {
    if let Some(parent) = folder.parent() {
        make(&parent, env, made)?;
    }
    made.make(folder, env)
}
