//! Arithmetic of `f64` that stays finite and shows no binary noise.

/// `number`, or the nearest finite number if it is infinite.
pub(crate) const fn finite(number: f64) -> f64 {
    number.clamp(f64::MIN, f64::MAX)
}

/// `number` rounded to a millionth, if it has digits beyond that.
pub(crate) fn to_millionth(number: f64) -> f64 {
    /// Above this, a `f64` has no digit left beyond the millionth: 2^52 / 10^6.
    const ROUNDABLE: f64 = 4_503_599_627.370_496;
    if number.abs() < ROUNDABLE {
        // A quotient of whole numbers is the f64 nearest to the decimal, which prints without
        // noise; `* 1e-6` is not.
        (number * 1e6).round() / 1e6
    } else {
        number
    }
}
