//! All tests of manifests from outside, as one program, which is linked once.

mod audiofolder;
mod behaviour;
mod shar;
mod stores;
mod tarred;
