//! All tests of label files from outside, as one program, which is linked once.

mod behaviour;
mod common;
mod reading;
mod recordings;
mod refusals;
