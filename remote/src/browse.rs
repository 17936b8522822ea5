//! Lookup of single objects, and of common prefixes as folders.

use std::io;
use std::time::Duration;

use futures_util::TryStreamExt;
use object_store::path::Path;
use object_store::{GetOptions, ObjectMeta, ObjectStoreExt};
use spr_core::bytes::{FileKind, FileStatus, Location};

use crate::address::{Address, Service};
use crate::client::{Client, Clients};
use crate::fault;
use crate::lookup_cache::LookupCache;
use crate::range::{Pin, ask};
use crate::runtime::wait;

/// The number of tries for a list.
const TRIES: u32 = 3;
/// The pause before the first retry; it then grows.
const PAUSE: Duration = Duration::from_millis(200);

/// Looks up names.
#[derive(Clone, Debug, Default)]
pub(crate) struct Browser {
    pub(crate) clients: Clients,
    pub(crate) looks: LookupCache,
}

impl Browser {
    /// Looks up a name, possibly in the cache.
    pub(crate) fn look(&self, at: &Location) -> io::Result<Option<FileStatus>> {
        let (address, client) = self.clients.find(at)?;
        match self.looks.find(&address.name()) {
            Some(found) => Ok(found),
            None => self.look_now(&address, &client),
        }
    }

    /// Looks up a name on the server.
    pub(crate) fn look_now(
        &self,
        address: &Address,
        client: &Client,
    ) -> io::Result<Option<FileStatus>> {
        let file = match address.is_folder && address.service != Service::Http {
            true => None,
            false => facts(address, client)?,
        };
        let found = match file {
            Some(pin) => Some(self.file(address, &pin)),
            None if address.service == Service::Http => None,
            None => has_folder(client, &address.path)?
                .then(|| FileStatus::new(FileKind::Folder, 0, address.identity())),
        };
        self.looks.keep(address.name(), found.clone());
        Ok(found)
    }

    /// Records in the cache that an object exists.
    pub(crate) fn saw(&self, address: &Address, pin: &Pin) {
        let found = self.file(address, pin);
        self.looks.keep(address.name(), Some(found));
    }

    fn file(&self, address: &Address, pin: &Pin) -> FileStatus {
        let status = FileStatus::new(FileKind::File, pin.length, address.identity());
        status
            .with_version(pin.tag().map(str::to_owned))
            .with_modified(pin.modified())
    }

    /// Lists all objects below a folder.
    pub(crate) fn list(&self, folder: &Location) -> io::Result<Vec<Location>> {
        let (address, client) = self.clients.find(folder)?;
        let objects = objects(&address, &client)?;
        if objects.is_empty() {
            return Err(io::ErrorKind::NotFound.into());
        }
        let found = objects.iter().map(|meta| {
            let at = address.beside(&meta.location);
            if let Ok(address) = Address::of(&at) {
                self.saw(&address, &Pin::of(meta));
            }
            at
        });
        Ok(found.collect())
    }

    /// Lists the direct entries of a folder.
    pub(crate) fn entries(&self, folder: &Location) -> io::Result<Vec<Location>> {
        let (address, client) = self.clients.find(folder)?;
        no_folders(&address)?;
        let prefix = prefix(&address.path);
        let service = client.service;
        let listed = wait(async move {
            let store = &client.store;
            again_if_cut(|| store.list_with_delimiter(prefix.as_ref())).await
        })?;
        let listed = listed.map_err(|e| fault::of(service, e))?;
        let files = listed.objects.iter().map(|meta| &meta.location);
        let all = files.chain(&listed.common_prefixes);
        Ok(all.map(|path| address.beside(path)).collect())
    }
}

/// Lists all objects below a prefix, except the empty ones that some programs create as folder
/// markers.
pub(crate) fn objects(address: &Address, client: &Client) -> io::Result<Vec<ObjectMeta>> {
    no_folders(address)?;
    let (prefix, store) = (prefix(&address.path), client.store.clone());
    let listed = wait(async move {
        again_if_cut(|| store.list(prefix.as_ref()).try_collect::<Vec<_>>()).await
    })?;
    let mut objects = listed.map_err(|e| fault::of(client.service, e))?;
    objects.retain(|meta| meta.location != address.path);
    Ok(objects)
}

/// Asks for a list, and a few times more if it came cut, which the library does not.
async fn again_if_cut<T, F>(ask: impl Fn() -> F) -> object_store::Result<T>
where
    F: Future<Output = object_store::Result<T>>,
{
    let mut tries = 1;
    loop {
        match ask().await {
            Err(error) if tries < TRIES && fault::is_cut_list(&error) => {
                tokio::time::sleep(PAUSE * tries).await;
                tries += 1;
            }
            other => return other,
        }
    }
}

fn no_folders(address: &Address) -> io::Result<()> {
    match address.service {
        Service::Http => Err(io::Error::other("a web server does not tell what it has")),
        _ => Ok(()),
    }
}

fn prefix(path: &Path) -> Option<Path> {
    (!path.as_ref().is_empty()).then(|| path.clone())
}

/// Returns `true` if there is an object below a prefix.
pub(crate) fn has_folder(client: &Client, path: &Path) -> io::Result<bool> {
    let (prefix, store) = (prefix(path), client.store.clone());
    let first = wait(async move {
        again_if_cut(|| async { store.list(prefix.as_ref()).try_next().await }).await
    })?;
    let first = first.map_err(|e| fault::of(client.service, e))?;
    // A bucket is a folder even if it is empty.
    Ok(first.is_some() || path.as_ref().is_empty())
}

/// Returns the state of an object, or `None` if it does not exist.
fn facts(address: &Address, client: &Client) -> io::Result<Option<Pin>> {
    let (asked, path) = (client.clone(), address.path.clone());
    let meta = wait(async move {
        let head = asked.store.head(&path).await;
        match head {
            // A signed URL permits one method, usually GET.
            Err(e) if asked.service == Service::Http && !is_missing(&e) => {
                let first = ask(&asked, &path, 0..1, None).await;
                match first {
                    Err(object_store::Error::NotSupported { .. }) => {
                        let whole = asked.store.get_opts(&path, GetOptions::default()).await;
                        whole.map(|answer| answer.meta)
                    }
                    other => other.map(|answer| answer.meta),
                }
            }
            head => head,
        }
    })?;
    match meta {
        Ok(meta) => Ok(Some(Pin::of(&meta))),
        Err(e) if is_missing(&e) => Ok(None),
        Err(e) => Err(fault::of(client.service, e)),
    }
}

fn is_missing(error: &object_store::Error) -> bool {
    matches!(error, object_store::Error::NotFound { .. })
        && !error.to_string().contains("NoSuchBucket")
}
