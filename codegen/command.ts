/** The command that makes a module: its first line says it, and whoever finds it stale can run it. */
export interface GenCommand {
  readonly file: string;
  readonly chains?: readonly string[] | undefined;
  readonly set?: Readonly<Record<string, number>> | undefined;
  readonly dts?: boolean | undefined;
  /** Absent for the usual place. */
  readonly output?: string | undefined;
}

export function genCommand({ file, chains = [], set = {}, dts, output }: GenCommand): string {
  const settings = Object.entries(set).flatMap(([name, value]) => ["--set", `${name}=${value}`]);
  const words = [
    file,
    ...chains,
    ...(output === undefined ? [] : ["-o", output]),
    ...(dts ? ["--dts"] : []),
    ...settings,
  ];
  return ["ggsl", "gen", ...words.map(quoted)].join(" ");
}

/** As a shell takes it. A line end would end the comment that the command stands in. */
const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replace(/[\r\n\u2028\u2029]/g, "?").replace(/'/g, "'\\''")}'`;
