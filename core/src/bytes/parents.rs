//! Parent folders of outputs. They must exist, unless their names contain the number of a split or
//! shard.

use std::sync::Arc;

use super::{Env, Location, Store};
use crate::error::Result;

/// Folders created for outputs. Empty ones are removed on drop, unless they are [kept](Self::keep).
/// Outputs must be dropped first.
#[derive(Debug, Default)]
pub struct Parents(Vec<(Arc<dyn Store>, Location)>);

impl Parents {
    /// Creates a folder in the store of `env` if it does not exist; its parent must exist. If `env`
    /// is durable, its name is synced to disk.
    ///
    /// # Errors
    /// The system refuses.
    pub fn make(&mut self, folder: &Location, env: &Env) -> Result<()> {
        if env.store().make_folder(folder, env.durable)? {
            self.0.push((env.store().clone(), folder.clone()));
        }
        Ok(())
    }

    /// Takes over the folders of another list.
    pub fn append(&mut self, mut other: Self) {
        self.0.append(&mut other.0);
    }

    /// Keeps all of them.
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
