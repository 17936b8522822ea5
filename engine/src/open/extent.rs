//! The amount of data, as far as it is known before reading.

use spr_core::Result;
use spr_core::bytes::{Env, FileKind, Location};
use spr_core::format::{Format, Lists, Registry};

use crate::plan::Input;

/// The size of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputSize {
    /// The stored bytes of a file that is read sequentially.
    Bytes(u64),
    /// Entries of a list.
    Entries(u64),
}

impl Input {
    /// Returns the size, if it is known without reading the data.
    pub fn extent(&self, registry: &Registry, env: &Env) -> Option<InputSize> {
        let file = self.file()?;
        let look = env.look(file).ok()??;
        match self.list(registry) {
            _ if look.kind != FileKind::File => None,
            Some((list, _)) => lines(list, env).ok().map(InputSize::Entries),
            None => Some(InputSize::Bytes(look.length)),
        }
    }

    /// The file, if it is a list of places by its name or by an option, and what reads such lists.
    pub(crate) fn list(&self, registry: &Registry) -> Option<(&Location, &'static dyn Lists)> {
        let file = self.file()?;
        let mut lists = registry.formats().filter_map(Format::lists);
        let lists = lists.find(|lists| lists.is_list(file, &self.options))?;
        Some((file, lists))
    }
}

impl Input {
    /// The file, if it is a list of places of its own format, and what reads such lists. Other formats
    /// may have lists of the same name.
    ///
    /// # Errors
    /// It can't be opened.
    pub fn own_list(
        &self,
        registry: &Registry,
        env: &Env,
    ) -> Result<Option<(&Location, &'static dyn Lists)>> {
        let Some((file, lists)) = self.list(registry) else {
            return Ok(None);
        };
        let mut source = env.open_file(file)?;
        Ok(match self.format_of(&mut source, false, registry, env) {
            Ok((format, _)) => {
                let own = format.lists();
                let own = own.filter(|own| own.is_list(file, &self.options));
                own.map(|own| (file, own))
            }
            // Its faults are reported when it is read.
            Err(_) => Some((file, lists)),
        })
    }
}

/// Counts the lines of a file.
fn lines(file: &Location, env: &Env) -> Result<u64> {
    const BLOCK: usize = 1 << 16;
    let mut source = env.open_file(file)?;
    let (mut lines, mut last) = (0, b'\n');
    loop {
        let bytes = source.peek(BLOCK)?;
        let Some(end) = bytes.last() else {
            return Ok(lines + u64::from(last != b'\n'));
        };
        last = *end;
        lines += bytes.iter().filter(|b| **b == b'\n').count() as u64;
        let n = bytes.len() as u64;
        source.skip(n)?;
    }
}
