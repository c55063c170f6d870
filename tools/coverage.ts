/**
 * `npm run coverage -- test/golden test/server`: runs tests, all or those of some paths, and prints a table of the lines and branches of each package that ran,
 * and the folders where less than four fifths did. What runs in other processes and threads is not counted: commands, workers, C++.
 */
import { readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { coverageOf, markdown, type FileCoverage } from "./lib/coverageTable.js";
import { jest } from "./jest.js";
import { readArguments } from "./lib/arguments.js";
import { root } from "./lib/process.js";

const PACKAGES = ["compiler", "format", "settings", "codegen", "runtime", "server"];
const FOLDER = join("build", "coverage");

export async function main(args: readonly string[]): Promise<number> {
  const { values, positionals } = readArguments("npm run coverage -- [--packages NAME,NAME] [TESTS...]", {
    args: [...args],
    options: { packages: { type: "string", default: PACKAGES.join(",") } },
    allowPositionals: true,
  });
  const packages = values.packages.split(",");
  rmSync(join(root, FOLDER), { recursive: true, force: true });
  const status = await jest([
    ...["--coverage", "--coverageProvider=v8", "--coverageReporters=json", `--coverageDirectory=${FOLDER}`],
    ...packages.map((name) => `--collectCoverageFrom=${name}/**/*.ts`),
    ...["!**/*.test.ts", "!**/*.generated.ts", "!**/dist/**", "!**/*.d.ts"].map(
      (one) => `--collectCoverageFrom=${one}`,
    ),
    // more at a time, and each has the coverage of all in memory
    "--maxWorkers=1",
    ...positionals,
  ]);
  const report = JSON.parse(readFileSync(join(root, FOLDER, "coverage-final.json"), "utf8")) as Readonly<
    Record<string, FileCoverage>
  >;
  const files = new Map(Object.entries(report).map(([path, file]) => [relative(root, path), file]));
  console.log(markdown(coverageOf(files)));
  return status;
}
