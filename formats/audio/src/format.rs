//! The three formats.

use spr_core::Result;
use spr_core::bytes::{Env, Output, Source};
use spr_core::format::{
    Caps, Count, Empty, Format, FormatInfo, Keys, Lookup, Objects, Options, Place, Probe, Reader,
    Score, Tags, Writer,
};

use crate::kind::Kind;
use crate::reader::AudioReader;
use crate::writer::AudioWriter;
use crate::{au, sphere, wav};

/// A format of sound files, one utterance each.
pub struct AudioFormat(&'static Kind);

/// RIFF wave files.
pub static WAV: AudioFormat = AudioFormat(&wav::KIND);

/// NIST SPHERE files.
pub static SPHERE: AudioFormat = AudioFormat(&sphere::KIND);

/// AU files, of Sun and NeXT.
pub static AU: AudioFormat = AudioFormat(&au::KIND);

impl Format for AudioFormat {
    fn info(&self) -> &'static FormatInfo {
        &self.0.info
    }

    fn probe(&self, head: &Probe<'_>) -> Score {
        let named = head
            .extension()
            .is_some_and(|e| self.0.info.extensions.contains(&e));
        if (self.0.starts)(head.head) {
            Score::Certain
        } else if named && !head.head.is_empty() {
            Score::NameOnly
        } else {
            Score::No
        }
    }

    fn caps(&self, _options: &Options, place: Place) -> Result<Caps> {
        Ok(Caps {
            count: Count::One,
            keys: match place {
                Place::Folder | Place::File => Keys::FileNames,
                Place::Stream => Keys::None,
            },
            boundaries: true,
            features: None,
            labels: None,
            objects: Objects::None,
            audio: self.0.dtypes,
            segments: false,
            text: false,
            empty: Empty::Kept,
            frame_times: false,
            tags: Tags::Of(self.0.info.name),
            max_rows: u64::MAX,
        })
    }

    fn open(&self, mut source: Source, options: &Options, env: &Env) -> Result<Box<dyn Reader>> {
        let head = (self.0.open)(&mut source, options, env).map_err(|e| e.file(source.name()))?;
        Ok(Box::new(AudioReader::new(source, head, env)))
    }

    fn salvage(&self, source: Source, options: &Options, env: &Env) -> Result<Box<dyn Reader>> {
        self.open(source, options, env)
    }

    fn open_keyed(&self, source: Source, options: &Options, env: &Env) -> Result<Lookup> {
        Ok(Lookup::Ordered(self.open(source, options, env)?))
    }

    fn create(&self, output: Output, _options: &Options, _env: &Env) -> Result<Box<dyn Writer>> {
        Ok(Box::new(AudioWriter::new(output, self.0)))
    }
}
