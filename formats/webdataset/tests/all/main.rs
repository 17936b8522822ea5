//! All tests of WebDatasets from outside, as one program, which is linked once.

mod archives;
mod behaviour;
mod members;
mod shards;
