//! All tests of HDF5 from outside, as one program, which is linked once.

mod behaviour;
mod damage;
mod files;
