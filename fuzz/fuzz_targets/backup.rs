#![no_main]

wattkeeper_fuzz::target!(backup);
