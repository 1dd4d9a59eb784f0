// SPDX-License-Identifier: Apache-2.0
//! Fields and numbers of a line of bytes.

/// The part of a line not yet read; fields are separated by single spaces.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'a>(pub &'a [u8]);

impl<'a> Fields<'a> {
    /// The next field; empty at the end of the line.
    #[inline]
    pub fn next(&mut self) -> &'a [u8] {
        let end = self.0.iter().position(|&byte| byte == b' ');
        let end = end.unwrap_or(self.0.len());
        let field = &self.0[..end];
        self.0 = self.0.get(end + 1..).unwrap_or_default();
        field
    }

    /// The next field, where blanks of any kind and number may stand between fields.
    #[inline]
    pub fn next_word(&mut self) -> &'a [u8] {
        self.0 = self.0.trim_ascii_start();
        let end = self.0.iter().position(u8::is_ascii_whitespace);
        let (field, rest) = self.0.split_at(end.unwrap_or(self.0.len()));
        self.0 = rest.get(1..).unwrap_or_default();
        field
    }

    /// Returns true if nothing but spaces is left.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&byte| byte == b' ')
    }
}

/// For messages: bytes as text, shortened, control characters replaced.
pub(crate) fn show(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(60)]);
    let shown = text.trim_end().chars();
    shown
        .map(|character| if character.is_control() { char::REPLACEMENT_CHARACTER } else { character })
        .collect()
}

/// Writes the words of a line into `out`, one space between them. Whether that changes the line.
pub(crate) fn single_spaced(line: &[u8], out: &mut Vec<u8>) -> bool {
    out.clear();
    for word in words(line) {
        out.extend_from_slice(word);
        out.push(b' ');
    }
    out.trim_ascii_end() != line.trim_ascii_end()
}

/// The words between blanks and tabs.
pub(crate) fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

/// `key = value`, its value trimmed. Any blanks may stand around the words.
pub(crate) fn value_of<'a>(line: &'a [u8], key: &str) -> Option<&'a [u8]> {
    let equals = line.iter().position(|&byte| byte == b'=')?;
    let named = words(&line[..equals]).eq(key.split(' ').map(str::as_bytes));
    named.then(|| line[equals + 1..].trim_ascii())
}

/// Hexadecimal digits with or without `0x`.
#[inline]
pub(crate) fn hexadecimal(text: &[u8]) -> Option<u64> {
    let digits = text.strip_prefix(b"0x").unwrap_or(text);
    if digits.is_empty() || digits.len() > 16 {
        return None;
    }
    let mut value = 0;
    let mut invalid = 0;
    for &byte in digits {
        let digit = HEXADECIMAL[usize::from(byte)];
        invalid |= digit;
        value = value << 4 | u64::from(digit & 15);
    }
    (invalid & 0x80 == 0).then_some(value)
}

/// The value of a hexadecimal digit; the top bit marks any other byte.
const HEXADECIMAL: [u8; 256] = {
    let mut table = [0x80; 256];
    let mut value = 0;
    while value < 16 {
        let digits = b"0123456789abcdef";
        table[digits[value as usize] as usize] = value;
        table[digits[value as usize].to_ascii_uppercase() as usize] = value;
        value += 1;
    }
    table
};

/// A decimal number up to 2^64, perhaps negative down to -2^63, in two's complement.
#[inline]
pub(crate) fn decimal(text: &[u8]) -> Option<i64> {
    let (digits, negative) = match text.strip_prefix(b"-") {
        Some(digits) => (digits, true),
        None => (text, false),
    };
    if digits.is_empty() || digits.len() > 20 {
        return None;
    }
    let mut value: u64 = 0;
    for &byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value.checked_mul(10)?.checked_add(u64::from(digit))?;
    }
    match negative {
        false => Some(value as i64),
        true => (value <= 1 << 63).then(|| (value as i64).wrapping_neg()),
    }
}

/// A decimal number that fits `T`.
pub(crate) fn number<T: TryFrom<i64>>(text: &[u8]) -> Option<T> {
    T::try_from(decimal(text)?).ok()
}

/// `x,y,z` with or without parentheses.
pub(crate) fn triple(text: &[u8]) -> Option<[u32; 3]> {
    let inner = match text.strip_prefix(b"(") {
        Some(inner) => inner.strip_suffix(b")")?,
        None => text,
    };
    let mut parts = inner.split(|&byte| byte == b',').map(|part| number(part.trim_ascii()));
    let triple = [parts.next()??, parts.next()??, parts.next()??];
    parts.next().is_none().then_some(triple)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_or_refused() {
        assert_eq!(hexadecimal(b"0x7fC8"), Some(0x7fc8));
        assert_eq!(hexadecimal(b"ffffffffffffffff"), Some(u64::MAX));
        assert_eq!(hexadecimal(b"0x"), None);
        assert_eq!(hexadecimal(b"12g4"), None);
        assert_eq!(hexadecimal(b"10000000000000000"), None);
        assert_eq!(decimal(b"-264"), Some(-264));
        assert_eq!(decimal(b"18446744073709551615"), Some(-1));
        assert_eq!(decimal(b"-9223372036854775808"), Some(i64::MIN));
        assert_eq!(decimal(b"-9223372036854775809"), None);
        assert_eq!(decimal(b"18446744073709551616"), None);
        assert_eq!(decimal(b"1a"), None);
        assert_eq!(decimal(b"-"), None);
        assert_eq!(number::<u8>(b"256"), None);
    }

    #[test]
    fn triples_take_parentheses_or_none() {
        assert_eq!(triple(b"(8,1,2)"), Some([8, 1, 2]));
        assert_eq!(triple(b"8,1,2"), Some([8, 1, 2]));
        assert_eq!(triple(b"( 8, 1,\t2 )"), Some([8, 1, 2]));
        assert_eq!(triple(b"(8,1,2"), None);
        assert_eq!(triple(b"8,1"), None);
        assert_eq!(triple(b"8,1,2,3"), None);
    }

    #[test]
    fn a_message_has_no_control_characters_and_is_short() {
        assert_eq!(show(b"k\x1b[31m\0\tz "), "k\u{fffd}[31m\u{fffd}\u{fffd}z");
        assert_eq!(show(&[7; 1000]), "\u{fffd}".repeat(60));
    }

    #[test]
    fn blanks_between_words_are_made_single() {
        let mut out = vec![];
        assert!(single_spaced(b" ab\t c  d", &mut out));
        assert_eq!(out, b"ab c d ");
        assert!(!single_spaced(b"ab c d  ", &mut out));
    }

    #[test]
    fn a_value_is_found_behind_its_key() {
        assert_eq!(value_of(b"thread  block\t=  1,2,3 \t", "thread block"), Some(&b"1,2,3"[..]));
        assert_eq!(value_of(b"thread blocks = 1", "thread block"), None);
        assert_eq!(value_of(b"warp 1", "warp"), None);
    }

    #[test]
    fn fields_end_with_empty_ones() {
        let mut fields = Fields(b"ab c ");
        assert_eq!(fields.next(), b"ab");
        assert_eq!(fields.next(), b"c");
        assert!(fields.is_empty());
        assert_eq!(fields.next(), b"");
    }

    #[test]
    fn words_have_any_blanks_between_them() {
        let mut fields = Fields(b" ab\t\t c d");
        assert_eq!((fields.next_word(), fields.next_word()), (&b"ab"[..], &b"c"[..]));
        assert_eq!(fields.0, b"d");
    }
}
