//! The reader: one array per member.

use spr_core::bytes::{Env, Source};
use spr_core::format::{OpenedDataset, Request, Weight};
use spr_core::model::{DatasetInfo, Key, Utterance};
use spr_core::{Error, Result};

use super::ENDING;
use super::archive::{Archive, Member};
use crate::header::Header;
use crate::object;
use crate::parts::{Container, Entries, Role};

/// Reads the directory of an archive: its arrays by utterance, and the number of other members.
fn directory(source: Source, env: &Env) -> Result<(Archive, Entries<Member>, u64)> {
    let name = source.name().to_owned();
    let (mut entries, mut others) = (Entries::default(), 0);
    let archive = Archive::open(source, |member, place| match member.strip_suffix(ENDING) {
        Some(array) => entries.add(array, place, env).map_err(|e| e.file(&name)),
        None => {
            others += 1;
            Ok(())
        }
    })?;
    Ok((archive, entries, others))
}

/// Weighs the utterances of an archive by its directory.
pub(super) fn weigh(
    source: Source,
    env: &Env,
    each: &mut dyn FnMut(&Key, Weight) -> Result<()>,
) -> Result<()> {
    let (_, entries, _) = directory(source, env)?;
    entries.weigh(Member::size, each)
}

/// Opens an archive.
pub(super) fn open(source: Source, request: &mut Request, env: &Env) -> Result<OpenedDataset> {
    let mut info = DatasetInfo::default();
    info.compression = source.compression();
    let name = source.name().to_owned();
    let (archive, entries, others) = directory(source, env)?;
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
