//! Folders that outputs stand in. They must be there, but for those that have the number of a part
//! in their names.

use std::sync::Arc;

use super::{Env, Location, Store};
use crate::Result;

/// Folders made for outputs. Those that are empty are removed when this is dropped, unless they
/// are to [stay](Self::keep); drop the outputs first.
#[derive(Debug, Default)]
pub struct Parents(Vec<(Arc<dyn Store>, Location)>);

impl Parents {
    /// Makes a folder in the store of `env` if there is none; the one that it stands in must be
    /// there. If `env` is durable, its name is on the disk then.
    ///
    /// # Errors
    /// The system refuses.
    pub fn make(&mut self, folder: &Location, env: &Env) -> Result<()> {
        if env.store().make_folder(folder, env.durable)? {
            self.0.push((env.store().clone(), folder.clone()));
        }
        Ok(())
    }

    /// Takes over what another one made.
    pub fn append(&mut self, mut other: Self) {
        self.0.append(&mut other.0);
    }

    /// Leaves all of them.
    pub fn keep(mut self) {
        for (store, folder) in self.0.drain(..) {
            store.settle_folder(&folder, true);
        }
    }
}

impl Drop for Parents {
    fn drop(&mut self) {
        for (store, folder) in self.0.drain(..).rev() {
            store.settle_folder(&folder, false);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn folders_go_unless_they_stay_or_hold_something() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        let env = Env::default();
        let make = |names: &[&str]| {
            let mut made = Parents::default();
            names
                .iter()
                .for_each(|name| made.make(&at(name).into(), &env).unwrap());
            made
        };
        drop(make(&["a", "a/b"]));
        assert!(!at("a").exists());
        let made = make(&["a", "a/b"]);
        fs::write(at("a/x"), "").unwrap();
        drop(made);
        assert!(at("a/x").exists() && !at("a/b").exists());
        make(&["a", "c"]).keep();
        drop(make(&["a", "c"]));
        assert!(at("c").exists());
        assert!(Parents::default().make(&at("d/e").into(), &env).is_err());
    }
}
