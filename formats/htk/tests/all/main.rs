//! All tests of HTK's formats from outside, as one program, which is linked once.

mod behaviour;
mod compressed;
mod script;
