/** The command that generates a module. The module's first line shows it, so that anyone can run it again. */
import { checkNames, type OptionNames } from "@ggsl/compiler/core/optionNames.js";
import type { Settings } from "@ggsl/compiler/lower/params.js";

export interface GenCommand {
  readonly file: string;
  readonly chains?: readonly string[] | undefined;
  readonly set?: Settings | undefined;
  readonly dts?: boolean | undefined;
  /** The folder that imports stay below; absent for that of the file. */
  readonly root?: string | undefined;
  /** Absent for the default path. */
  readonly output?: string | undefined;
}

const NAMES: OptionNames<GenCommand> = { file: true, chains: true, set: true, dts: true, root: true, output: true };

/** The command as a shell takes it. Throws `OptionError` for unknown options. */
export function genCommand(options: GenCommand): string {
  checkNames(options, NAMES);
  const { file, chains = [], set = {}, dts, root, output } = options;
  const settings = Object.entries(set).flatMap(([name, value]) => [
    "--set",
    `${name}=${typeof value === "object" ? JSON.stringify(value) : value}`,
  ]);
  const words = [
    file,
    ...chains,
    ...(output === undefined ? [] : ["-o", output]),
    ...(dts ? ["--dts"] : []),
    ...(root === undefined ? [] : ["--root", root]),
    ...settings,
  ];
  return ["ggsl", "gen", ...words.map(quoted)].join(" ");
}

/** Quotes a word for a shell. A line end would end the comment that contains the command. */
const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replace(/[\r\n\u2028\u2029]/g, "?").replace(/'/g, "'\\''")}'`;
