//! Errors of requests, in few words and without secrets.

use std::error::Error as _;
use std::io;

use object_store::client::{HttpError, HttpErrorKind};
use spr_core::{Error, ErrorKind, Remedy};

use crate::address::Service;
use crate::failures::Unavailable;
use crate::keys;
use crate::refusal::RequestRefusal;

/// Wraps an error in an `io::Error`.
pub(crate) fn system(kind: io::ErrorKind, error: Error) -> io::Error {
    io::Error::new(kind, error)
}

/// Returns the error for an object that has changed since it was opened.
pub(crate) fn changed() -> io::Error {
    let error = Error::new(ErrorKind::Changed, "changed while it was read");
    system(io::ErrorKind::Other, error)
}

/// Returns the error for a truncated response.
pub(crate) fn cut(wanted: u64, got: u64) -> io::Error {
    let message = format!("the server sent {got} bytes of {wanted}");
    system(io::ErrorKind::UnexpectedEof, Error::truncated(message))
}

/// Converts the error of a failed request.
pub(crate) fn of(service: Service, error: object_store::Error) -> io::Error {
    use object_store::Error as Theirs;
    let other = |error: Error| system(io::ErrorKind::Other, error);
    match &error {
        Theirs::NotFound { source, .. } => {
            let what = match source.to_string().contains("NoSuchBucket") {
                true => "there is no such bucket",
                false => "there is nothing of this name",
            };
            system(io::ErrorKind::NotFound, Error::new(ErrorKind::Io, what))
        }
        Theirs::Precondition { .. } => changed(),
        Theirs::AlreadyExists { .. } => {
            let error = Error::usage("exists already").suggest(Remedy::Overwrite);
            system(io::ErrorKind::AlreadyExists, error)
        }
        Theirs::PermissionDenied { .. } => other(denied(service, 403)),
        Theirs::Unauthenticated { .. } => other(denied(service, 401)),
        Theirs::InvalidPath { .. } => other(Error::usage("objects can't be called so")),
        _ => other(of_request(service, &error)),
    }
}

/// Converts the error of a request whose response is not conclusive.
fn of_request(service: Service, error: &object_store::Error) -> Error {
    let failed = |message: String| Error::new(ErrorKind::Io, message);
    let mut inner = error.source();
    while let Some(cause) = inner {
        if let Some(refused) = cause.downcast_ref::<RequestRefusal>() {
            return refusal(refused);
        }
        if let Some(http) = cause.downcast_ref::<HttpError>() {
            let causes = causes(http);
            let mut refused = causes
                .iter()
                .filter_map(|e| e.downcast_ref::<RequestRefusal>());
            return match refused.next() {
                Some(refused) => refusal(refused),
                None => failed(of_connection(http)),
            };
        }
        inner = cause.source();
    }
    let text = error.to_string();
    if text.contains("redirect without LOCATION") {
        return failed("the bucket is in another region".to_owned())
            .hint("AWS_REGION says in which one it is");
    }
    if text.contains("returned error response") {
        return failed("the server answers that it failed".to_owned());
    }
    match status(&text) {
        Some(code @ (401 | 403)) => denied(service, code),
        Some(code) => failed(status_text(code)),
        None if text.contains("Got invalid") => {
            failed("the server's answer is cut or damaged".to_owned())
        }
        None if text.contains("ange") => {
            failed("the server sends other bytes than asked for".to_owned())
        }
        None => failed(innermost(error)),
    }
}

/// Returns what is wrong with a connection, in a few words.
pub(crate) fn of_connection(http: &HttpError) -> String {
    let mut before = causes(http)
        .into_iter()
        .filter_map(|e| e.downcast_ref::<Unavailable>());
    match (before.next(), http.kind()) {
        (Some(before), _) => before.to_string(),
        (None, HttpErrorKind::Timeout) => "the server does not answer".to_owned(),
        (None, HttpErrorKind::Connect) => {
            format!("the server can't be reached: {}", innermost(http))
        }
        (None, _) => format!("the connection broke: {}", innermost(http)),
    }
}

/// Returns the words for an HTTP status.
pub(crate) fn status_text(code: u16) -> String {
    format!("the server answers {code}")
}

/// Returns `true` if the list of a store came truncated or damaged, so that it is worth asking
/// again.
pub(crate) fn is_cut_list(error: &object_store::Error) -> bool {
    error.to_string().contains("list response")
}

pub(crate) fn refusal(refused: &RequestRefusal) -> Error {
    let error = Error::usage(refused.to_string());
    match refused {
        RequestRefusal::Plain => error.suggest(Remedy::AllowHttp),
        RequestRefusal::Elsewhere(_) | RequestRefusal::Round => {
            error.hint("give the URL that it leads to")
        }
    }
}

/// Returns the error for refused access.
pub(crate) fn denied(service: Service, code: u16) -> Error {
    let error = Error::new(
        ErrorKind::Io,
        format!("the server refuses access, it answers {code}"),
    );
    match service {
        Service::Http => error.hint("a signed URL may have run out"),
        _ => error.hint(keys::found(service)),
    }
}

/// Extracts the HTTP status from an error text, because the library has no field for it.
pub(crate) fn status(text: &str) -> Option<u16> {
    let (_, rest) = text.split_once("status code: ")?;
    rest.get(..3)?.parse().ok()
}

/// Returns the root cause as text.
fn innermost(error: &(dyn std::error::Error + 'static)) -> String {
    let text = match causes(error).last() {
        Some(first) => first.to_string(),
        None => error.to_string(),
    };
    text.lines().next().unwrap_or_default().to_owned()
}

/// Iterates over the causes of an error, from the outermost.
fn causes<'a>(
    error: &'a (dyn std::error::Error + 'static),
) -> Vec<&'a (dyn std::error::Error + 'static)> {
    let mut causes = Vec::new();
    let mut cause = error.source();
    while let Some(next) = cause {
        causes.push(next);
        cause = next.source();
    }
    causes
}
