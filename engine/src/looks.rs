//! A store that looks at each place once.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use spr_core::Result;
use spr_core::bytes::{
    Change, Draft, DraftFolder, DraftOptions, Env, FileStatus, Finish, Identity, Leftover,
    Location, OpenedFile, Store,
};

/// Returns surroundings in which a place is looked at once, until names change, which no draft does:
/// for one run of a plan, whose parts ask for the same places again and again. Over a network each
/// look is a round trip.
#[must_use]
pub fn once(env: &Env) -> Env {
    let store = LookStore {
        inner: env.store().clone(),
        known: Mutex::default(),
    };
    env.clone().with_store(Arc::new(store))
}

/// The answers so far.
#[derive(Default)]
struct Answers {
    looks: HashMap<Location, Option<FileStatus>>,
    identities: HashMap<Location, Identity>,
    resolved: HashMap<Location, Location>,
}

/// A store that remembers what it saw.
struct LookStore {
    inner: Arc<dyn Store>,
    known: Mutex<Answers>,
}

impl fmt::Debug for LookStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

impl LookStore {
    fn known(&self) -> MutexGuard<'_, Answers> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets everything, as something is about to change.
    fn changing(&self) -> &dyn Store {
        *self.known() = Answers::default();
        &*self.inner
    }
}

#[warn(clippy::missing_trait_methods)]
impl Store for LookStore {
    fn look(&self, at: &Location) -> io::Result<Option<FileStatus>> {
        if let Some(status) = self.known().looks.get(at) {
            return Ok(status.clone());
        }
        let status = self.inner.look(at)?;
        self.known().looks.insert(at.clone(), status.clone());
        Ok(status)
    }

    fn identify(&self, at: &Location) -> Identity {
        if let Some(Some(status)) = self.known().looks.get(at) {
            return status.identity.clone();
        }
        if let Some(identity) = self.known().identities.get(at) {
            return identity.clone();
        }
        let identity = self.inner.identify(at);
        let own = identity.clone();
        self.known().identities.insert(at.clone(), own);
        identity
    }

    fn resolve(&self, at: &Location) -> Location {
        if let Some(place) = self.known().resolved.get(at) {
            return place.clone();
        }
        let place = self.inner.resolve(at);
        let own = place.clone();
        self.known().resolved.insert(at.clone(), own);
        place
    }

    fn open(&self, at: &Location) -> io::Result<Box<dyn OpenedFile>> {
        self.inner.open(at)
    }

    fn list(&self, folder: &Location) -> io::Result<Vec<Location>> {
        self.inner.list(folder)
    }

    fn entries(&self, folder: &Location) -> io::Result<Vec<Location>> {
        self.inner.entries(folder)
    }

    fn write_to(&self, stream: &Location) -> io::Result<Box<dyn Finish>> {
        self.inner.write_to(stream)
    }

    fn may_create(&self, target: &Location, is_folder: bool, how: DraftOptions) -> Result<()> {
        self.inner.may_create(target, is_folder, how)
    }

    fn check_folder_of(&self, target: &Location) -> Result<()> {
        self.inner.check_folder_of(target)
    }

    fn create(&self, target: &Location, how: DraftOptions) -> Result<Box<dyn Draft>> {
        self.inner.create(target, how)
    }

    fn create_folder(&self, target: &Location, how: DraftOptions) -> Result<Box<dyn DraftFolder>> {
        self.inner.create_folder(target, how)
    }

    fn commit(&self, changes: Vec<Change>, kept: &HashSet<Identity>, durable: bool) -> Result<()> {
        self.changing().commit(changes, kept, durable)
    }

    fn make_folder(&self, folder: &Location, durable: bool) -> Result<bool> {
        self.changing().make_folder(folder, durable)
    }

    fn settle_folder(&self, folder: &Location, stays: bool) {
        self.changing().settle_folder(folder, stays);
    }

    fn leftovers(&self, target: &Location) -> Vec<Leftover> {
        self.inner.leftovers(target)
    }
}

#[cfg(test)]
mod tests {
    use spr_core::bytes::MemoryStore;
    use spr_core::format::Registry;

    use super::*;
    use crate::builder::PlanBuilder;
    use crate::job::Job;

    /// A store that counts how often each place is looked at.
    #[derive(Debug, Default)]
    struct CountingStore {
        inner: MemoryStore,
        counts: Mutex<HashMap<String, u32>>,
    }

    impl Store for CountingStore {
        fn look(&self, at: &Location) -> io::Result<Option<FileStatus>> {
            *self
                .counts
                .lock()
                .unwrap()
                .entry(at.to_string())
                .or_default() += 1;
            self.inner.look(at)
        }

        fn identify(&self, at: &Location) -> Identity {
            self.inner.identify(at)
        }

        fn resolve(&self, at: &Location) -> Location {
            self.inner.resolve(at)
        }

        fn open(&self, at: &Location) -> io::Result<Box<dyn OpenedFile>> {
            self.inner.open(at)
        }

        fn list(&self, folder: &Location) -> io::Result<Vec<Location>> {
            self.inner.list(folder)
        }

        fn entries(&self, folder: &Location) -> io::Result<Vec<Location>> {
            self.inner.entries(folder)
        }

        fn write_to(&self, stream: &Location) -> io::Result<Box<dyn Finish>> {
            self.inner.write_to(stream)
        }

        fn may_create(&self, target: &Location, folder: bool, how: DraftOptions) -> Result<()> {
            self.inner.may_create(target, folder, how)
        }

        fn create(&self, target: &Location, how: DraftOptions) -> Result<Box<dyn Draft>> {
            self.inner.create(target, how)
        }

        fn create_folder(
            &self,
            target: &Location,
            how: DraftOptions,
        ) -> Result<Box<dyn DraftFolder>> {
            self.inner.create_folder(target, how)
        }

        fn commit(
            &self,
            changes: Vec<Change>,
            kept: &HashSet<Identity>,
            durable: bool,
        ) -> Result<()> {
            self.inner.commit(changes, kept, durable)
        }

        fn make_folder(&self, folder: &Location, durable: bool) -> Result<bool> {
            self.inner.make_folder(folder, durable)
        }

        fn settle_folder(&self, folder: &Location, stays: bool) {
            self.inner.settle_folder(folder, stays);
        }

        fn leftovers(&self, target: &Location) -> Vec<Leftover> {
            self.inner.leftovers(target)
        }
    }

    #[test]
    fn a_run_looks_at_each_place_once() {
        let store = Arc::new(CountingStore::default());
        let ark: &[u8] = b"ann [ 1 2 ]\nbob [ 3 4 ]\n";
        store.inner.insert("f.ark", ark.to_vec());
        store
            .inner
            .insert("f.scp", b"ann f.ark:4\nbob f.ark:16\n".to_vec());
        store.inner.insert("l.ark", b"ann 1 2\nbob 3 4\n".to_vec());
        store.inner.insert("o.jsonl", b"old".to_vec());
        let registry = Registry::new([
            &spr_format_kaldi::FORMAT as _,
            &spr_format_jsonl::FORMAT as _,
        ]);
        let env = once(&Env::default().with_store(store.clone()));
        let mut builder = PlanBuilder::new(&registry, &env);
        builder.input("f.scp").unwrap().labels("l.ark").unwrap();
        builder.output("o.jsonl").unwrap().overwrite(true);
        let job = Job::new(builder.finish().unwrap());
        job.run(&registry, &env, &mut ()).unwrap();
        assert!(store.inner.get("o.jsonl").is_some_and(|new| new != b"old"));
        let counts = store.counts.lock().unwrap();
        assert!(counts.contains_key("f.scp") && counts.contains_key("o.jsonl"));
        let often: Vec<_> = counts.iter().filter(|(_, count)| **count > 1).collect();
        assert!(often.is_empty(), "{often:?}");
    }
}
