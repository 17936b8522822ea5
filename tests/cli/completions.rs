//! Completions, in the shells that are here: `bash` always, others with a word about those that
//! are not.

use std::io::Write;

use crate::Scratch;

/// What is typed, and what completes it.
const CASES: &[(&str, &[&str])] = &[
    ("spr-convert sta", &["stats"]),
    ("spr-convert stats --frame-s", &["--frame-shift"]),
    ("spr-convert kaldi-l", &["kaldi-links"]),
    ("spr-convert sort --memo", &["--memory"]),
    ("spr-convert sort --by k", &["key"]),
    ("spr-convert plot --kind l", &["lengths", "labels"]),
    ("spr-convert stats corp", &["corpus.ark"]),
    ("spr-convert corp", &["corpus.ark"]),
    ("spr-convert corpus.ark --overw", &["--overwrite"]),
    ("spr-convert corpus.ark --allow-loss met", &["metadata"]),
    ("spr-convert corpus.ark --dtype i3", &["i32"]),
    ("spr-convert corpus.ark --to safe", &["safetensors"]),
];

/// What `clap_complete` completes in bash alone.
const BASH: (&str, &[&str]) = ("spr-convert formats spher", &["sphere"]);

/// Whether there is such a shell; tests capture what `eprintln` says, and this is for people.
fn is_here(s: &Scratch, shell: &str) -> bool {
    let here = s.shell(&format!("command -v {shell}")).status == 0;
    if !here {
        let _ = writeln!(std::io::stderr(), "{shell} is not here: not tried");
    }
    here
}

/// The script for a shell, which parses it.
fn script(shell: &str) -> Scratch {
    let s = Scratch::new();
    let text = s.ok(&format!("completions {shell}")).out;
    assert!(text.contains("allow-loss"), "{shell}");
    s.write("script", text);
    s.write("corpus.ark", "");
    s
}

fn parsed(shell: &str) -> Scratch {
    let s = script(shell);
    let said = s.shell(&format!("{shell} -n script"));
    assert_eq!((said.status, &*said.err), (0, ""), "{shell}");
    s
}

fn words(text: &str) -> Vec<&str> {
    let mut words: Vec<_> = text.split_whitespace().collect();
    words.sort_unstable();
    words
}

fn sorted<'a>(words: &[&'a str]) -> Vec<&'a str> {
    let mut words = words.to_vec();
    words.sort_unstable();
    words
}

#[test]
fn bash() {
    let s = parsed("bash");
    s.write(
        "try",
        "source ./script\n\
         set -- $(complete -p spr-convert)\n\
         while [ \"$1\" != -F ]; do shift; done\n\
         function=$2; read -r -a COMP_WORDS <<< \"$LINE\"; COMP_CWORD=$((${#COMP_WORDS[@]}-1))\n\
         $function spr-convert \"${COMP_WORDS[COMP_CWORD]}\" \"${COMP_WORDS[COMP_CWORD-1]}\"\n\
         # With no words of its own, bash completes files.\n\
         [ ${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- \"${COMP_WORDS[COMP_CWORD]}\"))\n\
         echo \"${COMPREPLY[@]}\"\n",
    );
    for (line, expected) in CASES.iter().chain(&[BASH]) {
        let said = s.shell(&format!("LINE='{line}' bash ./try"));
        assert_eq!(words(&said.out), sorted(expected), "{line}: {}", said.err);
    }
}

#[test]
fn fish() {
    if !is_here(&Scratch::new(), "fish") {
        return;
    }
    let s = parsed("fish");
    for (line, expected) in CASES {
        let ask = format!("source ./script; complete -C '{line}'");
        let said = s.shell(&format!("HOME=$PWD fish -c \"{ask}\""));
        let found: String = said
            .out
            .lines()
            .filter_map(|l| l.split('\t').next())
            .fold(String::new(), |all, word| all + word + " ");
        assert_eq!(words(&found), sorted(expected), "{line}: {}", said.err);
    }
}

#[test]
fn zsh() {
    if !is_here(&Scratch::new(), "zsh") {
        return;
    }
    let s = parsed("zsh");
    std::fs::rename(s.path("script"), s.path("_spr-convert")).unwrap();
    // Completion takes a terminal, which zsh makes itself. What it types is printed again.
    s.write(
        "try",
        "zmodload zsh/zpty\n\
         zpty z zsh -f -i\n\
         zpty -w z \"unsetopt zle_bracketed_paste; PROMPT=; fpath=($PWD \\$fpath); autoload -U compinit; compinit -u -D; spr-convert() { echo \\\"<\\$*>\\\" }; echo REA''DY\"\n\
         zpty -r z said '*READY*'\n\
         zpty -w -n z \"$LINE\"$'\\t\\n'\n\
         zpty -r z said '*<*>*'\n\
         print -r -- \"$said\"\n",
    );
    let unambiguous = CASES.iter().filter(|(_, expected)| expected.len() == 1);
    for (line, expected) in unambiguous {
        let said = s.shell(&format!("LINE='{line}' timeout 60 zsh -f ./try"));
        let typed = said.out.rsplit('<').next().unwrap_or_default();
        let typed = typed.split('>').next().unwrap_or_default();
        let last = typed.split_whitespace().last().unwrap_or_default();
        assert_eq!(
            last.trim_end_matches('='),
            expected[0],
            "{line}: {}",
            said.out
        );
    }
}

#[test]
fn powershell_is_only_written() {
    script("powershell");
    script("elvish");
}
