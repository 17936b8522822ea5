//! All tests of pickles from outside, as one program, which is linked once.

mod behaviour;
mod chunks;
mod fixtures;
mod hostile;
mod layouts;
mod threads;
