//! The state that the handlers of all rooms answer from. State of a single room is that room's own
//! `web::Data`.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use actix_web::body::BoxBody;
use actix_web::{HttpRequest, HttpResponse, web};
use ipnet::IpNet;
#[cfg(test)]
use tokio::sync::OwnedSemaphorePermit;

use super::failed::FailedSignIns;
use super::hosts::Hosts;
use super::limits::{Limit, network};
use super::peer::client_address;
use super::price_turns::{PriceSender, PriceTurns, PriceUpload};
use super::refusals::RefusalLog;
use crate::config::{Config, LiveSettings, WebOrigin};
use crate::domain::time::MS_PER_DAY;
use crate::domain::{AccountName, Clock, Meter, Moment, SensorId, Timestamp};
use crate::home_assistant::{HomeComparisons, ReadHomes, SentHistory};
use crate::house::PeakGuard;
use crate::http::wire::body::is_compressed;
use crate::http::wire::held::HeldAnswers;
use crate::http::wire::list::{ListRows, ListText};
use crate::http::wire::stream::{self, ResultText, SeriesText};
use crate::http::wire::{
    ApiError, Body, BodyLimits, BodySender, BodySize, Download, Downloads, Format, Packing, Turns,
};
use crate::ingest::Ingest;
use crate::ledger::Facts;
use crate::mqtt::client::BrokerMonitor;
use crate::poll::PolledDevices;
use crate::price_sources::PriceSources;
use crate::query::Query;
use crate::status::StatusMonitor;
use crate::store::{Store, StoreError};

/// The most reports that are made at once, the most quick pages beside them, and how long others
/// wait.
const MOST_REPORTS: usize = 2;
const MOST_QUICK_PAGES: usize = 2;
const TURN_WITHIN: Duration = Duration::from_secs(20);
/// Each writes to the disk. A browser that keeps its cookie begins one in thirty days.
const LINKED_VISITS_PER_MINUTE: u32 = 60;
/// A page about a longer time counts as a report.
const LONGEST_QUICK_MS: i64 = 366 * MS_PER_DAY;

/// The state that the handlers of all rooms answer from.
pub(crate) struct AppState {
    pub(crate) store: Arc<Store>,
    pub(crate) ingest: Ingest,
    pub(crate) clock: Clock,
    /// The path of the API, without a trailing slash; may be empty.
    pub(crate) base_path: String,
    /// The address that the service listens on.
    pub(crate) listen: SocketAddr,
    bodies: BodyLimits,
    price_bodies: BodyLimits,
    price_turns: PriceTurns,
    /// Turns of work that prices energy, reads whole histories or makes large answers.
    reports: Arc<Turns>,
    /// Separate from reports, so that nobody waits for the dashboard while somebody asks for the
    /// costs of ten years.
    quick_pages: Arc<Turns>,
    /// Pages of tenants, who must not delay those of the house.
    tenants: Arc<Turns>,
    /// The most readings in one upload.
    pub(crate) max_readings: usize,
    pub(crate) downloads: Downloads,
    held_answers: HeldAnswers,
    pub(crate) hosts: Hosts,
    pub(crate) requests: Limit,
    /// The limit on an administrator's own requests to pages, after signing in.
    pub(crate) own_requests: Limit,
    pub(crate) failed_sign_ins: Limit,
    /// Separate from the API's: a script with a wrong key must not lock out an administrator who
    /// shares its address.
    pub(crate) page_sign_ins: Limit,
    /// Failed sign-ins of people, under any name.
    pub(crate) person_sign_ins: Limit,
    /// Sessions that visits of linked users of Home Assistant begin.
    pub(crate) linked_visits: Limit,
    pub(crate) failed: FailedSignIns,
    pub(crate) refusals: RefusalLog,
    pub(crate) trusted_proxies: Vec<IpNet>,
    /// The address that requests of people signed in to Home Assistant come from, if it runs this
    /// service.
    pub(crate) ingress: Option<IpAddr>,
    pub(crate) cors_origins: Vec<WebOrigin>,
    pub(crate) monitor: StatusMonitor,
    /// The settings that can change while the service runs.
    pub(crate) settings: Arc<LiveSettings>,
    /// For each sensor that gets the readings of a file: how many are stored, and how many will be.
    pub(crate) imports: Arc<Mutex<BTreeMap<String, [u64; 2]>>>,
    /// The devices that are polled.
    pub(crate) polled: Arc<PolledDevices>,
    /// The price sources that are asked.
    pub(crate) price_sources: Arc<PriceSources>,
    /// The history that is sent to Home Assistant.
    pub(crate) history: Arc<SentHistory>,
    /// The Home Assistants that are read.
    pub(crate) homes: Arc<ReadHomes>,
    /// Their comparisons with the ledger.
    pub(crate) comparisons: HomeComparisons,
    /// The peaks of houses whose contracts price the demand.
    pub(crate) peaks: Arc<PeakGuard>,
    /// The state of the MQTT broker's connection, and the devices heard there.
    pub(crate) broker: Arc<BrokerMonitor>,
    /// The data folder; `None` with a database.
    pub(crate) data_dir: Option<PathBuf>,
}

impl AppState {
    pub(crate) fn new(
        store: Arc<Store>,
        clock: Clock,
        config: &Config,
        (monitor, settings, broker): (StatusMonitor, Arc<LiveSettings>, Arc<BrokerMonitor>),
    ) -> Self {
        let polled = Arc::<PolledDevices>::default();
        polled.follow(&settings.in_force().config.poll);
        let price_sources = Arc::<PriceSources>::default();
        price_sources.follow(&settings.in_force().config.price_sources);
        let history = Arc::<SentHistory>::default();
        let homes = Arc::<ReadHomes>::default();
        let in_force = &settings.in_force().config;
        let wishes = in_force.home_assistant.histories(in_force.home_terms());
        history.follow(&wishes.wanted(&store.registry()));
        let ingress = config.supervisor.as_ref().map(|it| it.ingress);
        let data_dir = config
            .store
            .engine
            .is_none()
            .then(|| config.data_dir.clone());
        let config = &config.http;
        let bodies = BodyLimits::new(config);
        Self {
            ingest: Ingest::new(Arc::clone(&store)),
            store,
            clock,
            // `/` becomes empty: the routes below begin with a slash themselves.
            base_path: config.base_path.trim_end_matches('/').to_owned(),
            listen: config.listen,
            bodies,
            price_bodies: BodyLimits::of_prices(config),
            price_turns: PriceTurns::new(config.request_timeout),
            reports: Turns::new(MOST_REPORTS, TURN_WITHIN),
            quick_pages: Turns::new(MOST_QUICK_PAGES, TURN_WITHIN),
            tenants: Turns::new(1, TURN_WITHIN),
            max_readings: config.max_readings,
            downloads: Downloads::default(),
            held_answers: HeldAnswers::default(),
            hosts: Hosts::new(config.hosts.clone(), ingress),
            ingress,
            requests: Limit::per_minute(config.requests_per_minute),
            own_requests: Limit::per_minute(config.requests_per_minute.saturating_mul(10)),
            failed_sign_ins: Limit::per_minute(config.failed_sign_ins_per_minute),
            page_sign_ins: Limit::per_minute(config.failed_sign_ins_per_minute),
            person_sign_ins: Limit::per_minute(config.failed_sign_ins_per_minute),
            linked_visits: Limit::per_minute(LINKED_VISITS_PER_MINUTE),
            failed: FailedSignIns::default(),
            refusals: RefusalLog::default(),
            trusted_proxies: config.trusted_proxies.clone(),
            cors_origins: config.cors_origins.clone(),
            monitor,
            settings,
            polled,
            price_sources,
            history,
            homes,
            comparisons: HomeComparisons::default(),
            peaks: Arc::default(),
            broker,
            data_dir,
            imports: Arc::default(),
        }
    }

    /// The time of day and the time since the start.
    pub(crate) fn now(&self) -> Moment {
        (self.clock)()
    }

    /// The time that counts for uploads and downloads. It does not go back when the clock is set
    /// back a little, so recent uploads stay visible.
    pub(crate) fn counted_now(&self) -> Timestamp {
        self.ingest.counted_time(self.now().time)
    }

    /// Reads the body of a request, as large as its resource declares. `is_known` says whether the
    /// head has valid credentials; it is called only when needed.
    ///
    /// # Errors
    /// As [`BodyLimits::read`].
    pub(crate) async fn read_body(
        &self,
        request: &HttpRequest,
        payload: web::Payload,
        is_known: impl FnOnce() -> bool,
    ) -> Result<Body, ApiError> {
        let size = request.app_data::<BodySize>().copied().unwrap_or_default();
        let of = (size, self.sender(request, is_known));
        self.bodies.read(request.headers(), payload, of).await
    }

    /// Decompresses a decoded part of a body, for a request with valid credentials.
    ///
    /// # Errors
    /// As [`BodyLimits::unpack`].
    pub(crate) async fn unpack_body(
        &self,
        request: &HttpRequest,
        body: Body,
        packing: Packing,
    ) -> Result<Body, ApiError> {
        let client = client_address(request.head(), &self.trusted_proxies);
        let sender = BodySender {
            client: network(client),
            is_known: true,
        };
        self.bodies.unpack(body, packing, sender).await
    }

    /// As [`BodyLimits::take_strangers_turn`].
    #[cfg(test)]
    pub(crate) fn take_strangers_turn(&self) -> OwnedSemaphorePermit {
        self.bodies.take_strangers_turn()
    }

    /// Keeps the turns of an account's reports and pages, for tests.
    #[cfg(test)]
    pub(crate) async fn hold_reports(&self, account: &AccountName) -> impl Sized + use<> {
        [
            self.reports.hold(account).await,
            self.quick_pages.hold(account).await,
        ]
    }

    /// Keeps the turn of uploads of prices, for tests.
    #[cfg(test)]
    pub(crate) async fn hold_prices(&self) -> OwnedSemaphorePermit {
        self.price_turns.hold().await
    }

    fn sender(&self, request: &HttpRequest, is_known: impl FnOnce() -> bool) -> BodySender {
        let client = client_address(request.head(), &self.trusted_proxies);
        BodySender {
            client: network(client),
            is_known: is_compressed(request.headers()) && is_known(),
        }
    }

    /// Makes a report on the store in the background, in a turn of the account, because it may read
    /// whole histories.
    ///
    /// # Errors
    /// [`ApiError::Overloaded`] if the others take too long; an internal error if `make` panics.
    pub(crate) async fn report<T: Send + 'static>(
        &self,
        account: &AccountName,
        make: impl FnOnce(&Store) -> T + Send + 'static,
    ) -> Result<T, ApiError> {
        let store = Arc::clone(&self.store);
        self.reports.run(account, move || make(&store)).await
    }

    /// As [`Self::report`], for a page about that much time; `None` is all there is. A quick page
    /// does not wait for reports.
    ///
    /// # Errors
    /// As [`Self::report`].
    pub(crate) async fn page<T: Send + 'static>(
        &self,
        account: &AccountName,
        length_ms: Option<i64>,
        make: impl FnOnce(&Store) -> T + Send + 'static,
    ) -> Result<T, ApiError> {
        let is_quick = length_ms.is_some_and(|length_ms| length_ms <= LONGEST_QUICK_MS);
        let turns = if is_quick {
            &self.quick_pages
        } else {
            &self.reports
        };
        let store = Arc::clone(&self.store);
        turns.run(account, move || make(&store)).await
    }

    /// As [`Self::report`], for tenants: one at a time in the whole service.
    ///
    /// # Errors
    /// As [`Self::report`].
    pub(crate) async fn tenant_page<T: Send + 'static>(
        &self,
        account: &AccountName,
        make: impl FnOnce(&Store) -> T + Send + 'static,
    ) -> Result<T, ApiError> {
        let store = Arc::clone(&self.store);
        self.tenants.run(account, move || make(&store)).await
    }

    /// Begins to send a report to an account, taking a turn for each chunk.
    pub(crate) fn begin_report(&self, account: &AccountName) -> Download {
        let download = self.downloads.begin();
        download.in_turns(&self.reports, account.clone())
    }

    /// Sends a list of an account, in turns of quick pages: `head` is its beginning, and each call of
    /// `next` adds some rows, and returns whether there are more.
    ///
    /// # Errors
    /// As [`stream::respond`].
    pub(crate) async fn list(
        &self,
        request: &HttpRequest,
        account: &AccountName,
        head: impl Into<String>,
        next: impl FnMut(&mut ListRows<'_>) -> Result<bool, StoreError> + Send + 'static,
    ) -> Result<HttpResponse, ApiError> {
        let text = ListText::new(head, next);
        self.text(request, account, Format::Json, text).await
    }

    /// Answers with a text of any length about an account, as [`Self::list`].
    ///
    /// # Errors
    /// As [`stream::respond`].
    pub(crate) async fn text(
        &self,
        request: &HttpRequest,
        account: &AccountName,
        format: Format,
        text: impl ResultText,
    ) -> Result<HttpResponse, ApiError> {
        let download = self.downloads.begin();
        let download = download.in_turns(&self.quick_pages, account.clone());
        stream::respond(request, download, format, move || Ok(text)).await
    }

    /// The body of an answer, whose memory counts until its client has read it.
    ///
    /// # Errors
    /// [`ApiError::Overloaded`] if clients do not read the answers that are held already.
    pub(crate) fn hold_answer(
        &self,
        request: &HttpRequest,
        body: BoxBody,
    ) -> Result<BoxBody, ApiError> {
        let client = client_address(request.head(), &self.trusted_proxies);
        self.held_answers.hold(network(client), body)
    }

    /// Reads the body of an upload of prices, to be worked on in a turn of the upload. The sender has
    /// valid credentials.
    ///
    /// # Errors
    /// [`ApiError::Overloaded`] if this sender has too many uploads under way; as
    /// [`BodyLimits::read`].
    pub(crate) async fn read_prices(
        &self,
        request: &HttpRequest,
        (payload, of): (web::Payload, PriceSender),
    ) -> Result<(Body, PriceUpload), ApiError> {
        let upload = self.price_turns.begin(of)?;
        let of = (BodySize::Readings, self.sender(request, || true));
        let body = self.price_bodies.read(request.headers(), payload, of);
        Ok((body.await?, upload))
    }

    /// Answers with the result of `query` about a sensor, by the ledger if its meter and facts are
    /// given; see [`stream::respond`].
    ///
    /// # Errors
    /// [`ApiError::NoRecentData`], [`ApiError::StorageUnavailable`], [`ApiError::StorageFailed`],
    /// [`ApiError::Internal`].
    pub(crate) async fn stream(
        &self,
        request: &HttpRequest,
        (sensor, metered): (SensorId, Option<(Meter, Facts)>),
        query: Query,
        format: Format,
    ) -> Result<HttpResponse, ApiError> {
        // The time of the request, not the moment when a thread is free.
        let (store, now) = (Arc::clone(&self.store), self.counted_now());
        let open = move || {
            let series = match metered {
                None => query.run(&store, &sensor, now),
                Some(meter) => query.run_corrected(&store, &sensor, meter),
            };
            Ok(SeriesText::new(series?, format))
        };
        stream::respond(request, self.downloads.begin(), format, open).await
    }
}
