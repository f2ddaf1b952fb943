//! The `wattkeeper` command: see [`wattkeeper::run`].

use std::process::ExitCode;

fn main() -> ExitCode {
    wattkeeper::run(std::env::args_os())
}
