//! Decoding of packets with symphonia.

use std::panic::{AssertUnwindSafe, catch_unwind};

use spr_core::{Error, Result};
use symphonia::core::codecs::audio::AudioDecoder;
use symphonia::core::errors;
use symphonia::core::packet::PacketRef;
use symphonia::core::units::{Duration, Timestamp};

/// A decoder of packets.
pub(crate) struct Decoder(Box<dyn AudioDecoder>);

impl Decoder {
    /// Creates the decoder of a header with `make`.
    ///
    /// # Errors
    /// The header is damaged.
    pub(crate) fn new<D: AudioDecoder + 'static>(
        make: impl FnOnce() -> errors::Result<D>,
    ) -> Result<Self> {
        guarded(|| Ok(Self(Box::new(make()?))))
    }

    /// Decodes a packet. The interleaved samples of all channels replace the content of `out`.
    ///
    /// # Errors
    /// The packet is damaged.
    pub(crate) fn decode(&mut self, packet: &[u8], out: &mut Vec<f32>) -> Result<()> {
        let packet = PacketRef::new(0, Timestamp::ZERO, Duration::ZERO, packet);
        guarded(|| {
            self.0.decode_ref(&packet)?.copy_to_vec_interleaved(out);
            Ok(())
        })
    }
}

/// Runs code of the library, and reports a panic as a fault of the file, because the decoders are
/// not hardened against arbitrary input.
fn guarded<T>(run: impl FnOnce() -> errors::Result<T>) -> Result<T> {
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(errors::Error::DecodeError(why) | errors::Error::Unsupported(why))) => {
            Err(Error::malformed(format!("damaged sound: {why}")))
        }
        Ok(Err(_)) => Err(Error::malformed(
            "damaged sound: it is shorter than it says",
        )),
        Err(_) => Err(Error::malformed("damaged sound: the decoder gave up")),
    }
}
