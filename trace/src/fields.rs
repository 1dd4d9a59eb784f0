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

    /// Whether nothing but spaces is left.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&byte| byte == b' ')
    }
}

/// For messages: bytes as text, shortened.
pub(crate) fn show(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(60)]);
    text.trim_end().to_owned()
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
    let mut parts = inner.split(|&byte| byte == b',').map(number);
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
        assert_eq!(triple(b"(8,1,2"), None);
        assert_eq!(triple(b"8,1"), None);
        assert_eq!(triple(b"8,1,2,3"), None);
    }

    #[test]
    fn fields_end_with_empty_ones() {
        let mut fields = Fields(b"ab c ");
        assert_eq!(fields.next(), b"ab");
        assert_eq!(fields.next(), b"c");
        assert!(fields.is_empty());
        assert_eq!(fields.next(), b"");
    }
}
