#![no_main]

wattkeeper_fuzz::target!(upload);
