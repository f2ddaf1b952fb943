//! Names of environment variables: ours, and similar ones that are not ours.

/// The prefix of our variables.
pub(super) const PREFIX: &str = "WATTKEEPER_";

/// Whether Kubernetes or Docker sets a variable with this name and value, for a service or a
/// container whose name begins with `wattkeeper`. `rest` is the name after [`PREFIX`].
///
/// Kubernetes sets `NAME_SERVICE_HOST`, `NAME_SERVICE_PORT`, `NAME_SERVICE_PORT_HTTP`, `NAME_PORT`
/// and `NAME_PORT_8080_TCP_ADDR`; Docker's links set the last two, `NAME_NAME` and `NAME_ENV_PATH`.
pub(super) fn is_of_orchestrator(rest: &str, value: &str) -> bool {
    // For a service called `wattkeeper-web`, `rest` begins with `WEB_`.
    let ends_with = |end: &str| {
        rest.strip_suffix(end)
            .is_some_and(|before| before.is_empty() || before.ends_with('_'))
    };
    ends_with("SERVICE_HOST")
        || ends_with("SERVICE_PORT")
        || rest.starts_with("SERVICE_PORT_")
        || rest.contains("_SERVICE_PORT_")
        // A plain number is probably meant as a setting.
        || (ends_with("PORT") && value.contains("://"))
        || is_of_port(rest)
        || (ends_with("NAME") && value.starts_with('/'))
        || rest.starts_with("ENV_")
}

/// Whether the name ends like `PORT_8080_TCP` or `PORT_8080_TCP_ADDR`.
fn is_of_port(rest: &str) -> bool {
    let mut parts = rest.rsplit('_').peekable();
    parts.next_if(|part| ["ADDR", "PORT", "PROTO"].contains(part));
    let is_protocol = parts.next_if(|part| ["TCP", "UDP", "SCTP"].contains(part));
    let is_number = |part: &&str| part.parse::<u16>().is_ok();
    is_protocol.is_some()
        && parts.next_if(is_number).is_some()
        && parts.next_if_eq(&"PORT").is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_of_orchestrators_are_known_by_their_form() {
        for (rest, value) in [
            ("SERVICE_HOST", "10.0.0.7"),
            ("SERVICE_PORT", "8080"),
            ("SERVICE_PORT_HTTP", "8080"),
            ("WEB_SERVICE_HOST", "10.0.0.7"),
            ("WEB_SERVICE_PORT_HTTP", "8080"),
            ("PORT", "tcp://10.0.0.7:8080"),
            ("HTTP_PORT", "tcp://10.0.0.7:8080"),
            ("PORT_8080_TCP", "tcp://10.0.0.7:8080"),
            ("PORT_8080_TCP_ADDR", "10.0.0.7"),
            ("PORT_8080_TCP_PORT", "8080"),
            ("PORT_8080_TCP_PROTO", "tcp"),
            ("WEB_PORT_53_UDP", "udp://10.0.0.7:53"),
            ("NAME", "/web/wattkeeper"),
            ("ENV_PATH", "/bin"),
        ] {
            assert!(is_of_orchestrator(rest, value), "{rest}");
        }
        for (rest, value) in [
            ("PORT", "8080"),
            ("HTTP_PORT", "8080"),
            ("NAME", "house"),
            ("HTTP_BASEPATH", "/x"),
            ("PORT_TCP", "1"),
            ("PORT_HTTP_TCP", "1"),
            ("8080_TCP", "1"),
            ("MICROSERVICE_HOST", "1"),
            ("", ""),
        ] {
            assert!(!is_of_orchestrator(rest, value), "{rest}");
        }
    }
}
