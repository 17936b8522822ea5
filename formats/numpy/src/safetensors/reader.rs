//! The reader.

use spr_core::bytes::{ByteOrder, Env, Source};
use spr_core::format::{OpenedDataset, Request};
use spr_core::model::{DatasetInfo, Key, Utterance};
use spr_core::{Error, Result};

use super::header::{self, Tensor};
use super::{KEYS, METADATA, about};
use crate::header::Header;
use crate::object;
use crate::parts::{Container, Entries, Role};

/// Opens a file.
pub(super) fn open(source: Source, request: &mut Request, env: &Env) -> Result<OpenedDataset> {
    let mut info = DatasetInfo::default();
    info.compression = source.compression();
    info.byte_order = Some(ByteOrder::Little);
    let mut source = source.into_seekable()?;
    let (metadata, tensors) = header::read(&mut source, &env.limits)?;
    let mut entries = Entries::default();
    for (name, tensor) in tensors {
        let added = entries.add(name.as_bytes(), tensor, env);
        added.map_err(|e| e.file(source.name()))?;
    }
    if let Some(text) = metadata.get(KEYS) {
        match serde_json::from_str::<Vec<String>>(text) {
            Ok(keys) => {
                let keys: Vec<_> = keys.iter().map(|key| Key::from(key.as_str())).collect();
                entries.sort_by(&keys);
            }
            Err(_) => {
                let message = format!("the word {KEYS} of its {METADATA} is no list of names");
                env.warn(&Error::unfit(message).file(source.name()));
            }
        }
    }
    info.about = about::read(metadata);
    let tensors = Tensors {
        name: source.name().to_owned(),
        source,
        env: env.clone(),
    };
    entries.open(tensors, info, request, env)
}

struct Tensors {
    source: Source,
    name: String,
    env: Env,
}

impl Container for Tensors {
    type Place = Tensor;

    fn name(&self) -> &str {
        &self.name
    }

    fn read(
        &mut self,
        _: &[u8],
        place: Tensor,
        role: Role<'_>,
        values: bool,
        part: &mut Utterance,
    ) -> Result<()> {
        let (source, limits) = (&mut self.source, &self.env.limits);
        source.seek(place.start)?;
        let header = Header {
            dtype: place.dtype,
            order: ByteOrder::Little,
            fortran: false,
            shape: place.shape().to_vec(),
        };
        match role {
            Role::Array(_) => object::read_array(source, &header, part, limits),
            _ => object::read(source, &header, values, part, limits),
        }
    }
}
