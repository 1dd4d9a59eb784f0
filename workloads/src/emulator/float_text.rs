// SPDX-License-Identifier: Apache-2.0
//! `%f`, `%e`, `%g` and `%a` of `printf`, as C defines them: the exact value, rounded once.

/// A conversion specification between `%` and its letter.
#[derive(Default)]
struct Specification {
    left: bool,
    plus: bool,
    blank: bool,
    alternative: bool,
    zeros: bool,
    width: usize,
    precision: Option<usize>,
}

impl Specification {
    /// `None`: not one of C's.
    fn parse(text: &str) -> Option<Specification> {
        let mut found = Specification::default();
        let rest = text.trim_start_matches(|flag: char| {
            let place = match flag {
                '-' => &mut found.left,
                '+' => &mut found.plus,
                ' ' => &mut found.blank,
                '#' => &mut found.alternative,
                '0' => &mut found.zeros,
                _ => return false,
            };
            *place = true;
            true
        });
        let (width, precision) = match rest.split_once('.') {
            Some((width, precision)) => (width, Some(precision)),
            None => (rest, None),
        };
        let number = |text: &str| if text.is_empty() { Some(0) } else { text.parse().ok() };
        found.width = number(width)?;
        // A negative precision, which an argument can give, is none.
        found.precision = match precision {
            Some(text) if text.starts_with('-') => None,
            Some(text) => Some(number(text)?),
            None => None,
        };
        // No more than a line of a terminal is worth.
        (found.width <= 4096 && found.precision.unwrap_or(0) <= 4096).then_some(found)
    }
}

/// The text of a value under a specification, such as `-8.3` with the letter `g`; `None`: not one of C's.
pub(super) fn float_text(specification: &str, letter: char, value: f64) -> Option<String> {
    let specification = Specification::parse(specification)?;
    let magnitude = value.abs();
    let mut digits = match letter.to_ascii_lowercase() {
        _ if value.is_nan() => "nan".into(),
        _ if value.is_infinite() => "inf".into(),
        'f' => fixed(magnitude, specification.precision.unwrap_or(6), specification.alternative),
        'e' => scientific(magnitude, specification.precision.unwrap_or(6), specification.alternative),
        'g' => compact(magnitude, &specification),
        'a' => hexadecimal(magnitude, &specification),
        _ => return None,
    };
    if letter.is_ascii_uppercase() {
        digits.make_ascii_uppercase();
    }
    let sign = match value.is_sign_negative() {
        true => "-",
        false if specification.plus => "+",
        false if specification.blank => " ",
        false => "",
    };
    let blanks = specification.width.saturating_sub(sign.len() + digits.len());
    Some(if specification.left {
        format!("{sign}{digits}{:blanks$}", "")
    } else if specification.zeros && value.is_finite() {
        // Zeros stand behind the `0x` of a hexadecimal number.
        let prefix = if letter.eq_ignore_ascii_case(&'a') { 2 } else { 0 };
        format!("{sign}{}{:0<blanks$}{}", &digits[..prefix], "", &digits[prefix..])
    } else {
        format!("{:blanks$}{sign}{digits}", "")
    })
}

fn fixed(magnitude: f64, precision: usize, point: bool) -> String {
    let point = if point && precision == 0 { "." } else { "" };
    format!("{magnitude:.precision$}{point}")
}

fn scientific(magnitude: f64, precision: usize, point: bool) -> String {
    let (digits, exponent) = rounded(magnitude, precision);
    let point = if point && precision == 0 { "." } else { "" };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}{point}e{sign}{:02}", exponent.abs())
}

/// Digits and exponent of a value with so many digits behind the point.
fn rounded(magnitude: f64, precision: usize) -> (String, i32) {
    let text = format!("{magnitude:.precision$e}");
    let (digits, exponent) = text.split_once('e').expect("Rust writes one");
    (digits.into(), exponent.parse().expect("Rust writes a number"))
}

fn compact(magnitude: f64, specification: &Specification) -> String {
    let significant = specification.precision.unwrap_or(6).max(1);
    let (_, exponent) = rounded(magnitude, significant - 1);
    let (text, is_fixed) = if (-4..significant as i32).contains(&exponent) {
        (fixed(magnitude, (significant as i32 - 1 - exponent) as usize, specification.alternative), true)
    } else {
        (scientific(magnitude, significant - 1, specification.alternative), false)
    };
    if specification.alternative {
        return text;
    }
    let end = if is_fixed { text.len() } else { text.find('e').expect("scientific has one") };
    let (digits, exponent) = text.split_at(end);
    let digits = match digits.contains('.') {
        true => digits.trim_end_matches('0').trim_end_matches('.'),
        false => digits,
    };
    format!("{digits}{exponent}")
}

fn hexadecimal(magnitude: f64, specification: &Specification) -> String {
    let bits = magnitude.to_bits();
    let (mut fraction, exponent) = (bits & ((1 << 52) - 1), (bits >> 52) as i32);
    let (mut whole, exponent) = match exponent {
        0 if fraction == 0 => (0, 0),
        0 => (0, -1022),
        _ => (1u64, exponent - 1023),
    };
    if let Some(precision) = specification.precision.filter(|&precision| precision < 13) {
        // To the nearest, to even where two are.
        let dropped = 52 - 4 * precision;
        let all = whole << 52 | fraction;
        let half = 1u64 << (dropped - 1);
        let (kept, rest) = (all >> dropped, all & ((half << 1) - 1));
        let up = rest > half || rest == half && kept & 1 == 1;
        let all = (kept + u64::from(up)) << dropped;
        (whole, fraction) = (all >> 52, all & ((1 << 52) - 1));
    }
    let mut digits = format!("{fraction:013x}");
    match specification.precision {
        Some(precision) if precision < 13 => digits.truncate(precision),
        Some(precision) => digits.extend(std::iter::repeat_n('0', precision - 13)),
        None => digits.truncate(digits.trim_end_matches('0').len()),
    }
    let point = if digits.is_empty() && !specification.alternative { "" } else { "." };
    format!("0x{whole}{point}{digits}p{exponent:+}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts as C prints them, told by the same call in a C program.
    #[test]
    fn as_in_c() {
        let cases: &[(&str, f64, &str)] = &[
            ("%f", 0.0, "0.000000"),
            ("%f", -1.5, "-1.500000"),
            ("%f", 1e-5, "0.000010"),
            ("%f", 123456.0, "123456.000000"),
            ("%f", 0.0001234, "0.000123"),
            ("%f", 99999.95, "99999.950000"),
            ("%f", f64::NAN, "nan"),
            ("%f", 4.14159265358979, "4.141593"),
            ("%.0f", -1.5, "-2"),
            ("%.0f", 0.0001234, "0"),
            ("%.0f", -f64::INFINITY, "-inf"),
            ("%#.0f", 123456.0, "123456."),
            ("%#.0f", 1234567.0, "1234567."),
            ("%#.0f", 0.0001234, "0."),
            ("%#.0f", f64::NAN, "nan"),
            ("%#.0f", -f64::INFINITY, "-inf"),
            ("%10.3f", 1.0, "     1.000"),
            ("%10.3f", 0.0001234, "     0.000"),
            ("%10.3f", 99999.95, " 99999.950"),
            ("%-10.2f", 0.0, "0.00      "),
            ("%-10.2f", 1e-5, "0.00      "),
            ("%-10.2f", 123456.0, "123456.00 "),
            ("%-10.2f", 2.5, "2.50      "),
            ("%+.1f", 5e-324, "+0.0"),
            ("% .2f", 1e-5, " 0.00"),
            ("%010.3f", 0.0, "000000.000"),
            ("%010.3f", 1234567.0, "1234567.000"),
            ("%010.3f", 4.14159265358979, "000004.142"),
            ("%.25f", -0.0, "-0.0000000000000000000000000"),
            ("%.25f", f64::NAN, "nan"),
            ("%.25f", f64::INFINITY, "inf"),
            ("%.25f", -f64::INFINITY, "-inf"),
            ("%.25f", 4.14159265358979, "4.1415926535897895632842847"),
            ("%e", 1.0, "1.000000e+00"),
            ("%e", 1e20, "1.000000e+20"),
            ("%e", 123456.0, "1.234560e+05"),
            ("%.0e", 0.0, "0e+00"),
            ("%.0e", 1.0, "1e+00"),
            ("%.0e", 1e20, "1e+20"),
            ("%.0e", 99999.95, "1e+05"),
            ("%.0e", 999999.5, "1e+06"),
            ("%#.0e", 1.0, "1.e+00"),
            ("%#.0e", 1e20, "1.e+20"),
            ("%#.0e", 1e-5, "1.e-05"),
            ("%#.0e", 123456.0, "1.e+05"),
            ("%#.0e", 999999.5, "1.e+06"),
            ("%#.0e", f64::MAX, "2.e+308"),
            ("%#.0e", 5e-324, "5.e-324"),
            ("%.15e", 1e20, "1.000000000000000e+20"),
            ("%.15e", 1e-5, "1.000000000000000e-05"),
            ("%.15e", 999999.5, "9.999995000000000e+05"),
            ("%.15e", 0.1, "1.000000000000000e-01"),
            ("%.15e", f64::MAX, "1.797693134862316e+308"),
            ("%.15e", f64::INFINITY, "inf"),
            ("%12.3E", 1.0, "   1.000E+00"),
            ("%12.3E", 2.5, "   2.500E+00"),
            ("%12.3E", f64::MAX, "  1.798E+308"),
            ("%12.3E", 5e-324, "  4.941E-324"),
            ("%g", 1.0, "1"),
            ("%g", -1.5, "-1.5"),
            ("%g", 1e20, "1e+20"),
            ("%g", 123456.0, "123456"),
            ("%g", 1234567.0, "1.23457e+06"),
            ("%g", 0.0001234, "0.0001234"),
            ("%G", -1.5, "-1.5"),
            ("%G", 1e20, "1E+20"),
            ("%G", 999999.5, "1E+06"),
            ("%G", -f64::INFINITY, "-INF"),
            ("%.3g", 1e20, "1e+20"),
            ("%.3g", 4.14159265358979, "4.14"),
            ("%.12g", 0.0, "0"),
            ("%.12g", 1e20, "1e+20"),
            ("%.12g", 0.1, "0.1"),
            ("%#g", -0.0, "-0.00000"),
            ("%#g", 1e20, "1.00000e+20"),
            ("%#g", 99999.95, "99999.9"),
            ("%#g", f64::MAX, "1.79769e+308"),
            ("%#g", -f64::INFINITY, "-inf"),
            ("%#g", 4.14159265358979, "4.14159"),
            ("%10g", -1.5, "      -1.5"),
            ("%10g", 1e20, "     1e+20"),
            ("%10g", 0.1, "       0.1"),
            ("%10g", f64::MAX, "1.79769e+308"),
            ("%-10g", 1e20, "1e+20     "),
            ("%-10g", 0.1, "0.1       "),
            ("%-10g", f64::MAX, "1.79769e+308"),
            ("%010G", 1e20, "000001E+20"),
            ("%010G", 0.0001234, "00.0001234"),
            ("%010G", 0.1, "00000000.1"),
            ("%.0g", 1e20, "1e+20"),
            ("%.0g", 0.1, "0.1"),
            ("%.0g", 5e-324, "5e-324"),
            ("%a", -0.0, "-0x0p+0"),
            ("%a", 1.0, "0x1p+0"),
            ("%a", 1234567.0, "0x1.2d687p+20"),
            ("%a", 0.0001234, "0x1.02c9dedbc309dp-13"),
            ("%a", 4.14159265358979, "0x1.090fdaa221688p+2"),
            ("%A", 1e-5, "0X1.4F8B588E368F1P-17"),
            ("%A", 999999.5, "0X1.E847FP+19"),
            ("%A", f64::INFINITY, "INF"),
            ("%A", -f64::INFINITY, "-INF"),
            ("%A", 4.14159265358979, "0X1.090FDAA221688P+2"),
            ("%.0a", 123456.0, "0x2p+16"),
            ("%.0a", 1234567.0, "0x1p+20"),
            ("%.0a", 999999.5, "0x2p+19"),
            ("%.0a", 4.14159265358979, "0x1p+2"),
            ("%.3a", 0.0, "0x0.000p+0"),
            ("%.3a", -1.5, "-0x1.800p+0"),
            ("%.3a", 1234567.0, "0x1.2d7p+20"),
            ("%.3a", 2.5, "0x1.400p+1"),
            ("%.3a", 5e-324, "0x0.000p-1022"),
            ("%.3a", -f64::INFINITY, "-inf"),
            ("%20.15a", -0.0, "-0x0.000000000000000p+0"),
            ("%20.15a", 1e20, "0x1.5af1d78b58c4000p+66"),
            ("%20.15a", 123456.0, "0x1.e24000000000000p+16"),
            ("%20.15a", 1234567.0, "0x1.2d6870000000000p+20"),
            ("%20.15a", 5e-324, "0x0.000000000000100p-1022"),
            ("%20.15a", -f64::INFINITY, "                -inf"),
            ("%020a", 1.0, "0x000000000000001p+0"),
            ("%020a", 1e20, "0x1.5af1d78b58c4p+66"),
            ("%020a", 0.0001234, "0x1.02c9dedbc309dp-13"),
            ("%020a", 999999.5, "0x00000001.e847fp+19"),
            ("%020a", 2.5, "0x0000000000001.4p+1"),
        ];
        for (format, value, expected) in cases {
            let (specification, letter) = format[1..].split_at(format.len() - 2);
            let letter = letter.chars().next().expect("a letter");
            assert_eq!(
                float_text(specification, letter, *value).as_deref(),
                Some(*expected),
                "{format} {value:e}"
            );
        }
        assert_eq!(float_text("5.x", 'f', 1.0), None);
        assert_eq!(float_text("", 'd', 1.0), None);
    }
}
