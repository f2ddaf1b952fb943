#![no_main]

wattkeeper_fuzz::target!(poll_answer);
