#![no_main]

wattkeeper_fuzz::target!(price_answer);
