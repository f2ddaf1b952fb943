//! A test of the broker connection, while a person waits for it. It leaves no state on the broker.

use std::time::Duration;

use rumqttc::mqttbytes::v4::{Connect, Packet};
use tokio::runtime::Builder;
use tokio::time::timeout;

use super::error::ClientError;
use super::link::Link;
use super::problem::BrokerProblem;
use super::session::greet;
use super::settings::ClientSettings;

/// How long a test may take.
const WITHIN: Duration = Duration::from_secs(10);

/// Connects to the broker, signs in, and disconnects, within ten seconds. Blocks.
///
/// # Errors
/// A [`BrokerProblem`].
pub fn try_connection(settings: &ClientSettings) -> Result<(), BrokerProblem> {
    let runtime = Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(1)
        .build()
        .map_err(|error| BrokerProblem::Other(error.to_string()))?;
    let tried = runtime.block_on(async { timeout(WITHIN, attempt(settings)).await });
    // A name lookup may take longer than that, and nobody waits for it.
    runtime.shutdown_background();
    match tried {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => Err(BrokerProblem::of(&error)),
        Err(_) => Err(BrokerProblem::NoAnswer),
    }
}

async fn attempt(settings: &ClientSettings) -> Result<(), ClientError> {
    // Two clients with the same name disconnect each other.
    let mut connect = Connect::new(format!("{}-test", settings.client_id));
    connect.login = settings.login()?;
    connect.clean_session = true;
    let stream = settings.broker.connect(settings.ca_file.as_deref()).await?;
    let mut link = Link::new(stream);
    greet(&mut link, connect).await?;
    link.send(&Packet::Disconnect).await
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;
    use std::sync::Arc;
    use std::thread;

    use rcgen::{CertifiedKey, KeyPair, generate_simple_self_signed};
    use tokio_rustls::rustls::crypto::ring;
    use tokio_rustls::rustls::pki_types::PrivatePkcs8KeyDer;
    use tokio_rustls::rustls::{ServerConfig, ServerConnection, StreamOwned};

    use super::*;

    fn settings(broker: &str) -> ClientSettings {
        ClientSettings {
            broker: broker.parse().unwrap(),
            user: Some("meter".into()),
            password: Some("hunter2".into()),
            password_file: None,
            client_id: "wattkeeper".into(),
            ca_file: None,
            subscriptions: Vec::new(),
            home_assistant: None,
        }
    }

    /// The result with a broker that answers like this, and the bytes it was sent.
    fn tried(scheme: &str, answer: &[u8]) -> (Result<(), BrokerProblem>, Vec<u8>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!(
            "{scheme}://127.0.0.1:{}",
            listener.local_addr().unwrap().port()
        );
        let answer = answer.to_vec();
        let broker = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut sent = vec![0; 1_024];
            let length = stream.read(&mut sent).unwrap();
            sent.truncate(length);
            stream.write_all(&answer).unwrap();
            // A client that leaves sends a disconnect; a refused one just closes.
            let _ = stream.read_to_end(&mut sent);
            sent
        });
        let found = try_connection(&settings(&address));
        (found, broker.join().unwrap())
    }

    #[test]
    fn a_test_signs_in_and_leaves() {
        let (found, sent) = tried("mqtt", b"\x20\x02\x00\x00");
        assert_eq!(found, Ok(()));
        let has = |part: &[u8]| sent.windows(part.len()).any(|window| window == part);
        assert!(has(b"wattkeeper-test") && has(b"meter") && has(b"hunter2"));
        assert!(sent.ends_with(b"\xe0\x00"), "{sent:?}");
        // A clean session, with user and password.
        assert_eq!(sent.get(9), Some(&0xc2), "{sent:?}");
    }

    #[test]
    fn problems_are_told_apart() {
        for code in [4, 5] {
            let (found, _) = tried("mqtt", &[0x20, 2, 0, code]);
            assert_eq!(found, Err(BrokerProblem::Login));
        }
        let (found, _) = tried("mqtt", b"\x20\x02\x00\x03");
        assert!(matches!(found, Err(BrokerProblem::Other(text)) if text.contains("not available")));
        // The answer of a TLS port to a plain client.
        let (found, _) = tried("mqtt", b"\x15\x03\x01\x00\x02\x02\x46");
        assert_eq!(found, Err(BrokerProblem::NotMqtt));
        // Nobody listens on port 1. A port freed by a listener would soon be used by another test.
        let nobody = try_connection(&settings("mqtt://127.0.0.1:1"));
        assert_eq!(nobody, Err(BrokerProblem::NothingThere));
        let nameless = try_connection(&settings("mqtt://no-such-name.invalid"));
        assert_eq!(nameless, Err(BrokerProblem::NameUnknown));
    }

    /// A broker with this certificate, for one connection; its address.
    fn with_tls(signed: &CertifiedKey<KeyPair>) -> String {
        let key = PrivatePkcs8KeyDer::from(signed.signing_key.serialize_der());
        let provider = Arc::new(ring::default_provider());
        let server = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![signed.cert.der().clone()], key.into())
            .unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        thread::spawn(move || {
            let (stream, _) = listener.accept().unwrap();
            let session = ServerConnection::new(Arc::new(server)).unwrap();
            let mut stream = StreamOwned::new(session, stream);
            let _ = stream.read(&mut [0; 1_024]);
            let _ = stream.write_all(b"\x20\x02\x00\x00");
            let _ = stream.read_to_end(&mut Vec::new());
        });
        format!("mqtts://localhost:{}", address.port())
    }

    #[test]
    fn problems_of_certificates_are_told_apart() {
        let dir = tempfile::tempdir().unwrap();
        let signed = |name: &str| generate_simple_self_signed([name.to_owned()]).unwrap();
        let (right, other, stranger) = (signed("localhost"), signed("other.lan"), signed("x"));
        let tried = |server: &CertifiedKey<KeyPair>, trusted: &CertifiedKey<KeyPair>| {
            let path = dir.path().join("ca.pem");
            std::fs::write(&path, trusted.cert.pem()).unwrap();
            let with = ClientSettings {
                ca_file: Some(path),
                ..settings(&with_tls(server))
            };
            try_connection(&with)
        };
        assert_eq!(tried(&right, &right), Ok(()));
        assert_eq!(tried(&other, &other), Err(BrokerProblem::CertificateName));
        let untrusted = tried(&right, &stranger);
        assert_eq!(untrusted, Err(BrokerProblem::CertificateUntrusted));
        // No TLS at all there.
        let path = dir.path().join("ca.pem");
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let plain = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            stream.write_all(b"\x20\x02\x00\x00").unwrap();
        });
        let with = ClientSettings {
            ca_file: Some(path),
            ..settings(&format!("mqtts://localhost:{port}"))
        };
        let found = try_connection(&with);
        assert!(matches!(found, Err(BrokerProblem::Tls(_))), "{found:?}");
        plain.join().unwrap();
    }
}
