//! Fuzz targets: every decoder of bytes from outside. Built for fuzzers (`cargo fuzz run block`)
//! and for the tests, which run each briefly with bytes from proptest.
//!
//! A target panics if and only if its decoder is wrong.
//!
//! A format as intricate as a backup needs a seed: `scripts/fuzz backup fuzz/corpus/backup
//! tests/fixtures`. The script and the targets bound the memory.

use std::io::{Cursor, Write as _};

use zip::CompressionMethod::Stored;
use zip::write::{SimpleFileOptions, ZipWriter};

pub use crate::cli::fuzz::import;
pub use crate::home_assistant::fuzz::home_assistant;
pub use crate::http::fuzz::{correction, influx_query, query_string, upload};
pub use crate::ingest::fuzz::{emoncms_input, influx_lines};
use crate::ingest::table::KnownFormat;
pub use crate::ledger::contract::fuzz::contracts;
use crate::ledger::contract::{Contract, DayList, Label};
use crate::ledger::scenario::SolarProfile;
pub use crate::mqtt::fuzz::{mqtt_message, mqtt_packets};
pub use crate::notices::fuzz::mail;
pub use crate::poll::fuzz::poll_answer;
pub use crate::price_sources::fuzz::price_answer;
pub use crate::store::fuzz::{backup, block, journal, key, records, rows};

/// A format of files, in TOML.
pub fn format(bytes: &[u8]) {
    drop(KnownFormat::parse(&String::from_utf8_lossy(bytes)));
}

/// The table of a profile of panels.
pub fn profile(bytes: &[u8]) {
    drop(SolarProfile::parse_csv(&String::from_utf8_lossy(bytes)));
}

/// A list of days.
pub fn day_list(bytes: &[u8]) {
    if let Ok(name) = Label::new("days") {
        drop(DayList::parse(name, &String::from_utf8_lossy(bytes)));
    }
}

/// An offer.
///
/// # Panics
/// If an offer that was read is not read again as it is printed.
pub fn offer(bytes: &[u8]) {
    if let Ok(offer) = Contract::parse(&String::from_utf8_lossy(bytes)) {
        assert_eq!(Contract::parse(&offer.to_string()), Ok(offer));
    }
}

/// A workbook whose parts are these bytes, separated by zeros: a fuzzer of a zip would only find
/// wrong checksums.
pub fn workbook(bytes: &[u8]) {
    const PARTS: [&str; 6] = [
        "xl/worksheets/sheet1.xml",
        "xl/sharedStrings.xml",
        "xl/styles.xml",
        "xl/workbook.xml",
        "xl/_rels/workbook.xml.rels",
        "[Content_Types].xml",
    ];
    const WORKBOOK: &[u8] = b"<workbook xmlns:r=\"r\"><sheets><sheet name=\"a\" sheetId=\"1\" r:id=\"rId1\"/></sheets></workbook>";
    const RELATIONS: &[u8] = b"<Relationships><Relationship Id=\"rId1\" Type=\"x/worksheet\" Target=\"worksheets/sheet1.xml\"/></Relationships>";
    let usual = [
        &b""[..],
        b"<sst/>",
        b"<styleSheet/>",
        WORKBOOK,
        RELATIONS,
        b"<Types/>",
    ];
    let mut given = bytes.splitn(PARTS.len(), |byte| *byte == 0);
    let parts = PARTS.into_iter().zip(usual);
    let parts = parts.map(|(name, usual)| (name, given.next().unwrap_or(usual)));
    import(&zipped(parts));
}

/// An archive with these bytes as a table, as a further archive, and as the archive itself.
pub fn archive(bytes: &[u8]) {
    import(&zipped([("a.csv", bytes)].into_iter()));
    import(&zipped([("a.zip", bytes), ("b.csv", bytes)].into_iter()));
    for head in [&b"PK\x03\x04"[..], b"\x1f\x8b\x08\x00"] {
        import(&[head, bytes].concat());
    }
}

/// A web page with these bytes in its table.
pub fn html(bytes: &[u8]) {
    for head in [
        "<html><body><table><tr><td>",
        "<!DOCTYPE html><table>",
        "<table><tr>",
    ] {
        import(&[head.as_bytes(), bytes].concat());
    }
}

/// A zip; empty if it cannot be written.
fn zipped<'a>(parts: impl Iterator<Item = (&'a str, &'a [u8])>) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        let options = SimpleFileOptions::default().compression_method(Stored);
        if zip.start_file(name, options).is_err() || zip.write_all(content).is_err() {
            return Vec::new();
        }
    }
    zip.finish().map(Cursor::into_inner).unwrap_or_default()
}

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

    /// Pieces of workbooks, of pages and of a mail server's answers.
    fn any_marks() -> impl Strategy<Value = Vec<u8>> {
        const PIECES: &[&str] = &[
            "<row>",
            "</row>",
            "<c t=\"s\">",
            "<c r=\"B2\">",
            "</c>",
            "<v>1</v>",
            "<si><t>a</t></si>",
            "<sst uniqueCount=\"4294967295\">",
            "<xf/>",
            "\0",
            "<td>",
            "</td>",
            "<tr>",
            "</table>",
            "&amp;",
            "<!--",
            "time,watts\n",
            "220 a\r\n",
            "250-STARTTLS\r\n",
            "250 a\r\n",
            "221-\r\n",
            "x",
        ];
        let piece = prop::sample::select(PIECES);
        proptest::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat().into_bytes())
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
            super::home_assistant(&bytes);
            super::format(&bytes);
            super::profile(&bytes);
            super::day_list(&bytes);
            super::offer(&bytes);
            super::correction(&bytes);
        }

        /// Each makes files of its own, or a conversation, so there are fewer.
        #[test]
        fn no_file_and_no_mail_server_panics(bytes in any_marks()) {
            super::workbook(&bytes);
            super::archive(&bytes);
            super::html(&bytes);
            super::mail(&bytes);
        }

        #[test]
        fn no_backup_panics(bytes in any_backup()) {
            super::backup(&bytes);
        }
    }
}
