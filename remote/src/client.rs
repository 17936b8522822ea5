//! Clients for buckets and servers.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::http::HttpBuilder;
use object_store::multipart::MultipartStore;
use object_store::{ObjectStore, RetryConfig};
use spr_core::bytes::Location;
use spr_core::{Error, ErrorKind, Result};

use crate::address::{Address, Service};
use crate::connector::Connector;
use crate::failures::{TRIES, TRY_FOR};
use crate::fault::system;
use crate::keys;
use crate::settings::Settings;

/// The client of one bucket or server.
#[derive(Clone, Debug)]
pub(crate) struct Client {
    pub(crate) service: Service,
    pub(crate) store: Arc<dyn ObjectStore>,
    /// The same client, if the store supports multipart uploads.
    pub(crate) parts: Option<MultipartClient>,
}

/// A store that supports multipart uploads.
#[derive(Clone)]
pub(crate) struct MultipartClient(pub(crate) Arc<dyn MultipartStore>);

impl std::fmt::Debug for MultipartClient {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Parts")
    }
}

/// The clients that have been needed so far. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clients(Arc<ClientMap>);

#[derive(Debug, Default)]
struct ClientMap {
    settings: OnceLock<Settings>,
    connector: OnceLock<Connector>,
    known: Mutex<HashMap<String, Client>>,
}

impl Clients {
    /// Sets how URLs are read and written. Existing clients keep their settings.
    pub(crate) fn set(&self, settings: Settings) {
        let _ = self.0.settings.set(settings);
    }

    pub(crate) fn settings(&self) -> &Settings {
        self.0.settings.get_or_init(Settings::default)
    }

    /// Returns the HTTP connector.
    pub(crate) fn connector(&self) -> Result<&Connector> {
        if let Some(made) = self.0.connector.get() {
            return Ok(made);
        }
        let made = Connector::new(self.settings())?;
        Ok(self.0.connector.get_or_init(|| made))
    }

    /// Returns the client for the bucket or server of `address`. Addresses with the same base share
    /// one.
    ///
    /// # Errors
    /// No credentials are set, or a variable is invalid.
    pub(crate) fn of(&self, address: &Address) -> Result<Client> {
        let mut known = self.0.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = known.get(&address.base) {
            return Ok(client.clone());
        }
        keys::check(address.service)?;
        let client = self.make(address)?;
        // Each URL of a plain server has its own client, because its query is significant.
        if address.url.is_none() {
            known.insert(address.base.clone(), client.clone());
        }
        Ok(client)
    }

    fn make(&self, address: &Address) -> Result<Client> {
        let connector = self.connector()?.clone();
        let retry = RetryConfig {
            max_retries: TRIES as usize,
            retry_timeout: TRY_FOR,
            ..RetryConfig::default()
        };
        let wrong = |e: object_store::Error| {
            let text = e.to_string();
            let text = text.lines().next().unwrap_or_default().to_owned();
            Error::usage(format!(
                "the variables for credentials are not valid: {text}"
            ))
        };
        let in_parts = |store: Arc<dyn ObjectStore>, parts: Arc<dyn MultipartStore>| Client {
            service: address.service,
            store,
            parts: Some(MultipartClient(parts)),
        };
        Ok(match address.service {
            Service::S3 => {
                let builder = AmazonS3Builder::from_env()
                    .with_bucket_name(&address.host)
                    .with_retry(retry)
                    .with_http_connector(connector);
                let store = Arc::new(builder.build().map_err(wrong)?);
                in_parts(store.clone(), store)
            }
            Service::Google => {
                let builder = GoogleCloudStorageBuilder::from_env()
                    .with_bucket_name(&address.host)
                    .with_retry(retry)
                    .with_http_connector(connector);
                let store = Arc::new(builder.build().map_err(wrong)?);
                in_parts(store.clone(), store)
            }
            Service::Azure => {
                let builder = MicrosoftAzureBuilder::from_env()
                    .with_container_name(&address.host)
                    .with_retry(retry)
                    .with_http_connector(connector);
                let store = Arc::new(builder.build().map_err(wrong)?);
                in_parts(store.clone(), store)
            }
            Service::Http => {
                let url = address.url.as_ref().map(ToString::to_string);
                let builder = HttpBuilder::new()
                    .with_url(url.unwrap_or_default())
                    .with_retry(retry)
                    .with_http_connector(connector);
                Client {
                    service: address.service,
                    store: Arc::new(builder.build().map_err(wrong)?),
                    parts: None,
                }
            }
        })
    }

    /// Returns the address of a URL, and its client.
    ///
    /// # Errors
    /// As for [`of`](Self::of), or the text is no valid address.
    pub(crate) fn find(&self, at: &Location) -> io::Result<(Address, Client)> {
        let found = Address::of(at).and_then(|address| {
            let client = self.of(&address)?;
            Ok((address, client))
        });
        found.map_err(|e| {
            let kind = match e.kind() {
                ErrorKind::Usage => io::ErrorKind::InvalidInput,
                _ => io::ErrorKind::Other,
            };
            system(kind, bare(&e))
        })
    }
}

/// Removes the location from an error, because the caller adds it.
fn bare(error: &Error) -> Error {
    let bare = Error::new(error.kind(), error.message());
    match error.remedy() {
        Some(remedy) => bare.suggest(remedy.clone()),
        None => bare,
    }
}
