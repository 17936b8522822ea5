//! All tests of SPRAAK's formats from outside, as one program, which is linked once.

mod behaviour;
mod lists;
mod options;
mod strict;
