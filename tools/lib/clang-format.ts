/** Formats C++ sources by .clang-format. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { attempt, root, run, ToolError, type Ended } from "./process.js";
import { skippedLine } from "./skipped.js";

/** Debian 12's version. Others format some lines differently. */
const VERSION = "19";

const FOLDERS = ["native", "examples/embed", "tools/llama-server"];

/** All sources in C and C++ except generated ones. */
const sources = (): string[] =>
  FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.(cc|cpp|c|h|hpp)$/.test(name) && !name.includes(".generated."))
      .sort()
      .map((name) => join(folder, name)),
  );

/** The program of the right version, or what is missing. */
async function find(): Promise<{ program: string } | { lack: string }> {
  const found: string[] = [];
  for (const program of [`clang-format-${VERSION}`, "clang-format"]) {
    const { status, output } = await attempt(program, ["--version"]);
    const version = /version (\d+)/.exec(output)?.[1];
    if (status === 0 && version === VERSION) return { program };
    if (version !== undefined) found.push(version);
  }
  const others = found.length === 0 ? "" : ` (found ${found.join(", ")})`;
  const lack = `clang-format ${VERSION}${others}: apt-get install clang-format-${VERSION}`;
  return { lack };
}

/** Formats the sources in place. */
export async function formatNative(): Promise<void> {
  const found = await find();
  if ("lack" in found) throw new ToolError(`format:native: needs ${found.lack}`);
  await run(found.program, ["-i", ...sources()]);
}

/** Lists unformatted files. Without clang-format it passes and says so, or fails if GGSL_NEED_CLANG_FORMAT=1. */
export async function checkNativeFormat(): Promise<Ended> {
  const found = await find();
  if ("lack" in found) {
    const status = process.env["GGSL_NEED_CLANG_FORMAT"] === "1" ? 1 : 0;
    return { status, output: `${skippedLine("the format of C++", found.lack)}\n` };
  }
  const { status, output } = await attempt(found.program, ["--dry-run", "--Werror", ...sources()]);
  if (status === 0) return { status, output };
  // clang-format reports every place
  const files = new Set(output.match(/^[^:\n]+(?=:\d+:\d+: error)/gm));
  return { status, output: `${[...files].join("\n") || output}\nRun: npm run format:native\n` };
}
