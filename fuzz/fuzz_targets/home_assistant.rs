#![no_main]

wattkeeper_fuzz::target!(home_assistant);
