//! Flags of other programs, and where each leads.

use super::{Scratch, sample};

/// Flags as typed for sox, ffmpeg, lhotse, Kaldi and others, and what the hint must name.
const FLAGS: &[(&str, &str)] = &[
    ("--mono", "--channel mix"),
    ("--mono-only", "--channel mix"),
    ("--stereo", "--channel"),
    ("--channels", "--channel"),
    ("--channel-count", "--channel"),
    ("--nchannels", "--channel"),
    ("--num-channels", "--channel"),
    ("--one-channel", "--channel"),
    ("--onechannel", "--channel"),
    ("--downmix", "--channel mix"),
    ("--mixdown", "--channel mix"),
    ("--remix", "--channel mix"),
    ("--left", "--channel 0"),
    ("--right", "--channel 1"),
    ("-c", "--channel"),
    ("-ac", "--channel mix"),
    ("--ac", "--channel"),
    ("--sr", "--rate"),
    ("--fs", "--rate"),
    ("--sample-rate", "--rate"),
    ("--samplerate", "--rate"),
    ("--sampling-rate", "--rate"),
    ("--target-sampling-rate", "--rate"),
    ("--sample-frequency", "--rate"),
    ("--frequency", "--rate"),
    ("--allow-downsample", "--rate"),
    ("-ar", "--rate"),
    ("--ar", "--rate"),
    ("-r", "--rate"),
    ("--bits", "--dtype"),
    ("--bit-depth", "--dtype"),
    ("-b", "--dtype"),
    ("-e", "--dtype"),
    ("--codec", "--to"),
    ("-acodec", "--channel mix"),
    ("--num-jobs", "--nj"),
    ("--n-jobs", "--jobs"),
    ("--threads", "--jobs"),
    ("--num-workers", "--jobs"),
    ("--force", "--overwrite"),
    ("-y", "--overwrite"),
    ("--clobber", "--overwrite"),
    ("-i", "the input has no flag"),
    ("--out", "--output"),
    ("--in-format", "--from"),
    ("--out-format", "--to"),
    ("--skip-errors", "--on-error skip"),
    ("--subset", "the verb select"),
    ("--random", "--shuffle"),
    ("--compress", "compress is an option of"),
    ("--norm", "sox"),
    ("--gain", "sox"),
    ("--trim", "sox"),
];

#[test]
fn each_leads_to_what_does_the_same() {
    let s = Scratch::new();
    let input = sample("fbank.ark");
    for (flag, meant) in FLAGS {
        let said = s.run(&format!("{input} x.pfile {flag} 1"));
        assert_eq!(said.status, 2, "{flag}: {}", said.err);
        let hint = said.err.lines().find_map(|line| line.split_once("hint: "));
        let (_, hint) = hint.unwrap_or_else(|| panic!("{flag}: {}", said.err));
        assert!(hint.contains(meant), "{flag}: {hint}");
        let errors = meant.contains("--on-error");
        assert_eq!(hint.contains("--on-error"), errors, "{flag}: {hint}");
    }
    assert!(s.names().is_empty());
}

#[test]
fn rates_have_units_and_resampling_is_no_verb() {
    let s = Scratch::new();
    let head = ".spr\nDATA SAMPLE\nTYPE I16\nFORMAT ASCII\nNCHAN 1\nSAMPLEFREQ 8000\n#\n";
    s.write("a.sam", format!("{head}{}", "5\n".repeat(800)));
    s.ok("a.sam a.wav");
    let facts = |flag: &str| {
        s.ok(&format!("a.wav b.wav --overwrite -q --rate {flag}"));
        s.ok("info b.wav --json").out
    };
    for flag in ["16k", "16000"] {
        assert!(facts(flag).contains("\"sample_rate\":16000"), "{flag}");
    }
    let error = s.run("resample a.wav c.wav").err;
    assert!(error.contains("--rate"), "{error}");
}
