#[test]
fn speed() {
    use spr_core::model::*;
    let mut utts = Vec::new();
    for i in 0..20 {
        let mut u = Utterance { key: format!("u{i}").as_str().into(), ..Default::default() };
        let v: Vec<f32> = (0..200_000).map(|n| ((n * 7919 + i * 13) % 100_003) as f32 / 777.7 - 50.0).collect();
        u.features = Some(Matrix::from_rows(&v, 40, Rank::Matrix).unwrap());
        let l: Vec<i32> = (0..5000).map(|n| n % 1900).collect();
        u.labels = Some(Matrix::from_rows(&l, 1, Rank::Vector).unwrap());
        utts.push(u);
    }
    let t = std::time::Instant::now();
    let b = spr_testkit::write_memory(&spr_format_jsonl::FORMAT, &[], &utts).unwrap();
    let w = t.elapsed();
    let t = std::time::Instant::now();
    let back = spr_testkit::read_memory(&spr_format_jsonl::FORMAT, &[], &b).unwrap();
    println!("{} MB write {:?} read {:?} {}", b.len() >> 20, w, t.elapsed(), back.len());
}
