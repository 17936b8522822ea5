//! Files of h5py and what others keep in HDF5, and those that must be refused.

use spr_core::bytes::{Claim, Env, Finder, Nested, NestedFormats, ObjectBounds, Source};
use spr_core::format::{Format, Registry};
use spr_core::model::{AudioFacts, Matrix, Rank, Utterance, Waveform};
use spr_core::{Error, Result};
use spr_format_hdf5::FORMAT;
use spr_syntax::lilcom::{Decoder, Header};
use spr_testkit::fixtures;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/hdf5");

/// Sound files as Python's module `wave` writes them, and streams of lilcom.
struct Objects;

struct Wave;
struct Lilcom;

impl NestedFormats for Objects {
    fn nested(&self, name: &str) -> Option<&'static dyn Nested> {
        match name {
            "wav" => Some(&Wave),
            "lilcom" => Some(&Lilcom),
            _ => None,
        }
    }

    fn finder(&self, _: &str, _: Source, _: &Env) -> Option<Result<Finder>> {
        None
    }

    fn sound_by_extension(&self, _: &str) -> Option<&'static str> {
        None
    }

    fn claims(&self, head: &[u8]) -> Vec<(&'static str, Claim)> {
        vec![("wav", Wave.claim(head)), ("lilcom", Lilcom.claim(head))]
    }
}

impl Nested for Wave {
    fn claim(&self, head: &[u8]) -> Claim {
        match head.starts_with(b"RIFF") {
            true => Claim::Magic,
            false => Claim::No,
        }
    }

    /// Reads 16-bit samples of one channel behind a header of 44 bytes.
    fn read(
        &self,
        source: &mut Source,
        _: ObjectBounds,
        utt: &mut Utterance,
        env: &Env,
    ) -> Result<()> {
        let head = source.array::<44>()?;
        let rate = u32::from_le_bytes([head[24], head[25], head[26], head[27]]);
        let bytes = source.rest("samples", &env.limits)?;
        let samples = bytes.chunks(2).map(|b| i16::from_le_bytes([b[0], b[1]]));
        let samples: Vec<_> = samples.collect();
        let samples = Matrix::from_rows(&samples, 1, Rank::Matrix)?;
        utt.audio = Some(Waveform { rate, samples }.into());
        Ok(())
    }

    fn facts(&self, _: &mut Source, _: &Env) -> Result<AudioFacts> {
        Ok(AudioFacts::default())
    }

    fn pass(&self, _: &mut Source, _: &Env) -> Result<bool> {
        Ok(false)
    }

    fn write(&self, _: &Utterance, _: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        Err(Error::unsupported("only read"))
    }
}

impl Nested for Lilcom {
    fn claim(&self, head: &[u8]) -> Claim {
        match Header::of(head) {
            Some(_) => Claim::Magic,
            None => Claim::No,
        }
    }

    fn read(
        &self,
        source: &mut Source,
        _: ObjectBounds,
        utt: &mut Utterance,
        env: &Env,
    ) -> Result<()> {
        Decoder::open(source)?.read(utt.features_mut(), &env.limits)
    }

    fn facts(&self, _: &mut Source, _: &Env) -> Result<AudioFacts> {
        Ok(AudioFacts::default())
    }

    fn pass(&self, _: &mut Source, _: &Env) -> Result<bool> {
        Ok(false)
    }

    fn write(&self, _: &Utterance, _: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        Err(Error::unsupported("only read"))
    }
}

#[test]
fn files_of_other_programs() {
    let env = Env::default().with_formats(Objects).listening(|_| {});
    let registry = Registry::new([&FORMAT as &dyn Format]);
    fixtures(FOLDER.as_ref(), &registry, &env);
}
