//! Settings of PostgreSQL: its address, and how it is used.

use std::path::PathBuf;

use super::refusal::PostgresRefusal;
use super::url::PostgresUrl;
use crate::domain::Secret;

/// The address of PostgreSQL, and how it is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostgresSettings {
    /// The address.
    pub url: PostgresUrl,
    /// A file with the password in its first line; used instead of a password in the address.
    pub password_file: Option<PathBuf>,
    /// Whether it may acknowledge data that no second server has yet.
    pub allow_async: bool,
    /// Whether the password may be sent in clear text over an unencrypted connection.
    pub allow_clear_text_password: bool,
    /// The maximum number of connections; at least one.
    pub connections: usize,
}

impl PostgresSettings {
    /// The password; empty for none. The file is read each time, so that a new password needs no
    /// restart.
    pub(crate) fn password(&self) -> Result<Secret, PostgresRefusal> {
        let Some(path) = &self.password_file else {
            return Ok(self.url.password().clone());
        };
        let text = std::fs::read_to_string(path).map_err(|error| {
            PostgresRefusal::PasswordFile(format!("reading {}: {error}", path.display()))
        })?;
        match text.lines().next() {
            Some(password) if !password.is_empty() => Ok(Secret::new(password.into())),
            _ => Err(PostgresRefusal::PasswordFile(format!(
                "the first line of {} is empty: write the password there",
                path.display()
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_password_of_the_file_comes_first() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("password");
        let mut settings = PostgresSettings {
            url: "postgres://w:old@db/e".parse().unwrap(),
            password_file: None,
            allow_async: false,
            allow_clear_text_password: false,
            connections: 1,
        };
        assert_eq!(settings.password().unwrap().reveal(), "old");
        settings.password_file = Some(path.clone());
        let missing = settings.password().unwrap_err().to_string();
        assert!(missing.contains("reading"), "{missing}");
        std::fs::write(&path, "\n").unwrap();
        let empty = settings.password().unwrap_err().to_string();
        assert!(empty.contains("is empty"), "{empty}");
        std::fs::write(&path, "new 1\r\n").unwrap();
        assert_eq!(settings.password().unwrap().reveal(), "new 1");
    }
}
