/** docs/backends.md agrees with the devices of this machine. */
import { expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { ENVIRONMENT, vulkanTest } from "../vulkan/vulkan.js";

const check = (): { status: number | null; stderr: string } =>
  spawnSync(process.execPath, ["tools/run.mjs", "docs", "--check", "backends"], { encoding: "utf8", env: ENVIRONMENT });

test("docs/backends.md is up to date", () => {
  const { status, stderr } = check();
  expect([status, status === 0 || stderr]).toEqual([0, true]);
});

// without a device the table stays as it is, and a note says so
vulkanTest("so is its table of ops", () => expect(check()).toMatchObject({ status: 0, stderr: "" }));
