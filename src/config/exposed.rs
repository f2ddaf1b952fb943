//! Files with secrets that every user of this machine can read.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use super::layers::Loaded;
use crate::domain::secret::HIDDEN;

/// Returns a warning for each file with a secret that every user of this machine can read: the
/// configuration file if it contains one, `mqtt.password_file`, `store.engine_password_file`, the
/// password files of polled devices, the key files of price sources, `notices.token_file`,
/// `home_assistant.token_file` and `http.tls.key_file`. A file that cannot be examined is an error elsewhere.
#[must_use]
pub fn exposed_files(loaded: &Loaded) -> Vec<String> {
    let Loaded {
        config, settings, ..
    } = loaded;
    let file = loaded.file.as_deref().unwrap_or(Path::new(""));
    let origin = file.display().to_string();
    let mut in_file = settings
        .iter()
        .filter(|setting| setting.value.ends_with(HIDDEN) && setting.origin == origin);
    let holds_secret = in_file.next().map(|setting| setting.key.as_str());
    let polled = config.poll.iter().filter_map(|device| {
        let file = device.login.as_ref()?.password.file()?;
        Some((Some(file), "a password of [[poll]]"))
    });
    let sources = config.price_sources.iter().filter_map(|source| {
        let file = source.key.as_ref()?.file()?;
        Some((Some(file), "a key of [[price_source]]"))
    });
    [
        (holds_secret.map(|_| file), holds_secret.unwrap_or_default()),
        (Some(config.mqtt.password_file.as_path()), "mqtt.password"),
        (
            Some(&config.store.engine_password_file),
            "the password of store.engine",
        ),
        (Some(&config.notices.token_file), "notices.token"),
        (
            Some(&config.home_assistant.token_file),
            "home_assistant.token",
        ),
        (
            Some(&config.http.tls.key_file),
            "the private key of http.tls",
        ),
    ]
    .into_iter()
    .chain(polled)
    .chain(sources)
    .filter_map(|(path, secret)| warning(path?, secret))
    .collect()
}

fn warning(path: &Path, secret: &str) -> Option<String> {
    let mode = fs::metadata(path).ok()?.permissions().mode() & 0o7777;
    let path = path.display();
    (mode & 0o004 != 0).then(|| {
        format!(
            "{path} has mode {mode:04o}: every user of this machine can read {secret} in it; run `chmod o-rwx {path}`"
        )
    })
}
