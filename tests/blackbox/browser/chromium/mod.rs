//! What a person does in the browser, from the first run on.

mod axe;
mod charts;
mod first_reading;
mod keys;
mod live;
mod sessions;
mod without_scripts;
mod zone;
