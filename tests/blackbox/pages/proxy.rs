//! A reverse proxy that has the service below a path, and takes that path away, as Home Assistant's
//! ingress does.

use std::io::{Read as _, Write as _, copy};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// The path below which the proxy has the service.
pub(crate) const BELOW: &str = "/api/hassio_ingress/t0k_en-";

/// A proxy on a port of its own. It serves `BELOW`, and a page with that in a frame at `/`.
pub(crate) struct Proxy {
    pub(crate) address: SocketAddr,
    strays: Arc<Mutex<Vec<String>>>,
}

/// The shared state of all connections.
struct Way {
    service: SocketAddr,
    /// The address of this machine that requests come from.
    from: Ipv4Addr,
    /// Lines that replace those of each request.
    headers: String,
    strays: Arc<Mutex<Vec<String>>>,
}

impl Proxy {
    /// A proxy for a service, which sees it at the address `from`.
    pub(crate) fn start(service: SocketAddr, from: Ipv4Addr, headers: &str) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let strays = Arc::default();
        let way = Arc::new(Way {
            service,
            from,
            headers: headers.to_owned(),
            strays: Arc::clone(&strays),
        });
        // They end with the process.
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let way = Arc::clone(&way);
                thread::spawn(move || way.pass(client));
            }
        });
        Self { address, strays }
    }

    /// The requests for addresses outside the path.
    pub(crate) fn strays(&self) -> Vec<String> {
        self.strays.lock().unwrap().clone()
    }
}

impl Way {
    /// Passes one request on. An error of either side ends it.
    fn pass(&self, mut client: TcpStream) -> Option<()> {
        let mut begin = Vec::new();
        let end = loop {
            let mut some = [0; 4_096];
            let read = client.read(&mut some).ok().filter(|read| *read > 0)?;
            begin.extend_from_slice(&some[..read]);
            if let Some(end) = begin.windows(4).position(|it| it == b"\r\n\r\n") {
                break end;
            }
        };
        let head = String::from_utf8(begin[..end].to_vec()).unwrap();
        let (line, headers) = head.split_once("\r\n").unwrap();
        let (method, target) = line.split_once(' ').unwrap();
        let Some(target) = target.strip_prefix(BELOW) else {
            return self.own(&mut client, line);
        };
        let kept = headers.split("\r\n");
        let name = |line: &str| line.split(':').next().unwrap().to_ascii_lowercase();
        let replaced: Vec<String> = self.headers.lines().map(name).collect();
        let kept = kept.filter(|it| name(it) != "connection" && !replaced.contains(&name(it)));
        let kept = kept.chain([""]).collect::<Vec<_>>().join("\r\n");
        let more = &self.headers;
        let head = format!("{method} {target}\r\n{kept}{more}Connection: close\r\n\r\n");
        let mut service = self.connect();
        service.write_all(head.as_bytes()).ok()?;
        service.write_all(&begin[end + 4..]).ok()?;
        let (mut from_client, mut to_service) =
            (client.try_clone().ok()?, service.try_clone().ok()?);
        thread::spawn(move || {
            let _ = copy(&mut from_client, &mut to_service);
            let _ = to_service.shutdown(Shutdown::Both);
        });
        copy(&mut service, &mut client).ok()?;
        client.shutdown(Shutdown::Both).ok()
    }

    fn connect(&self) -> TcpStream {
        let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None);
        let socket = socket.unwrap();
        socket
            .bind(&SocketAddr::from((self.from, 0)).into())
            .unwrap();
        socket.connect(&self.service.into()).unwrap();
        socket.into()
    }

    /// Answers as the site that has the service in a frame.
    fn own(&self, client: &mut TcpStream, line: &str) -> Option<()> {
        let page = format!("<!doctype html><title>Home</title><iframe src=\"{BELOW}/\"></iframe>");
        let (status, body) = match line.split(' ').nth(1)? {
            "/" => ("200 OK", page),
            "/favicon.ico" => ("204 No Content", String::new()),
            _ => {
                self.strays.lock().unwrap().push(line.to_owned());
                ("404 Not Found", String::new())
            }
        };
        let length = body.len();
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        );
        client.write_all(head.as_bytes()).ok()
    }
}
