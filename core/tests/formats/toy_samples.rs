//! Sound in memory: as bytes, and as a stream.

use spr_core::bytes::SampleStream;
use spr_core::model::{Matrix, Rank, RecordingFacts, Waveform};
use spr_core::{Limits, Result};

/// Sound of which any samples can be read.
pub(crate) struct ToySamples {
    pub(crate) sound: Waveform,
    pub(crate) next: usize,
}

impl SampleStream for ToySamples {
    fn facts(&self) -> RecordingFacts {
        self.sound.facts()
    }

    fn seek(&mut self, to: u64) -> Result<Option<u64>> {
        self.next = usize::try_from(to).unwrap();
        Ok(Some(to))
    }

    fn read(&mut self, most: usize, into: &mut Matrix, limits: &Limits) -> Result<bool> {
        let samples = &self.sound.samples;
        let end = samples.rows().min(self.next + most);
        into.start(samples.dtype(), Rank::Matrix, samples.cols());
        let row = samples.cols() * samples.dtype().size();
        let bytes = &samples.as_bytes()[self.next * row..end * row];
        into.extend_rows(end - self.next, limits)?
            .copy_from_slice(bytes);
        let more = end > self.next;
        self.next = end;
        Ok(more)
    }
}

/// The bytes of a sound file.
pub(crate) fn pcm(magic: &[u8; 4], rate: u32, channels: u8, samples: &[i16]) -> Vec<u8> {
    let samples: Vec<u8> = samples.iter().flat_map(|v| v.to_le_bytes()).collect();
    [&magic[..], &rate.to_le_bytes(), &[channels], &samples].concat()
}
