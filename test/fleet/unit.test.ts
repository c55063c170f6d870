/** The service of examples/fleet, as systemd reads it. No service manager runs here. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GRACE } from "../../server/config/options.js";
import { MAIN } from "../cli/run.js";
import { DEMO_MODEL } from "../model/file.js";
import { needing, program } from "../needs.js";

const NAME = "ggsl@.service";
/** systemd's measure of what a service may do, in tenths: 0 is nothing, 100 everything. Also in docs/server.md. */
const MOST_EXPOSURE = 15;
const UNIT = readFileSync(join("examples/fleet", NAME), "utf8");
const COMMAND = "/usr/local/bin/ggsl serve /var/lib/ggsl/MODEL.gguf";

const analyze = (...args: readonly string[]): { status: number | null; output: string } => {
  const { status, stdout, stderr } = spawnSync("systemd-analyze", args, { encoding: "utf8" });
  return { status, output: `${stdout}${stderr}` };
};

test("texts that have begun get their time", () => {
  const [, seconds] = /^TimeoutStopSec=(\d+)$/m.exec(UNIT)!;
  expect(Number(seconds) * 1000).toBeGreaterThan(GRACE);
});

test("the command takes its options", () => {
  expect(UNIT).toContain(`\nExecStart=${COMMAND} --port %i --trust-proxy 127.0.0.1\n`);
  const { status, stderr } = spawnSync(
    process.execPath,
    [
      MAIN,
      "serve",
      DEMO_MODEL,
      "--port",
      "8081",
      "--trust-proxy",
      "127.0.0.1",
      "--check",
      "--backend",
      "cpu",
      "--ctx-size",
      "256",
    ],
    { encoding: "utf8" },
  );
  expect([status, stderr]).toEqual([0, "the configuration is right\n"]);
});

needing(program(["systemd-analyze"], { package: "systemd" })).describe("systemd-analyze", () => {
  let folder: string;
  let path: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "ggsl-unit-"));
    path = write(NAME, UNIT);
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  /** A unit whose program exists here. */
  function write(name: string, text: string): string {
    writeFileSync(join(folder, name), text.replace(COMMAND, `${process.execPath} ${MAIN} serve ${DEMO_MODEL}`));
    return join(folder, name);
  }

  test("verify finds nothing", () => {
    expect(analyze("verify", "--man=no", path)).toEqual({ status: 0, output: "" });
    // it does find an option that does not exist
    const odd = write("odd@.service", UNIT.replace("ProtectHome=", "ProtectHouse="));
    expect(analyze("verify", "--man=no", odd).output).toContain("ProtectHouse");
  });

  test("security finds little exposure", () => {
    const measure = (file: string): number | null =>
      analyze("security", "--offline=true", "--no-pager", `--threshold=${MOST_EXPOSURE}`, file).status;
    expect(measure(path)).toBe(0);
    expect(measure(write("bare@.service", UNIT.replace(/^(Protect|Restrict|System|Capability).*\n/gm, "")))).not.toBe(
      0,
    );
  });
});
