use spr_core::bytes::*;
use spr_core::format::*;
use spr_core::model::*;
use std::path::Path;
fn opts(s: &str) -> Options {
    Options::new(
        spr_format_kaldi::FORMAT.info(),
        s.split(',').filter(|x| !x.is_empty()).map(|p| {
            let (a, b) = p.split_once('=').unwrap();
            (a.to_string(), b.to_string())
        }),
    )
    .unwrap()
}
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let env = Env::new(Default::default(), Access::Files, |w| {
        eprintln!("warning: {w}")
    });
    let t = std::time::Instant::now();
    let src = Source::open(Path::new(&a[1])).unwrap();
    let mut r = match spr_format_kaldi::FORMAT.open(src, &opts(&a[2]), &env) {
        Ok(r) => r,
        Err(e) => {
            println!("open error {e}");
            return;
        }
    };
    let out = if a[3] == "null" {
        Output::nowhere()
    } else if let Some((x, y)) = a[3].split_once('+') {
        Output::file(x).with_named("scp", Output::file(y))
    } else {
        Output::file(&a[3])
    }
    .overwrite(true);
    let mut w = match spr_format_kaldi::FORMAT.create(out.clone(), &opts(&a[4]), &env) {
        Ok(r) => r,
        Err(e) => {
            println!("create error {e}");
            return;
        }
    };
    let mut u = Utterance::default();
    let mut values = 0u64;
    let mut n = 0;
    let nowrite = a.len() > 5;
    loop {
        match r.read(&mut u) {
            Ok(true) => {
                n += 1;
                values += u
                    .features
                    .as_ref()
                    .or(u.labels.as_ref())
                    .map_or(0, |m| m.len() as u64);
                if !nowrite {
                    if let Err(e) = w.write(&u) {
                        println!("write error {e}");
                    }
                }
            }
            Ok(false) => break,
            Err(e) => {
                println!(
                    "error {e} [{:?} cont={}] {:?}",
                    e.kind(),
                    e.can_continue(),
                    e.hint_text()
                );
                if !e.can_continue() {
                    break;
                }
            }
        }
    }
    w.finish().unwrap();
    out.commit().unwrap();
    let s = t.elapsed().as_secs_f64();
    eprintln!(
        "{n} utts {values} values {s:.3}s {:.1} Mvalues/s info {:?} {:?}",
        values as f64 / s / 1e6,
        r.info().byte_order,
        r.info().compression
    );
}
