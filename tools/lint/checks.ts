/** Static checks of the sources by name: separate steps of `npm test`, grouped in `npm run lint` and `npm run types`. */
import { join } from "node:path";
import { checkExports } from "../exports/check.js";
import { checkIncludes } from "../includes/check.js";
import { checkNativeFormat } from "../lib/clang-format.js";
import { attemptNode, attemptTool, type Ended, type RunOptions } from "../lib/process.js";

export type Check = readonly [name: string, check: (options: RunOptions) => Promise<Ended>];

const program =
  (path: string, ...args: string[]) =>
  (options: RunOptions): Promise<Ended> =>
    attemptNode([join("node_modules", path), ...args], options);

const TSC = "typescript-7/bin/tsc";

export const LINT: readonly Check[] = [
  ["Format", program("prettier/bin/prettier.cjs", "--check", "--log-level", "warn", ".")],
  ["Lint", program("oxlint/bin/oxlint", ".", "--max-warnings", "0")],
  ["Imports", program("dependency-cruiser/bin/dependency-cruise.mjs", ".")],
  ["Exports", checkExports],
  ["Format of C++", checkNativeFormat],
  ["Includes of C++", checkIncludes],
  ["Public interface", (options) => attemptTool("api", ["--check"], options)],
];

export const TYPES: readonly Check[] = [
  ["Types", program(TSC, "-p", "tsconfig.json", "--noEmit")],
  ["Types of the playground", program(TSC, "-p", "playground/tsconfig.json", "--noEmit")],
  ["Types of the extension", program(TSC, "-p", "editors/vscode/tsconfig.json")],
  ["Types of its preview", program(TSC, "-p", "editors/vscode/preview/tsconfig.json")],
  ["Types of the ONNX example", program(TSC, "-p", "examples/onnx/tsconfig.json", "--noEmit")],
  ["Types of the site's theme", program(TSC, "-p", "site/theme/tsconfig.json", "--noEmit")],
];

/** Runs all checks, even after one fails. Returns the exit status. */
export async function doChecks(checks: readonly Check[]): Promise<number> {
  let worst = 0;
  for (const [, check] of checks) {
    const { status, output } = await check({ stdio: "inherit" });
    if (output) console.log(output.trimEnd());
    worst = Math.max(worst, status);
  }
  return worst;
}
