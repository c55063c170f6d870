/** A process without file descriptors for a time: what needs none goes on, and all works again once there are some. */
import { expect, test } from "@jest/globals";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

test("a lack of descriptors is over when it is over", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ggsl-descriptors-"));
  const args = ["--conditions=@ggsl/source", `--import=${import.meta.resolve("tsx")}`, "--no-warnings"];
  try {
    const { stdout } = await run("sh", [
      ...["-c", 'ulimit -n 256; exec "$@"', "sh"],
      ...[process.execPath, ...args, "test/server/descriptors.ts", folder],
    ]);
    const { taken, without, after, gone } = JSON.parse(stdout) as Record<string, unknown>;
    expect(taken).toBeGreaterThan(50);
    // the modules and the keys of before are there
    expect(without).toMatchObject({ completion: 200, chat: 200 });
    // a thread that cannot start is no fault of the server
    for (const status of Object.values(without as object)) expect([200, 503]).toContain(status);
    expect(after).toEqual({ completion: 200, chat: 200, sampler: 200, grammar: 200 });
    expect(gone).toBe(401);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
