//! All tests of sound files from outside, as one program, which is linked once.

mod behaviour;
mod flac;
mod flac_encoder;
mod headers;
mod lossy;
mod spans;
mod tagged;
mod waves;
