//! All tests of Kaldi's formats from outside, as one program, which is linked once.

mod audit;
mod bare;
mod behaviour;
mod common;
mod data_dir;
mod espnet;
mod first;
mod holders;
mod jobs;
mod lists;
mod lookup;
mod nested;
mod objects;
mod opaque;
mod packed;
mod parts;
mod rounding;
mod salvage;
mod scripts;
mod selection;
mod tables;
mod threads;
mod transitions;
