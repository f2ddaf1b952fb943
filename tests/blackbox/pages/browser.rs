//! A browser without scripts: it keeps cookies and fills in forms, and does not follow redirects.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::marker::PhantomData;
use std::net::{Ipv4Addr, SocketAddr};

use crate::pages::links::complete;
use crate::support::{Connection, Head, Response, Service, request, until_processed};

/// The administrator password in these tests.
pub(crate) const PASSWORD: &str = "correct horse";
pub(crate) const SESSION: &str = "wattkeeper_session";

/// A browser without scripts.
pub(crate) struct Browser<'a> {
    address: SocketAddr,
    service: PhantomData<&'a Service>,
    cookies: RefCell<BTreeMap<String, String>>,
    /// Sent with each request.
    pub(crate) headers: Vec<(&'static str, String)>,
}

impl<'a> Browser<'a> {
    /// A new browser without cookies.
    pub(crate) fn new(service: &'a Service) -> Self {
        Self::at(service.address())
    }

    /// A new browser for the server at this address.
    pub(crate) fn at(address: SocketAddr) -> Self {
        Self {
            address,
            service: PhantomData,
            cookies: RefCell::default(),
            headers: Vec::new(),
        }
    }

    /// A browser that has just set the administrator password, and is signed in.
    #[track_caller]
    pub(crate) fn set_up(service: &'a Service) -> Self {
        let browser = Self::new(service);
        let address = service.setup_address().unwrap();
        let answer = browser.submit(
            address,
            "/setup",
            &[("password", PASSWORD), ("again", PASSWORD)],
        );
        assert_eq!(answer.status(), 303, "{}", answer.text());
        browser
    }

    /// A new browser that is signed in.
    #[track_caller]
    pub(crate) fn signed_in(service: &'a Service) -> Self {
        let browser = Self::new(service);
        let answer = browser.sign_in(PASSWORD);
        assert_eq!(answer.status(), 303, "{}", answer.text());
        browser
    }

    pub(crate) fn sign_in(&self, password: &str) -> Response {
        self.submit_own("/sign-in", &[("password", password)])
    }

    pub(crate) fn cookie(&self, name: &str) -> Option<String> {
        self.cookies.borrow().get(name).cloned()
    }

    pub(crate) fn set_cookie(&self, name: &str, value: &str) {
        let cookie = (name.to_owned(), value.to_owned());
        self.cookies.borrow_mut().extend([cookie]);
    }

    pub(crate) fn get(&self, address: &str) -> Response {
        self.send("GET", address, &[], b"")
    }

    /// The page at `address`; fails if the status is not 200.
    #[track_caller]
    pub(crate) fn page(&self, address: &str) -> String {
        let answer = self.get(address);
        assert_eq!(answer.status(), 200, "{address}: {}", answer.text());
        assert_eq!(
            answer.head.header("content-type"),
            Some("text/html; charset=utf-8")
        );
        answer.text().to_owned()
    }

    /// Whether the browser is signed in.
    pub(crate) fn is_signed_in(&self) -> bool {
        self.get("/").status() == 200
    }

    /// Submits the form of the page at `address` that has the same address as its action.
    #[track_caller]
    pub(crate) fn submit_own(&self, address: &str, fields: &[(&str, &str)]) -> Response {
        self.submit(address, address, fields)
    }

    /// Submits the form with this action on the page at `address`, with its hidden fields and
    /// `fields`.
    #[track_caller]
    pub(crate) fn submit(&self, address: &str, action: &str, fields: &[(&str, &str)]) -> Response {
        let page = self.page(address);
        let mut form = hidden_fields(&page, action);
        for (name, value) in fields {
            form.retain(|(known, _)| known != name);
            form.push(((*name).to_owned(), (*value).to_owned()));
        }
        self.post(action, &form)
    }

    /// Sends these fields as a form.
    pub(crate) fn post(&self, action: &str, fields: &[(String, String)]) -> Response {
        let form = ("Content-Type", "application/x-www-form-urlencoded");
        self.send("POST", action, &[form], form_of(fields).as_bytes())
    }

    pub(crate) fn send(
        &self,
        method: &str,
        address: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Response {
        until_processed(|| {
            let connection = Connection::open(self.address);
            let answer = self.send_on(connection, method, address, headers, body);
            (answer.status(), answer)
        })
    }

    /// Signs in from another address of this machine.
    pub(crate) fn sign_in_from(&self, source: Ipv4Addr, password: &str) -> Response {
        let page = self.page("/sign-in");
        let mut body = format!("password={}", encoded(password));
        for (name, value) in hidden_fields(&page, "/sign-in") {
            write!(body, "&{}={}", encoded(&name), encoded(&value)).unwrap();
        }
        let connection = Connection::open_from(source, self.address);
        self.send_on(connection, "POST", "/sign-in", &[], body.as_bytes())
    }

    /// Requests a stream, on a connection of its own.
    pub(crate) fn begin(&self, address: &str) -> (Connection, Head) {
        let request = request("GET", address, &[("Cookie", &self.cookies())], b"");
        until_processed(|| {
            let mut connection = Connection::open(self.address);
            connection.send(&request);
            let head = connection.receive_head().unwrap();
            (head.status, (connection, head))
        })
    }

    /// Sends the head of a form, and the first bytes of its body; the rest is for
    /// [`Connection::exchange`].
    pub(crate) fn begin_form(
        &self,
        action: &str,
        fields: &[(String, String)],
    ) -> (Connection, Vec<u8>) {
        let body = form_of(fields);
        let whole = request(
            "POST",
            action,
            &[("Cookie", &self.cookies())],
            body.as_bytes(),
        );
        let (now, later) = whole.split_at(whole.len() - body.len() + 1);
        let mut connection = Connection::open(self.address);
        connection.send(now);
        (connection, later.to_vec())
    }

    /// The value of the header `Cookie`.
    pub(crate) fn cookies(&self) -> String {
        let cookies = self.cookies.borrow();
        let pairs: Vec<String> = cookies
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        pairs.join("; ")
    }

    fn send_on(
        &self,
        mut connection: Connection,
        method: &str,
        address: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Response {
        let cookies = self.cookies();
        let mut all = headers.to_vec();
        let is_accept = |(name, _): &(&str, &str)| name.eq_ignore_ascii_case("accept");
        if !all.iter().any(is_accept) {
            all.push(("Accept", "text/html,application/xhtml+xml,*/*;q=0.8"));
        }
        if !cookies.is_empty() {
            all.push(("Cookie", &cookies));
        }
        all.extend(
            self.headers
                .iter()
                .map(|(name, value)| (*name, value.as_str())),
        );
        connection.send(&request(method, address, &all, body));
        let mut answer = if method == "HEAD" {
            Response {
                head: connection.receive_head().unwrap(),
                body: Vec::new(),
            }
        } else {
            connection.receive()
        };
        if let Some(set) = answer.head.header("set-cookie") {
            self.keep(set);
        }
        complete(&mut answer, address);
        answer
    }

    fn keep(&self, set: &str) {
        let (name, value) = set.split(';').next().unwrap().split_once('=').unwrap();
        let is_gone = set.contains("Max-Age=0");
        let mut cookies = self.cookies.borrow_mut();
        cookies.remove(name);
        if !is_gone {
            cookies.insert(name.to_owned(), value.to_owned());
        }
    }
}

/// The body of a form with these fields.
fn form_of(fields: &[(String, String)]) -> String {
    let pair = |(name, value): &(String, String)| format!("{}={}", encoded(name), encoded(value));
    fields.iter().map(pair).collect::<Vec<_>>().join("&")
}

/// The value of the box that answers the questions of a form that came back.
#[track_caller]
pub(crate) fn sure(answer: &Response) -> String {
    assert_eq!(answer.status(), 422, "{}", answer.text());
    let (_, rest) = answer.text().split_once("name=\"sure\" value=\"").unwrap();
    rest.split_once('"').unwrap().0.to_owned()
}

/// The target of a redirect.
#[track_caller]
pub(crate) fn location(answer: &Response) -> &str {
    assert_eq!(answer.status(), 303, "{}", answer.text());
    answer.head.header("location").unwrap()
}

/// The hidden fields of the form with this action.
#[track_caller]
pub(crate) fn hidden_fields(page: &str, action: &str) -> Vec<(String, String)> {
    let begin = format!(" method=\"post\" action=\"{action}\">");
    let form = page
        .split_once(&begin)
        .unwrap_or_else(|| panic!("no form {action} in {page}"))
        .1
        .split_once("</form>")
        .unwrap()
        .0
        .to_owned();
    form.split("<input type=\"hidden\" ")
        .skip(1)
        .map(|input| {
            let attribute = |name: &str| {
                let (_, rest) = input.split_once(&format!("{name}=\"")).unwrap();
                plain(rest.split_once('"').unwrap().0)
            };
            (attribute("name"), attribute("value"))
        })
        .collect()
}

/// Decodes HTML entities.
pub(crate) fn plain(text: &str) -> String {
    text.replace("&#34;", "\"")
        .replace("&#39;", "'")
        .replace("&#60;", "<")
        .replace("&#62;", ">")
        .replace("&#38;", "&")
}

pub(crate) fn encoded(text: &str) -> String {
    text.bytes()
        .map(|byte| {
            if byte.is_ascii_alphanumeric() {
                char::from(byte).to_string()
            } else {
                format!("%{byte:02X}")
            }
        })
        .collect()
}
