//! A setting as it is written.

/// One setting in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Its name, such as `http.listen`.
    pub key: String,
    /// Its value as it was written, without quotes.
    pub value: String,
    /// Where it came from: a file, an environment variable, a flag, or `default`.
    pub origin: String,
}
