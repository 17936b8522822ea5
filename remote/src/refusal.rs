//! Requests that are refused before they are sent.

use std::fmt;

/// A request that is not sent.
#[derive(Clone, Debug)]
pub(crate) enum RequestRefusal {
    /// A request without encryption.
    Plain,
    /// A redirection to another host.
    Elsewhere(String),
    /// Too many redirections.
    Round,
}

impl fmt::Display for RequestRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain => f.write_str("refused to ask a server without encryption"),
            Self::Elsewhere(host) => write!(f, "the server leads to another place, on {host}"),
            Self::Round => f.write_str("the server leads from place to place"),
        }
    }
}

impl std::error::Error for RequestRefusal {}
