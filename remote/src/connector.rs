//! How servers are asked: encrypted unless they are near, without following them to others.

use std::fmt;
use std::net::IpAddr;

use async_trait::async_trait;
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpService,
};
use reqwest::redirect::{Attempt, Policy};
use reqwest::{Client, Url};
use spr_core::{Error, Result};

use crate::keys;
use crate::settings::Settings;

/// How long it may take to reach a server.
const CONNECT: std::time::Duration = std::time::Duration::from_secs(5);
/// Redirections that are followed.
const REDIRECTIONS: usize = 5;

/// What asks all servers.
#[derive(Clone, Debug)]
pub(crate) struct Connector {
    pub(crate) client: Client,
    /// Whether any server may be asked without encryption.
    allow_http: bool,
    /// Whether services of the machine's own network may.
    ask_locally: bool,
}

impl Connector {
    /// Makes it.
    ///
    /// # Errors
    /// The system refuses.
    pub(crate) fn new(settings: &Settings) -> Result<Self> {
        // Whoever came first has chosen one, which is as good.
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
        })
    }

    /// Refuses to ask a far server without encryption.
    pub(crate) fn check(&self, scheme: Option<&str>, host: Option<&str>) -> Result<(), Refused> {
        let host = host.unwrap_or_default();
        match scheme {
            Some("https") => Ok(()),
            _ if self.allow_http || is_loopback(host) => Ok(()),
            _ if self.ask_locally && is_link_local(host) => Ok(()),
            _ => Err(Refused::Plain),
        }
    }
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

/// Follows a server to another place of its own, and nowhere else.
fn redirect(attempt: Attempt<'_>) -> reqwest::redirect::Action {
    let place = |url: &Url| {
        let host = url.host_str().map(str::to_owned);
        (url.scheme().to_owned(), host, url.port_or_known_default())
    };
    let from = attempt.previous().first().map(place);
    if attempt.previous().len() > REDIRECTIONS {
        return attempt.error(Refused::Round);
    }
    match from == Some(place(attempt.url())) {
        true => attempt.follow(),
        false => {
            let to = attempt.url().host_str().unwrap_or_default().to_owned();
            attempt.error(Refused::Elsewhere(to))
        }
    }
}

/// What is not done.
#[derive(Clone, Debug)]
pub(crate) enum Refused {
    /// To ask without encryption.
    Plain,
    /// To follow to another host.
    Elsewhere(String),
    /// To follow any longer.
    Round,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain => f.write_str("refused to ask a server without encryption"),
            Self::Elsewhere(host) => write!(f, "the server leads to another place, on {host}"),
            Self::Round => f.write_str("the server leads from place to place"),
        }
    }
}

impl std::error::Error for Refused {}

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
        let whole = object_store::HeaderValue::from_static("identity");
        request.headers_mut().insert("accept-encoding", whole);
        self.client.call(request).await
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
