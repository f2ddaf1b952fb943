//! A person in the browser, from the first run on.

mod axe;
mod broker;
mod charts;
mod counted;
mod devices;
mod energy;
mod first_reading;
mod first_run;
mod framed;
mod history;
mod keys;
mod large_text;
mod live;
mod meters;
mod money;
mod offline;
mod sessions;
mod wall;
mod without_scripts;
mod zone;
