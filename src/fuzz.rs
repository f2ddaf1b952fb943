//! What a fuzzer calls: each decoder of bytes that come from outside. It is built for fuzzers (`cargo fuzz run block`)
//! and for the tests, which run each for a moment with bytes of proptest's.
//!
//! A function here panics where its decoder is wrong, and only there.

pub use crate::cli::fuzz::import;
pub use crate::http::fuzz::{query_string, upload};
pub use crate::store::fuzz::{block, key};

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    /// Bytes of which some look like what the decoders are for.
    fn any_bytes() -> impl Strategy<Value = Vec<u8>> {
        let text = "[0-9T:.,;\"{}\\[\\]a-z_%&=+ \n-]{0,200}".prop_map(String::into_bytes);
        let upload =
            "\\{\"sensor_id\":\"a\",\"(watts|time|readings)\":[0-9tnfe.\"\\[\\]{}-]{0,20}\\}"
                .prop_map(String::into_bytes);
        let query = "(sensor_id=a&)?(type=(rate|consumption|x)&)?(start_time|end_time|tz)=[0-9T:%+Z-]{0,30}".prop_map(String::into_bytes);
        let table = "(time,watts,watthours|epoch;power)\n([0-9T:.,;-]{0,40}\n){0,5}"
            .prop_map(String::into_bytes);
        prop_oneof![
            proptest::collection::vec(any::<u8>(), 0..300),
            text,
            upload,
            query,
            table
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

        #[test]
        fn no_decoder_panics(bytes in any_bytes()) {
            super::block(&bytes);
            super::key(&bytes);
            super::upload(&bytes);
            super::query_string(&bytes);
            super::import(&bytes);
        }
    }
}
