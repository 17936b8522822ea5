//! All tests of label files from outside, as one program, which is linked once.

mod behaviour;
mod captions;
mod common;
mod elan;
mod reading;
mod recordings;
mod refusals;
