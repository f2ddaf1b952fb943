//! The bound on memory that all targets share.

pub use libfuzzer_sys::fuzz_target;

/// The most memory that a target may hold at once for input of up to 1 MiB, in bytes.
const MOST_BYTES: u64 = 64 << 20;

/// Runs a decoder of `wattkeeper::fuzz`.
///
/// # Panics
/// If it holds too much memory at once.
pub fn run(bytes: &[u8], decode: fn(&[u8])) {
    let held = allocation_counter::measure(|| decode(bytes)).bytes_max;
    assert!(
        held <= MOST_BYTES,
        "{held} bytes for {} bytes of input",
        bytes.len()
    );
}

/// A target that runs the decoder of this name.
#[macro_export]
macro_rules! target {
    ($decoder:ident) => {
        $crate::fuzz_target!(|bytes: &[u8]| $crate::run(bytes, wattkeeper::fuzz::$decoder));
    };
}
