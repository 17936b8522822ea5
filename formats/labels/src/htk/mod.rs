//! Label files of HTK.

mod lab;
mod label;
mod mlf;
mod words;

pub use lab::{HTK_LAB, HtkLab};
pub use mlf::{MLF, Mlf};
