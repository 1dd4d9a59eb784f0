// SPDX-License-Identifier: Apache-2.0
//! Boolean functions as Liberty writes them: `!(A1 & A2)`, `(A*B)'`, `A B + !C`.

/// A function of named inputs.
#[derive(Clone, Debug, PartialEq)]
pub enum Function {
    Input(String),
    Constant(bool),
    Not(Box<Function>),
    And(Box<Function>, Box<Function>),
    Xor(Box<Function>, Box<Function>),
    Or(Box<Function>, Box<Function>),
}

impl Function {
    /// `None` when the text is no such function.
    pub fn parse(text: &str) -> Option<Function> {
        let mut tokens = tokens(text);
        tokens.reverse();
        let function = or(&mut tokens)?;
        tokens.is_empty().then_some(function)
    }

    /// The chance that it is true, when each input is so with a chance of its own and independently.
    pub fn chance(&self, input: &impl Fn(&str) -> Option<f64>) -> Option<f64> {
        Some(match self {
            Function::Input(name) => input(name)?,
            Function::Constant(value) => f64::from(u8::from(*value)),
            Function::Not(a) => 1.0 - a.chance(input)?,
            Function::And(a, b) => a.chance(input)? * b.chance(input)?,
            Function::Xor(a, b) => {
                let (a, b) = (a.chance(input)?, b.chance(input)?);
                a * (1.0 - b) + b * (1.0 - a)
            }
            Function::Or(a, b) => {
                let (a, b) = (a.chance(input)?, b.chance(input)?);
                a + b - a * b
            }
        })
    }

    /// `None` when the function names an input that has no value, as the state of a flip-flop.
    pub fn evaluate(&self, input: &impl Fn(&str) -> Option<bool>) -> Option<bool> {
        Some(match self {
            Function::Input(name) => input(name)?,
            Function::Constant(value) => *value,
            Function::Not(a) => !a.evaluate(input)?,
            Function::And(a, b) => a.evaluate(input)? & b.evaluate(input)?,
            Function::Xor(a, b) => a.evaluate(input)? ^ b.evaluate(input)?,
            Function::Or(a, b) => a.evaluate(input)? | b.evaluate(input)?,
        })
    }
}

fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = vec![];
    let mut word = false;
    for c in text.chars() {
        let in_word = c.is_alphanumeric() || "_[]".contains(c);
        match tokens.last_mut() {
            Some(last) if word && in_word => last.push(c),
            _ if !c.is_whitespace() => tokens.push(c.to_string()),
            _ => {}
        }
        word = in_word;
    }
    tokens
}

/// The operators by rising precedence: or, and, exclusive or, not.
fn or(tokens: &mut Vec<String>) -> Option<Function> {
    let mut left = and(tokens)?;
    while tokens.last().is_some_and(|token| token == "+" || token == "|") {
        tokens.pop();
        left = Function::Or(Box::new(left), Box::new(and(tokens)?));
    }
    Some(left)
}

/// Two operands side by side are a conjunction, too.
fn and(tokens: &mut Vec<String>) -> Option<Function> {
    let mut left = xor(tokens)?;
    while tokens.last().is_some_and(|token| !["+", "|", ")"].contains(&token.as_str())) {
        if tokens.last().is_some_and(|token| token == "*" || token == "&") {
            tokens.pop();
        }
        left = Function::And(Box::new(left), Box::new(xor(tokens)?));
    }
    Some(left)
}

fn xor(tokens: &mut Vec<String>) -> Option<Function> {
    let mut left = not(tokens)?;
    while tokens.last().is_some_and(|token| token == "^") {
        tokens.pop();
        left = Function::Xor(Box::new(left), Box::new(not(tokens)?));
    }
    Some(left)
}

/// Inversion stands before its operand as `!` or behind it as `'`.
fn not(tokens: &mut Vec<String>) -> Option<Function> {
    let token = tokens.pop()?;
    let mut operand = match token.as_str() {
        "!" => Function::Not(Box::new(not(tokens)?)),
        "(" => {
            let inner = or(tokens)?;
            (tokens.pop()? == ")").then_some(inner)?
        }
        "0" | "1" => Function::Constant(token == "1"),
        name if name.starts_with(|c: char| c.is_alphabetic() || c == '_') => Function::Input(token),
        _ => return None,
    };
    while tokens.last().is_some_and(|token| token == "'") {
        tokens.pop();
        operand = Function::Not(Box::new(operand));
    }
    Some(operand)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Truth table over A, B, C; bit `a + 2b + 4c`.
    fn table(text: &str) -> u8 {
        let function = Function::parse(text).unwrap();
        (0..8u8).fold(0, |table, row| {
            let input = |name: &str| Some(row >> ["A", "B", "C"].iter().position(|n| *n == name)? & 1 == 1);
            table | (function.evaluate(&input).unwrap() as u8) << row
        })
    }

    #[test]
    fn spellings_and_precedence() {
        assert_eq!(table("!(A & B)"), 0b0111_0111);
        assert_eq!(table("(A*B)'"), 0b0111_0111);
        assert_eq!(table("!A + !B"), 0b0111_0111);
        assert_eq!(table("A B | C"), 0b1111_1000);
        assert_eq!(table("A ^ B C"), 0b0110_0000);
        assert_eq!(table("A'' + 0"), 0b1010_1010);
    }

    #[test]
    fn refuses_what_is_no_function() {
        for text in ["", "A +", "(A", "A)", "* B", "A $ B"] {
            assert_eq!(Function::parse(text), None, "{text}");
        }
        assert_eq!(Function::parse("IQ").unwrap().evaluate(&|_| None), None);
    }
}
