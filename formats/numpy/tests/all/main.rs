//! All tests of NumPy's formats from outside, as one program, which is linked once.

mod behaviour;
mod containers;
mod fixtures;
mod rates;
mod types;
