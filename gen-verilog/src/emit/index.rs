//! Array indices in a kernel's paths: `bank[i*4+j].queue` stands for `bank$11$queue`.

/// A loop's variable in one of its turns.
pub struct LoopVariable {
    pub name: String,
    pub value: usize,
}

/// Replaces every `[..]` by `$` and its number, and drops the `$next` of an assignment's target.
pub fn resolve(path: &str, loops: &[LoopVariable]) -> Result<String, String> {
    let path = path.strip_suffix("$next").unwrap_or(path);
    let mut resolved = String::new();
    let mut rest = path;
    while let Some((before, after)) = rest.split_once('[') {
        let (index, after) = after.split_once(']').ok_or("an index is not closed")?;
        resolved += &format!("{before}${}", evaluate(index, loops)?);
        rest = after;
    }
    Ok(resolved + rest)
}

/// Evaluates numbers and loop variables with `+`, `-`, `*` and parentheses.
fn evaluate(text: &str, loops: &[LoopVariable]) -> Result<usize, String> {
    let mut reader = Reader { rest: text, loops };
    let value = reader.sum()?;
    if !reader.rest.is_empty() {
        return Err(format!("the index {text} is not plain arithmetic"));
    }
    usize::try_from(value).map_err(|_| format!("the index {text} is {value}"))
}

struct Reader<'a> {
    rest: &'a str,
    loops: &'a [LoopVariable],
}

impl Reader<'_> {
    fn sum(&mut self) -> Result<i64, String> {
        let mut value = self.product()?;
        loop {
            if self.take('+') {
                value += self.product()?;
            } else if self.take('-') {
                value -= self.product()?;
            } else {
                return Ok(value);
            }
        }
    }

    fn product(&mut self) -> Result<i64, String> {
        let mut value = self.operand()?;
        while self.take('*') {
            value *= self.operand()?;
        }
        Ok(value)
    }

    fn operand(&mut self) -> Result<i64, String> {
        if self.take('(') {
            let value = self.sum()?;
            return if self.take(')') { Ok(value) } else { Err("a parenthesis is not closed".to_string()) };
        }
        self.skip_blanks();
        let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
        let end = self.rest.find(|letter| !is_word(letter)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        if let Some(variable) = self.loops.iter().rev().find(|variable| variable.name == word) {
            return Ok(variable.value as i64);
        }
        word.trim_end_matches("usize")
            .parse()
            .map_err(|_| format!("the index holds {word:?}, neither a number nor a loop variable"))
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

    fn resolved(path: &str) -> Result<String, String> {
        let loops = [("i", 2), ("j", 3)].map(|(name, value)| LoopVariable { name: name.to_string(), value });
        resolve(path, &loops)
    }

    #[test]
    fn indices_are_evaluated_with_precedence() {
        assert_eq!(resolved("x[i*4+j]$next"), Ok("x$11".to_string()));
        assert_eq!(resolved("x[7-i]"), Ok("x$5".to_string()));
        assert_eq!(resolved("x[(i+1)*j]$d"), Ok("x$9$d".to_string()));
    }

    #[test]
    fn several_indices_may_stand_in_one_path() {
        assert_eq!(resolved("bank[i]$slot[j][0]$q"), Ok("bank$2$slot$3$0$q".to_string()));
    }

    #[test]
    fn an_index_that_is_no_number_is_an_error() {
        assert!(resolved("x[n]").is_err());
        assert!(resolved("x[i-j]").is_err());
        assert!(resolved("x[i/j]").is_err());
        assert!(resolved("x[(i]").is_err());
    }
}
