//! Parameter files as objects.

use spr_core::bytes::{Env, Source};
use spr_core::format::{Claim, Nested, ObjectBounds};
use spr_core::model::Utterance;
use spr_core::{ErrorKind, Result};

use crate::body::{self, DataRequest};
use crate::caps::NESTED;
use crate::encode::encode;
use crate::header::Header;
use crate::style::Style;

/// Fails unless the file ends after the frames.
///
/// # Errors
/// There are more bytes.
pub(crate) fn end(source: &mut Source) -> Result<()> {
    match source.at_end()? {
        true => Ok(()),
        false => Err(source.error(ErrorKind::Malformed, "the file goes on after the frames")),
    }
}

/// A parameter file inside a container.
pub(crate) struct NestedHtk;

impl Nested for NestedHtk {
    fn claim(&self, head: &[u8]) -> Claim {
        match head.first_chunk().map(|head| Header::claims(*head)) {
            None | Some([None, None]) => Claim::No,
            Some(lengths) => Claim::Lengths(lengths),
        }
    }

    fn read(
        &self,
        source: &mut Source,
        extent: ObjectBounds,
        utt: &mut Utterance,
        env: &Env,
    ) -> Result<()> {
        let header = Header::read(source, extent)?;
        let wanted = DataRequest {
            values: true,
            frames: None,
        };
        body::read(source, header, wanted, utt, &env.limits)?;
        match extent {
            ObjectBounds::Whole => end(source),
            ObjectBounds::Own => Ok(()),
        }
    }

    fn pass(&self, _: &mut Source, _: &Env) -> Result<bool> {
        Ok(false)
    }

    fn write(&self, utt: &Utterance, put: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        NESTED.check(utt)?;
        let mut bytes = Vec::new();
        encode(utt, &Style::default(), &mut bytes)?;
        put(&bytes)
    }
}
