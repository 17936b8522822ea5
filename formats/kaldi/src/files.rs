//! Separate files for objects, named by an existing script file.

use spr_core::bytes::{Access, Env, Location, Locator, Output, Part, Sink};
use spr_core::model::Key;
use spr_core::{Error, Remedy, Result};

use crate::lines::Lines;
use crate::specifier::{rxfilename, wxfilename};

/// The files to write, by key.
pub(crate) struct Files {
    lines: Lines,
    written: Vec<bool>,
    output: Output,
}

impl Files {
    /// Reads the script file at `list`. The files become part of `output`.
    ///
    /// # Errors
    /// A line is malformed, a key or a file occurs twice, or a command may not run.
    pub(crate) fn open(list: &str, output: &Output, env: &Env) -> Result<Self> {
        let mut source = env.open(&rxfilename(list)?)?;
        let lines = Lines::read(&mut source, false, &env.limits)?;
        let mut named: Vec<(Location, usize)> = Vec::new();
        for index in 0..lines.len() {
            match wxfilename(lines.rest(index)).map_err(|e| lines.place(e, index))? {
                Locator::Command(line) if env.access != Access::Files => {
                    let message = format!("refused to run the command '{line}' found in the file");
                    let error = Error::usage(message).suggest(Remedy::AllowPipes);
                    return Err(lines.place(error, index));
                }
                Locator::File(file) => {
                    let found = env.check_found(source.location(), &file);
                    found.map_err(|e| lines.place(e, index))?;
                    if !is_device(&file) {
                        named.push((file, index));
                    }
                }
                _ => {}
            }
        }
        named.sort_unstable();
        let same = |pair: &&[(Location, usize)]| matches!(pair, [a, b] if a.0 == b.0);
        if let Some([_, (file, index)]) = named.windows(2).find(same) {
            let message = format!("{file} is named by two lines");
            return Err(lines.place(Error::malformed(message), *index));
        }
        for (file, index) in &named {
            let claimed = output.claim(&Locator::File(file.clone()));
            claimed.map_err(|e| lines.place(e, *index))?;
        }
        Ok(Self {
            written: vec![false; lines.len()],
            lines,
            output: output.clone(),
        })
    }

    /// Returns the line of `key`, which must not have been written yet.
    ///
    /// # Errors
    /// It is not listed, or has already been written.
    pub(crate) fn find(&self, key: &Key) -> Result<usize> {
        let Some(index) = self.lines.find(key) else {
            let message = format!("no file is named for it in {}", self.lines.name());
            return Err(
                Error::unfit(message).hint("to leave such entries out, add the option p: scp,p:")
            );
        };
        match self.written.get(index) {
            Some(true) => Err(Error::unfit("appears twice, but its file holds one object")),
            _ => Ok(index),
        }
    }

    /// Opens the file of a line.
    pub(crate) fn create(&mut self, index: usize) -> Result<Sink> {
        let at = wxfilename(self.lines.rest(index))?;
        let sink = self.output.create(Part::At(&at), false);
        let sink = sink.map_err(|e| self.lines.place(e, index))?;
        if let Some(written) = self.written.get_mut(index) {
            *written = true;
        }
        Ok(sink)
    }
}

/// Returns `true` if any number of objects can be written there, one behind the other.
fn is_device(file: &Location) -> bool {
    file.is_within(&"/dev".into()) && !file.is_within(&"/dev/shm".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_memory_holds_files() {
        let devices = [
            "/dev/null",
            "/dev/stdout",
            "/dev/shm/x",
            "/dev/shm",
            "/device",
        ];
        let found = devices.map(|name| is_device(&name.into()));
        assert_eq!(found, [true, true, false, false, false]);
    }
}
