//! The subscriptions in force, on the page of the broker: those from the file, and those from the
//! pages, which can be removed.

use std::sync::Arc;

use crate::config::InForce;
use crate::http::pages::frame::response::see_other;
use crate::http::pages::frame::{PageError, PageResult, Visit};
use crate::http::wire::body::in_background;
use crate::ingest::devices::{TopicFilter, TopicMapping};
use crate::mqtt::intake::Subscription;
use crate::texts::Language;

/// A subscription.
pub(super) struct SubscriptionView {
    /// The kind of devices.
    pub(super) kind: String,
    pub(super) topics: String,
    pub(super) sensor: String,
    /// Empty if there is only one account.
    pub(super) account: String,
    /// The section to remove it by; `None` for one from the file.
    pub(super) section: Option<String>,
}

/// The subscriptions from the pages, then those from the file.
pub(super) fn views(in_force: &InForce, language: &Language) -> Vec<SubscriptionView> {
    let kept = in_force.subscriptions.iter();
    let kept = kept.map(|it| (&it.parsed, Some(it.section.clone())));
    // The last ones are those from the pages.
    let all = &in_force.config.mqtt.subscriptions;
    let of_file = all.len().saturating_sub(in_force.subscriptions.len());
    let of_file = all.iter().take(of_file).map(|it| (it, None));
    kept.chain(of_file)
        .map(|(subscription, section)| SubscriptionView::of(subscription, section, language))
        .collect()
}

impl SubscriptionView {
    fn of(subscription: &Subscription, section: Option<String>, language: &Language) -> Self {
        let mappings = subscription.mappings.iter();
        let filters = mappings.flat_map(TopicMapping::filters);
        let topics: Vec<&str> = match &subscription.topic {
            Some(topic) => vec![topic.as_str()],
            None => filters.map(TopicFilter::as_str).collect(),
        };
        let described = || language.say("broker-subscription-described");
        let account = subscription.account.name.as_ref();
        Self {
            kind: subscription.preset.map_or_else(described, |preset| {
                preset.name_in(language.tag()).to_owned()
            }),
            topics: topics.join(", "),
            sensor: subscription.sensor.as_str().to_owned(),
            account: account.map(ToString::to_string).unwrap_or_default(),
            section,
        }
    }
}

/// `POST /settings/broker/unsubscribe`: removes a subscription; the sensors and their readings
/// stay.
pub(crate) async fn remove(visit: Visit) -> PageResult {
    let section = visit.field("section")?;
    // A browser sends its own line ends.
    let section = section.replace("\r\n", "\n");
    let app = &visit.app;
    let (store, settings) = (Arc::clone(&app.store), Arc::clone(&app.settings));
    let removed = in_background(move || settings.unsubscribe(&store, &section)).await?;
    match removed {
        Ok(()) => Ok(see_other("settings/broker?done=unsubscribed")),
        Err(error) => {
            log::error!("cannot remove a subscription: {error}");
            Err(PageError::mistake("broker-subscription-stays", "main"))
        }
    }
}
