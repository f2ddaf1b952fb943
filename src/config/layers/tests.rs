use std::path::Path;

use super::*;
use crate::config::settings::EXAMPLE;
use crate::store::Durability;

fn load_file(text: &str) -> Result<Loaded, ConfigError> {
    load_all(text, &[], Flags::default())
}

fn load_all(text: &str, environment: &[(&str, &str)], flags: Flags) -> Result<Loaded, ConfigError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wattkeeper.toml");
    std::fs::write(&path, text).unwrap();
    let flags = Flags {
        config: Some(path),
        ..flags
    };
    let environment = environment
        .iter()
        .map(|&(name, value)| (name.into(), value.into()));
    load(&flags, environment)
}

/// The message, without the folder of the file.
fn message(result: Result<Loaded, ConfigError>) -> String {
    let text = result.unwrap_err().to_string();
    text.find("wattkeeper.toml")
        .map_or(text.clone(), |start| text[start..].to_owned())
}

fn setting(loaded: &Loaded, key: &str) -> (String, String) {
    let setting = loaded
        .settings
        .iter()
        .find(|setting| setting.key == key)
        .unwrap();
    let origin = Path::new(&setting.origin).file_name().unwrap();
    (setting.value.clone(), origin.to_string_lossy().into_owned())
}

fn pair(value: &str, origin: &str) -> (String, String) {
    (value.into(), origin.into())
}

#[test]
fn the_example_file_holds_every_setting() {
    let loaded = load_file(EXAMPLE).unwrap();
    assert_eq!(loaded.config, Config::default());
    for setting in loaded.settings {
        assert!(
            setting.origin.ends_with("wattkeeper.toml"),
            "{}",
            setting.key
        );
    }
}

#[test]
fn limits_are_kept() {
    for (setting, expected) in [
        (
            "http.cors_origins = [\"*\", \"http://a\"]",
            "a list of web sites such as",
        ),
        (
            "backup.every = \"59s\"",
            "a span of time from 1m to 8760h, such as \"90s\"",
        ),
        (
            "http.hosts = [\"house.lan:8080\"]",
            "a list of names without a port, such as",
        ),
        ("backup.keep = 0", "a whole number from 1 to 1000"),
        ("backup.keep = \"7\"", "a whole number from 1 to 1000"),
        (
            "http.head_timeout = \"4000s\"",
            "a span of time from 1s to 1h",
        ),
        ("http.max_body = 10", "a size from 1 KiB to 64 MiB"),
        (
            "store.block_readings = 15",
            "a whole number from 16 to 16384",
        ),
        (
            "store.durability = \"999ms\"",
            "\"always\", or a span of time from 1s to 1h",
        ),
        (
            "http.trusted_proxies = [\"10.0.0.0/33\"]",
            "a list of addresses or networks",
        ),
        ("http.metrics.enabled = \"yes\"", "a boolean"),
        (
            "influx.watts_fields = [1]",
            "a list of names, each in quotes",
        ),
        ("data_dir = \"\"", "the path of a folder"),
        ("home_assistant.prefix = \"a/+\"", "a topic without + and #"),
        (
            "home_assistant.url = \"homeassistant.local:8123\"",
            "an address such as \"http://homeassistant.local:8123\"",
        ),
        (
            "home_assistant.account = 1",
            "an account's name, or \"\" for the only one",
        ),
        ("mqtt.client_id = \"\"", "1 to 64 letters, digits, - and _"),
        (
            "mqtt.broker = \"broker\"",
            "an address such as \"mqtt://broker.lan:1883\"",
        ),
    ] {
        let text = message(load_file(setting));
        let (_, found) = text.split_once(", expected ").unwrap();
        assert!(found.starts_with(expected), "{setting}: {text}");
    }
}

#[test]
fn proxies_are_addresses_or_networks() {
    let listed = "[\"10.0.0.1\", \"10.0.0.0/8\", \"::1\", \"fd00::/8\"]";
    let loaded = load_file(&format!("http.trusted_proxies = {listed}")).unwrap();
    let networks = loaded.config.http.trusted_proxies;
    let networks: Vec<String> = networks.iter().map(ToString::to_string).collect();
    assert_eq!(
        networks,
        ["10.0.0.1/32", "10.0.0.0/8", "::1/128", "fd00::/8"]
    );
    for wrong in [
        "",
        "10.0.0",
        "::/129",
        "10.0.0.0/",
        "10.0.0.0/-1",
        "localhost",
    ] {
        let text = format!("http.trusted_proxies = [\"{wrong}\"]");
        assert!(load_file(&text).is_err(), "{wrong:?}");
    }
}

#[test]
fn later_layers_win_and_origins_are_kept() {
    let file = "data_dir = \"/f\"\n[http]\nlisten = \"1.1.1.1:1\"\nmax_body = 2097152\n[log]\nlevel = \"warn\"";
    let environment = [
        ("WATTKEEPER_DATA_DIR", "/e"),
        ("WATTKEEPER_HTTP_LISTEN", "2.2.2.2:2"),
        ("WATTKEEPER_HTTP_WORKERS", "3"),
        ("WATTKEEPER_HTTP_TRUSTED_PROXIES", "127.0.0.1, 10.0.0.0/8"),
        ("WATTKEEPER_STORE_DURABILITY", "30s"),
        ("PATH", "/bin"),
    ];
    let flags = Flags {
        listen: Some("3.3.3.3:3".parse().unwrap()),
        ..Flags::default()
    };
    let loaded = load_all(file, &environment, flags).unwrap();
    assert_eq!(
        setting(&loaded, "http.listen"),
        pair("3.3.3.3:3", "--listen")
    );
    assert_eq!(
        setting(&loaded, "data_dir"),
        pair("/e", "WATTKEEPER_DATA_DIR")
    );
    assert_eq!(
        setting(&loaded, "http.max_body"),
        pair("2097152", "wattkeeper.toml")
    );
    assert_eq!(
        setting(&loaded, "log.level"),
        pair("warn", "wattkeeper.toml")
    );
    assert_eq!(
        setting(&loaded, "store.cache_size"),
        pair("8MiB", "default")
    );
    assert_eq!(
        setting(&loaded, "http.trusted_proxies"),
        pair("127.0.0.1, 10.0.0.0/8", "WATTKEEPER_HTTP_TRUSTED_PROXIES")
    );
    let config = loaded.config;
    assert_eq!(config.http.listen.port(), 3);
    assert_eq!(config.http.workers, 3);
    assert_eq!(config.http.max_body, 2 << 20);
    assert_eq!(
        config.store.durability,
        Durability::Interval(std::time::Duration::from_secs(30))
    );
}

#[test]
fn unknown_settings_are_named_with_the_closest_known() {
    assert_eq!(
        message(load_file("# first\n[http]\nlisen = \"1.1.1.1:1\"")),
        "wattkeeper.toml, line 3: there is no setting http.lisen; the closest one is http.listen"
    );
    assert_eq!(
        message(load_file("[htp]\nlisten = \"1.1.1.1:1\"")),
        "wattkeeper.toml, line 2: there is no setting htp.listen; the closest one is http.listen"
    );
    assert_eq!(
        message(load_file("listen = \"1.1.1.1:1\"")),
        "wattkeeper.toml, line 1: there is no setting listen; the closest one is http.listen"
    );
    assert_eq!(
        message(load_file("[stor]")),
        "wattkeeper.toml, line 1: there is no setting stor; the closest one is store.block_readings"
    );
    let environment = [("WATTKEEPER_HTTP_BASEPATH", "/x")];
    assert_eq!(
        message(load_all("", &environment, Flags::default())),
        "environment: there is no setting WATTKEEPER_HTTP_BASEPATH; the closest one is WATTKEEPER_HTTP_BASE_PATH"
    );
}

#[test]
fn wrong_values_are_named_with_what_is_expected() {
    assert_eq!(
        message(load_file("\n[http]\nworkers = 0")),
        "wattkeeper.toml, line 3: http.workers is 0, expected a whole number from 1 to 64"
    );
    assert_eq!(
        message(load_file("[store]\ndurability = \"sometimes\"")),
        "wattkeeper.toml, line 2: store.durability is \"sometimes\", expected \"always\", or a span of time from 1s to 1h, such as \"90s\""
    );
    assert_eq!(
        message(load_file("http = 5")),
        "wattkeeper.toml, line 1: http is 5, expected a section of settings"
    );
    let environment = [("WATTKEEPER_HTTP_WORKERS", "many")];
    assert_eq!(
        message(load_all("", &environment, Flags::default())),
        "WATTKEEPER_HTTP_WORKERS: http.workers is \"many\", expected a whole number from 1 to 64"
    );
    let flags = Flags {
        log_level: Some("loud".into()),
        ..Flags::default()
    };
    assert!(message(load_all("", &[], flags)).starts_with("-v or -q: log.level is \"loud\""));
}

#[test]
fn of_several_wrong_values_one_is_named_with_where_it_is() {
    let file = "[http]\nworkers = 2\n[log]\nlevel = \"loud\"\n[backup]\nkeep = 0";
    assert_eq!(
        message(load_file(file)),
        "wattkeeper.toml, line 6: backup.keep is 0, expected a whole number from 1 to 1000"
    );
    // A value that a later layer replaces is not used.
    let environment = [
        ("WATTKEEPER_BACKUP_KEEP", "3"),
        ("WATTKEEPER_LOG_LEVEL", "info"),
    ];
    let loaded = load_all(file, &environment, Flags::default()).unwrap();
    assert_eq!(loaded.config.backup.keep, 3);
}

#[test]
fn of_a_webhook_only_the_host_is_shown() {
    let file =
        "[notices]\nwebhook = \"https://ntfy.sh/s3cret\"\nformat = \"ntfy\"\ntoken = \"t0ken\"";
    let loaded = load_file(file).unwrap();
    let settings = loaded.config.notices.settings(None);
    let webhook = settings.webhook.unwrap();
    assert_eq!(
        (webhook.address.reveal(), webhook.token.as_deref()),
        ("https://ntfy.sh/s3cret", Some("t0ken"))
    );
    let shown = format!("{loaded:?} {webhook:?}");
    assert!(
        !shown.contains("s3cret") && !shown.contains("t0ken"),
        "{shown}"
    );
    assert_eq!(
        setting(&loaded, "notices.webhook"),
        pair("https://ntfy.sh (set, not shown)", "wattkeeper.toml")
    );
    for wrong in [
        "webhook = \"ftp://s3cret\"",
        "webhook = \"https://me:s3cret@ntfy.sh\"",
        "token = \"s3cret s3cret\"",
        "format = \"s3cret\"",
    ] {
        let error = load_file(&format!("[notices]\n{wrong}"))
            .unwrap_err()
            .to_string();
        assert!(error.contains("notices."), "{error}");
        assert_eq!(
            error.contains("s3cret"),
            wrong.starts_with("format"),
            "{error}"
        );
    }
}

#[test]
fn a_secret_is_shown_nowhere() {
    let token = "0123456789abcdef";
    let file = format!("[http.metrics]\nenabled = false\ntoken = \"{token}\"");
    let loaded = load_file(&file).unwrap();
    assert!(loaded.config.http.metrics.token.is(token.as_bytes()));
    assert!(!format!("{loaded:?}").contains(token));
    let shown = setting(&loaded, "http.metrics.token");
    assert_eq!(shown, pair("(set, not shown)", "wattkeeper.toml"));
    let environment = [
        ("WATTKEEPER_HTTP_METRICS_TOKEN", "s3cret"),
        ("WATTKEEPER_HTTP_METRICS_ENABLED", "true"),
    ];
    for wrong in [
        load_file("[http.metrics]\ntoken = \"s3cret\""),
        load_file("[http.metrics]\ntoken = [\"s3cret\"]"),
        load_all(&file, &environment, Flags::default()),
    ] {
        let text = wrong.unwrap_err().to_string();
        assert!(
            text.contains("http.metrics.token is something else"),
            "{text}"
        );
        assert!(!text.contains("s3cret"), "{text}");
    }
    let on = load_all(&file, &environment[1..], Flags::default()).unwrap();
    assert!(on.config.http.metrics.enabled);
}

#[test]
fn the_password_in_an_address_of_an_engine_is_shown_nowhere() {
    let file = "[store]\nengine = \"postgres://w:s3cret@db.lan/e\"";
    let loaded = load_file(file).unwrap();
    let engine = loaded.config.store.engine.as_ref().unwrap();
    assert_eq!(engine.password().reveal(), "s3cret");
    assert!(!format!("{loaded:?}").contains("s3cret"));
    let shown = "postgres://w@db.lan:5432/e (set, not shown)";
    assert_eq!(
        setting(&loaded, "store.engine"),
        pair(shown, "wattkeeper.toml")
    );
    let without = load_file("[store]\nengine = \"postgres://w@db.lan/e\"").unwrap();
    assert_eq!(
        setting(&without, "store.engine").0,
        "postgres://w@db.lan:5432/e"
    );
    let environment = [("WATTKEEPER_STORE_ENGINE", "postgres://w:s3cret@db.lan")];
    for wrong in [
        load_file("[store]\nengine = \"postgres://w:s3cret@db.lan/e?sslmode=prefer\""),
        load_file("[store]\nengine = [\"postgres://w:s3cret@db.lan/e\"]"),
        load_all("", &environment, Flags::default()),
    ] {
        let text = wrong.unwrap_err().to_string();
        assert!(
            text.contains("store.engine is something else (not shown), expected an address")
                || text.contains("(not shown), expected sslmode=verify-full"),
            "{text}"
        );
        assert!(!text.contains("s3cret"), "{text}");
    }
}

#[test]
fn a_section_may_be_empty() {
    assert_eq!(
        load_file("[http]\n[store]").unwrap().config,
        Config::default()
    );
}

#[test]
fn a_file_that_is_not_toml_is_named_with_the_line() {
    let text = message(load_file("data_dir = \"x\"\n[http\n"));
    assert!(
        text.starts_with("wattkeeper.toml, line 2 is not valid TOML: "),
        "{text}"
    );
}

#[test]
fn a_file_that_a_flag_names_must_exist() {
    let flags = Flags {
        config: Some("/nowhere/config.toml".into()),
        ..Flags::default()
    };
    assert_eq!(
        load(&flags, []).unwrap_err().to_string(),
        "cannot read the configuration file /nowhere/config.toml"
    );
}

#[test]
fn a_variable_names_the_file() {
    let variable = || (OsString::from(FILE_VARIABLE), "/nowhere/by-variable".into());
    let error = load(&Flags::default(), [variable()]).unwrap_err();
    assert!(error.to_string().contains("/nowhere/by-variable"));
    let flags = Flags {
        config: Some("/nowhere/by-flag".into()),
        ..Flags::default()
    };
    let error = load(&flags, [variable()]).unwrap_err();
    assert!(error.to_string().contains("/nowhere/by-flag"));
}

#[test]
fn variables_of_orchestrators_are_ignored() {
    let environment = [
        ("WATTKEEPER_SERVICE_HOST", "10.0.0.7"),
        ("WATTKEEPER_PORT", "tcp://10.0.0.7:8080"),
        ("WATTKEEPER_PORT_8080_TCP", "tcp://10.0.0.7:8080"),
    ];
    let loaded = load_all("", &environment, Flags::default()).unwrap();
    assert_eq!(loaded.config, Config::default());
    assert_eq!(loaded.ignored, environment.map(|(name, _)| name));
    let environment = [("WATTKEEPER_PORT", "8080")];
    let text = message(load_all("", &environment, Flags::default()));
    assert!(text.contains("no setting WATTKEEPER_PORT"), "{text}");
}

#[test]
fn what_is_not_utf8_is_refused() {
    let bytes = || std::os::unix::ffi::OsStringExt::from_vec(b"WATTKEEPER_\xff".to_vec());
    let other: OsString = std::os::unix::ffi::OsStringExt::from_vec(b"OTHER_\xff".to_vec());
    let empty: &Path = Path::new("/dev/null");
    let flags = |data_dir: Option<PathBuf>| Flags {
        config: Some(empty.to_owned()),
        data_dir,
        ..Flags::default()
    };
    load(&flags(None), [(other.clone(), other)]).unwrap();
    for variable in [
        (bytes(), OsString::from("x")),
        ("WATTKEEPER_DATA_DIR".into(), bytes()),
    ] {
        let error = load(&flags(None), [variable]).unwrap_err().to_string();
        assert!(error.contains("is not UTF-8"), "{error}");
    }
    let error = load(&flags(Some(bytes().into())), [])
        .unwrap_err()
        .to_string();
    assert!(error.contains("--data-dir"), "{error}");
    assert!(error.contains("in UTF-8"), "{error}");
}

#[test]
fn files_with_secrets_that_others_can_read_are_named() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let (file, key, password) = (path("config.toml"), path("key.pem"), path("password"));
    std::fs::write(&key, "").unwrap();
    std::fs::write(&password, "").unwrap();
    let text = format!(
        "[http.tls]\nkey_file = {key:?}\n[mqtt]\npassword_file = {password:?}\n[http.metrics]\n"
    );
    let flags = Flags {
        config: Some(file.clone()),
        ..Flags::default()
    };
    let named = |token: &str, mode: u32| {
        std::fs::write(&file, format!("{text}token = {token:?}")).unwrap();
        for path in [&file, &key, &password] {
            let mode = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(path, mode).unwrap();
        }
        crate::config::exposed_files(&load(&flags, []).unwrap())
    };
    assert!(named("0123456789abcdef", 0o640).is_empty());
    let warnings = named("0123456789abcdef", 0o644);
    for (warning, parts) in warnings.iter().zip([
        ["config.toml has mode 0644", "http.metrics.token"],
        ["password has mode 0644", "mqtt.password"],
        ["key.pem has mode 0644", "private key"],
    ]) {
        assert!(parts.iter().all(|part| warning.contains(part)), "{warning}");
    }
    assert_eq!(warnings.len(), 3);
    // Without a secret, the configuration file may be public.
    assert_eq!(named("", 0o644).len(), 2);
}

#[test]
fn sections_of_a_list_are_read() {
    let file = "[influx]\nenabled = false\n[[influx.mappings]]\nfield = \"a\"\nmeasure = \"watts\"\n[[influx.mappings]]\n\
                measurement = \"kWh\"\ntags = { entity_id = \"e\" }\nfield = \"value\"\nsensor = \"house\"\n\
                measure = \"watthours\"\nunit = \"kWh\"\n[[emoncms.mappings]]\nnode = \"10\"\ninput = \"1\"\nsensor = \"house\"\n\
                measure = \"watts\"\n";
    let environment = [("WATTKEEPER_INFLUX_ENABLED", "true")];
    let loaded = load_all(file, &environment, Flags::default()).unwrap();
    assert!(loaded.config.influx.enabled);
    assert_eq!(loaded.config.influx.mapping().unwrap().rules.len(), 2);
    assert_eq!(loaded.config.emoncms.mapping().unwrap().rules.len(), 1);
    let (value, _) = setting(&loaded, "influx.mappings");
    assert!(value.contains("sensor = \"house\""), "{value}");
}

#[test]
fn an_error_names_the_section_of_a_list() {
    let good = "[[influx.mappings]]\nfield = \"a\"\nmeasure = \"watts\"\n";
    for (section, expected) in [
        (
            "[[influx.mappings]]\nfield = \"b\"\nmeasure = \"volts\"",
            "wattkeeper.toml, line 6: influx.mappings[1].measure is \"volts\", expected watts or watthours",
        ),
        (
            "[[influx.mappings]]\nmeasure = \"watts\"",
            "wattkeeper.toml, line 4: influx.mappings[1].field is missing, expected a field's name",
        ),
        (
            "[[influx.mappings]]\nfeild = \"b\"",
            "wattkeeper.toml, line 5: there is no setting influx.mappings[1].feild; the closest one is influx.mappings[1].field",
        ),
        (
            "[[emoncms.mappings]]\nnode = 10\ninput = \"1\"",
            "wattkeeper.toml, line 5: emoncms.mappings[0].node is 10, expected a node's name, in quotes even if it is a number",
        ),
        (
            "[emoncms]\nmappings = \"x\"",
            "wattkeeper.toml, line 5: emoncms.mappings is \"x\", expected sections [[emoncms.mappings]] in the configuration file",
        ),
    ] {
        assert_eq!(message(load_file(&format!("{good}{section}"))), expected);
    }
}
