//! chromedriver, and the way to it.

use std::future::{Future, ready};
use std::io::{BufRead as _, BufReader};
use std::pin::Pin;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use actix_web::web::Bytes;
use thirtyfour::error::{WebDriverError, WebDriverResult};
use thirtyfour::session::http::{Body, HttpClient};
use ureq::http::{Request, Response};

/// A page that does not load, or a script that does not end, is given up after this.
const ANSWER_WITHIN: Duration = Duration::from_mins(2);

/// A chromedriver of its own, on a free port; it is killed when dropped.
pub(crate) struct Chromedriver {
    child: Child,
    pub(crate) url: String,
    // Open, so that it can go on writing.
    _stdout: BufReader<ChildStdout>,
}

impl Chromedriver {
    pub(crate) fn start() -> Self {
        let mut child = Command::new("chromedriver")
            .arg("--port=0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver, of Debian's package chromium-driver");
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut said = String::new();
        let port = loop {
            let begin = said.len();
            assert_ne!(stdout.read_line(&mut said).unwrap(), 0, "{said}");
            let port = said[begin..].split_once("started successfully on port ");
            if let Some((_, port)) = port {
                break port.trim().trim_end_matches('.').to_owned();
            }
        };
        Self {
            child,
            url: format!("http://127.0.0.1:{port}"),
            _stdout: stdout,
        }
    }
}

impl Drop for Chromedriver {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends commands, each of which blocks: a test does one thing at a time.
#[derive(Clone)]
pub(crate) struct Client(ureq::Agent);

impl Client {
    pub(crate) fn new() -> Self {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .proxy(None)
            .timeout_global(Some(ANSWER_WITHIN));
        Self(config.build().new_agent())
    }

    fn exchange(&self, request: Request<Body<'_>>) -> Result<Response<Bytes>, ureq::Error> {
        let (parts, body) = request.into_parts();
        let answer = match body {
            Body::Empty => self.0.run(Request::from_parts(parts, ())),
            Body::Json(value) => self.0.run(Request::from_parts(parts, value.to_string())),
        };
        let (parts, mut body) = answer?.into_parts();
        let bytes = body.with_config().limit(u64::MAX).read_to_vec()?;
        Ok(Response::from_parts(parts, bytes.into()))
    }
}

type Answer<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

impl HttpClient for Client {
    fn send<'a, 'b, 'c>(
        &'a self,
        request: Request<Body<'b>>,
    ) -> Answer<'c, WebDriverResult<Response<Bytes>>>
    where
        'a: 'c,
        'b: 'c,
        Self: 'c,
    {
        let answer = self.exchange(request);
        Box::pin(ready(answer.map_err(|error| {
            WebDriverError::RequestFailed(error.to_string())
        })))
    }

    fn new<'a, 'c>(&'a self) -> Answer<'c, Arc<dyn HttpClient>>
    where
        'a: 'c,
        Self: 'c,
    {
        Box::pin(ready(Arc::new(self.clone()) as Arc<dyn HttpClient>))
    }
}
