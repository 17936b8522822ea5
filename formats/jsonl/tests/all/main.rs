//! All tests of JSON lines from outside, as one program, which is linked once.

mod behaviour;
mod cut;
