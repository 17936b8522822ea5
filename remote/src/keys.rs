//! Who the user is, by the variables that the services' own programs know. Only names of variables
//! are ever told.

use spr_core::{Error, Result};

use crate::address::Service;

/// The variables of a service that say who the user is, or that nobody need be known.
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

/// Variables that let a service of the machine's own network say who the user is.
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

/// Whether a service of the machine's own network is asked who the user is.
pub(crate) fn ask_locally() -> bool {
    LOCAL_SERVICES.into_iter().any(is_set)
}

/// Whether a variable allows to ask a service without encryption.
pub(crate) fn allow_http() -> bool {
    let names = ["AWS_ALLOW_HTTP", "GOOGLE_ALLOW_HTTP", "AZURE_ALLOW_HTTP"];
    let yes =
        |name: &str| std::env::var(name).is_ok_and(|value| value.eq_ignore_ascii_case("true"));
    names.into_iter().any(yes)
}

/// Refuses to go on if nothing says who the user is: the machine's own network would be asked then,
/// which nobody wanted.
///
/// # Errors
/// Nothing does.
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

/// Whether the user has logged in with Google's own program.
fn has_file(service: Service) -> bool {
    let file = || {
        let home = std::env::var_os("HOME")?;
        let file = ".config/gcloud/application_default_credentials.json";
        Some(std::path::Path::new(&home).join(file).exists())
    };
    service == Service::Google && file() == Some(true)
}

/// Which variables were found, to be told to whom a service turns away.
pub(crate) fn found(service: Service) -> String {
    let names = variables(service).iter().copied();
    let names: Vec<_> = names.filter(|name| is_set(name)).collect();
    match names.is_empty() {
        true => "no variable holds credentials".to_owned(),
        false => format!("known by {}", names.join(", ")),
    }
}
