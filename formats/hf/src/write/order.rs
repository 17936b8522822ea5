//! The order of the columns without a field in the model.

/// The numbers of columns in an order that all rows agree with, as long as there is one.
#[derive(Default)]
pub(crate) struct ColumnOrder {
    numbers: Vec<u32>,
    /// The place of each column by its number.
    places: Vec<Option<usize>>,
    is_broken: bool,
}

impl ColumnOrder {
    /// Adds the columns of a row in its order.
    pub(crate) fn add(&mut self, row: &[u32]) {
        // The place behind the column before.
        let mut next = 0;
        for (n, number) in row.iter().enumerate() {
            match self.place(*number) {
                Some(at) if at < next => self.is_broken = true,
                Some(at) => next = at + 1,
                None => {
                    let mut later = row[n + 1..].iter().filter_map(|number| self.place(*number));
                    let at = match later.next() {
                        Some(at) if at >= next => at,
                        _ if n > 0 => next,
                        _ => self.numbers.len(),
                    };
                    self.insert(at, *number);
                    next = at + 1;
                }
            }
        }
    }

    fn insert(&mut self, at: usize, number: u32) {
        self.numbers.insert(at, number);
        for (place, number) in self.numbers.iter().enumerate().skip(at) {
            let number = *number as usize;
            if number >= self.places.len() {
                self.places.resize(number + 1, None);
            }
            self.places[number] = Some(place);
        }
    }

    /// Returns the place of a column.
    pub(crate) fn place(&self, number: u32) -> Option<usize> {
        self.places.get(number as usize).copied().flatten()
    }

    /// Returns `true` if a row has its columns in another order.
    pub(crate) fn is_broken(&self) -> bool {
        self.is_broken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_lack_columns_agree() {
        let order = |rows: &[&[u32]]| {
            let mut order = ColumnOrder::default();
            rows.iter().for_each(|row| order.add(row));
            (order.numbers.clone(), order.is_broken())
        };
        assert_eq!(order(&[&[5, 7], &[2, 5]]), (vec![2, 5, 7], false));
        assert_eq!(
            order(&[&[1, 3], &[1, 2], &[3, 4]]),
            (vec![1, 2, 3, 4], false)
        );
        assert_eq!(order(&[&[1], &[2], &[1, 2]]), (vec![1, 2], false));
        assert_eq!(order(&[&[1, 2], &[2, 1]]), (vec![1, 2], true));
        assert!(order(&[&[1, 2], &[2, 3, 1]]).1);
    }
}
