//! All tests of Hugging Face's files from outside, as one program, which is linked once.

mod behaviour;
mod columns;
mod common;
mod files;
mod places;
mod types;
