//! Every format with every verb, with every other, and with files of other programs, whole and damaged.

mod damage;
mod fixtures;
mod pairs;
mod pdnn;
mod verbs;
