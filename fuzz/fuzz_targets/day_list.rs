#![no_main]

wattkeeper_fuzz::target!(day_list);
