/** `hash` and `noise` are the same on Vulkan as elsewhere, to the bit, though they are made of ggml's f32 ops there. */
import { expect } from "@jest/globals";
import { randomInt } from "node:crypto";
import { node, vulkanTest } from "./vulkan.js";

const ROWS = 32_000;

vulkanTest("noise and hashes of 32000 rows, with random keys", () => {
  const seeds = [0, 2 ** 32 - 1, ...Array.from({ length: 3 }, () => randomInt(2 ** 32))].map(String);
  const found = JSON.parse(node("test/vulkan/noise.mjs", String(ROWS), ...seeds)) as Record<string, unknown>[];
  expect(found.map(({ body, rows, differ }) => [body, rows, differ])).toEqual(found.map(({ body }) => [body, ROWS, 0]));
  expect(found.length).toBe(2 * seeds.length);
});
