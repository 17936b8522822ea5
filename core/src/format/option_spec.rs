//! Descriptions of options.

/// An option that a format knows.
#[derive(Clone, Copy, Debug)]
pub struct OptionSpec {
    /// The key.
    pub name: &'static str,
    /// The form of the value, such as `little|big` or `PATH`.
    pub value: &'static str,
    /// A description.
    pub help: &'static str,
}
