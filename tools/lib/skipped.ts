/** What `npm test` skipped, and why: tests say it in their titles, and checks in a line of what they print. */

/** A reason, as "Chromium: apt-get install chromium": what is missing, and how to get it. */
type Reason = string;

const MARK = / \(skipped, it needs (.*)\)$/;
const BETWEEN = ", and ";

/** The title of a test, or of a group, that is skipped for these reasons. */
export const skippedTitle = (title: string, reasons: readonly Reason[]): string =>
  `${title} (skipped, it needs ${reasons.join(BETWEEN)})`;

/** The line that a check prints for a part that it leaves out. */
export const skippedLine = (what: string, reason: Reason): string => `skipped: ${what}, which needs ${reason}`;

/** A file of tests, as in jest's results. `name` is its path, times are milliseconds. */
export interface TestFile {
  readonly name: string;
  readonly startTime: number;
  readonly endTime: number;
  readonly assertionResults: readonly {
    readonly ancestorTitles: readonly string[];
    readonly title: string;
    readonly status: string;
  }[];
}

/** A line for each thing that tests need, with their number, and one for each test that does not say; paths are relative to `root`. */
export function skippedTests(files: readonly Pick<TestFile, "name" | "assertionResults">[], root: string): string[] {
  const [counts, others] = [new Map<Reason, number>(), [] as string[]];
  for (const { name, assertionResults } of files)
    for (const { ancestorTitles, title, status } of assertionResults) {
      if (status !== "pending" && status !== "todo") continue;
      const titles = [...ancestorTitles, title];
      const reasons = new Set(titles.flatMap((one) => MARK.exec(one)?.[1]?.split(BETWEEN) ?? []));
      for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
      if (reasons.size === 0) others.push(`${name.replace(`${root}/`, "")}: ${titles.join(" > ")}`);
    }
  const lines = [...counts].map(([reason, n]) => `${n} test${n === 1 ? ", which needs" : "s, which need"} ${reason}`);
  return [...lines, ...others];
}

/** What a check left out, by its output. */
export const skippedParts = (output: string): string[] =>
  [...output.matchAll(/^skipped: (.*)$/gm)].map(([, text]) => text!);
