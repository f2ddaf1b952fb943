//! A client of the `WebDriver` protocol, and the chromedriver process that it talks to.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

/// How long one command may take: a page that loads, or a script that runs.
const ANSWER_WITHIN: Duration = Duration::from_mins(4);

/// A chromedriver process on a free port; killed when dropped.
pub(crate) struct Chromedriver {
    child: Child,
    pub(crate) url: String,
    // Kept open: chromedriver would fail to write to a closed pipe.
    stdout: BufReader<ChildStdout>,
}

impl Chromedriver {
    pub(crate) fn start() -> Self {
        // It takes a free port of IPv6, and ends if somebody else has the same one of IPv4.
        let mut tries = (0..9).map(|_| Self::try_start());
        let started = tries.find_map(Result::ok).map_or_else(Self::try_start, Ok);
        started.unwrap_or_else(|said| panic!("chromedriver does not start: {said}"))
    }

    /// The error is its output before it ended.
    fn try_start() -> Result<Self, String> {
        let mut child = Command::new("chromedriver")
            .arg("--port=0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver, of Debian's package chromium-driver");
        let mut driver = Self {
            stdout: BufReader::new(child.stdout.take().unwrap()),
            child,
            url: String::new(),
        };
        let mut output = String::new();
        loop {
            let begin = output.len();
            if driver.stdout.read_line(&mut output).unwrap() == 0 {
                return Err(output);
            }
            let port = output[begin..].split_once("started successfully on port ");
            if let Some((_, port)) = port {
                let port = port.trim().trim_end_matches('.');
                driver.url = format!("http://127.0.0.1:{port}");
                return Ok(driver);
            }
        }
    }
}

impl Drop for Chromedriver {
    fn drop(&mut self) {
        // It may have exited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Why a command failed, in chromedriver's words.
pub(crate) type CommandError = String;

/// A browser session; each command blocks. It ends when dropped.
pub(crate) struct Session {
    agent: ureq::Agent,
    /// The URL that all commands begin with.
    url: String,
}

impl Session {
    pub(crate) fn start(driver: &Chromedriver, capabilities: &Value) -> Self {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .proxy(None)
            .timeout_global(Some(ANSWER_WITHIN));
        let mut session = Self {
            agent: config.build().new_agent(),
            url: format!("{}/session", driver.url),
        };
        let wanted = json!({"capabilities": {"alwaysMatch": capabilities}});
        let started = session.post("", &wanted).expect("a session of chromium");
        session.url = format!("{}/{}", session.url, started["sessionId"].as_str().unwrap());
        session
    }

    /// Reads a property of the session: `/url`, `/source`, `/element/ID/text`, ..
    pub(crate) fn get(&self, path: &str) -> Result<Value, CommandError> {
        let answer = self.agent.get(format!("{}{path}", self.url)).call();
        value(answer)
    }

    /// Carries out a command: `/element`, `/actions`, ..
    pub(crate) fn post(&self, path: &str, parameters: &Value) -> Result<Value, CommandError> {
        let request = self.agent.post(format!("{}{path}", self.url));
        value(request.send(parameters.to_string()))
    }

    /// The first element that a CSS selector finds.
    pub(crate) fn find(&self, css: &str) -> Result<Element<'_>, CommandError> {
        self.element("/element", "css selector", css)
    }

    fn element(&self, path: &str, using: &str, what: &str) -> Result<Element<'_>, CommandError> {
        let found = self.post(path, &json!({"using": using, "value": what}))?;
        let id = found[ELEMENT].as_str().ok_or("no element")?;
        Ok(Element {
            session: self,
            path: format!("/element/{id}"),
            reference: found.clone(),
        })
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // chromium would outlive a killed chromedriver.
        let _ = self.agent.delete(&self.url).call();
    }
}

/// The member of a JSON object that holds an element's id, fixed by the standard.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// An element of the page that is open.
pub(crate) struct Element<'a> {
    session: &'a Session,
    path: String,
    /// The element as an argument of a script or as the origin of a pointer's move.
    pub(crate) reference: Value,
}

impl Element<'_> {
    pub(crate) fn get(&self, property: &str) -> Result<Value, CommandError> {
        self.session.get(&format!("{}/{property}", self.path))
    }

    pub(crate) fn post(&self, command: &str, parameters: &Value) -> Result<Value, CommandError> {
        let path = format!("{}/{command}", self.path);
        self.session.post(&path, parameters)
    }

    /// The first element inside it that an `XPath` expression finds.
    pub(crate) fn find(&self, xpath: &str) -> Result<Self, CommandError> {
        let path = format!("{}/element", self.path);
        self.session.element(&path, "xpath", xpath)
    }
}

fn value(
    answer: Result<ureq::http::Response<ureq::Body>, ureq::Error>,
) -> Result<Value, CommandError> {
    let mut answer = answer.map_err(|error| error.to_string())?;
    let status = answer.status();
    let body = answer.body_mut().with_config().limit(u64::MAX);
    let body = body.read_to_string().map_err(|error| error.to_string())?;
    let mut body: Value =
        serde_json::from_str(&body).map_err(|error| format!("{error}: {body}"))?;
    let value = body["value"].take();
    if status == 200 {
        Ok(value)
    } else {
        Err(format!("{}: {}", value["error"], value["message"]))
    }
}
