/** The layers of a model on Vulkan and the CPU together: the same text, and the chain where the output layer is. */
import { afterAll, beforeAll, expect } from "@jest/globals";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadModel } from "../../runtime/models/model.js";
import { EXACT, writeExactModel } from "../model/file.js";
import { ENVIRONMENT, node, vulkanTest } from "./vulkan.js";

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), "ggsl-devices-"))));
afterAll(() => rmSync(folder, { recursive: true }));

interface Found {
  readonly device: string;
  readonly tokens: readonly number[];
  readonly devices: readonly string[];
}

vulkanTest("the text is the same on each split, and the chain runs on the device with the output layer", () => {
  const path = writeExactModel(folder);
  Object.assign(ENVIRONMENT, { GGML_VK_DISABLE_F16: "1" });
  const settings = JSON.stringify({ ...EXACT, contextSize: 256, threads: 1 });
  const places = [
    { device: "CPU", backend: "cpu" },
    { device: ["CPU", "Vulkan0"], split: [1, 1] },
    { device: ["Vulkan0", "CPU"], split: [1, 1] },
    { device: ["Vulkan0", "CPU"], split: [1, 0] },
  ];
  const chain = "top_k(40) |> temp(0.5) |> dist(7)";
  const found = JSON.parse(node("test/vulkan/devices.mjs", path, settings, chain, JSON.stringify(places))) as Found[];
  expect(found.map(({ device }) => device)).toEqual(["CPU", "Vulkan0", "CPU", "Vulkan0"]);
  for (const { device, devices, tokens } of found) {
    expect(devices).toContain(device);
    expect(tokens).toEqual(found[0]!.tokens);
  }
  expect(found[2]!.devices).toEqual(["CPU"]);
});

vulkanTest("lists and parts that cannot be", async () => {
  const path = writeExactModel(folder);
  const refused = async (options: object): Promise<string> =>
    loadModel(path, options).then(
      () => "loaded",
      (error: Error) => error.message,
    );
  expect(await refused({ device: [] })).toContain("found none");
  expect(await refused({ device: ["CPU", "cpu"] })).toContain("`device` names CPU twice");
  expect(await refused({ device: ["CPU"], split: [1, 2] })).toContain("one number for each of the 1 devices");
  expect(await refused({ split: [1] })).toContain("`split` needs `servers`");
  expect(await refused({ device: ["CPU", 99] })).toContain("has no device 99");
});
