//! The members of tar archives.

use std::sync::Arc;

use spr_core::bytes::{Env, Location, MemoryCounter};
use spr_core::{Error, Result};
use spr_syntax::tar::{MemberKind, TarReader};

use super::mount::{Mount, Place, Room};

/// Reads the names and places of all members. Those of a compressed archive are kept in a temporary
/// file, as there is no way back to them.
///
/// # Errors
/// The archive cannot be opened, or there is no space.
pub(super) fn mount(at: &Location, room: &Arc<Room>, env: &Env) -> Result<Mount> {
    let source = env.open_file(at)?;
    let is_packed = !source.layers().is_empty();
    let mut tar = TarReader::new(source, env.limits);
    let mut mount = Mount::new(at, room);
    let mut held = MemoryCounter::new("the members of an archive");
    loop {
        let member = match tar.next_member() {
            Ok(Some(member)) => member,
            Ok(None) => break,
            Err(error) => {
                let more = !error.is_failure() && matches!(tar.resume(), Ok(Some(_)));
                mount.damage.push(error);
                match more {
                    true => continue,
                    false => return Ok(mount),
                }
            }
        };
        if member.kind != MemberKind::File {
            continue;
        }
        let Some(name) = mount.name(&member.name) else {
            let error = Error::malformed("has a name that leads out of the archive, or too deep");
            mount.damage.push(member.error(error).file(at.to_string()));
            continue;
        };
        let place = match is_packed {
            false => Place::Slice { at: member.offset },
            true => match mount.keep(&name, member.size, |most| tar.take(most)) {
                Ok(place) => place,
                Err(error) => {
                    mount.damage.push(error);
                    return Ok(mount);
                }
            },
        };
        mount.add(name, member.size, place, (&mut held, &env.limits))?;
    }
    if let Err(error) = tar.check_end() {
        mount.damage.push(error);
    }
    Ok(mount)
}
