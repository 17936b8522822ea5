#![doc = include_str!("../README.md")]

mod audiofolder;
mod lhotse;
mod nemo;

pub use audiofolder::{AUDIO_FOLDER, AudioFolder};
pub use lhotse::{LHOTSE, Lhotse, SHAR, Shar};
pub use nemo::{NEMO, NEMO_TARRED, Nemo, NemoTarred};
