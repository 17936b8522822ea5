//! The parser of expressions.

use spr_core::Result;

use super::words::{Word, Words};
use super::{Condition, Operand, Sign};
use crate::listing::ListColumn;

/// The number of brackets and `not` that stand in one another.
const MAX_DEPTH: usize = 64;

/// Parses an expression.
///
/// # Errors
/// It is not one; the error points at the place.
pub(super) fn expression(text: &str) -> Result<Condition> {
    let mut words = Words::new(text)?;
    let parsed = any(&mut words, MAX_DEPTH)?;
    match words.next {
        Word::End => Ok(parsed),
        _ => Err(words.expected("'and', 'or' or the end")),
    }
}

fn any(words: &mut Words<'_>, depth: usize) -> Result<Condition> {
    let mut each = vec![all(words, depth)?];
    while words.next == Word::Or {
        words.step()?;
        each.push(all(words, depth)?);
    }
    Ok(Condition::Any(each))
}

fn all(words: &mut Words<'_>, depth: usize) -> Result<Condition> {
    let mut each = vec![one(words, depth)?];
    while words.next == Word::And {
        words.step()?;
        each.push(one(words, depth)?);
    }
    Ok(Condition::All(each))
}

fn one(words: &mut Words<'_>, depth: usize) -> Result<Condition> {
    if !matches!(words.next, Word::Not | Word::Open) {
        return comparison(words);
    }
    let Some(depth) = depth.checked_sub(1) else {
        let message = format!("more than {MAX_DEPTH} brackets or 'not' in one another");
        return Err(words.fault(words.at, &message));
    };
    if words.step()? == Word::Not {
        return Ok(Condition::Not(Box::new(one(words, depth)?)));
    }
    let inner = any(words, depth)?;
    if words.next != Word::Close {
        return Err(words.expected("'and', 'or' or ')'"));
    }
    words.step()?;
    Ok(inner)
}

fn comparison(words: &mut Words<'_>) -> Result<Condition> {
    let at = words.at;
    let left = operand(words, "a column, 'not' or '('")?;
    let Word::Sign(sign) = words.next else {
        return match left {
            Operand::Column(column) => Ok(Condition::IsKnown(column)),
            _ => Err(words.expected("a comparison such as = or <")),
        };
    };
    let sign_at = words.at;
    words.step()?;
    let right_at = words.at;
    let right = operand(words, "a number, text in quotes or a column")?;
    if let (Operand::Number(_) | Operand::Text(_), Operand::Number(_) | Operand::Text(_)) =
        (&left, &right)
    {
        return Err(words.fault(at, "expected a column on one side of the comparison"));
    }
    match (left.is_number(), right.is_number()) {
        (true, _) if sign == Sign::Contains => {
            let message = "~ finds text in text, and the left side is a number";
            Err(words.fault(sign_at, message))
        }
        (true, false) => Err(words.fault(right_at, "expected a number, as on the left side")),
        (false, true) => {
            let message = "expected text in quotes, as the left side is text";
            Err(words.fault(right_at, message))
        }
        _ => Ok(Condition::Compare(left, sign, right)),
    }
}

fn operand(words: &mut Words<'_>, expected: &str) -> Result<Operand> {
    let at = words.at;
    if !matches!(words.next, Word::Name(_) | Word::Number(_) | Word::Text(_)) {
        return Err(words.expected(expected));
    }
    let operand = match words.next.clone() {
        Word::Name(name) => {
            let column = ListColumn::of_any(&name);
            Operand::Column(column.map_err(|error| words.misplaced(at, error))?)
        }
        Word::Number(number) => Operand::Number(number),
        Word::Text(text) => Operand::Text(text),
        _ => return Err(words.expected(expected)),
    };
    words.step()?;
    Ok(operand)
}

impl Operand {
    fn is_number(&self) -> bool {
        match self {
            Self::Column(column) => column.holds.is_number(),
            Self::Number(_) => true,
            Self::Text(_) => false,
        }
    }
}
