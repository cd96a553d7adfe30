//! `sscg completions`

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::failure::Failure;
use crate::{Cli, CommandResult, Global, print};

/// Print the completion script of a shell.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  bash:       sscg completions bash > ~/.local/share/bash-completion/completions/sscg
  zsh:        sscg completions zsh > \"${fpath[1]}/_sscg\"
  fish:       sscg completions fish > ~/.config/fish/completions/sscg.fish
  PowerShell: sscg completions powershell >> $PROFILE
  elvish:     sscg completions elvish >> ~/.config/elvish/rc.elv")]
pub(crate) struct Completions {
    /// Shell.
    #[arg(value_enum)]
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(self, _: &Global) -> Result<CommandResult, Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "sscg", &mut script);
        print(&String::from_utf8_lossy(&script))?;
        Ok(CommandResult::Found)
    }
}
