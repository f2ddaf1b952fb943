//! A setting as written.

/// One setting in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Its name, such as `http.listen`.
    pub key: String,
    /// Its value as written, without quotes.
    pub value: String,
    /// Its origin: a file, an environment variable, a flag, or `default`.
    pub origin: String,
}
