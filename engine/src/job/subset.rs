//! A subset of sizes whose sum is close to a number.

/// The steps in which sums are told apart, and the work to find one.
const STEPS: usize = 20_000;
const WORK: usize = 50_000_000;

/// Returns items of `order` whose sizes add up as closely to `wanted` as can be found, preferring the
/// first ones. At least one is chosen, and `spare` are left, if there are that many.
pub(super) fn closest(order: &[usize], sizes: &[f64], wanted: f64, spare: usize) -> Vec<usize> {
    let sum = |chosen: &[usize]| chosen.iter().map(|item| sizes[*item]).sum::<f64>();
    let missed = |chosen: &[usize]| (sum(chosen) - wanted).abs();
    let mut best = greedy(order, sizes, wanted);
    // Rounding of sums of decimals aside.
    if missed(&best) > wanted * 1e-9 {
        let other = by_sums(order, sizes, wanted);
        if missed(&other) < missed(&best) {
            best = other;
        }
    }
    let smallest = |items: &[usize]| {
        let by_size = |a: &usize, b: &usize| sizes[*a].total_cmp(&sizes[*b]);
        items.iter().copied().min_by(by_size)
    };
    if best.is_empty() {
        best.extend(smallest(order));
    }
    while best.len() > 1 && order.len() - best.len() < spare {
        let out = smallest(&best);
        best.retain(|item| Some(*item) != out);
    }
    best
}

/// Takes each item that brings the sum closer.
fn greedy(order: &[usize], sizes: &[f64], wanted: f64) -> Vec<usize> {
    let mut sum = 0.0;
    let brings_closer = |item: &&usize| {
        let closer = sum + sizes[**item] / 2.0 < wanted;
        sum += if closer { sizes[**item] } else { 0.0 };
        closer
    };
    order.iter().filter(brings_closer).copied().collect()
}

/// Finds the sums that the items can have, in steps, and returns the items of the closest one.
fn by_sums(order: &[usize], sizes: &[f64], wanted: f64) -> Vec<usize> {
    let steps = STEPS.min(WORK / order.len().max(1));
    if steps < 2 || wanted <= 0.0 {
        return Vec::new();
    }
    // More than twice what is wanted is further from it than nothing.
    #[expect(clippy::cast_precision_loss, reason = "at most 20000")]
    let step = (2.0 * wanted / steps as f64).max(1e-9);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "sizes are no less than zero, and what is too large saturates"
    )]
    let steps_of = |size: f64| (size / step).round() as usize;
    let (goal, most) = (steps_of(wanted), steps_of(2.0 * wanted));
    // The number of the item by which each sum was reached first, from 1 on; those before it lead to
    // the rest of the sum.
    let mut reached_by = vec![0usize; most + 1];
    let is_reached = |reached_by: &[usize], sum: usize| sum == 0 || reached_by[sum] > 0;
    for (number, item) in order.iter().enumerate() {
        let size = steps_of(sizes[*item]);
        if size == 0 || size > most {
            continue;
        }
        for sum in (size..=most).rev() {
            if !is_reached(&reached_by, sum) && is_reached(&reached_by, sum - size) {
                reached_by[sum] = number + 1;
            }
        }
        if is_reached(&reached_by, goal) {
            break;
        }
    }
    let reached = (0..=most).filter(|sum| is_reached(&reached_by, *sum));
    let mut sum = reached.min_by_key(|sum| sum.abs_diff(goal)).unwrap_or(0);
    let mut chosen = Vec::new();
    while sum > 0 {
        let item = order[reached_by[sum] - 1];
        chosen.push(item);
        sum -= steps_of(sizes[item]);
    }
    chosen
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The closest sum of all subsets.
    fn best(sizes: &[f64], wanted: f64) -> f64 {
        let sums = (1u32..1 << sizes.len()).map(|subset| {
            let own = sizes.iter().enumerate();
            let own = own.filter(|(i, _)| subset >> i & 1 == 1);
            own.map(|(_, size)| size).sum::<f64>()
        });
        sums.map(|sum| (sum - wanted).abs())
            .fold(f64::MAX, f64::min)
    }

    proptest! {
        #[test]
        fn no_subset_is_much_closer(
            sizes in prop::collection::vec(0.0f64..1000.0, 1..10), share in 0.01f64..0.99,
        ) {
            let wanted = share * sizes.iter().sum::<f64>();
            let order: Vec<_> = (0..sizes.len()).collect();
            let chosen = closest(&order, &sizes, wanted, 0);
            let mut once = chosen.clone();
            once.sort_unstable();
            once.dedup();
            prop_assert_eq!(once.len(), chosen.len());
            let missed = chosen.iter().map(|i| sizes[*i]).sum::<f64>() - wanted;
            let rounding = wanted * 2.0 / 20_000.0 * sizes.len() as f64;
            prop_assert!(missed.abs() <= best(&sizes, wanted) + rounding, "{missed}");
        }
    }

    #[test]
    fn counts_are_exact_and_none_is_empty() {
        let sizes = [3.0, 3.0, 3.0, 5.0];
        let order = [0, 1, 2, 3];
        let sum = |wanted, spare| {
            let chosen = closest(&order, &sizes, wanted, spare);
            chosen.iter().map(|i| sizes[*i]).sum::<f64>()
        };
        assert_eq!(sum(8.0, 1), 8.0);
        assert_eq!(sum(0.0, 1), 3.0);
        assert_eq!(sum(14.0, 0), 14.0);
        assert_eq!(sum(14.0, 1), 11.0);
    }
}
