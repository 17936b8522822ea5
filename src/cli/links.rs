//! `spr-convert kaldi-links DIR`.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use clap::Args;
use spr_core::bytes::Location;
use spr_core::{Error, Result};

use super::exit::DONE;
use super::messages;
use super::words::file;
use crate::builtin::tools::TOOLS;

pub(super) const EXAMPLES: &str = "\
Under the name of one of Kaldi's tools the program is that tool: same options, \
same bytes. Links to this program are renewed; if anything else has one of the \
names, it is left alone and no link is made.

Examples:
  spr-convert kaldi-links ~/bin/kaldi
  PATH=~/bin/kaldi:$PATH copy-feats scp:feats.scp ark,t:- | head
  spr-convert kaldi-links --allow-pipes ~/bin/kaldi  commands in scp files run";

#[derive(Args, Debug, Clone)]
pub(super) struct LinksArgs {
    /// The folder for the links, created if needed
    #[arg(value_name = "DIR", value_parser = file())]
    pub(super) folder: Location,
    /// Make small scripts instead, so that the tools run the commands that script files contain
    #[arg(long)]
    allow_pipes: bool,
}

/// The start of the scripts, by which they are recognised.
const SCRIPT: &str = "\
#!/usr/bin/env bash
# Made by spr-convert kaldi-links --allow-pipes: commands in script files run.
";

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
    for (tool, link) in TOOLS.iter().zip(&links) {
        let made = match fs::remove_file(link) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
            _ if args.allow_pipes => script(tool.name, &program, link),
            _ => symlink(&program, link),
        };
        made.map_err(|e| failed("cannot make the link", link, e))?;
    }
    let links = messages::count(links.len() as u64, "link");
    let what = match args.allow_pipes {
        true => ", which run the commands in script files",
        false => "",
    };
    messages::say(
        "note",
        &format!("{links} to {} in {shown}{what}", program.display()),
    );
    Ok(DONE)
}

/// Returns `true` if a path is a link to this program or to one of its name, or one of our scripts.
fn is_ours(link: &Path, program: &Path) -> bool {
    match fs::read_link(link) {
        Ok(target) => target.file_name() == program.file_name(),
        Err(_) => starts_as_script(link).unwrap_or(false),
    }
}

fn starts_as_script(path: &Path) -> io::Result<bool> {
    let mut start = Vec::new();
    let mut file = fs::File::open(path)?.take(SCRIPT.len() as u64);
    file.read_to_end(&mut start)?;
    Ok(start == SCRIPT.as_bytes())
}

/// Writes a script that runs the program under the name of a tool.
#[cfg(unix)]
fn script(tool: &str, program: &Path, link: &Path) -> io::Result<()> {
    use std::io::Write;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::OpenOptionsExt;
    let quoted = program.as_os_str().as_bytes();
    let quoted: Vec<&[u8]> = quoted.split(|b| *b == b'\'').collect();
    let quoted = quoted.join(&br"'\''"[..]);
    let line = format!("SPR_CONVERT_ALLOW_PIPES=1 exec -a {tool} '");
    let text = [SCRIPT.as_bytes(), line.as_bytes(), &quoted, b"' \"$@\"\n"].concat();
    let mut options = fs::OpenOptions::new();
    let file = options.write(true).create_new(true).mode(0o777).open(link);
    file?.write_all(&text)
}

#[cfg(not(unix))]
fn script(_: &str, _: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(unix)]
fn symlink(program: &Path, link: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(program, link)
}

#[cfg(not(unix))]
fn symlink(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
