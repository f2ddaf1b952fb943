//! Energies and times in the wording of pages about meters.

use crate::chart::{Wording, with_unit};
use crate::domain::{MicroWh, Timestamp};
use crate::http::pages::frame::figures::UNKNOWN;

impl Wording<'_> {
    /// The register of a meter, or an energy compared with one: `12 345.600 kWh`.
    pub(super) fn register(self, shown: MicroWh) -> String {
        with_unit(shown.watthours() / 1_000.0, 3, "kWh", self.language)
    }

    /// The same for watt-hours as in answers; `–` if they are not known.
    pub(super) fn watthours(self, energy: Option<f64>) -> String {
        let shown = energy.map(|watthours| with_unit(watthours / 1_000.0, 3, "kWh", self.language));
        shown.unwrap_or_else(|| UNKNOWN.to_owned())
    }

    /// A percentage as in answers, to a tenth; `–` if it is not known.
    pub(super) fn percent(self, percent: Option<&str>) -> String {
        let number = percent.and_then(|text| text.parse::<f64>().ok());
        let shown = number.map(|percent| with_unit(percent, 1, "%", self.language));
        shown.unwrap_or_else(|| UNKNOWN.to_owned())
    }

    /// The date of a time in the API's form; `–` if it is not a time.
    pub(super) fn date_of(self, time: &str) -> String {
        let time = Timestamp::parse(time);
        time.map_or_else(|_| UNKNOWN.to_owned(), |time| self.date(time))
    }
}
