/** The layout of C++ sources, by .clang-format. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { attempt, root, run, ToolError, type Ended, type RunOptions } from "./process.js";

/** Debian 12's. Others lay out some lines otherwise. */
const VERSION = "14";

const sources = (): string[] =>
  readdirSync(join(root, "native"), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(cc|h)$/.test(name))
    .sort()
    .map((name) => join("native", name));

/** The program of the right version, else what is wrong. */
async function find(): Promise<{ program: string } | { lack: string }> {
  const found: string[] = [];
  for (const program of [`clang-format-${VERSION}`, "clang-format"]) {
    const { status, output } = await attempt(program, ["--version"]);
    const version = /version (\d+)/.exec(output)?.[1];
    if (status === 0 && version === VERSION) return { program };
    if (version !== undefined) found.push(version);
  }
  const lack = `needs clang-format ${VERSION}, found ${found.join(", ") || "none"}. On Debian 12, as root: apt-get install clang-format`;
  return { lack };
}

/** Rewrites what is laid out otherwise. */
export async function formatNative(): Promise<void> {
  const found = await find();
  if ("lack" in found) throw new ToolError(`format:native: ${found.lack}`);
  await run(found.program, ["-i", ...sources()]);
}

/** Without clang-format this is said and passes, or with GGSL_NEED_CLANG_FORMAT=1 fails. */
export async function checkNativeFormat(options: RunOptions): Promise<Ended> {
  const found = await find();
  if ("program" in found) return attempt(found.program, ["--dry-run", "--Werror", ...sources()], options);
  const isNeeded = process.env["GGSL_NEED_CLANG_FORMAT"] === "1";
  return { status: isNeeded ? 1 : 0, output: `The format of C++ is NOT checked: ${found.lack}\n` };
}
