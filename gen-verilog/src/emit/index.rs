// SPDX-License-Identifier: Apache-2.0
//! Array indices in a kernel's paths: `bank[i*4+j].queue`, arithmetic over numbers and loop variables.

use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Index {
    Number(i64),
    Variable(String),
    Operation(Box<Index>, IndexOperator, Box<Index>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexOperator {
    Add,
    Sub,
    Mul,
}

impl IndexOperator {
    pub fn symbol(self) -> char {
        match self {
            IndexOperator::Add => '+',
            IndexOperator::Sub => '-',
            IndexOperator::Mul => '*',
        }
    }
}

/// A loop's variable in one of its turns.
pub type LoopTurn = (String, i64);

impl Index {
    /// Reads numbers and names with `+`, `-`, `*` and parentheses.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut reader = Reader { rest: text };
        let index = reader.sum()?;
        match reader.rest.is_empty() {
            true => Ok(index),
            false => Err(format!("the index {text} is not plain arithmetic")),
        }
    }

    pub fn of(number: usize) -> Self {
        Index::Number(number as i64)
    }

    pub fn number(&self) -> Option<i64> {
        match self {
            Index::Number(number) => Some(*number),
            _ => None,
        }
    }

    pub fn combined(left: Index, operator: IndexOperator, right: Index) -> Self {
        match (left, operator, right) {
            (Index::Number(left), IndexOperator::Add, Index::Number(right)) => Index::Number(left + right),
            (Index::Number(left), IndexOperator::Sub, Index::Number(right)) => Index::Number(left - right),
            (Index::Number(left), IndexOperator::Mul, Index::Number(right)) => Index::Number(left * right),
            (index, IndexOperator::Add | IndexOperator::Sub, Index::Number(0))
            | (Index::Number(0), IndexOperator::Add, index)
            | (index, IndexOperator::Mul, Index::Number(1))
            | (Index::Number(1), IndexOperator::Mul, index) => index,
            (Index::Number(0), IndexOperator::Mul, _) | (_, IndexOperator::Mul, Index::Number(0)) => {
                Index::Number(0)
            }
            (left, operator, right) => Index::Operation(Box::new(left), operator, Box::new(right)),
        }
    }

    pub fn plus(self, other: Index) -> Self {
        Index::combined(self, IndexOperator::Add, other)
    }

    pub fn times(self, factor: usize) -> Self {
        Index::combined(self, IndexOperator::Mul, Index::of(factor))
    }

    /// The same in these turns of its loops.
    pub fn turned(&self, turns: &[LoopTurn]) -> Self {
        match self {
            Index::Number(_) => self.clone(),
            Index::Variable(name) => match turns.iter().rev().find(|(variable, _)| variable == name) {
                Some((_, value)) => Index::Number(*value),
                None => self.clone(),
            },
            Index::Operation(left, operator, right) => {
                Index::combined(left.turned(turns), *operator, right.turned(turns))
            }
        }
    }

    /// The first variable in it.
    pub fn variable(&self) -> Option<&str> {
        match self {
            Index::Number(_) => None,
            Index::Variable(name) => Some(name),
            Index::Operation(left, _, right) => left.variable().or_else(|| right.variable()),
        }
    }

    /// A variable that is none of these.
    pub fn stranger(&self, known: &impl Fn(&str) -> bool) -> Option<&str> {
        match self {
            Index::Number(_) => None,
            Index::Variable(name) => (!known(name)).then_some(name),
            Index::Operation(left, _, right) => left.stranger(known).or_else(|| right.stranger(known)),
        }
    }

    /// Bounds of its values, given those of its variables; exact where no variable stands in it twice.
    pub fn bounds(&self, of: &impl Fn(&str) -> (i64, i64)) -> (i64, i64) {
        match self {
            Index::Number(number) => (*number, *number),
            Index::Variable(name) => of(name),
            Index::Operation(left, operator, right) => {
                let ((a, b), (c, d)) = (left.bounds(of), right.bounds(of));
                match operator {
                    IndexOperator::Add => (a + c, b + d),
                    IndexOperator::Sub => (a - d, b - c),
                    IndexOperator::Mul => {
                        let products = [a * c, a * d, b * c, b * d];
                        let least = products.iter().min().expect("four products");
                        (*least, *products.iter().max().expect("four products"))
                    }
                }
            }
        }
    }
}

impl fmt::Display for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_sum =
            |index: &Index| matches!(index, Index::Operation(_, IndexOperator::Add | IndexOperator::Sub, _));
        let write = |index: &Index, in_parentheses: bool, f: &mut fmt::Formatter<'_>| match in_parentheses {
            true => write!(f, "({index})"),
            false => write!(f, "{index}"),
        };
        match self {
            Index::Number(number) => write!(f, "{number}"),
            Index::Variable(name) => f.write_str(name),
            Index::Operation(left, IndexOperator::Mul, right) => {
                write(left, is_sum(left), f)?;
                f.write_str("*")?;
                write(right, !matches!(**right, Index::Number(_) | Index::Variable(_)), f)
            }
            Index::Operation(left, operator, right) => {
                write(left, false, f)?;
                write!(f, " {} ", operator.symbol())?;
                write(right, is_sum(right), f)
            }
        }
    }
}

/// A path's names, joined by `$`, and the indices between them: `bank[i].queue` and `bank$3$queue` are
/// `bank$queue` and one index.
pub fn parse_path(path: &str) -> Result<(String, Vec<Index>), String> {
    let path = path.strip_suffix("$next").unwrap_or(path);
    let (mut names, mut indices) = (vec![], vec![]);
    for step in path.split('$') {
        if let Ok(number) = step.parse() {
            indices.push(Index::Number(number));
            continue;
        }
        let (name, mut rest) = step.split_at(step.find('[').unwrap_or(step.len()));
        names.push(name);
        while let Some(after) = rest.strip_prefix('[') {
            let (index, after) = after.split_once(']').ok_or("an index is not closed")?;
            indices.push(Index::parse(index)?);
            rest = after;
        }
    }
    Ok((names.join("$"), indices))
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn sum(&mut self) -> Result<Index, String> {
        let mut index = self.product()?;
        loop {
            let operator = match (self.take('+'), self.rest.starts_with('-')) {
                (true, _) => IndexOperator::Add,
                (false, true) => IndexOperator::Sub,
                (false, false) => return Ok(index),
            };
            self.take('-');
            index = Index::combined(index, operator, self.product()?);
        }
    }

    fn product(&mut self) -> Result<Index, String> {
        let mut index = self.operand()?;
        while self.take('*') {
            index = Index::combined(index, IndexOperator::Mul, self.operand()?);
        }
        Ok(index)
    }

    fn operand(&mut self) -> Result<Index, String> {
        if self.take('(') {
            let index = self.sum()?;
            return if self.take(')') { Ok(index) } else { Err("a parenthesis is not closed".to_string()) };
        }
        self.skip_blanks();
        let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
        let end = self.rest.find(|letter| !is_word(letter)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        match word.trim_end_matches("usize").parse() {
            Ok(number) => Ok(Index::Number(number)),
            Err(_) if word.starts_with(|letter: char| letter.is_alphabetic() || letter == '_') => {
                Ok(Index::Variable(word.to_string()))
            }
            Err(_) => Err(format!("the index holds {word:?}, neither a number nor a loop variable")),
        }
    }

    fn take(&mut self, symbol: char) -> bool {
        self.skip_blanks();
        match self.rest.strip_prefix(symbol) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_start();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(path: &str) -> (String, Vec<i64>) {
        let turns = [("i", 2), ("j", 3)].map(|(name, value)| (name.to_string(), value));
        let (names, indices) = parse_path(path).unwrap();
        (names, indices.iter().map(|index| index.turned(&turns).number().unwrap()).collect())
    }

    #[test]
    fn indices_are_evaluated_with_precedence() {
        assert_eq!(resolved("x[i*4+j]$next"), ("x".to_string(), vec![11]));
        assert_eq!(resolved("x[7-i]"), ("x".to_string(), vec![5]));
        assert_eq!(resolved("x[7-i-j]"), ("x".to_string(), vec![2]));
        assert_eq!(resolved("x[(i+1)*j]$d"), ("x$d".to_string(), vec![9]));
    }

    #[test]
    fn several_indices_may_stand_in_one_path() {
        assert_eq!(resolved("bank[i]$slot[j][0]$q"), ("bank$slot$q".to_string(), vec![2, 3, 0]));
        assert_eq!(resolved("bank$2$slot$3$0$q"), resolved("bank[i]$slot[j][0]$q"));
    }

    #[test]
    fn text_keeps_the_value() {
        let text = |text: &str| Index::parse(text).unwrap().times(8).to_string();
        assert_eq!(text("i*4+j"), "(i*4 + j)*8");
        assert_eq!(text("7-(i-j)"), "(7 - (i - j))*8");
        assert_eq!(text("i*(j*2)"), "i*(j*2)*8");
        assert_eq!(text("3"), "24");
    }

    #[test]
    fn bounds_hold_for_every_turn() {
        let bounds = |text: &str| Index::parse(text).unwrap().bounds(&|_| (0, 3));
        assert_eq!(bounds("i*4+j"), (0, 15));
        assert_eq!(bounds("3-i"), (0, 3));
    }

    #[test]
    fn an_index_that_is_no_arithmetic_is_an_error() {
        assert!(parse_path("x[i/j]").is_err());
        assert!(parse_path("x[(i]").is_err());
        assert!(parse_path("x[]").is_err());
    }
}
