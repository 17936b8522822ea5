//! Tests of HDF5 from outside, as one program; those that measure memory have one of their own.

mod behaviour;
mod files;
mod fixtures;
mod refusals;
