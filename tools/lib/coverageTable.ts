/** Figures of coverage: those of files, summed by package and by folder. */

/** What ran of a file, as istanbul writes it: V8's statements are lines. */
export interface FileCoverage {
  /** How often each statement ran. */
  readonly s: Readonly<Record<string, number>>;
  /** How often each way of each branch was taken. */
  readonly b: Readonly<Record<string, readonly number[]>>;
}

interface Part {
  readonly ran: number;
  readonly all: number;
}

interface Coverage {
  readonly name: string;
  readonly files: number;
  readonly lines: Part;
  readonly branches: Part;
}

interface Coverages {
  readonly packages: readonly Coverage[];
  /** The folders of packages with less than the share that is wanted, of lines or branches. */
  readonly low: readonly Coverage[];
}

/** Of lines, and of branches. */
const WANTED = 0.8;

/** @param files by their paths from the root of the checkout */
export function coverageOf(files: ReadonlyMap<string, FileCoverage>): Coverages {
  const folders = summed(files, (path) => path.split("/").slice(0, -1).join("/"));
  return {
    packages: summed(files, (path) => path.split("/")[0]!),
    low: folders.filter(({ lines, branches }) => shareOf(lines) < WANTED || shareOf(branches) < WANTED),
  };
}

function summed(files: ReadonlyMap<string, FileCoverage>, nameOf: (path: string) => string): Coverage[] {
  const groups = new Map<string, FileCoverage[]>();
  for (const [path, file] of files) groups.set(nameOf(path), [...(groups.get(nameOf(path)) ?? []), file]);
  return [...groups]
    .map(([name, group]) => ({
      name,
      files: group.length,
      lines: partOf(group.flatMap(({ s }) => Object.values(s))),
      branches: partOf(group.flatMap(({ b }) => Object.values(b).flat())),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

const partOf = (counts: readonly number[]): Part => ({
  ran: counts.filter((count) => count > 0).length,
  all: counts.length,
});

const shareOf = ({ ran, all }: Part): number => (all === 0 ? 1 : ran / all);

/** Two tables in Markdown. */
export const markdown = ({ packages, low }: Coverages): string =>
  [...table("package", packages), ...(low.length === 0 ? [] : ["", ...table("folder", low)])].join("\n");

const table = (what: string, rows: readonly Coverage[]): string[] => [
  `| ${what} | files | lines | branches |`,
  "| --- | --- | --- | --- |",
  ...rows.map(
    ({ name, files, lines, branches }) => `| \`${name}/\` | ${files} | ${percent(lines)} | ${percent(branches)} |`,
  ),
];

const percent = (part: Part): string => `${(100 * shareOf(part)).toFixed(1)} %`;
