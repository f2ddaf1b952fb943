#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| wattkeeper::fuzz::poll_answer(bytes));
