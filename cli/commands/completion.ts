/** `ggsl completion`: completion of the command line in a shell. */
import { Argument, type Command } from "commander";
import { bashScript } from "../completion/bash.js";
import { fishScript } from "../completion/fish.js";
import { listedCommands, type Listed } from "../completion/tree.js";
import { zshScript } from "../completion/zsh.js";

const SCRIPTS: Readonly<Record<string, (commands: readonly Listed[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

export const addCompletion = (command: Command): Command =>
  command
    .addArgument(new Argument("<shell>", "the shell").choices(Object.keys(SCRIPTS)))
    .addHelpText(
      "after",
      `
    bash: echo 'source <(ggsl completion bash)' >> ~/.bashrc
    zsh:  echo 'source <(ggsl completion zsh)' >> ~/.zshrc     # after compinit
    fish: ggsl completion fish > ~/.config/fish/completions/ggsl.fish`,
    )
    .action((shell: string) => {
      process.stdout.write(SCRIPTS[shell]!(listedCommands(command.parent!)));
    });
