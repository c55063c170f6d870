/** The options of commands that generate text: what the chain is given. */
import type { Command } from "commander";
import { grammarOption, jsonSchemaOption } from "./grammar.js";
import { limitsOption, rootOption, seedOption, setOption } from "./usage.js";

export const addChainOptions = (command: Command): Command =>
  [seedOption(), setOption(), grammarOption(), jsonSchemaOption(), limitsOption(), rootOption()].reduce(
    (all, option) => all.addOption(option),
    command,
  );
