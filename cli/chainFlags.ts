/** The options of commands that generate text: what the chain is given. */
import type { Command } from "commander";
import { addGrammarOptions } from "./grammar.js";
import { limitsOption, rootOption, seedOption, setOption } from "./usage.js";

export const addChainOptions = (command: Command): Command =>
  addGrammarOptions(command.addOption(seedOption()).addOption(setOption()))
    .addOption(limitsOption())
    .addOption(rootOption());
