//! Encoding and decoding of blocks, per reading; in memory only.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput};
use wattkeeper::Measure;
use wattkeeper::Reading;
use wattkeeper::TimeRange;
use wattkeeper::{decode, decode_measure, encode};

use crate::readings;

/// The default size of a block; this many minutes of the house always fit.
const BLOCK_READINGS: usize = 4_096;

pub(crate) fn run(criterion: &mut Criterion) {
    coding(criterion, "excerpt", &readings::excerpt());
    if let Some(whole) = readings::whole() {
        coding(criterion, "whole file", &whole);
    }
}

fn coding(criterion: &mut Criterion, name: &str, readings: &[Reading]) {
    let blocks: Vec<Vec<u8>> = readings
        .chunks(BLOCK_READINGS)
        .map(|chunk| encode(chunk).unwrap())
        .collect();
    let mut group = criterion.benchmark_group("block");
    group.throughput(Throughput::Elements(readings.len() as u64));
    group.bench_function(BenchmarkId::new("encode", name), |bencher| {
        bencher.iter(|| {
            for chunk in readings.chunks(BLOCK_READINGS) {
                black_box(encode(black_box(chunk)).unwrap());
            }
        });
    });
    group.bench_function(BenchmarkId::new("decode", name), |bencher| {
        bencher.iter(|| {
            for block in &blocks {
                black_box(decode(black_box(block)).unwrap());
            }
        });
    });
    for (what, measure) in [
        ("decode power", Measure::Watts),
        ("decode registers", Measure::Watthours),
    ] {
        group.bench_function(BenchmarkId::new(what, name), |bencher| {
            bencher.iter(|| {
                for block in &blocks {
                    black_box(decode_measure(black_box(block), measure, TimeRange::ALL).unwrap());
                }
            });
        });
    }
    // The page in the middle of each block, to compare with all pages above.
    for (what, measure) in [
        ("decode power of a page", Measure::Watts),
        ("decode registers of a page", Measure::Watthours),
    ] {
        let middles = readings.chunks(BLOCK_READINGS).map(|chunk| {
            let middle = chunk[chunk.len() / 2].time;
            TimeRange::new(middle, middle).unwrap()
        });
        let parts: Vec<(&Vec<u8>, TimeRange)> = blocks.iter().zip(middles).collect();
        group.bench_function(BenchmarkId::new(what, name), |bencher| {
            bencher.iter(|| {
                for &(block, range) in &parts {
                    black_box(decode_measure(black_box(block), measure, range).unwrap());
                }
            });
        });
    }
    group.finish();
}
