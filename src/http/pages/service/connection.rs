//! The state of the broker connection, in words.

use crate::chart::Wording;
use crate::domain::{Timestamp, Zone};
use crate::http::gate::AppState;
use crate::mqtt::client::{BrokerProblem, BrokerState};
use crate::texts::Language;

/// The clock for times of the service: the first account's.
pub(in crate::http::pages) struct ServiceClock {
    pub(super) language: &'static Language,
    now: Timestamp,
    zone: Zone,
}

/// The state of the connection.
pub(super) struct BrokerStateView {
    pub(super) is_bad: bool,
    pub(super) text: String,
}

impl ServiceClock {
    pub(in crate::http::pages) fn of(app: &AppState, language: &'static Language) -> Self {
        let registry = app.store.registry();
        let zone = registry.accounts().next().map(|it| it.zone.clone());
        Self {
            language,
            now: app.now().time,
            zone: zone.unwrap_or(Zone::UTC),
        }
    }

    pub(in crate::http::pages) fn when(&self, time: Timestamp) -> String {
        let wording = Wording::new(&self.zone, self.language);
        wording.when(time, self.now)
    }
}

impl BrokerStateView {
    pub(super) fn of(app: &AppState, clocks: &ServiceClock) -> Self {
        let language = clocks.language;
        let state = app.broker.state();
        let text = match &state {
            BrokerState::Off if !app.store.is_leader() => language.say("broker-elsewhere"),
            BrokerState::Off | BrokerState::Connecting => language.say("broker-connecting"),
            BrokerState::Connected { since } => {
                let since = [("time", clocks.when(*since).into())];
                language.fill("broker-connected", since)
            }
            BrokerState::Failed { problem, again } => {
                let left = again.millis().saturating_sub(clocks.now.millis());
                let seconds = u64::try_from(left).unwrap_or(0).div_ceil(1_000);
                let values = [
                    ("why", problem_text(problem, language).into()),
                    ("seconds", seconds.into()),
                ];
                language.fill("broker-not-connected", values)
            }
        };
        let is_bad = matches!(state, BrokerState::Failed { .. });
        Self { is_bad, text }
    }
}

/// The problem of a connection, and its remedy.
pub(super) fn problem_text(problem: &BrokerProblem, language: &Language) -> String {
    let with = |why: &str| [("why", why.to_owned().into())];
    match problem {
        BrokerProblem::NameUnknown => language.say("broker-test-name"),
        BrokerProblem::NothingThere => language.say("broker-test-nothing"),
        BrokerProblem::NoAnswer => language.say("broker-test-silent"),
        BrokerProblem::CertificateName => language.say("broker-test-certificate-name"),
        BrokerProblem::CertificateUntrusted => language.say("broker-test-untrusted"),
        BrokerProblem::Tls(why) => language.fill("broker-test-tls", with(why)),
        BrokerProblem::Login => language.say("broker-test-login"),
        BrokerProblem::NotMqtt => language.say("broker-test-not-mqtt"),
        BrokerProblem::Lost => language.say("broker-lost"),
        BrokerProblem::NotReady => language.say("broker-not-ready"),
        BrokerProblem::Other(why) => language.fill("broker-test-other", with(why)),
    }
}
