/** Options that several commands share, and the error for wrong usage. */
import { InvalidArgumentError, Option } from "commander";
import { isSeed, SEED_RANGE } from "@ggsl/compiler/graph/param.js";
import { LIMIT_PRESETS } from "@ggsl/compiler/limits/limits.js";
import { OPTIMIZATIONS } from "@ggsl/compiler/driver.js";
import type { Settings } from "@ggsl/compiler/lower/params.js";

/** Wrong usage of the command line; exit status 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

export function integer(text: string): number {
  if (!/^-?\d+$/.test(text)) throw new InvalidArgumentError("Expected an integer.");
  return Number(text);
}

export function natural(text: string): number {
  const value = integer(text);
  if (value < 0) throw new InvalidArgumentError("Expected an integer of 0 or more.");
  return value;
}

export function positive(text: string): number {
  const value = integer(text);
  if (value < 1) throw new InvalidArgumentError("Expected an integer of 1 or more.");
  return value;
}

export function seed(text: string): number {
  const value = integer(text);
  if (!isSeed(value)) throw new InvalidArgumentError(`Expected ${SEED_RANGE}.`);
  return value;
}

/** Collects `--disable NAME`. */
export function optimization(name: string, present: readonly string[] = []): string[] {
  if (!OPTIMIZATIONS.has(name))
    throw new InvalidArgumentError(`Expected the name of an optimization: ${[...OPTIMIZATIONS.keys()].join(", ")}.`);
  return [...present, name];
}

/** Collects `--set NAME=VALUE`; the value of a set of tokens is a JSON list. */
export function setting(text: string, present: Settings = {}): Settings {
  const [, name, given = ""] = /^([A-Za-z_]\w*)=\s*(\[.*\]|\S+)\s*$/s.exec(text) ?? [];
  const value = settingValue(given);
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError('Expected NAME=NUMBER, or NAME=[1,"text"] for a set of tokens.');
  return { ...present, [name]: value };
}

/** A number, a condition or a list of token ids and texts. */
export function settingValue(text: string): Settings[string] | undefined {
  if (text.startsWith("[")) return listOf(text);
  const value = text === "true" ? 1 : text === "false" ? 0 : Number(text);
  return Number.isNaN(value) ? undefined : value;
}

function listOf(text: string): (number | string)[] | undefined {
  try {
    const list = JSON.parse(text) as unknown[];
    return list.every((item) => typeof item === "number" || typeof item === "string") ? list : undefined;
  } catch {
    return undefined;
  }
}

export const stagesOption = (): Option =>
  new Option("-e, --stages <stages>", "a chain of standard samplers instead of FILE");
export const setOption = (): Option =>
  new Option("--set <name=value>", "set a parameter of the chain (repeatable)").argParser(setting);
const stops = (text: string, present?: readonly string[]): string[] => [...(present ?? []), text];
export const stopOption = (): Option =>
  new Option("--stop <text>", "a text that ends the text and is no part of it; repeatable").argParser(stops);
export const rootOption = (): Option =>
  new Option("--root <dir>", "the folder that imports must stay below (default: the folder of FILE)");
export const noOptimizeOption = (): Option => new Option("--no-optimize", "disable all optimizations");
export const disableOption = (): Option =>
  new Option("--disable <name>", "disable one optimization (repeatable); docs/optimizer.md lists them").argParser(
    optimization,
  );
export const limitsOption = (): Option =>
  new Option("--limits <preset>", "what a program may cost; docs/security.md lists the limits").choices(
    Object.keys(LIMIT_PRESETS),
  );
export const seedOption = (): Option =>
  new Option("--seed <n>", "the seed of all draws whose seed the chain leaves open").argParser(seed);
/** One of a backend's devices: a number is its index, anything else its name. */
export const deviceOption = (): Option =>
  new Option("--device <device>", "a device of the backend, by number or name (see `ggsl devices`)").argParser(
    (text) => (/^\d{1,4}$/.test(text) ? Number(text) : text),
  );
export const strictOption = (): Option => new Option("--strict", "fail if the device cannot run the whole chain");
export const vocabOption = (): Option =>
  new Option("--vocab <file>", "the texts of the tokens: a model's GGUF file, or a JSON list (*.json) of texts");
export const jsonOption = (): Option => new Option("--json", "print one JSON object");

/** An integer from 1 to `limit`. */
export const atMost =
  (limit: number) =>
  (text: string): number => {
    const value = positive(text);
    if (value > limit) throw new InvalidArgumentError(`Expected an integer from 1 to ${limit}.`);
    return value;
  };
