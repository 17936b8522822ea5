//! Completions, in the shells that are here: `bash` always, others with a word about those that
//! are not.

use crate::Scratch;

/// What is typed, and what completes it.
const CASES: &[(&str, &[&str])] = &[
    ("spr-convert sta", &["stats"]),
    ("spr-convert stats --frame-s", &["--frame-shift"]),
    ("spr-convert kaldi-l", &["kaldi-links"]),
    ("spr-convert sort --memo", &["--memory"]),
    ("spr-convert sort --by k", &["key", "kinds"]),
    ("spr-convert plot --kind l", &["lengths", "labels"]),
    ("spr-convert stats corp", &["corpus.ark"]),
    ("spr-convert corp", &["corpus.ark"]),
    ("spr-convert corpus.ark --overw", &["--overwrite"]),
    ("spr-convert corpus.ark --allow-loss met", &["metadata"]),
    ("spr-convert corpus.ark --dtype i3", &["i32"]),
    ("spr-convert corpus.ark --to safe", &["safetensors"]),
    // What the program knows of formats and data.
    ("spr-convert corpus.ark,lcx", &["corpus.ark,lcxt="]),
    (
        "spr-convert corpus.ark,context=1,rand",
        &["corpus.ark,context=1,random="],
    ),
    (
        "spr-convert corpus.ark,random=T",
        &["corpus.ark,random=True"],
    ),
    (
        "spr-convert corpus.ark new.ark,compress=k",
        &["new.ark,compress=keep"],
    ),
    (
        "spr-convert corpus.ark -o new.pfile,by",
        &["new.pfile,byteorder="],
    ),
    (
        "spr-convert corpus.ark --allow-loss keys,metad",
        &["keys,metadata"],
    ),
    ("spr-convert show corpus.ark an", &["ann-1"]),
    (
        "spr-convert plot corpus.ark --width 70 bob:2,",
        &["bob:2,a", "bob:2,b"],
    ),
    ("spr-convert ls corpus.ark ann-1 cl", &["cleo=3"]),
];

/// What `clap_complete` completes in bash alone.
const BASH: (&str, &[&str]) = ("spr-convert formats spher", &["sphere"]);

/// The script for a shell, which parses it.
fn script(shell: &str) -> Scratch {
    let s = Scratch::new();
    let text = s.ok(&format!("completions {shell}")).out;
    assert!(text.contains("allow-loss"), "{shell}");
    s.write("script", text);
    let keys = ["ann-1", "bob:2,a", "bob:2,b", "cleo=3"];
    let lines = keys.map(|key| format!("{key}  [\n  1 2 ]\n")).concat();
    s.write("corpus.ark", lines);
    s
}

/// Puts the program before a line of a shell's.
fn with_program(line: &str) -> String {
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_spr-convert"));
    let folder = program.parent().unwrap().display();
    format!("PATH={folder}:$PATH {line}")
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
         COMP_LINE=$LINE COMP_POINT=${#LINE} COMP_WORDBREAKS=$' \\t\\n\"\\'><=;|&(:'\n\
         typed=${COMP_WORDS[COMP_CWORD]} head=; [[ $typed == *[=:]* ]] && head=${typed%\"${typed##*[=:]}\"}\n\
         $function spr-convert \"${COMP_WORDS[COMP_CWORD]}\" \"${COMP_WORDS[COMP_CWORD-1]}\"\n\
         # With no words of its own, bash completes files.\n\
         [ ${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- \"${COMP_WORDS[COMP_CWORD]}\"))\n\
         # What bash completes is behind the mark at which it breaks words.\n\
         for word in \"${COMPREPLY[@]}\"; do echo \"$head$word\"; done\n",
    );
    for (line, expected) in CASES.iter().chain(&[BASH]) {
        let said = s.shell(&with_program(&format!("LINE='{line}' bash ./try")));
        assert_eq!(words(&said.out), sorted(expected), "{line}: {}", said.err);
    }
}

#[test]
fn every_shell_has_a_script() {
    let s = Scratch::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = s.ok(&format!("completions {shell}")).out;
        for word in ["select", "overwrite", "help"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
}

#[test]
fn fish() {
    if !Scratch::new().has("fish") {
        return;
    }
    let s = parsed("fish");
    for (line, expected) in CASES {
        let ask = format!("source ./script; complete -C '{line}'");
        let said = s.shell(&with_program(&format!("HOME=$PWD fish -c \"{ask}\"")));
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
    if !Scratch::new().has("zsh") {
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
        let said = s.shell(&with_program(&format!(
            "LINE='{line}' timeout 60 zsh -f ./try"
        )));
        let typed = said.out.rsplit('<').next().unwrap_or_default();
        let typed = typed.split('>').next().unwrap_or_default();
        let last = typed.split_whitespace().last().unwrap_or_default();
        // Behind a flag zsh puts the mark itself.
        let plain = last.trim_end_matches('=');
        let last = if last.starts_with('-') { plain } else { last };
        assert_eq!(last, expected[0], "{line}: {}", said.out);
    }
}

#[test]
fn what_takes_long_or_can_t_be_read_is_not_waited_for() {
    let s = script("bash");
    s.write("cut.ark", &b"a \0BFM \x04\x01"[..]);
    for data in [
        "pipe",
        "cut.ark",
        "none.ark",
        "-",
        "cat corpus.ark |",
        "s3://b/k",
    ] {
        let line = format!(
            "mkfifo pipe 2>/dev/null; {}",
            with_program("timeout 20 spr-convert")
        );
        for typed in [format!("show '{data}' an"), format!("'{data},lcx'")] {
            let said = s.shell(&format!("{line} completions -- spr-convert {typed}"));
            assert_eq!((said.status, &*said.err), (0, ""), "{typed}");
        }
    }
}

#[test]
fn powershell_is_only_written() {
    script("powershell");
    script("elvish");
}
