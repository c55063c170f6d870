/** Every sampler of the standard library has a comparison. */
import { expect, test } from "@jest/globals";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { STD_SAMPLERS } from "../../compiler/std/samplers.js";
import { loadOracle } from "../native/oracle.js";
import { GROUPS } from "./groups.js";
import { DESCRIBED, SAMPLERS } from "./samplers.js";

/** The error of a call without arguments. */
function errorOf(name: string): string | undefined {
  try {
    new (loadOracle().LlamaChain)([{ name } as never]);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const UNKNOWN = "unknown_sampler";
const isInLlama = (name: string): boolean => errorOf(name) !== errorOf(UNKNOWN)!.replace(UNKNOWN, name);

test.each(STD_SAMPLERS)("$name names its peer if and only if llama.cpp has one", ({ name, peer }) => {
  expect(isInLlama(name)).toBe(peer !== undefined);
  if (peer !== undefined) expect(isInLlama(peer)).toBe(true);
});

test("the table describes no other sampler", () => {
  expect(DESCRIBED.filter((name) => !(name in SAMPLERS))).toEqual([]);
});

test("every sampler is compared on its own", () => {
  const compared = Object.values(GROUPS).flat();
  expect(Object.keys(SAMPLERS).filter((name) => !compared.includes(name))).toEqual([]);
});

test.each(Object.keys(GROUPS))("the samplers of the group %s are compared", (group) => {
  const text = readFileSync(fileURLToPath(new URL(`${group}.test.ts`, import.meta.url)), "utf8");
  expect(text).toContain(`GROUPS.${group})`);
});
