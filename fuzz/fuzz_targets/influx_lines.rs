#![no_main]

wattkeeper_fuzz::target!(influx_lines);
