//! What each setting must be: one line a setting.

use std::ops::RangeInclusive;
use std::time::Duration;

use log::LevelFilter;

use super::{Config, Secret, Span, WebOrigin};
use crate::store::Durability;

/// What one setting must be.
pub(super) struct Rule {
    /// The setting.
    pub(super) key: &'static str,
    /// What is expected, for people.
    pub(super) expected: &'static str,
    /// Whether a value of the right type is in its limits.
    holds: fn(&Config) -> bool,
}

/// The web server's timers lag by up to half a second: less than one would cut off everybody.
const WAITS: RangeInclusive<Duration> = Duration::from_secs(1)..=Duration::from_hours(1);
const WAIT: &str = "a span of time from 1s to 1h, such as \"30s\"";
/// Up to a year.
const EVERY: RangeInclusive<Duration> = Duration::from_mins(1)..=Duration::from_hours(8_760);
/// The longest user and password that MQTT has room for, in bytes.
const LONGEST_TEXT: usize = 65_535;
const SWITCH: &str = "true or false";
const NUMBER: &str = "a whole number, 0 for no limit";

/// One rule for each setting.
const RULES: [Rule; 44] = [
    rule("data_dir", "the path of a folder", |c| {
        !c.data_dir.as_os_str().is_empty()
    }),
    rule(
        "http.listen",
        "an address and port, such as \"0.0.0.0:8080\" or \"[::]:8080\"",
        |_| true,
    ),
    rule(
        "http.base_path",
        "a path that begins with / and does not end with one, of letters, digits and - . _ ~, such as \"/api/v0.2\"; or \"/\" alone",
        |c| is_base_path(&c.http.base_path),
    ),
    rule("http.max_body", "a size from 1KiB to 64MiB", |c| {
        (1 << 10..=64 << 20).contains(&c.http.max_body.0)
    }),
    rule("http.workers", "a whole number from 1 to 64", |c| {
        (1..=64).contains(&c.http.workers)
    }),
    rule(
        "http.max_connections",
        "a whole number from 1 to 65536",
        |c| (1..=65_536).contains(&c.http.max_connections),
    ),
    rule("http.head_timeout", WAIT, |c| is_wait(c.http.head_timeout)),
    rule("http.request_timeout", WAIT, |c| {
        is_wait(c.http.request_timeout)
    }),
    rule("http.idle_timeout", WAIT, |c| is_wait(c.http.idle_timeout)),
    rule("http.stall_timeout", WAIT, |c| {
        is_wait(c.http.stall_timeout)
    }),
    rule("http.requests_per_minute", NUMBER, |_| true),
    rule("http.failed_sign_ins_per_minute", NUMBER, |_| true),
    rule(
        "http.trusted_proxies",
        "a list of addresses or networks, such as [\"127.0.0.1\", \"10.0.0.0/8\"]",
        |_| true,
    ),
    rule(
        "http.cors_origins",
        "a list of web sites such as [\"https://house.example\", \"http://localhost:3000\"], in lower case and without a path; or [\"*\"] for any",
        |c| {
            let origins = &c.http.cors_origins;
            origins.len() <= 1 || !origins.iter().any(WebOrigin::is_any)
        },
    ),
    rule("http.metrics.enabled", "true or false", |_| true),
    rule(
        "http.metrics.token",
        "at least 16 letters, digits or other visible characters of ASCII, or \"\" for none",
        |c| is_token(&c.http.metrics.token),
    ),
    rule(
        "http.tls.cert_file",
        "the path of a file with a chain of certificates as PEM, or \"\" for none",
        |_| true,
    ),
    rule(
        "http.tls.key_file",
        "the path of a file with a private key as PEM, or \"\" for none",
        |_| true,
    ),
    rule(
        "store.durability",
        "\"always\", or a span of time from 1s to 1h, such as \"30s\"",
        |c| match c.store.durability {
            Durability::Always => true,
            Durability::Interval(interval) => {
                (Duration::from_secs(1)..=Duration::from_hours(1)).contains(&interval)
            }
        },
    ),
    rule("store.cache_size", "a size from 1MiB to 16GiB", |c| {
        (1 << 20..=16 << 30).contains(&c.store.cache_size.0)
    }),
    rule(
        "store.block_readings",
        "a whole number from 16 to 16384",
        |c| (16..=16_384).contains(&c.store.block_readings),
    ),
    rule(
        "backup.dir",
        "the path of a folder, or \"\" for no scheduled backups",
        |_| true,
    ),
    rule(
        "backup.every",
        "a span of time from 1m to 8760h, such as \"24h\"",
        |c| EVERY.contains(&c.backup.every.0),
    ),
    rule("backup.keep", "a whole number from 1 to 1000", |c| {
        (1..=1_000).contains(&c.backup.keep)
    }),
    rule("influx.enabled", SWITCH, |_| true),
    rule("influx.sensor_tags", "a list of tags' names", |_| true),
    rule("influx.watts_fields", "a list of fields' names", |_| true),
    rule("influx.watthours_fields", "a list of fields' names", |_| {
        true
    }),
    rule(
        "influx.mappings",
        "sections [[influx.mappings]] in the configuration file",
        |c| c.influx.is_right(),
    ),
    rule("emoncms.enabled", SWITCH, |_| true),
    rule("emoncms.watts_inputs", "a list of inputs' names", |_| true),
    rule(
        "emoncms.watthours_inputs",
        "a list of inputs' names",
        |_| true,
    ),
    rule(
        "emoncms.ignored_nodes",
        "a list of nodes' names, each in quotes",
        |_| true,
    ),
    rule(
        "emoncms.mappings",
        "sections [[emoncms.mappings]] in the configuration file",
        |c| c.emoncms.is_right(),
    ),
    rule(
        "mqtt.broker",
        "an address such as \"mqtt://broker.lan:1883\", \"mqtts://...\" for TLS, \"\" for none; the user and the password are settings of their own",
        |c| c.mqtt.is_right(),
    ),
    rule("mqtt.user", "a user's name, or \"\" for none", |c| {
        is_text(&c.mqtt.user)
    }),
    rule("mqtt.password", "a password, or \"\" for none", |c| {
        c.mqtt.password.reveal().len() <= LONGEST_TEXT
    }),
    rule(
        "mqtt.password_file",
        "the path of a file with the password, or \"\" for none",
        |_| true,
    ),
    rule("mqtt.client_id", "1 to 64 letters, digits, - and _", |c| {
        is_client_id(&c.mqtt.client_id)
    }),
    rule(
        "mqtt.ca_file",
        "the path of a file of certificates in PEM, or \"\" for those that the system trusts",
        |_| true,
    ),
    rule(
        "mqtt.subscriptions",
        "up to 64 sections [[mqtt.subscriptions]] in the configuration file",
        |c| c.mqtt.is_right() && c.mqtt.subscriptions.len() <= 64,
    ),
    rule("home_assistant.discovery", "true or false", |_| true),
    rule(
        "home_assistant.prefix",
        "a topic without + and #, such as \"homeassistant\"",
        |c| is_topic(&c.home_assistant.prefix),
    ),
    rule(
        "log.level",
        "off, error, warn, info, debug or trace, or a filter such as \"info,access=off\"",
        |c| is_log_filter(&c.log.level),
    ),
];

const fn rule(key: &'static str, expected: &'static str, holds: fn(&Config) -> bool) -> Rule {
    Rule {
        key,
        expected,
        holds,
    }
}

/// What the setting `key` must be. What has no rule is a section.
pub(super) fn expected(key: &str) -> &'static str {
    RULES
        .iter()
        .find(|rule| rule.key == key)
        .map_or("a section of settings", |rule| rule.expected)
}

/// Whether all settings are within their limits.
pub(super) fn hold(config: &Config) -> bool {
    RULES.iter().all(|rule| (rule.holds)(config))
}

fn is_wait(span: Span) -> bool {
    WAITS.contains(&span.0)
}

/// Whether the value of the setting `key` is to be shown to nobody.
pub(super) fn is_secret(key: &str) -> bool {
    ["http.metrics.token", "mqtt.password"].contains(&key)
}

fn is_text(text: &str) -> bool {
    text.len() <= LONGEST_TEXT && !text.chars().any(char::is_control)
}

fn is_client_id(id: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    (1..=64).contains(&id.len()) && id.bytes().all(is_plain)
}

fn is_topic(topic: &str) -> bool {
    let is_level = |level: &str| !level.is_empty() && !level.contains(['+', '#']);
    is_text(topic) && topic.len() <= 128 && topic.split('/').all(is_level)
}

fn is_token(token: &Secret) -> bool {
    let text = token.reveal();
    text.is_empty() || (text.len() >= 16 && text.bytes().all(|byte| byte.is_ascii_graphic()))
}

fn is_base_path(path: &str) -> bool {
    let segment_is_plain = |segment: &str| {
        !segment.is_empty()
            && segment
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte))
    };
    path == "/"
        || path
            .strip_prefix('/')
            .is_some_and(|rest| rest.split('/').all(segment_is_plain))
}

/// Whether each part is a level or `target=level`. A bare word that is no level is refused: `env_logger`
/// would take a misspelt level for a target and log nothing else.
fn is_log_filter(filter: &str) -> bool {
    filter.split(',').map(str::trim).all(|part| {
        let (target, level) = part.split_once('=').unwrap_or(("any", part));
        let target_is_plain = !target.is_empty()
            && target
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"_:".contains(&byte));
        target_is_plain && level.parse::<LevelFilter>().is_ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_keep_all_rules() {
        assert!(hold(&Config::default()));
    }

    #[test]
    fn base_paths_are_plain() {
        for path in ["/", "/api", "/api/v0.2", "/a-b_c~d"] {
            assert!(is_base_path(path), "{path:?}");
        }
        for path in [
            "", "api", "/api/", "//", "/a//b", "/{id}", "/a b", "/a?b", "/ä",
        ] {
            assert!(!is_base_path(path), "{path:?}");
        }
    }

    #[test]
    fn log_filters_name_levels() {
        for filter in [
            "info",
            "OFF",
            "info,access=off",
            "warn, wattkeeper::store=debug",
        ] {
            assert!(is_log_filter(filter), "{filter:?}");
        }
        for filter in [
            "",
            "loud",
            "info,",
            "info/x",
            "access=",
            "=info",
            "access=loud",
            "inof",
        ] {
            assert!(!is_log_filter(filter), "{filter:?}");
        }
    }

    #[test]
    fn limits_are_kept() {
        let broken: [fn(&mut Config); 9] = [
            |c| c.http.cors_origins = ["*", "http://a"].map(|text| text.parse().unwrap()).into(),
            |c| c.backup.every = Span::from_secs(59),
            |c| c.backup.keep = 0,
            |c| c.http.workers = 0,
            |c| c.http.head_timeout = Span::from_secs(4000),
            |c| c.http.max_body.0 = 10,
            |c| c.store.block_readings = 15,
            |c| c.store.durability = Durability::Interval(Duration::from_millis(999)),
            |c| c.log.level = "loud".into(),
        ];
        for (index, breaks) in broken.into_iter().enumerate() {
            let mut config = Config::default();
            breaks(&mut config);
            assert!(!hold(&config), "{index}");
        }
    }
}
