#![no_main]

wattkeeper_fuzz::target!(mqtt_message);
