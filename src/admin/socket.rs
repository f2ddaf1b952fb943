//! `wattkeeper.sock`: the Unix socket in the data dir where a running server accepts the requests
//! of commands.
//!
//! Its permissions are the only credential: anyone who can open it can do everything that the owner
//! of the data dir can do.

use std::fs::{self, DirBuilder, File, Permissions};
use std::io;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

/// The socket's name in the data dir.
pub const SOCKET: &str = "wattkeeper.sock";
/// The folder in the data dir where the socket is created.
const PRIVATE_DIR: &str = "wattkeeper.sock.new";

/// The socket's file, removed when this is dropped. Must be dropped while the store is still
/// locked, because later the file may belong to the next server.
pub struct SocketFile(PathBuf);

/// Listens on the socket in `data_dir`. The caller has locked the store there, so an existing
/// socket is left over from a killed process, and is replaced.
///
/// # Errors
/// Those of the system, for instance if the file system has no sockets.
pub fn listen(data_dir: &Path) -> io::Result<(SocketFile, UnixListener)> {
    // A socket is created with the permissions that the umask leaves, and can only be narrowed
    // afterwards. The umask belongs to all threads, and the data dir may be open to others. So the
    // socket is bound where nobody else can reach it, and gets its name once its permissions are
    // right.
    let private_dir = data_dir.join(PRIVATE_DIR);
    remove_leftover(&private_dir)?;
    DirBuilder::new().mode(0o700).create(&private_dir)?;
    let listener = with_short_path(&private_dir, |path| UnixListener::bind(path))?;
    let bound = private_dir.join(SOCKET);
    fs::set_permissions(&bound, Permissions::from_mode(0o600))?;
    let path = data_dir.join(SOCKET);
    fs::rename(bound, &path)?;
    // Before the next step, so that dropping it removes the socket if that step fails.
    let file = SocketFile(path);
    fs::remove_dir(private_dir)?;
    Ok((file, listener))
}

/// Connects to the server that has the store in `data_dir`.
///
/// # Errors
/// Those of the system: [`io::ErrorKind::NotFound`] or [`io::ErrorKind::ConnectionRefused`] if no
/// server listens.
pub fn connect(data_dir: &Path) -> io::Result<UnixStream> {
    with_short_path(data_dir, |path| UnixStream::connect(path))
}

/// Checks that the data dir and the socket in it belong to `user` or to root, because another owner
/// could read everything sent there. The folder's owner is checked too, who could replace the
/// socket.
///
/// # Errors
/// [`io::ErrorKind::PermissionDenied`] if they belong to somebody else; those of the system.
pub fn check_owner(data_dir: &Path, user: u32) -> io::Result<()> {
    for path in [data_dir.to_owned(), data_dir.join(SOCKET)] {
        let owner = fs::metadata(&path)?.uid();
        if owner != user && owner != 0 {
            let text = format!(
                "{} belongs to the user with the id {owner}, and this command runs as {user}: it will not send passwords and keys there; run it as that user, or name another folder with --data-dir",
                path.display()
            );
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, text));
        }
    }
    Ok(())
}

/// Calls `call` with a path to the socket in `dir`.
fn with_short_path<T>(dir: &Path, call: impl Fn(&Path) -> io::Result<T>) -> io::Result<T> {
    match call(&dir.join(SOCKET)) {
        // The path is longer than the 108 bytes of a socket address. Linux has a short name for
        // every open folder.
        Err(error) if error.kind() == io::ErrorKind::InvalidInput && cfg!(target_os = "linux") => {
            // Kept open during the call, because the short name is that of its descriptor.
            let dir = File::open(dir)?;
            call(Path::new(&format!(
                "/proc/self/fd/{}/{SOCKET}",
                dir.as_raw_fd()
            )))
        }
        result => result,
    }
}

fn remove_leftover(dir: &Path) -> io::Result<()> {
    match fs::remove_dir_all(dir) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_file(&self.0) {
            log::warn!("cannot remove {}: {error}", self.0.display());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::net::Shutdown;
    use std::os::fd::OwnedFd;
    use std::os::unix::fs::FileTypeExt as _;

    use super::*;

    fn names(dir: &Path) -> Vec<String> {
        let entries = fs::read_dir(dir).unwrap();
        entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect()
    }

    #[test]
    fn only_its_owner_may_open_it_and_it_goes_when_dropped() {
        let dir = tempfile::tempdir().unwrap();
        // Somebody opened the data dir to other users.
        fs::set_permissions(dir.path(), Permissions::from_mode(0o777)).unwrap();
        let (file, listener) = listen(dir.path()).unwrap();
        assert_eq!(names(dir.path()), [SOCKET]);
        let metadata = fs::metadata(dir.path().join(SOCKET)).unwrap();
        assert!(metadata.file_type().is_socket());
        assert_eq!(metadata.permissions().mode() & 0o777, 0o600);
        let mut client = connect(dir.path()).unwrap();
        drop(listener.accept().unwrap());
        assert_eq!(client.read(&mut [0]).unwrap(), 0);
        drop(file);
        assert!(names(dir.path()).is_empty());
    }

    #[test]
    fn secrets_go_to_this_user_or_root_only() {
        let dir = tempfile::tempdir().unwrap();
        let (_file, _listener) = listen(dir.path()).unwrap();
        let owner = fs::metadata(dir.path()).unwrap().uid();
        check_owner(dir.path(), owner).unwrap();
        let stranger = check_owner(dir.path(), owner + 1);
        // Root's files are trusted by everybody.
        if owner == 0 {
            stranger.unwrap();
            std::os::unix::fs::chown(dir.path().join(SOCKET), Some(1), None).unwrap();
            let error = check_owner(dir.path(), 0).unwrap_err().to_string();
            assert!(
                error.contains("belongs to the user with the id 1"),
                "{error}"
            );
            std::os::unix::fs::chown(dir.path(), Some(1), None).unwrap();
            check_owner(dir.path(), 1).unwrap();
        } else {
            let error = stranger.unwrap_err().to_string();
            assert!(error.contains("belongs to the user"), "{error}");
        }
    }

    #[test]
    fn what_a_killed_process_left_is_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let missing = connect(dir.path()).unwrap_err();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
        let (file, listener) = listen(dir.path()).unwrap();
        // Dropping the listener does not close it while a program started by another test still
        // holds a copy.
        let listener = UnixStream::from(OwnedFd::from(listener));
        listener.shutdown(Shutdown::Both).unwrap();
        std::mem::forget(file);
        let stale = connect(dir.path()).unwrap_err();
        assert_eq!(stale.kind(), io::ErrorKind::ConnectionRefused);
        // Killed at another moment, it left the folder, possibly with other permissions.
        let private_dir = dir.path().join(PRIVATE_DIR);
        fs::create_dir(&private_dir).unwrap();
        fs::write(private_dir.join(SOCKET), "left over").unwrap();
        let _listening = listen(dir.path()).unwrap();
        connect(dir.path()).unwrap();
        assert_eq!(names(dir.path()), [SOCKET]);
    }

    #[test]
    fn a_data_dir_may_have_a_path_longer_than_a_socket_address() {
        let dir = tempfile::tempdir().unwrap();
        let data_dir = dir.path().join("d".repeat(120));
        fs::create_dir(&data_dir).unwrap();
        let _listening = listen(&data_dir).unwrap();
        connect(&data_dir).unwrap();
        assert_eq!(names(&data_dir), [SOCKET]);
    }
}
