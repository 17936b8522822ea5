//! `spr-convert kaldi-links DIR`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use spr_core::bytes::Location;
use spr_core::{Error, Result};
use spr_kaldi_tools::TOOLS;

use super::args::file;
use super::exit::DONE;
use super::messages;

pub(super) const EXAMPLES: &str = "\
Under the name of one of Kaldi's tools the program is that tool: same options, same bytes. Links
of ours are renewed; anything else of that name is left alone, and then no link is made.

Examples:
  spr-convert kaldi-links ~/bin/kaldi
  PATH=~/bin/kaldi:$PATH copy-feats scp:feats.scp ark,t:- | head";

#[derive(Args, Debug, Clone)]
pub(super) struct LinksArgs {
    /// The folder for the links, made if need be
    #[arg(value_name = "DIR", value_parser = file())]
    pub(super) folder: Location,
}

/// Makes a link for each of Kaldi's tools; what is there and not a link of ours stays.
pub(super) fn run(args: &LinksArgs) -> Result<u8> {
    let shown = args.folder.to_string();
    let folder = args.folder.local_path();
    let folder = folder.ok_or_else(|| Error::usage("is not a folder").file(&*shown))?;
    let program = std::env::current_exe().map_err(|e| Error::io("cannot find this program", e))?;
    let failed = |doing: &str, path: &Path, e| Error::io(doing, e).file(path.display().to_string());
    fs::create_dir_all(folder).map_err(|e| failed("cannot create the folder", folder, e))?;
    let links: Vec<PathBuf> = TOOLS.iter().map(|tool| folder.join(tool.name)).collect();
    for link in &links {
        if link.symlink_metadata().is_ok() && !is_ours(link, &program) {
            return Err(
                Error::usage("exists already and is not a link to this program")
                    .file(link.display().to_string())
                    .hint("move it away, or name another folder"),
            );
        }
    }
    for link in &links {
        let made = match fs::remove_file(link) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
            _ => symlink(&program, link),
        };
        made.map_err(|e| failed("cannot make the link", link, e))?;
    }
    let links = messages::count(links.len() as u64, "link");
    messages::say(
        "note",
        &format!("{links} to {} in {shown}", program.display()),
    );
    Ok(DONE)
}

/// Whether a path is a link to this program, or to another place of a program of its name.
fn is_ours(link: &Path, program: &Path) -> bool {
    fs::read_link(link).is_ok_and(|target| target.file_name() == program.file_name())
}

#[cfg(unix)]
fn symlink(program: &Path, link: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(program, link)
}

#[cfg(not(unix))]
fn symlink(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
