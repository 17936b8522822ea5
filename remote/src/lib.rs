//! Object stores and servers as places of speech data: S3, Google Cloud Storage, Azure, HTTP.
//!
//! [`Places`] is a [`Store`](spr_core::bytes::Store) for an [`Env`](spr_core::bytes::Env): URLs
//! lead to object stores, other names to the local file system. Credentials and endpoints come from
//! the variables that the services' own programs use, such as `AWS_ACCESS_KEY_ID`.

mod address;
mod browse;
mod client;
mod commit;
mod connector;
mod failures;
mod fault;
mod flow;
mod folder;
mod keys;
mod lookup_cache;
mod places;
mod put;
mod range;
mod read;
mod refusal;
mod runtime;
mod settings;
mod staged;
mod upload;
mod upload_list;

pub use places::Places;
pub use settings::Settings;
