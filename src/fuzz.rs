//! Fuzz targets: every decoder of bytes from outside. Built for fuzzers (`cargo fuzz run block`)
//! and for the tests, which run each briefly with bytes from proptest.
//!
//! A target panics if and only if its decoder is wrong.
//!
//! A format as intricate as a backup needs a seed: `cargo fuzz run backup fuzz/corpus/backup
//! tests/fixtures`.

pub use crate::cli::fuzz::import;
pub use crate::http::fuzz::{influx_query, query_string, upload};
pub use crate::ingest::fuzz::{emoncms_input, influx_lines};
pub use crate::ledger::contract::fuzz::contracts;
pub use crate::mqtt::fuzz::{mqtt_message, mqtt_packets};
pub use crate::poll::fuzz::poll_answer;
pub use crate::price_sources::fuzz::price_answer;
pub use crate::store::fuzz::{backup, block, journal, key, records, rows};

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    /// Bytes that partly resemble valid input of a decoder.
    fn any_bytes() -> impl Strategy<Value = Vec<u8>> {
        let text = "[0-9T:.,;\"{}\\[\\]a-z_%&=+ \n-]{0,200}".prop_map(String::into_bytes);
        let upload =
            "\\{\"sensor_id\":\"a\",\"(watts|time|readings)\":[0-9tnfe.\"\\[\\]{}-]{0,20}\\}"
                .prop_map(String::into_bytes);
        let query = "(sensor_id=a&)?(type=(rate|consumption|x)&)?(start_time|end_time|tz)=[0-9T:%+Z-]{0,30}".prop_map(String::into_bytes);
        let table = "(time,watts,watthours|epoch;power)\n([0-9T:.,;-]{0,40}\n){0,5}"
            .prop_map(String::into_bytes);
        let message =
            "tele/p/SENSOR\n\\{\"(ENERGY|params|power|energy)\":[0-9e.\"\\[\\]{}:,a-zPT-]{0,40}\\}"
                .prop_map(String::into_bytes);
        let lines =
            "(p,sensor=a (w|h)=[0-9iu.tf\"\\\\ =,-]{0,12}\n?){0,5}".prop_map(String::into_bytes);
        let inputs =
            "(\\[\\[|\\{)[0-9a\":,\\[\\]{}.n-]{0,40}(\\]\\]|\\})".prop_map(String::into_bytes);
        let influx_query = "(SELECT LAST\\(|SHOW |from\\(bucket: )[a-zA-Z\"'=;().|> ]{0,60}"
            .prop_map(String::into_bytes);
        let contracts =
            "\\[(\\{\"(from|name|components|energy)\":[0-9a-z\":,\\[\\]{}.-]{0,40}\\}){1,2}\\]"
                .prop_map(String::into_bytes);
        prop_oneof![
            contracts,
            lines,
            inputs,
            influx_query,
            message,
            proptest::collection::vec(any::<u8>(), 0..300),
            text,
            upload,
            query,
            table
        ]
    }

    /// A backup with some of its bytes overwritten.
    fn any_backup() -> impl Strategy<Value = Vec<u8>> {
        let whole = include_bytes!("../tests/fixtures/backup-format-1");
        let changes = proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4);
        changes.prop_map(|changes| {
            let mut bytes = whole.to_vec();
            for (place, byte) in changes {
                let place = place.index(bytes.len());
                bytes[place] = byte;
            }
            bytes
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

        #[test]
        fn no_decoder_panics(bytes in any_bytes()) {
            super::block(&bytes);
            super::key(&bytes);
            super::journal(&bytes);
            super::upload(&bytes);
            super::query_string(&bytes);
            super::influx_lines(&bytes);
            super::influx_query(&bytes);
            super::emoncms_input(&bytes);
            super::contracts(&bytes);
            super::records(&bytes);
            super::rows(&bytes);
            super::import(&bytes);
            super::mqtt_message(&bytes);
            super::mqtt_packets(&bytes);
            super::poll_answer(&bytes);
            super::price_answer(&bytes);
            super::backup(&bytes);
        }

        #[test]
        fn no_backup_panics(bytes in any_backup()) {
            super::backup(&bytes);
        }
    }
}
