/** A folder for case files, and the tool run on them. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawnSync } from "node:child_process";
import { encodeCases, type Case } from "../../bench/cases/caseFile.js";
import { ROOT, TOOL } from "../../bench/tool.js";

export interface Folder extends Disposable {
  path(name: string): string;
  /** Writes a case file and returns its path. */
  write(name: string, content: Uint8Array | readonly Case[]): string;
}

export function openFolder(): Folder {
  const folder = mkdtempSync(join(tmpdir(), "ggsl-bench-test-"));
  const path = (name: string): string => join(folder, name);
  return {
    path,
    write(name, content) {
      writeFileSync(path(name), content instanceof Uint8Array ? content : encodeCases(content));
      return path(name);
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
}

interface Run {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export const replay = (...args: string[]): Run => spawnSync(TOOL, args, { encoding: "utf8" });

/** A program that `npm run setup` compiled, by its path in the checkout. */
export const runBuilt = (program: string, ...args: string[]): Run =>
  spawnSync(process.execPath, [join(ROOT, program), ...args], { encoding: "utf8", cwd: ROOT });
