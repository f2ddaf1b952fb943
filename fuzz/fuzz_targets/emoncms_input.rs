#![no_main]

wattkeeper_fuzz::target!(emoncms_input);
