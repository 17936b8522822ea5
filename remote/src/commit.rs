//! Last steps: all is looked at first, then objects appear in their order. Several objects never
//! appear at one moment; when one can't, those that were new before it go again.

use std::collections::HashSet;
use std::io;

use object_store::{ObjectStoreExt, PutMode, PutPayload};
use spr_core::bytes::{Change, FileKind, Identity, Location, New, Whole};
use spr_core::{Error, Remedy, Result};

use crate::address::{Address, Service};
use crate::browse::{Browser, has_folder, objects};
use crate::client::Client;
use crate::fault;
use crate::folder::Folder;
use crate::live::{Live, stopped};
use crate::put::Waiting;
use crate::runtime::wait;
use crate::upload::{Held, How};

/// A change of one name.
struct Step {
    target: Location,
    address: Address,
    client: Client,
    what: What,
    replace: bool,
}

enum What {
    Object(Held),
    File(Waiting),
    /// The files of a folder, and what goes of what it held.
    Folder(Box<Folder>, Vec<Location>),
    Nothing,
}

/// Objects of names that nothing had.
#[derive(Default)]
pub(crate) struct Made(Vec<(Location, Client)>);

impl Made {
    /// Takes them away again, the last one first; `error`, for which that is, says which can't be.
    pub(crate) fn undo(&self, error: Error) -> Error {
        let made = self.0.iter().rev();
        let mut left = made.filter(|(at, client)| remove(at, client).is_err());
        match left.next() {
            Some((at, _)) => error.hint(format!("{} is there already, remove it", at.told())),
            None => error,
        }
    }
}

/// Gives all objects their names.
pub(crate) struct Commit<'a> {
    pub(crate) browser: &'a Browser,
    pub(crate) live: &'a Live,
    pub(crate) kept: &'a HashSet<Identity>,
}

impl Commit<'_> {
    /// Makes all `changes` in their order, and tells what is new by them.
    ///
    /// # Errors
    /// A target is there and may not be replaced, was read, appears twice, or a server refuses; new
    /// objects are gone again then, replaced ones are not what they were.
    pub(crate) fn run(&self, changes: Vec<Change>) -> Result<Made> {
        let steps = self.check(changes)?;
        let _held = self.live.committing();
        self.browser.looks.forget();
        let mut made = Made::default();
        let mut gone = Vec::new();
        for step in steps {
            let target = step.target.clone();
            let done = self.go(step, &mut made, &mut gone);
            if let Err(error) = done {
                let error = made.undo(error.file(target.to_string()));
                return Err(match self.live.check() {
                    Ok(()) => error,
                    Err(_) => stopped(),
                });
            }
        }
        self.browser.looks.forget();
        for (at, client) in gone {
            let removed = remove(&at, &client);
            removed.map_err(|e| Error::io("cannot remove", e).file(at.to_string()))?;
        }
        Ok(made)
    }

    /// Finds out whether all may be done.
    fn check(&self, changes: Vec<Change>) -> Result<Vec<Step>> {
        let (mut steps, mut taken) = (Vec::new(), HashSet::new());
        for Change {
            target, new, how, ..
        } in changes
        {
            let found = self.browser.clients.find(&target);
            let (address, client) = found.map_err(|e| failed(e).file(target.to_string()))?;
            let identity = address.identity();
            if self.kept.contains(&identity) {
                return Err(is_read(&target));
            }
            let foreign = || Error::usage("was made for another store").file(target.to_string());
            let what = match new {
                New::File(whole) => own(whole).ok_or_else(foreign)?,
                New::Nothing => What::Nothing,
                New::Folder(None) => continue,
                New::Folder(Some(folder)) => {
                    let folder = folder.into_any().downcast::<Folder>();
                    let folder = folder.map_err(|_| foreign())?;
                    let old = self.old(&folder, &address, how.overwrite, how.add)?;
                    What::Folder(folder, old)
                }
                _ => return Err(foreign()),
            };
            if !taken.insert(identity) {
                if matches!(what, What::Nothing) {
                    continue;
                }
                return Err(Error::usage("would be written twice").file(target.to_string()));
            }
            let is_file = !matches!(what, What::Folder(..));
            // A small object of a store that can is only put if there is none.
            let sure = matches!(
                &what,
                What::Object(Held {
                    how: How::Small(_),
                    ..
                }) | What::File(_)
            );
            if is_file && !how.overwrite && !sure {
                self.free(&target, &address, &client)?;
            }
            steps.push(Step {
                target,
                address,
                client,
                what,
                replace: how.overwrite,
            });
        }
        Ok(steps)
    }

    /// Refuses a name that something has by now.
    fn free(&self, target: &Location, address: &Address, client: &Client) -> Result<()> {
        let found = self.browser.look_now(address, client);
        match found.map_err(|e| failed(e).file(target.to_string()))? {
            Some(found) if found.kind == FileKind::File => Err(exists(target)),
            _ => Ok(()),
        }
    }

    /// What a folder holds and is not to hold any more.
    fn old(
        &self,
        folder: &Folder,
        address: &Address,
        overwrite: bool,
        add: bool,
    ) -> Result<Vec<Location>> {
        let target = &folder.target;
        let place = |e: io::Error| failed(e).file(target.to_string());
        if add {
            return Ok(Vec::new());
        }
        if !overwrite {
            let full = has_folder(&folder.client, &address.path).map_err(place)?;
            return match full && !address.path.as_ref().is_empty() {
                true => Err(Error::usage("exists already and is not empty")
                    .file(target.to_string())
                    .suggest(Remedy::ReplaceFolder)),
                false => Ok(Vec::new()),
            };
        }
        let new: HashSet<_> = folder
            .names()
            .iter()
            .map(|name| target.join(name))
            .collect();
        let all = objects(address, &folder.client).map_err(place)?;
        let all = all.iter().map(|meta| address.beside(&meta.location));
        let mut old = Vec::new();
        for file in all {
            let identity = Address::of(&file)?.identity();
            if self.kept.contains(&identity) {
                let message = format!("is a folder that holds the input {file}");
                return Err(Error::usage(message).file(target.to_string()));
            }
            if !new.contains(&file) {
                old.push(file);
            }
        }
        Ok(old)
    }

    fn go(&self, step: Step, made: &mut Made, gone: &mut Vec<(Location, Client)>) -> Result<()> {
        let Step {
            target,
            address,
            client,
            what,
            replace,
        } = step;
        self.live.check().map_err(failed)?;
        match what {
            What::Nothing => gone.push((target, client)),
            What::File(file) => {
                let connector = self.browser.clients.connector()?;
                let Some(url) = &address.url else {
                    return Err(Error::usage("is not the URL of a server"));
                };
                let may = connector.check(Some(url.scheme()), url.host_str());
                may.map_err(|refused| fault::refusal(&refused))?;
                file.send(&connector.client, url, replace).map_err(failed)?;
            }
            What::Object(held) => {
                self.put(held, replace).map_err(failed)?;
                if !replace {
                    made.0.push((target, client));
                }
            }
            What::Folder(folder, old) => {
                while let Some((name, held)) = folder.take().map_err(failed)? {
                    self.live.check().map_err(failed)?;
                    let file = target.join(&name);
                    let put = self.put(held, replace);
                    put.map_err(|e| failed(e).file(file.to_string()))?;
                    if !replace {
                        made.0.push((file, client.clone()));
                    }
                }
                gone.extend(old.into_iter().map(|file| (file, client.clone())));
            }
        }
        Ok(())
    }

    /// The last step of one object.
    fn put(&self, held: Held, replace: bool) -> io::Result<()> {
        let Held {
            client, path, how, ..
        } = held;
        let service = client.service;
        match how {
            How::Parts(ticket, ids) => {
                let begun = ticket.begun.clone();
                let done = wait(async move {
                    let (path, id) = (&begun.path, &begun.id);
                    begun.parts.0.complete_multipart(path, id, ids).await
                })?;
                done.map_err(|e| fault::of(service, e))?;
                ticket.complete();
            }
            How::Small(bytes) => {
                let mode = match replace {
                    true => PutMode::Overwrite,
                    false => PutMode::Create,
                };
                let put = wait(put_small(client, path, bytes.into(), mode))?;
                put.map_err(|e| match fault::of(service, e) {
                    // That is how some stores say that there is one.
                    e if is_changed(&e) => io::Error::new(io::ErrorKind::AlreadyExists, there()),
                    e => e,
                })?;
            }
        }
        Ok(())
    }
}

/// Puts an object; where a store knows no conditions, after a look.
async fn put_small(
    client: Client,
    path: object_store::path::Path,
    payload: PutPayload,
    mode: PutMode,
) -> object_store::Result<()> {
    use object_store::Error;
    let put = client
        .store
        .put_opts(&path, payload.clone(), mode.into())
        .await;
    match put {
        Err(Error::NotImplemented { .. } | Error::NotSupported { .. }) => {}
        put => return put.map(drop),
    }
    match client.store.head(&path).await {
        Ok(_) => Err(Error::AlreadyExists {
            path: path.to_string(),
            source: "it is there".into(),
        }),
        Err(Error::NotFound { .. }) => client.store.put(&path, payload).await.map(drop),
        Err(e) => Err(e),
    }
}

/// What one of ours is.
fn own(whole: Box<dyn Whole>) -> Option<What> {
    match whole.into_any().downcast::<Held>() {
        Ok(held) => Some(What::Object(*held)),
        Err(other) => other.downcast().ok().map(|file| What::File(*file)),
    }
}

/// Takes an object away.
fn remove(at: &Location, client: &Client) -> io::Result<()> {
    let address = Address::of(at).map_err(io::Error::other)?;
    if address.service == Service::Http {
        return Ok(());
    }
    let (store, service) = (client.store.clone(), client.service);
    match wait(async move { store.delete(&address.path).await })? {
        Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
        Err(e) => Err(fault::of(service, e)),
    }
}

fn is_changed(error: &io::Error) -> bool {
    let own = error.get_ref().and_then(|e| e.downcast_ref::<Error>());
    own.is_some_and(|e| e.kind() == spr_core::ErrorKind::Changed)
}

pub(crate) fn failed(error: io::Error) -> Error {
    Error::io("cannot write", error)
}

fn there() -> Error {
    Error::usage("exists already").suggest(Remedy::Overwrite)
}

/// The error for a name that something has.
pub(crate) fn exists(target: &Location) -> Error {
    there().file(target.to_string())
}

fn is_read(target: &Location) -> Error {
    Error::usage("is read and can't be written in the same run")
        .file(target.to_string())
        .hint("write to another name and rename it afterwards")
}
