//! The address of a PostgreSQL database:
//! `postgres://user@host[:port][,host2..]/database?sslmode=..&sslrootcert=..`.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use thiserror::Error;

use crate::domain::{Secret, host_and_port, percent_decoded};

const PORT: u16 = 5432;

/// The address of a PostgreSQL database, with the user's name. Its `Display` hides the password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostgresUrl {
    user: String,
    password: Secret,
    hosts: Vec<PostgresHost>,
    database: String,
    tls: PostgresTls,
}

/// One of the servers in an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PostgresHost {
    /// By TCP.
    Tcp {
        /// A name or an address, without brackets.
        name: String,
        /// The port.
        port: u16,
    },
    /// On this machine, through a socket in this folder.
    Socket {
        /// The folder.
        folder: PathBuf,
        /// The port, which is part of the socket's name.
        port: u16,
    },
}

/// Whether connections are encrypted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PostgresTls {
    /// Unencrypted.
    Off,
    /// Encrypted, to a server that proves its name.
    Verified {
        /// The certificates to trust; `None` for the system's.
        ca_file: Option<PathBuf>,
    },
}

/// The text is not the address of a PostgreSQL database; says what was expected. Never contains the
/// text, which may hold a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PostgresUrlError {
    /// The scheme is missing.
    #[error("an address such as \"postgres://wattkeeper@db.lan/wattkeeper\"")]
    Scheme,
    /// There is no user.
    #[error("an address with a user, as in \"postgres://USER@host/database\"")]
    User,
    /// There is no host, or an invalid one.
    #[error(
        "an address with hosts such as db.lan, db.lan:5433, [fd00::1] or %2Frun%2Fpostgresql, with commas between them"
    )]
    Host,
    /// There is no database.
    #[error("an address with a database, as in \"postgres://user@host/DATABASE\"")]
    Database,
    /// An escape is wrong.
    #[error(
        "an address with escapes for these characters: a percent sign is written %25, an at sign %40, a slash %2F"
    )]
    Escape,
    /// The sslmode is unknown, or too weak.
    #[error(
        "sslmode=verify-full (the default) or sslmode=disable: the others do not guarantee encryption or the identity of the server"
    )]
    SslMode,
    /// Certificates are named, but the connection is not encrypted.
    #[error("no sslrootcert with sslmode=disable or a socket, where it has no effect")]
    UnusedCertificates,
    /// A parameter is unknown.
    #[error("nothing but sslmode and sslrootcert after the question mark, each once")]
    Parameter,
}

impl FromStr for PostgresUrl {
    type Err = PostgresUrlError;

    fn from_str(text: &str) -> Result<Self, PostgresUrlError> {
        let (scheme, rest) = text.split_once("://").ok_or(PostgresUrlError::Scheme)?;
        if !matches!(scheme, "postgres" | "postgresql") {
            return Err(PostgresUrlError::Scheme);
        }
        let (rest, parameters) = rest.split_once('?').unwrap_or((rest, ""));
        let (login, rest) = rest.rsplit_once('@').ok_or(PostgresUrlError::User)?;
        let (user, password) = login.split_once(':').unwrap_or((login, ""));
        let user = unescaped(user)?;
        if user.is_empty() {
            return Err(PostgresUrlError::User);
        }
        let (hosts, database) = rest.split_once('/').unwrap_or((rest, ""));
        let hosts: Vec<PostgresHost> = hosts.split(',').map(host).collect::<Result<_, _>>()?;
        if database.contains('/') {
            return Err(PostgresUrlError::Database);
        }
        let database = unescaped(database)?;
        if database.is_empty() {
            return Err(PostgresUrlError::Database);
        }
        let is_local = hosts
            .iter()
            .all(|host| matches!(host, PostgresHost::Socket { .. }));
        Ok(Self {
            user,
            password: Secret::new(unescaped(password)?),
            hosts,
            database,
            tls: tls(parameters, is_local)?,
        })
    }
}

impl PostgresUrl {
    /// The role to sign in as.
    #[must_use]
    pub fn user(&self) -> &str {
        &self.user
    }

    /// The password, if the address contains one.
    #[must_use]
    pub const fn password(&self) -> &Secret {
        &self.password
    }

    /// The name of the database.
    #[must_use]
    pub fn database(&self) -> &str {
        &self.database
    }

    pub(crate) fn hosts(&self) -> &[PostgresHost] {
        &self.hosts
    }

    pub(crate) const fn tls(&self) -> &PostgresTls {
        &self.tls
    }
}

impl fmt::Display for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "postgres://{}@", Escaped(&self.user))?;
        for (index, host) in self.hosts.iter().enumerate() {
            write!(f, "{}{host}", if index > 0 { "," } else { "" })?;
        }
        write!(f, "/{}", Escaped(&self.database))?;
        match &self.tls {
            PostgresTls::Off => f.write_str("?sslmode=disable"),
            PostgresTls::Verified { ca_file: None } => Ok(()),
            PostgresTls::Verified {
                ca_file: Some(path),
            } => write!(f, "?sslrootcert={}", Escaped(&path.to_string_lossy())),
        }
    }
}

impl fmt::Display for PostgresHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp { name, port } if name.contains(':') => write!(f, "[{name}]:{port}"),
            Self::Tcp { name, port } => write!(f, "{name}:{port}"),
            Self::Socket { folder, port } => {
                write!(f, "{}:{port}", Escaped(&folder.to_string_lossy()))
            }
        }
    }
}

fn host(text: &str) -> Result<PostgresHost, PostgresUrlError> {
    // A folder is escaped, because its slashes would end the list of hosts.
    if text.starts_with('%') {
        let (folder, port) = text.split_once(':').unwrap_or((text, ""));
        let folder = PathBuf::from(unescaped(folder)?);
        let port = match port {
            "" => Some(PORT),
            port => port.parse().ok().filter(|port| *port != 0),
        };
        return match port {
            Some(port) if folder.is_absolute() => Ok(PostgresHost::Socket { folder, port }),
            _ => Err(PostgresUrlError::Host),
        };
    }
    let (name, port) = host_and_port(text).ok_or(PostgresUrlError::Host)?;
    Ok(PostgresHost::Tcp {
        name: name.into(),
        port: port.unwrap_or(PORT),
    })
}

fn tls(parameters: &str, is_local: bool) -> Result<PostgresTls, PostgresUrlError> {
    let (mut mode, mut ca_file) = (None, None);
    for parameter in parameters.split('&').filter(|it| !it.is_empty()) {
        let (name, value) = parameter
            .split_once('=')
            .ok_or(PostgresUrlError::Parameter)?;
        let place = match name {
            "sslmode" => &mut mode,
            "sslrootcert" => &mut ca_file,
            _ => return Err(PostgresUrlError::Parameter),
        };
        if place.replace(unescaped(value)?).is_some() {
            return Err(PostgresUrlError::Parameter);
        }
    }
    let is_on = match mode.as_deref() {
        // A socket does not leave the machine, and the server has no name there.
        None => !is_local,
        Some("verify-full") if !is_local => true,
        Some("disable") => false,
        Some(_) => return Err(PostgresUrlError::SslMode),
    };
    match ca_file.filter(|path| path != "system") {
        ca_file if is_on => Ok(PostgresTls::Verified {
            ca_file: ca_file.as_deref().map(Path::new).map(Path::to_owned),
        }),
        None => Ok(PostgresTls::Off),
        Some(_) => Err(PostgresUrlError::UnusedCertificates),
    }
}

fn unescaped(text: &str) -> Result<String, PostgresUrlError> {
    // In PostgreSQL's protocol a zero ends each text.
    let plain = percent_decoded(text).filter(|text| !text.contains('\0'));
    plain.ok_or(PostgresUrlError::Escape)
}

/// A text whose special characters are escaped.
struct Escaped<'a>(&'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for byte in self.0.bytes() {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                    write!(f, "{}", char::from(byte))?;
                }
                other => write!(f, "%{other:02X}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_addresses_read_the_same_except_the_password() {
        for (written, printed) in [
            ("postgres://w@db/e", "postgres://w@db:5432/e"),
            (
                "postgresql://w@db:1,[fd00::1]/e?sslmode=verify-full",
                "postgres://w@db:1,[fd00::1]:5432/e",
            ),
            (
                "postgres://w%40x:hunter2%40@db/e%20g?sslmode=disable",
                "postgres://w%40x@db:5432/e%20g?sslmode=disable",
            ),
            (
                "postgres://w@%2Frun%2Fpg:7/e",
                "postgres://w@%2Frun%2Fpg:7/e?sslmode=disable",
            ),
            (
                "postgres://w:hunter2@db/e?sslrootcert=%2Fetc%2Fca.pem",
                "postgres://w@db:5432/e?sslrootcert=%2Fetc%2Fca.pem",
            ),
            (
                "postgres://w:hunter2@db/e?sslrootcert=system",
                "postgres://w@db:5432/e",
            ),
        ] {
            let url: PostgresUrl = written.parse().unwrap();
            assert_eq!(url.to_string(), printed);
            assert!(!format!("{url:?}").contains("hunter2"));
            let again: PostgresUrl = printed.parse().unwrap();
            assert_eq!(again.to_string(), printed);
        }
        let url: PostgresUrl = "postgres://a%40b:p:%25@db/e".parse().unwrap();
        assert_eq!((url.user(), url.password().reveal()), ("a@b", "p:%"));
    }

    #[test]
    fn wrong_addresses_say_what_is_expected() {
        use PostgresUrlError as Is;
        for (text, error) in [
            ("", Is::Scheme),
            ("mysql://w@db/e", Is::Scheme),
            ("w@db/e", Is::Scheme),
            ("postgres://db/e", Is::User),
            ("postgres://@db/e", Is::User),
            ("postgres://:p@db/e", Is::User),
            ("postgres://w@/e", Is::Host),
            ("postgres://w@db,/e", Is::Host),
            ("postgres://w@db:0/e", Is::Host),
            ("postgres://w@db:x/e", Is::Host),
            ("postgres://w@%2Frun:0/e", Is::Host),
            ("postgres://w@%41/e", Is::Host),
            ("postgres://w@db", Is::Database),
            ("postgres://w@db/", Is::Database),
            ("postgres://w@db/a/b", Is::Database),
            ("postgres://w%@db/e", Is::Escape),
            ("postgres://w:%zz@db/e", Is::Escape),
            ("postgres://w@db/e%00", Is::Escape),
            ("postgres://w@db/e?sslmode=prefer", Is::SslMode),
            ("postgres://w@db/e?sslmode=require", Is::SslMode),
            ("postgres://w@%2Frun/e?sslmode=verify-full", Is::SslMode),
            ("postgres://w@db/e?sslmode", Is::Parameter),
            ("postgres://w@db/e?options=-c", Is::Parameter),
            (
                "postgres://w@db/e?sslmode=disable&sslmode=disable",
                Is::Parameter,
            ),
            (
                "postgres://w@db/e?sslmode=disable&sslrootcert=a",
                Is::UnusedCertificates,
            ),
        ] {
            assert_eq!(text.parse::<PostgresUrl>(), Err(error), "{text:?}");
        }
    }
}
