//! `admin.json`: how a command finds the server that has the store.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};

/// What a running server leaves in its data dir, for its owner's eyes only. Who can read it may do
/// what the owner of the data dir may do.
#[derive(Clone, Serialize, Deserialize)]
pub struct AdminFile {
    /// Where the server listens.
    pub address: SocketAddr,
    /// What a request must show; made anew at each start.
    pub token: String,
    /// The server's version: a command of another one may not speak its language.
    pub version: String,
}

impl AdminFile {
    const NAME: &str = "admin.json";

    /// The file of a server that listens at `address`, with a new random token.
    ///
    /// # Errors
    /// Where the system has no randomness.
    pub fn new(address: SocketAddr) -> io::Result<Self> {
        let mut random = [0; 32];
        getrandom::fill(&mut random)?;
        Ok(Self {
            address,
            token: BASE64_URL_SAFE_NO_PAD.encode(random),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        })
    }

    /// Writes the file into `data_dir`, readable by its owner only. It appears whole or not at all.
    ///
    /// # Errors
    /// What the system said.
    pub fn write(&self, data_dir: &Path) -> io::Result<()> {
        let path = Self::path(data_dir);
        let unfinished = path.with_extension("json.tmp");
        // One left over may have other permissions, which opening it would keep.
        remove_if_there(&unfinished)?;
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&unfinished)?;
        file.write_all(&serde_json::to_vec(self)?)?;
        fs::rename(&unfinished, &path)
    }

    /// The file in `data_dir`; `None` where there is none.
    ///
    /// # Errors
    /// What the system said; also where the file does not hold what [`Self::write`] writes.
    pub fn read(data_dir: &Path) -> io::Result<Option<Self>> {
        match fs::read(Self::path(data_dir)) {
            Ok(bytes) => Ok(Some(serde_json::from_slice(&bytes)?)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Removes the file from `data_dir`, if it is there.
    ///
    /// # Errors
    /// What the system said.
    pub fn remove(data_dir: &Path) -> io::Result<()> {
        remove_if_there(&Self::path(data_dir))
    }

    fn path(data_dir: &Path) -> PathBuf {
        data_dir.join(Self::NAME)
    }
}

fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn written_read_removed() {
        let dir = tempfile::tempdir().unwrap();
        assert!(AdminFile::read(dir.path()).unwrap().is_none());
        AdminFile::remove(dir.path()).unwrap();

        let file = AdminFile::new("127.0.0.1:8080".parse().unwrap()).unwrap();
        assert_eq!(file.token.len(), 43);
        fs::write(dir.path().join("admin.json.tmp"), "left over").unwrap();
        file.write(dir.path()).unwrap();
        file.write(dir.path()).unwrap();

        let mode = fs::metadata(dir.path().join("admin.json")).unwrap();
        assert_eq!(mode.permissions().mode() & 0o777, 0o600);
        let read = AdminFile::read(dir.path()).unwrap().unwrap();
        assert_eq!(read.address, file.address);
        assert_eq!(read.token, file.token);
        assert_eq!(read.version, env!("CARGO_PKG_VERSION"));
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);

        AdminFile::remove(dir.path()).unwrap();
        assert!(AdminFile::read(dir.path()).unwrap().is_none());
    }

    #[test]
    fn a_file_of_something_else_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("admin.json"), "{}").unwrap();
        assert!(AdminFile::read(dir.path()).is_err());
    }
}
