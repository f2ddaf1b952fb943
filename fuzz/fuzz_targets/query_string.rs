#![no_main]

wattkeeper_fuzz::target!(query_string);
