/**
 * `npm run check:packages`: the tests of test/packages with pnpm, Deno and Bun, which it installs in build/package-managers, and the
 * size of an installation.
 *
 *     --write   writes the table of sizes and times into docs/install.md
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { jest } from "./jest.js";
import { readArguments } from "./lib/arguments.js";
import { emptyProject, installAll, installedPackages, installWithNpm, installWithPnpm } from "./lib/consumer.js";
import { attemptTool, root, run, ToolError, type Ended } from "./lib/process.js";

const MANAGERS = join(root, "build", "package-managers");
const PAGE = join(root, "docs", "install.md");
const MARKS = ["<!-- npm run check:packages -- --write -->\n", "<!-- end -->"] as const;

export async function main(args: readonly string[]): Promise<number> {
  const { values } = readArguments("npm run check:packages -- [--write]", {
    args,
    options: { write: { type: "boolean", default: false } },
  });
  mkdirSync(MANAGERS, { recursive: true });
  writeFileSync(join(MANAGERS, "package.json"), '{ "private": true }');
  await run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", "pnpm", "deno", "bun"], {
    cwd: MANAGERS,
  });
  const packed = await attemptTool("pack", ["--here"]);
  if (packed.status !== 0) throw new ToolError(packed.output);
  const text = await measure();
  console.log(text);
  if (values.write) writePage(text);
  return jest(["test/packages"], { env: { GGSL_PACKAGE_MANAGERS: MANAGERS } });
}

async function measure(): Promise<string> {
  const [byNpm, byPnpm, compiler] = [emptyProject(), emptyProject(), emptyProject()];
  try {
    const npm = await seconds(() => installAll(byNpm));
    const pnpm = await seconds(() =>
      installWithPnpm(byPnpm, join(MANAGERS, `node_modules/@pnpm/exe.${process.platform}-${process.arch}/pnpm`)),
    );
    await seconds(() => installWithNpm(compiler, ["@ggsl/compiler"]));
    const packages = installedPackages(byNpm);
    const rows = packages.map(({ name, bytes, files }) => `| ${name} | ${megabytes(bytes)} | ${files} |\n`);
    const [bytes, files] = (["bytes", "files"] as const).map((key) => packages.reduce((sum, one) => sum + one[key], 0));
    const alone = installedPackages(compiler).reduce((sum, one) => sum + one.bytes, 0);
    return [
      "| package | MB | files |\n| --- | ---: | ---: |\n",
      ...rows,
      `| all | ${megabytes(bytes!)} | ${files} |\n\n`,
      `On ${process.platform}-${process.arch}, npm takes ${npm} s and pnpm ${pnpm} s from a filled cache, on two busy cores. `,
      `\`@ggsl/compiler\` alone has ${megabytes(alone)} MB.\n`,
    ].join("");
  } finally {
    for (const folder of [byNpm, byPnpm, compiler]) rmSync(folder, { recursive: true, force: true });
  }
}

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(2);

async function seconds(install: () => Promise<Ended>): Promise<string> {
  const start = performance.now();
  const { status, output } = await install();
  if (status !== 0) throw new ToolError(output);
  return ((performance.now() - start) / 1000).toFixed(1);
}

function writePage(text: string): void {
  const page = readFileSync(PAGE, "utf8");
  const [start, end] = [page.indexOf(MARKS[0]) + MARKS[0].length, page.indexOf(MARKS[1])];
  writeFileSync(PAGE, `${page.slice(0, start)}\n${text}\n${page.slice(end)}`);
}
