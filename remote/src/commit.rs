//! The commit: after all checks, objects get their names in order. It is not atomic over several
//! objects. If one fails, objects that were new are removed again.

use std::collections::HashSet;
use std::io;

use object_store::{ObjectStoreExt, PutMode, PutPayload};
use spr_core::bytes::{Change, FileKind, FinishedFile, Identity, Location, New};
use spr_core::{Error, Remedy, Result};

use crate::address::{Address, Service};
use crate::browse::{Browser, has_folder, objects};
use crate::client::Client;
use crate::fault;
use crate::folder::Folder;
use crate::put::SpooledFile;
use crate::runtime::wait;
use crate::upload::{FinishedObject, ObjectBytes};
use crate::upload_list::{UploadList, stopped};

/// The change of one name.
struct Step {
    target: Location,
    address: Address,
    client: Client,
    what: StepKind,
    replace: bool,
}

enum StepKind {
    Object(FinishedObject),
    File(SpooledFile),
    /// The files of a folder, and the old objects to be removed.
    Folder(Box<Folder>, Vec<Location>),
    Nothing,
}

/// Objects that did not exist before.
#[derive(Default)]
pub(crate) struct CreatedObjects(Vec<(Location, Client)>);

impl CreatedObjects {
    /// Removes the objects, the last one first. Adds those that cannot be removed to `error`, the
    /// cause.
    pub(crate) fn undo(&self, error: Error) -> Error {
        let made = self.0.iter().rev();
        let mut left = made.filter(|(at, client)| remove(at, client).is_err());
        match left.next() {
            Some((at, _)) => error.hint(format!("{} is there already, remove it", at.told())),
            None => error,
        }
    }
}

/// Gives all objects their final names.
pub(crate) struct Commit<'a> {
    pub(crate) browser: &'a Browser,
    pub(crate) live: &'a UploadList,
    pub(crate) kept: &'a HashSet<Identity>,
}

impl Commit<'_> {
    /// Makes all `changes` in order and returns the objects that are new.
    ///
    /// # Errors
    /// A target exists and may not be replaced, was read, or appears twice, or the server refuses.
    /// New objects are then removed; replaced objects are not restored.
    pub(crate) fn run(&self, changes: Vec<Change>) -> Result<CreatedObjects> {
        let steps = self.check(changes)?;
        let _held = self.live.committing();
        self.browser.looks.forget();
        let mut made = CreatedObjects::default();
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

    /// Checks that all changes are allowed.
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
                New::Nothing => StepKind::Nothing,
                New::Folder(None) => continue,
                New::Folder(Some(folder)) => {
                    let folder = folder.into_any().downcast::<Folder>();
                    let folder = folder.map_err(|_| foreign())?;
                    let old = self.old(&folder, &address, how.overwrite, how.add)?;
                    StepKind::Folder(folder, old)
                }
                _ => return Err(foreign()),
            };
            if !taken.insert(identity) {
                if matches!(what, StepKind::Nothing) {
                    continue;
                }
                return Err(Error::usage("would be written twice").file(target.to_string()));
            }
            let is_file = !matches!(what, StepKind::Folder(..));
            // Stores that support it create a small object only if none exists.
            let sure = matches!(
                &what,
                StepKind::Object(FinishedObject {
                    how: ObjectBytes::Small(_),
                    ..
                }) | StepKind::File(_)
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

    /// Fails if the name exists by now.
    fn free(&self, target: &Location, address: &Address, client: &Client) -> Result<()> {
        let found = self.browser.look_now(address, client);
        match found.map_err(|e| failed(e).file(target.to_string()))? {
            Some(found) if found.kind == FileKind::File => Err(exists(target)),
            _ => Ok(()),
        }
    }

    /// Returns the objects in a folder that are not part of the new content.
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

    fn go(
        &self,
        step: Step,
        made: &mut CreatedObjects,
        gone: &mut Vec<(Location, Client)>,
    ) -> Result<()> {
        let Step {
            target,
            address,
            client,
            what,
            replace,
        } = step;
        self.live.check().map_err(failed)?;
        match what {
            StepKind::Nothing => gone.push((target, client)),
            StepKind::File(file) => {
                let connector = self.browser.clients.connector()?;
                let Some(url) = &address.url else {
                    return Err(Error::usage("is not the URL of a server"));
                };
                let may = connector.check(Some(url.scheme()), url.host_str());
                may.map_err(|refused| fault::refusal(&refused))?;
                file.send(&connector.client, url, replace).map_err(failed)?;
            }
            StepKind::Object(held) => {
                self.put(held, replace).map_err(failed)?;
                if !replace {
                    made.0.push((target, client));
                }
            }
            StepKind::Folder(folder, old) => {
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

    /// Completes one object.
    fn put(&self, held: FinishedObject, replace: bool) -> io::Result<()> {
        let FinishedObject {
            client, path, how, ..
        } = held;
        let service = client.service;
        match how {
            ObjectBytes::Parts(ticket, ids) => {
                let begun = ticket.begun.clone();
                let done = wait(async move {
                    let (path, id) = (&begun.path, &begun.id);
                    begun.parts.0.complete_multipart(path, id, ids).await
                })?;
                done.map_err(|e| fault::of(service, e))?;
                ticket.complete();
            }
            ObjectBytes::Small(bytes) => {
                let mode = match replace {
                    true => PutMode::Overwrite,
                    false => PutMode::Create,
                };
                let put = wait(put_small(client, path, bytes.into(), mode))?;
                put.map_err(|e| match fault::of(service, e) {
                    // Some stores report an existing object this way.
                    e if is_changed(&e) => io::Error::new(io::ErrorKind::AlreadyExists, there()),
                    e => e,
                })?;
            }
        }
        Ok(())
    }
}

/// Puts an object. A store without conditional requests is checked beforehand.
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

/// Downcasts a finished file of this store.
fn own(whole: Box<dyn FinishedFile>) -> Option<StepKind> {
    match whole.into_any().downcast::<FinishedObject>() {
        Ok(held) => Some(StepKind::Object(*held)),
        Err(other) => other.downcast().ok().map(|file| StepKind::File(*file)),
    }
}

/// Removes an object.
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

/// Returns the error for a name that exists.
pub(crate) fn exists(target: &Location) -> Error {
    there().file(target.to_string())
}

fn is_read(target: &Location) -> Error {
    Error::usage("is read and can't be written in the same run")
        .file(target.to_string())
        .hint("write to another name and rename it afterwards")
}
