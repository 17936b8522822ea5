//! `spr-convert completions SHELL`.

use clap::{Args, Command};
use clap_complete::Shell;
use spr_core::Result;

use super::messages::NAME;
use super::out::print;

pub(super) const EXAMPLES: &str = "\
Examples:
  spr-convert completions bash > ~/.local/share/bash-completion/completions/spr-convert
  spr-convert completions zsh > ~/.zfunc/_spr-convert  with ~/.zfunc in fpath
  spr-convert completions fish > ~/.config/fish/completions/spr-convert.fish
  spr-convert completions powershell >> $PROFILE";

#[derive(Args, Debug, Clone)]
pub(super) struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

/// Prints completions for a shell.
pub(super) fn run(args: &CompletionsArgs, mut command: Command) -> Result<u8> {
    if args.shell == Shell::Zsh {
        command = without_paths(&command);
    }
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, NAME, &mut script);
    let script = String::from_utf8_lossy(&script);
    let verbs: Vec<_> = command.get_subcommands().map(Command::get_name).collect();
    let script = match args.shell {
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
    script.replace("spr__subcmd__convert__subcmd__", "spr__convert__subcmd__")
}

/// What is not a verb is a file, which `convert` takes.
fn in_fish(script: &str, verbs: &str) -> String {
    let which = "    contains -- $cmd[1] $argv\n";
    let convert = format!("    contains -- $cmd[1] {verbs}\n    or set cmd convert\n{which}");
    script.replacen(which, &convert, 1)
}

/// The program without its input and output, which in zsh would take the place of the verb.
fn without_paths(program: &Command) -> Command {
    let options = program.get_arguments().filter(|arg| !arg.is_positional());
    Command::new(NAME)
        .version(env!("CARGO_PKG_VERSION"))
        .disable_help_subcommand(true)
        .args(options.cloned())
        .subcommands(program.get_subcommands().cloned())
}

/// The first word may be a file as well as a verb, and `convert` takes it then.
fn in_zsh(script: &str, verbs: &str) -> String {
    let first = format!(":: :_{NAME}_commands");
    let both = format!(":: :{{_{NAME}_commands; _files}}");
    let which = "        case $line[1] in\n";
    let convert =
        format!("        [[ \" {verbs} \" == *\" $line[1] \"* ]] || line[1]=convert\n{which}");
    script
        .replacen(&first, &both, 1)
        .replacen(which, &convert, 1)
}
