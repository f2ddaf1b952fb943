//! A house whose settings name devices to poll.

use std::net::SocketAddr;

use crate::mqtt::house::eventually;
use crate::place::{Place, Serving};

/// A reading: watts, and watt-hours.
pub(crate) type Shown = (Option<f64>, Option<f64>);

pub(crate) struct PolledHouse {
    pub(crate) place: Place,
}

/// A section for a device: its preset, where it is, its sensor, and further lines.
pub(crate) fn section(preset: &str, address: SocketAddr, sensor: &str, further: &str) -> String {
    format!(
        "[[poll]]\npreset = \"{preset}\"\naddress = \"{address}\"\nsensor = \"{sensor}\"\n{further}\n"
    )
}

/// The metrics of the service.
pub(crate) fn metrics(serving: &Serving) -> String {
    let mut answer = ureq::get(format!("{}/metrics", serving.url))
        .call()
        .unwrap();
    answer.body_mut().read_to_string().unwrap()
}

impl PolledHouse {
    /// With an account `home`, these sensors, and these sections.
    pub(crate) fn new(sensors: &[&str], sections: &[String]) -> Self {
        let place = Place::new();
        place.ok(&["account", "add", "home"]);
        for sensor in sensors {
            let add = ["sensor", "add", sensor, "--account", "home"];
            place.ok(&[&add[..], &["--role", "sub-meter"]].concat());
        }
        place.file("config.toml", sections.concat().as_bytes());
        Self { place }
    }

    /// Without a store.
    pub(crate) fn empty() -> Self {
        Self {
            place: Place::new(),
        }
    }

    pub(crate) fn serve(&self) -> Serving {
        self.place.serve(&[])
    }

    /// All readings of a sensor, without their times.
    pub(crate) fn readings(&self, sensor: &str) -> Vec<Shown> {
        let text = self.place.ok(&["export", "--sensor", sensor]);
        let number = |text: &str| (!text.is_empty()).then(|| text.parse().unwrap());
        let row = |line: &str| {
            let columns: Vec<&str> = line.split(',').collect();
            (number(columns[1]), number(columns[2]))
        };
        text.lines().skip(1).map(row).collect()
    }

    /// The first reading of a sensor, once there is one.
    #[track_caller]
    pub(crate) fn first(&self, sensor: &str) -> Shown {
        eventually(&format!("a reading of {sensor}"), || {
            self.sensors().contains(&sensor.to_owned()).then_some(())?;
            self.readings(sensor).first().copied()
        })
    }

    /// Checks the first readings of sensors: watts, and watt-hours.
    #[track_caller]
    pub(crate) fn check_first(&self, readings: &[(&str, f64, f64)]) {
        for (sensor, watts, watthours) in readings {
            let expected = (Some(*watts), Some(*watthours));
            assert_eq!(self.first(sensor), expected, "{sensor}");
        }
    }

    /// Checks the roles of sensors that were added with a counter.
    #[track_caller]
    pub(crate) fn check_added(&self, roles: &[(&str, &str)]) {
        let list = self.place.json(&["sensor", "list"]);
        for (sensor, role) in roles {
            let mut rows = list.as_array().unwrap().iter();
            let added = rows.find(|row| row["sensor_id"] == *sensor).unwrap();
            assert_eq!(added["role"], *role, "{sensor}");
            assert_eq!(added["register"], "counter", "{sensor}");
        }
    }

    /// The ids of all sensors.
    pub(crate) fn sensors(&self) -> Vec<String> {
        let list = self.place.json(&["sensor", "list"]);
        let list = list.as_array().unwrap();
        let id = |row: &serde_json::Value| row["sensor_id"].as_str().unwrap().to_owned();
        list.iter().map(id).collect()
    }
}
