//! The reader: one array per member.

use spr_core::bytes::{Env, Source};
use spr_core::format::{OpenedDataset, Request};
use spr_core::model::{DatasetInfo, Utterance};
use spr_core::{Error, Result};

use super::ENDING;
use super::archive::{Archive, Member};
use crate::header::Header;
use crate::object;
use crate::parts::{Container, Entries, Role};

/// Opens an archive.
pub(super) fn open(source: Source, request: &mut Request, env: &Env) -> Result<OpenedDataset> {
    let mut info = DatasetInfo::default();
    info.compression = source.compression();
    let name = source.name().to_owned();
    let (mut entries, mut others) = (Entries::default(), 0);
    let archive = Archive::open(source, |member, place| match member.strip_suffix(ENDING) {
        Some(array) => entries.add(array, place, env).map_err(|e| e.file(&name)),
        None => {
            others += 1;
            Ok(())
        }
    })?;
    if others > 0 {
        let are = if others == 1 {
            "member is"
        } else {
            "members are"
        };
        let warning = Error::unfit(format!("{others} {are} no array (.npy)"));
        env.warn(&warning.file(&name));
    }
    let env_of = env.clone();
    let container = Arrays {
        archive,
        env: env_of,
    };
    entries.open(container, info, request, env)
}

struct Arrays {
    archive: Archive,
    env: Env,
}

impl Container for Arrays {
    type Place = Member;

    fn name(&self) -> &str {
        self.archive.name()
    }

    fn read(
        &mut self,
        name: &[u8],
        place: Member,
        role: Role<'_>,
        values: bool,
        part: &mut Utterance,
    ) -> Result<()> {
        let limits = &self.env.limits;
        let mut source = self.archive.member(name, place)?;
        let header = Header::read(&mut source, limits)?;
        match role {
            Role::Array(_) => object::read_array(&mut source, &header, part, limits)?,
            _ => object::read(&mut source, &header, values, part, limits)?,
        }
        object::end(&mut source)
    }
}
