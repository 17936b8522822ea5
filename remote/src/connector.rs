//! HTTP connections: encrypted except to the local machine, without redirections to other hosts.

use std::net::IpAddr;
use std::time::Instant;

use async_trait::async_trait;
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpService,
};
use reqwest::redirect::{Attempt, Policy};
use reqwest::{Client, Url};
use spr_core::{Error, Result};

use crate::failures::Failures;
use crate::refusal::RequestRefusal;
use crate::settings::Settings;
use crate::{fault, keys};

/// The timeout of connecting to a server.
const CONNECT: std::time::Duration = std::time::Duration::from_secs(5);
/// The status of an answer to too many requests, which are retried.
const TOO_MANY: u16 = 429;
/// The largest number of redirections.
const REDIRECTIONS: usize = 5;

/// The HTTP client factory for all servers.
#[derive(Clone, Debug)]
pub(crate) struct Connector {
    pub(crate) client: Client,
    /// Whether any server may be reached without encryption.
    allow_http: bool,
    /// Whether local metadata services may be asked for credentials.
    ask_locally: bool,
    failures: Failures,
}

impl Connector {
    /// Creates a connector.
    ///
    /// # Errors
    /// The TLS setup fails.
    pub(crate) fn new(settings: &Settings) -> Result<Self> {
        // Another part of the process may have installed a provider first.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder()
            .connect_timeout(CONNECT)
            .read_timeout(settings.timeout)
            .redirect(Policy::custom(redirect))
            .user_agent(concat!("spr-convert/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|e| Error::unsupported(format!("cannot ask servers: {e}")))?;
        Ok(Self {
            client,
            allow_http: settings.allow_http || keys::allow_http(),
            ask_locally: keys::ask_locally(),
            failures: Failures::new(settings.timeout),
        })
    }

    /// Remembers what came of a request that began at `start`.
    fn learn(
        &self,
        (server, place): (String, String),
        start: Instant,
        answer: &Result<HttpResponse, HttpError>,
    ) {
        let failures = &self.failures;
        match answer {
            Ok(answer) => {
                failures.answered(&server);
                let status = answer.status();
                match status.is_server_error() || status.as_u16() == TOO_MANY {
                    true => {
                        failures.place_failed(place, start, fault::status_text(status.as_u16()))
                    }
                    false => failures.succeeded(&place),
                }
            }
            Err(error) if is_broken(error) => {
                let why = fault::of_connection(error);
                failures.server_failed(server, start, why.clone());
                failures.place_failed(place, start, why);
            }
            // It was refused here.
            Err(_) => {}
        }
    }

    /// Fails for a remote server without encryption.
    pub(crate) fn check(
        &self,
        scheme: Option<&str>,
        host: Option<&str>,
    ) -> Result<(), RequestRefusal> {
        let host = host.unwrap_or_default();
        match scheme {
            Some("https") => Ok(()),
            _ if self.allow_http || is_loopback(host) => Ok(()),
            _ if self.ask_locally && is_link_local(host) => Ok(()),
            _ => Err(RequestRefusal::Plain),
        }
    }
}

/// Returns `true` if a request failed because of its connection.
fn is_broken(error: &HttpError) -> bool {
    use HttpErrorKind::{Connect, Interrupted, Request, Timeout};
    matches!(error.kind(), Connect | Interrupted | Request | Timeout)
}

fn address(host: &str) -> Option<IpAddr> {
    host.trim_matches(['[', ']']).parse().ok()
}

fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost") || address(host).is_some_and(|ip| ip.is_loopback())
}

fn is_link_local(host: &str) -> bool {
    let near = |ip: IpAddr| matches!(ip, IpAddr::V4(ip) if ip.is_link_local());
    host == "metadata.google.internal" || address(host).is_some_and(near)
}

/// Follows redirections within one host only.
fn redirect(attempt: Attempt<'_>) -> reqwest::redirect::Action {
    let place = |url: &Url| {
        let host = url.host_str().map(str::to_owned);
        (url.scheme().to_owned(), host, url.port_or_known_default())
    };
    let from = attempt.previous().first().map(place);
    if attempt.previous().len() > REDIRECTIONS {
        return attempt.error(RequestRefusal::Round);
    }
    match from == Some(place(attempt.url())) {
        true => attempt.follow(),
        false => {
            let to = attempt.url().host_str().unwrap_or_default().to_owned();
            attempt.error(RequestRefusal::Elsewhere(to))
        }
    }
}

impl HttpConnector for Connector {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(self.clone()))
    }
}

#[async_trait]
impl HttpService for Connector {
    async fn call(&self, mut request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let uri = request.uri();
        if let Err(refused) = self.check(uri.scheme_str(), uri.host()) {
            return Err(HttpError::new(HttpErrorKind::Unknown, refused));
        }
        let server = uri
            .authority()
            .map_or_else(String::new, ToString::to_string);
        let place = uri.to_string();
        if let Err(failed) = self.failures.check(&server, &place) {
            return Err(HttpError::new(HttpErrorKind::Unknown, failed));
        }
        let whole = object_store::HeaderValue::from_static("identity");
        request.headers_mut().insert("accept-encoding", whole);
        let start = Instant::now();
        let answer = self.client.call(request).await;
        self.learn((server, place), start, &answer);
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn far_servers_are_asked_with_encryption() {
        let connector = Connector::new(&Settings::default()).unwrap();
        for (scheme, host, may) in [
            ("https", "example.org", true),
            ("http", "example.org", false),
            ("http", "127.0.0.1", true),
            ("http", "[::1]", true),
            ("http", "localhost", true),
            ("http", "10.0.0.1", false),
            ("http", "169.254.169.254", false),
        ] {
            let checked = connector.check(Some(scheme), Some(host));
            assert_eq!(checked.is_ok(), may, "{host}");
        }
    }
}
