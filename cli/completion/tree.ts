/** What there is to complete: the commands with their options and arguments, from the definitions of the command line. */
import type { Command } from "commander";
import { STD_NAMES } from "@ggsl/compiler/std/library.js";
import { valuesOf, type Values } from "../values.js";

/** Values of an option or argument that a shell completes. */
export type Completed = Exclude<Values, { readonly stages: true }>;

export interface Flag {
  /** `-e` */
  readonly short: string | undefined;
  /** `--stages` */
  readonly long: string;
  readonly about: string;
  /** The name of its value; undefined for a switch. */
  readonly value: string | undefined;
  /** Undefined if its value cannot be completed. */
  readonly values: Completed | undefined;
}

export interface Listed {
  readonly name: string;
  readonly about: string;
  readonly flags: readonly Flag[];
  /** What each argument is completed with; the last one is also that of all further ones if `isRepeated`. */
  readonly args: readonly (Completed | undefined)[];
  readonly isRepeated: boolean;
}

const HELP: Flag = { short: "-h", long: "--help", about: "show the options", value: undefined, values: undefined };

/** Options of `ggsl` itself. */
export const TOP: readonly string[] = ["--help", "--version"];

export const listedCommands = (program: Command): Listed[] =>
  program.commands.map((command) => ({
    name: command.name(),
    about: command.description(),
    flags: [
      ...command.options.map((option) => ({
        short: option.short,
        long: option.long!,
        about: firstPart(option.description),
        value: /[<[](\S+?)(?:\.\.\.)?[\]>]/.exec(option.flags)?.[1],
        values: completed(valuesOf(option)),
      })),
      HELP,
    ],
    args: command.registeredArguments.map((argument) => completed(valuesOf(argument))),
    isRepeated: command.registeredArguments.at(-1)?.variadic === true,
  }));

const completed = (values: Values | undefined): Completed | undefined =>
  values && "stages" in values ? { words: STD_NAMES } : values;

/** Lists of completions have one line for each. */
const firstPart = (description: string): string => description.split(/[;:(]/)[0]!.trim();
