//! Runs commands of root as the owner of the store: the service could not open a file created by
//! root.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};
use rustix::process::geteuid;

use crate::config::Config;
use crate::store::user_name;

/// The file in the data dir that is never removed, so its owner is the first user of the store.
const LOCK: &str = "lock";
/// This program, even if the owner may not read its folders.
const PROGRAM: &str = "/proc/self/exe";

/// Restarts the command line `arguments` as the owner of the store of `config`, if this process is
/// root and the owner is not. Otherwise returns. Must be called before any file is open or read.
pub(super) fn become_owner(config: &Config, arguments: &[OsString]) -> Result<()> {
    let dir = &config.data_dir;
    let Some((user, group)) = owner(dir).filter(|(user, _)| *user != 0) else {
        return Ok(());
    };
    if !geteuid().is_root() {
        return Ok(());
    }
    // The standard library also drops root's groups.
    let failed = Command::new(PROGRAM)
        .args(arguments.iter().skip(1))
        .uid(user)
        .gid(group)
        .exec();
    let owner = user_name(user);
    bail!(
        "{} belongs to {owner}, and root cannot become that user here ({failed}): run this as {owner}",
        dir.display()
    )
}

/// The user and the group that own the store in `dir`, or else the folder.
fn owner(dir: &Path) -> Option<(u32, u32)> {
    // Another user could have made a link.
    let found = fs::symlink_metadata(dir.join(LOCK)).or_else(|_| fs::metadata(dir));
    found.ok().map(|found| (found.uid(), found.gid()))
}

/// Whether this process is root, and the store in `dir` belongs to root.
pub(super) fn is_of_root(dir: &Path) -> bool {
    geteuid().is_root() && owner(dir).is_some_and(|(user, _)| user == 0)
}

/// An addition to the error of a command that became another user: that user must be able to open
/// the files it names.
pub(super) fn explain(error: &str) -> Option<String> {
    let user = geteuid();
    let is_denied = error.contains("Permission denied") && !user.is_root();
    is_denied.then(|| {
        format!(
            "; this command ran as {}: that user must be able to open the files it names",
            user_name(user.as_raw())
        )
    })
}
