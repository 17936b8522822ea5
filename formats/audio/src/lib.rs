#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod au;
#[cfg(any(feature = "flac", feature = "mp3", feature = "vorbis"))]
mod coded;
mod coding;
mod damaged;
#[cfg(feature = "flac")]
mod flac;
mod format;
#[cfg(any(feature = "flac", feature = "mp3"))]
mod id3;
mod kind;
#[cfg(feature = "mp3")]
mod mp3;
mod nested;
#[cfg(feature = "vorbis")]
mod ogg;
mod reader;
mod sphere;
mod stream;
mod wav;
mod writer;

#[cfg(any(feature = "flac", feature = "mp3", feature = "vorbis"))]
pub use coded::CodedFormat;
#[cfg(feature = "flac")]
pub use flac::FLAC;
pub use format::{AU, AudioFormat, SPHERE, WAV};
#[cfg(feature = "mp3")]
pub use mp3::MP3;
#[cfg(feature = "vorbis")]
pub use ogg::OGG;
