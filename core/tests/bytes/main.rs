//! Bytes in and out: what surrounds readers and writers.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

mod environment;
mod folders;
mod outputs;
mod sources;
mod tables;

use std::sync::Arc;

use spr_core::bytes::{Env, MemoryStore};

/// Files in memory.
fn memory<'a>(files: impl IntoIterator<Item = (&'a str, Vec<u8>)>) -> (MemoryStore, Env) {
    let store = MemoryStore::new();
    for (name, bytes) in files {
        store.insert(name, bytes);
    }
    let env = Env::default().with_store(Arc::new(store.clone()));
    (store, env)
}
