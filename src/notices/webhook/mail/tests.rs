//! Mail servers of this machine: willing, silent, endless, refusing ones.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use rustls::crypto::ring;
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use super::*;
use crate::notices::{WebhookAddress, WebhookFormat};

const SECRET: &str = "S3CRET";

/// The behaviour of a server.
#[derive(Clone, Copy, PartialEq)]
enum Server {
    Takes,
    /// Its certificate is trusted by nobody.
    IsUnknown,
    OffersNoTls,
    RefusesSignIn,
    RefusesMail,
    IsSilent,
    /// Its first answer is a line that never ends.
    IsEndless,
    /// Its answer has lines without end.
    GoesOn,
    /// The same, of the answer after TLS began.
    GoesOnByTls,
    SendsNoSmtp,
}

struct Started {
    port: u16,
    certificate: CertificateDer<'static>,
    /// The text received and the bytes sent, after each connection.
    seen: Receiver<(String, usize)>,
}

/// A connection of a server, with or without TLS.
trait Line: Read + Write {}
impl<T: Read + Write> Line for T {}

fn start(server: Server, is_tls_at_once: bool) -> Started {
    let key = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let certificate = key.cert.der().clone();
    let private = PrivateKeyDer::try_from(key.signing_key.serialize_der()).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.clone()], private)
        .unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (tell, seen) = channel();
    thread::spawn(move || {
        for socket in listener.incoming() {
            let mut told = (String::new(), 0);
            let socket = socket.unwrap();
            let tls = || {
                StreamOwned::new(
                    ServerConnection::new(Arc::clone(&config)).unwrap(),
                    socket.try_clone().unwrap(),
                )
            };
            // A client may leave at any time.
            let _ = if is_tls_at_once {
                speak(server, Box::new(tls()), &mut told, true)
            } else {
                speak(
                    server,
                    Box::new(socket.try_clone().unwrap()),
                    &mut told,
                    false,
                )
                .and_then(|goes_on| {
                    if goes_on {
                        speak(server, Box::new(tls()), &mut told, true)
                    } else {
                        Ok(false)
                    }
                })
            };
            if tell.send(told).is_err() {
                return;
            }
        }
    });
    Started {
        port,
        certificate,
        seen,
    }
}

/// Speaks until the client leaves; true if TLS is to begin. Without TLS, it reads byte by byte, so
/// that no byte of TLS is lost.
fn speak(
    server: Server,
    mut line: Box<dyn Line>,
    told: &mut (String, usize),
    is_tls: bool,
) -> std::io::Result<bool> {
    let say = |line: &mut Box<dyn Line>, told: &mut (String, usize), text: &str| {
        told.1 += text.len();
        line.write_all(text.as_bytes())?;
        line.flush()
    };
    // After STARTTLS there is no greeting.
    let is_begun = is_tls && told.0.contains("STARTTLS");
    let endless = endless(server, is_tls, is_begun);
    while let Some(text) = &endless {
        say(&mut line, told, text)?;
    }
    match server {
        Server::IsSilent => {
            let _ = line.read(&mut [0; 1]);
            return Ok(false);
        }
        Server::SendsNoSmtp => say(&mut line, told, "HTTP/1.1 200 OK\r\n\r\n")?,
        _ if !is_begun => say(&mut line, told, "220 mail.example ESMTP\r\n")?,
        _ => {}
    }
    let mut is_data = false;
    loop {
        let mut command = String::new();
        let mut byte = [0; 1];
        while !command.ends_with('\n') {
            if line.read(&mut byte)? == 0 {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            command.push(char::from(byte[0]));
        }
        told.0.push_str(&command);
        if is_data {
            if command == ".\r\n" {
                is_data = false;
                say(&mut line, told, "250 taken\r\n")?;
            }
            continue;
        }
        let answer = match command.split_whitespace().next().unwrap_or_default() {
            "EHLO" if is_tls => "250-mail.example\r\n250 AUTH PLAIN LOGIN\r\n",
            "EHLO" if server == Server::OffersNoTls => "250-mail.example\r\n250 AUTH PLAIN\r\n",
            "EHLO" => "250-mail.example\r\n250 STARTTLS\r\n",
            "STARTTLS" => {
                say(&mut line, told, "220 go ahead\r\n")?;
                return Ok(true);
            }
            "AUTH" if server == Server::RefusesSignIn => "535 wrong password\r\n",
            "AUTH" => "235 welcome\r\n",
            "RCPT" if server == Server::RefusesMail => "550 no such mailbox\r\n",
            "DATA" => {
                is_data = true;
                "354 go on\r\n"
            }
            _ => "250 fine\r\n",
        };
        say(&mut line, told, answer)?;
    }
}

/// The line that a server without an end repeats.
fn endless(server: Server, is_tls: bool, is_begun: bool) -> Option<String> {
    Some(match server {
        Server::IsEndless => "2".repeat(4_096),
        Server::GoesOn => "220-more\r\n".to_owned(),
        Server::GoesOnByTls if is_begun => "250-more\r\n".to_owned(),
        Server::GoesOnByTls if is_tls => "220-more\r\n".to_owned(),
        _ => return None,
    })
}

fn settings(port: u16, is_tls_at_once: bool) -> WebhookSettings {
    let scheme = if is_tls_at_once { "smtps" } else { "smtp" };
    let address: WebhookAddress = format!("{scheme}://localhost:{port}").parse().unwrap();
    WebhookSettings {
        address,
        format: WebhookFormat::Email,
        language: "de".to_owned(),
        token: None,
        token_file: None,
        mail_to: "Haus <home@example.org>".to_owned(),
        mail_from: String::new(),
    }
}

fn sent(
    server: Server,
    is_tls_at_once: bool,
    within: Duration,
) -> (Result<(), WebhookProblem>, Started) {
    let started = start(server, is_tls_at_once);
    let message = WebhookMessage {
        headers: vec![("Subject", "wattkeeper: Zähler".to_owned())],
        body: "Der Sensor Zähler sendet nichts mehr.\n.\nEnde".to_owned(),
        ..WebhookMessage::default()
    };
    let roots = match server {
        Server::IsUnknown => start(Server::Takes, true).certificate,
        _ => started.certificate.clone(),
    };
    let settings = settings(started.port, is_tls_at_once);
    let sent = send(
        &settings,
        &message,
        (Some(SECRET.to_owned()), &[roots]),
        within,
    );
    (sent, started)
}

const LONG: Duration = Duration::from_mins(1);

#[test]
fn a_mail_goes_by_tls_at_once_and_by_starttls() {
    for is_tls_at_once in [true, false] {
        let (sent, started) = sent(Server::Takes, is_tls_at_once, LONG);
        assert_eq!(sent, Ok(()), "{is_tls_at_once}");
        let (seen, _) = started.seen.recv().unwrap();
        for part in [
            "MAIL FROM:<home@example.org>",
            "RCPT TO:<home@example.org>",
            "AUTH PLAIN",
            "To: Haus <home@example.org>",
            "Subject: ",
        ] {
            assert!(seen.contains(part), "{part} in {seen}");
        }
        // A line with a point alone does not end it.
        assert!(
            seen.contains("Ende") && !seen.contains("\r\n.\r\nEnde"),
            "{seen}"
        );
        assert_eq!(seen.contains("STARTTLS"), !is_tls_at_once);
    }
}

#[test]
fn a_report_is_a_text_and_a_page_and_says_how_to_unsubscribe() {
    let started = start(Server::Takes, true);
    let message = WebhookMessage {
        headers: vec![("Subject", "Die Woche".to_owned())],
        body: "Diese Woche.".to_owned(),
        html: Some("<p>Diese Woche.</p>".to_owned()),
        ..WebhookMessage::default()
    };
    let trusted = (Some(SECRET.to_owned()), &[started.certificate.clone()][..]);
    let sent = send(&settings(started.port, true), &message, trusted, LONG);
    assert_eq!(sent, Ok(()));
    let (seen, _) = started.seen.recv().unwrap();
    for part in [
        "List-Unsubscribe: <mailto:home@example.org?subject=unsubscribe>",
        "Content-Type: multipart/alternative;",
        "Content-Type: text/plain; charset=utf-8",
        "Content-Type: text/html; charset=utf-8",
        "<p>Diese Woche.</p>",
    ] {
        assert!(seen.contains(part), "{part} in {seen}");
    }
    let (_, letter) = seen.split_once("DATA").unwrap();
    assert!(!letter.contains(SECRET), "{letter}");
}

#[test]
fn a_password_goes_to_nobody_else() {
    for (server, is_tls_at_once) in [
        (Server::IsUnknown, true),
        (Server::IsUnknown, false),
        (Server::OffersNoTls, false),
        (Server::SendsNoSmtp, true),
    ] {
        let (sent, started) = sent(server, is_tls_at_once, LONG);
        assert!(matches!(sent, Err(WebhookProblem::Other(_))), "{sent:?}");
        let (seen, _) = started.seen.recv().unwrap();
        assert!(!seen.contains("AUTH") && !seen.contains("MAIL"), "{seen}");
    }
}

#[test]
fn a_refusal_is_told_by_its_status() {
    for (server, status) in [(Server::RefusesSignIn, 535), (Server::RefusesMail, 550)] {
        let (sent, _) = sent(server, true, LONG);
        assert_eq!(sent, Err(WebhookProblem::Refused(status)));
    }
    // Nobody listens there.
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let message = WebhookMessage::default();
    let refused = send(&settings(port, true), &message, (None, &[]), LONG);
    assert!(
        matches!(refused, Err(WebhookProblem::Other(_))),
        "{refused:?}"
    );
}

#[test]
fn a_server_that_goes_on_without_end_is_left_soon() {
    for server in [Server::IsEndless, Server::GoesOn, Server::GoesOnByTls] {
        for is_tls_at_once in [true, false] {
            let mut ended = None;
            let work = allocation_counter::measure(|| {
                ended = Some(sent(server, is_tls_at_once, LONG));
            });
            let (sent, started) = ended.unwrap();
            assert!(sent.is_err());
            // The memory grows with the square of the lines that are read.
            assert!(work.bytes_max < 1 << 20, "{work:?}");
            assert!(work.bytes_total < 8 << 20, "{work:?}");
            // No more than the sockets of this machine hold.
            let (_, bytes) = started.seen.recv().unwrap();
            assert!(bytes < 16 << 20, "{bytes}");
        }
    }
    let (silent, _) = sent(Server::IsSilent, true, Duration::from_millis(50));
    assert_eq!(silent, Err(WebhookProblem::NoAnswer));
}

#[test]
fn no_error_has_a_secret() {
    for server in [
        Server::RefusesSignIn,
        Server::RefusesMail,
        Server::SendsNoSmtp,
        Server::IsUnknown,
    ] {
        let (sent, _) = sent(server, true, LONG);
        let error = sent.unwrap_err();
        assert!(!format!("{error} {error:?}").contains(SECRET));
    }
    let settings = format!(
        "{:?}",
        WebhookSettings {
            token: Some(SECRET.to_owned()),
            ..settings(1, true)
        }
    );
    assert!(!settings.contains(SECRET));
}
