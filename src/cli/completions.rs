//! `spr-convert completions SHELL`.

use clap::{Args, Command};
use clap_complete::Shell;
use spr_core::Result;

use super::candidates::candidates;
use super::messages::NAME;
use super::out::{print, print_lines};
use super::session::Session;

pub(super) const EXAMPLES: &str = "\
Examples:
  source <(spr-convert completions bash)               in ~/.bashrc
  spr-convert completions zsh > ~/.zfunc/_spr-convert  with ~/.zfunc in fpath
  spr-convert completions fish > ~/.config/fish/completions/spr-convert.fish
  spr-convert completions powershell >> $PROFILE";

#[derive(Args, Debug, Clone)]
pub(super) struct CompletionsArgs {
    /// The shell
    #[arg(required_unless_present = "words")]
    shell: Option<Shell>,
    /// What is typed, the last word to be completed: for the scripts themselves
    #[arg(last = true, hide = true)]
    words: Vec<String>,
}

/// Prints completions for a shell, or what completes a word that the shell knows nothing of.
pub(super) fn run(args: CompletionsArgs, mut command: Command, session: &Session) -> Result<u8> {
    let Some(shell) = args.shell else {
        return print_lines(&candidates(args.words, command, session));
    };
    if shell == Shell::Zsh {
        command = without_paths(&command);
    }
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, NAME, &mut script);
    let script = String::from_utf8_lossy(&script);
    let verbs: Vec<_> = command.get_subcommands().map(Command::get_name).collect();
    let script = match shell {
        Shell::Bash => in_bash(&script),
        Shell::Zsh => in_zsh(&script, &verbs.join(" ")),
        Shell::Fish => in_fish(&script, &verbs.join(" ")),
        _ => script.into_owned(),
    };
    print(script.as_bytes())
}

/// `clap_complete` calls the verbs of a program with a hyphen in its name in one way where it finds
/// them out and in another where it completes them.
fn in_bash(script: &str) -> String {
    script.replace("spr__subcmd__convert__subcmd__", "spr__convert__subcmd__") + BASH
}

/// The program is asked first. Bash breaks words at `=` and `:`, and completes what is behind them.
const BASH: &str = r#"
_spr-convert_or_data() {
    local line=${COMP_LINE:0:COMP_POINT} head found word words
    read -r -a words <<< "$line"
    [[ $line == *[[:space:]] ]] && words+=("")
    head=${words[${#words[@]}-1]}
    while [[ -n $head && $COMP_WORDBREAKS != *"${head: -1}"* ]]; do head=${head%?}; done
    COMPREPLY=()
    while IFS= read -r found; do
        word=${found#"$head"}
        COMPREPLY+=("$word")
    done < <("$1" completions -- "${words[@]}" 2>/dev/null)
    if [[ ${#COMPREPLY[@]} -eq 0 ]]; then
        _spr__convert "$@"
    elif [[ ${COMPREPLY[0]} == *= ]]; then
        compopt -o nospace 2>/dev/null
    fi
}

complete -F _spr-convert_or_data -o bashdefault -o default spr-convert
"#;

/// A word that is no verb is a file for `convert`. The program is asked as well.
fn in_fish(script: &str, verbs: &str) -> String {
    let which = "    contains -- $cmd[1] $argv\n";
    let convert = format!("    contains -- $cmd[1] {verbs}\n    or set cmd convert\n{which}");
    script.replacen(which, &convert, 1) + FISH
}

const FISH: &str = "
function __fish_spr_convert_asked
    set -l words (commandline -opc)
    $words[1] completions -- $words (commandline -ct) 2>/dev/null
end
complete -c spr-convert -a '(__fish_spr_convert_asked)'
complete -c spr-convert -s o -l output -l labels-out -l allow-loss -r -a '(__fish_spr_convert_asked)'
";

/// The program without its input and output, which in zsh would take the place of the verb.
fn without_paths(program: &Command) -> Command {
    let options = program.get_arguments().filter(|arg| !arg.is_positional());
    Command::new(NAME)
        .version(env!("CARGO_PKG_VERSION"))
        .disable_help_subcommand(true)
        // Those flags are among the options.
        .disable_help_flag(true)
        .disable_version_flag(true)
        .args(options.cloned())
        .subcommands(program.get_subcommands().cloned())
}

/// The first word may be a file as well as a verb, and `convert` takes it then. The program is
/// asked first.
fn in_zsh(script: &str, verbs: &str) -> String {
    let first = format!(":: :_{NAME}_commands");
    let both = format!(":: :{{_{NAME}_commands; _files}}");
    let which = "        case $line[1] in\n";
    let convert =
        format!("        [[ \" {verbs} \" == *\" $line[1] \"* ]] || line[1]=convert\n{which}");
    let starts = format!("_{NAME}() {{\n");
    script
        .replacen(&first, &both, 1)
        .replacen(which, &convert, 1)
        .replacen(&starts, &(starts.clone() + ZSH), 1)
}

const ZSH: &str = r#"    local -a found
    found=(${(f)"$(command ${(Q)words[1]} completions -- "${(@Q)words[1,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)"})
    if (( $#found )); then
        [[ $found[1] == *= ]] && compadd -S '' -- $found || compadd -- $found
        return
    fi
"#;
