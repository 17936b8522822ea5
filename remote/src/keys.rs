//! Credentials from the environment variables that the services' programs use. Messages contain
//! only the names of variables.

use spr_core::{Error, Result};

use crate::address::Service;

/// Returns the variables that hold credentials for a service, or declare that none are needed.
fn variables(service: Service) -> &'static [&'static str] {
    match service {
        Service::S3 => &[
            "AWS_ACCESS_KEY_ID",
            "AWS_SKIP_SIGNATURE",
            "AWS_WEB_IDENTITY_TOKEN_FILE",
            "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
            "AWS_CONTAINER_CREDENTIALS_FULL_URI",
            "AWS_METADATA_ENDPOINT",
        ],
        Service::Google => &[
            "GOOGLE_APPLICATION_CREDENTIALS",
            "GOOGLE_SERVICE_ACCOUNT",
            "GOOGLE_SERVICE_ACCOUNT_PATH",
            "GOOGLE_SERVICE_ACCOUNT_KEY",
            "GOOGLE_SKIP_SIGNATURE",
            "GCE_METADATA_HOST",
        ],
        Service::Azure => &[
            "AZURE_STORAGE_ACCOUNT_KEY",
            "AZURE_STORAGE_ACCESS_KEY",
            "AZURE_STORAGE_SAS_KEY",
            "AZURE_STORAGE_SAS_TOKEN",
            "AZURE_STORAGE_TOKEN",
            "AZURE_CLIENT_SECRET",
            "AZURE_STORAGE_CLIENT_SECRET",
            "AZURE_FEDERATED_TOKEN_FILE",
            "AZURE_USE_AZURE_CLI",
            "AZURE_STORAGE_USE_EMULATOR",
            "AZURE_SKIP_SIGNATURE",
            "AZURE_MSI_ENDPOINT",
            "AZURE_IDENTITY_ENDPOINT",
        ],
        Service::Http => &[],
    }
}

/// Variables that enable credentials from a local metadata service.
const LOCAL_SERVICES: [&str; 5] = [
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_METADATA_ENDPOINT",
    "GCE_METADATA_HOST",
    "AZURE_MSI_ENDPOINT",
];

fn is_set(name: &str) -> bool {
    std::env::var_os(name).is_some_and(|value| !value.is_empty())
}

/// Returns `true` if local metadata services may be asked for credentials.
pub(crate) fn ask_locally() -> bool {
    LOCAL_SERVICES.into_iter().any(is_set)
}

/// Returns `true` if a variable allows requests without encryption.
pub(crate) fn allow_http() -> bool {
    let names = ["AWS_ALLOW_HTTP", "GOOGLE_ALLOW_HTTP", "AZURE_ALLOW_HTTP"];
    let yes =
        |name: &str| std::env::var(name).is_ok_and(|value| value.eq_ignore_ascii_case("true"));
    names.into_iter().any(yes)
}

/// Fails if no credentials are set, because the library would then query the local network unasked.
///
/// # Errors
/// No credentials are set.
pub(crate) fn check(service: Service) -> Result<()> {
    let known = variables(service);
    if known.is_empty() || known.iter().any(|name| is_set(name)) || has_file(service) {
        return Ok(());
    }
    let hint = match service {
        Service::S3 if is_set("AWS_PROFILE") => {
            "profiles are not read: eval \"$(aws configure export-credentials --format env)\""
        }
        Service::S3 => {
            "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, for a public bucket \
             AWS_SKIP_SIGNATURE=true, on a machine with a role \
             AWS_METADATA_ENDPOINT=http://169.254.169.254"
        }
        Service::Google => {
            "set GOOGLE_APPLICATION_CREDENTIALS, or GOOGLE_SKIP_SIGNATURE=true for a public bucket, \
             or GCE_METADATA_HOST on a machine with a role"
        }
        _ => {
            "set AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY, or \
             AZURE_SKIP_SIGNATURE=true for what is public"
        }
    };
    Err(Error::usage("nothing says who you are").hint(hint))
}

/// Returns `true` if the user has logged in with the `gcloud` program.
fn has_file(service: Service) -> bool {
    let file = || {
        let home = std::env::var_os("HOME")?;
        let file = ".config/gcloud/application_default_credentials.json";
        Some(std::path::Path::new(&home).join(file).exists())
    };
    service == Service::Google && file() == Some(true)
}

/// Lists the variables that were found, for the message about refused access.
pub(crate) fn found(service: Service) -> String {
    let names = variables(service).iter().copied();
    let names: Vec<_> = names.filter(|name| is_set(name)).collect();
    match names.is_empty() {
        true => "no variable holds credentials".to_owned(),
        false => format!("known by {}", names.join(", ")),
    }
}
