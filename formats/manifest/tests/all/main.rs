//! All tests of manifests from outside, as one program, which is linked once.

mod audiofolder;
mod behaviour;
mod common;
mod lhotse;
mod nemo;
mod shar;
mod stores;
mod tables;
mod tarred;
