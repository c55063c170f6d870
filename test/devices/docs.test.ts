/** docs/backends.md agrees with the devices of this machine. */
import { expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";

test("docs/backends.md is up to date", () => {
  const { status, stderr } = spawnSync(process.execPath, ["tools/run.mjs", "docs", "--check", "backends"], {
    ...{ encoding: "utf8", env: { GGML_VK_VISIBLE_DEVICES: "0", ...process.env } },
  });
  expect(stderr.replace(/^docs\/backends\.md: no Vulkan device.*\n/, "")).toBe("");
  expect(status).toBe(0);
}, 60_000);
