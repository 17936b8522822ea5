//! All tests of PFile from outside, as one program, which is linked once.

mod behaviour;
mod common;
mod damage;
mod reading;
mod salvage;
