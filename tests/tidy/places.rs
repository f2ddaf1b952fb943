//! Code and names that belong in one place.

use crate::source::{Kind, Problem, Source, tokens_of};

/// Code that is allowed in some places only.
struct Confined {
    code: &'static [&'static str],
    to: &'static [&'static str],
}

const CONFINED: &[Confined] = &[
    Confined {
        code: &["sled"],
        to: &["src/store/embedded/index/"],
    },
    Confined {
        code: &["actix_web"],
        to: &["src/http/", "src/server/"],
    },
    Confined {
        code: &[
            "SystemTime::now",
            "now_utc",
            "now_local",
            "jiff::Timestamp::now",
            "Zoned::now",
        ],
        to: &["src/server/", "src/cli/"],
    },
    Confined {
        code: &["jiff"],
        to: &["src/domain/", "src/config/values.rs"],
    },
    Confined {
        code: &["pco"],
        to: &["src/store/"],
    },
    Confined {
        code: &["actix_http", "actix_service"],
        to: &["src/server/listen.rs"],
    },
    Confined {
        code: &["rumqttc"],
        to: &["src/mqtt/client/"],
    },
    Confined {
        code: &["tokio_rustls"],
        to: &[
            "src/mqtt/client/",
            "src/notices/webhook/mail/",
            "src/server/listen.rs",
            "src/store/postgres/tls.rs",
        ],
    },
    Confined {
        code: &["tokio_postgres"],
        to: &["src/store/postgres/"],
    },
    Confined {
        code: &["miniz_oxide"],
        to: &["src/http/wire/inflate.rs"],
    },
    Confined {
        code: &["ZipArchive"],
        to: &[
            "src/ingest/file/archive.rs",
            "src/ingest/file/workbook/",
            "src/export/archive.rs",
        ],
    },
    // bincode cannot write it: these are JSON, also between a command and its server (`admin/as_json.rs`).
    Confined {
        code: &["serde(flatten)"],
        to: &[
            "src/house/comparison/answer.rs",
            "src/house/savings/answer.rs",
            "src/ledger/forecast/back_test.rs",
            "src/ledger/contract/template/answer.rs",
            "src/admin/entries.rs",
            "src/export/reports.rs",
            "src/http/",
        ],
    },
    Confined {
        code: &["rusqlite"],
        to: &["src/ingest/file/home_assistant/"],
    },
    Confined {
        code: &["anyhow"],
        to: &["src/cli/", "src/export/", "src/ingest/file/", "src/main.rs"],
    },
];

/// The places of code that is not allowed there.
pub(crate) fn confined(source: &Source) -> Vec<Problem> {
    let mut problems = Vec::new();
    for rule in CONFINED {
        if rule.to.iter().any(|place| source.path.starts_with(place)) {
            continue;
        }
        for code in rule.code {
            for index in source.find(&tokens_of(code)) {
                let places = rule.to.join(", ");
                problems.push(source.problem(
                    source.tokens[index].line,
                    format!("`{code}` belongs in {places}"),
                ));
            }
        }
    }
    problems
}

/// Names of the wire: one file spells them, so that the format can be read in one place.
const WIRE_NAMES: &[&str] = &[
    "sensor_id",
    "api_id",
    "api_key",
    "watts",
    "watthours",
    "start_time",
    "end_time",
    "latest_rate",
    "net_consumption",
];
/// The wire format itself and its credentials; the commands, whose JSON and import columns use the
/// same names, as the settings of other protocols do.
const WIRE_PLACES: &[&str] = &[
    "src/http/protocols/elec/",
    "src/http/gate/auth.rs",
    "src/cli/",
    "src/config/",
    "src/ingest/",
];

/// Names of the wire spelled in other places.
pub(crate) fn wire_names(source: &Source) -> Vec<Problem> {
    if WIRE_PLACES
        .iter()
        .any(|place| source.path.starts_with(place))
    {
        return Vec::new();
    }
    source
        .production()
        .iter()
        .filter_map(|token| match &token.kind {
            Kind::Text(text) if WIRE_NAMES.contains(&text.as_str()) => Some(source.problem(
                token.line,
                format!(
                    "the wire name {text:?} belongs in {}",
                    WIRE_PLACES.join(", ")
                ),
            )),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod samples {
    use super::*;
    use crate::source::breaches;

    #[test]
    fn code_is_confined_to_its_place() {
        let text = "use sled::Db; // sled\nlet now = std::time::SystemTime::now();";
        assert_eq!(
            breaches("src/query/mod.rs", text, confined),
            [
                "1: `sled` belongs in src/store/embedded/index/",
                "2: `SystemTime::now` belongs in src/server/, src/cli/",
            ]
        );
        assert_eq!(
            breaches("src/store/embedded/index/tree.rs", text, confined),
            ["2: `SystemTime::now` belongs in src/server/, src/cli/"]
        );
        assert_eq!(
            breaches("src/store/mod.rs", "use actix_web::web;", confined),
            ["1: `actix_web` belongs in src/http/, src/server/"]
        );
        let harmless = "/// sled\nlet sled_free = \"sled\"; let time_now = time.now;";
        assert!(breaches("src/query/mod.rs", harmless, confined).is_empty());
    }

    #[test]
    fn wire_names_have_one_place() {
        let text = "let field = \"api_key\"; // \"watts\"\n#[cfg(test)]\nmod tests { const FIELD: &str = \"watts\"; }";
        assert_eq!(
            breaches("src/http/gate/token.rs", text, wire_names),
            [
                "1: the wire name \"api_key\" belongs in src/http/protocols/elec/, src/http/gate/auth.rs, src/cli/, src/config/, src/ingest/"
            ]
        );
        assert!(breaches("src/http/protocols/elec/names.rs", text, wire_names).is_empty());
    }
}
