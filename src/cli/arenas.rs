//! Memory of the service that needs no setting: glibc reads how many pools of memory it may make
//! from the environment alone, when a program starts.

use std::env;
use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

/// The variable of glibc (`man mallopt`).
const VARIABLE: &str = "MALLOC_ARENA_MAX";
/// By itself, glibc makes up to eight for each core, and each keeps what was freed in it.
const POOLS: &str = "2";

/// Starts this program again in the same process, with two pools of memory, unless the environment
/// already has the variable.
pub(super) fn limit(arguments: &[OsString]) {
    if !cfg!(all(target_os = "linux", target_env = "gnu")) || env::var_os(VARIABLE).is_some() {
        return;
    }
    // Not /proc/self/exe: under an emulator, that is the emulator.
    let (Ok(program), Some((name, others))) = (env::current_exe(), arguments.split_first()) else {
        return;
    };
    let mut again = Command::new(program);
    // This returns only where it is not possible, such as after the file was replaced. The service
    // needs more memory then, and nothing else.
    let _ = again.arg0(name).args(others).env(VARIABLE, POOLS).exec();
}
