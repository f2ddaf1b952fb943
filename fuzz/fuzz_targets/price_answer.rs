#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| wattkeeper::fuzz::price_answer(bytes));
