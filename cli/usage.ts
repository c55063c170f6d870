/** Options that several commands share, and the error for wrong usage. */
import { Argument, InvalidArgumentError, Option } from "commander";
import { isSeed, SEED_RANGE } from "@ggsl/compiler/graph/param.js";
import { LIMIT_PRESETS } from "@ggsl/compiler/limits/limits.js";
import { OPTIMIZATIONS } from "@ggsl/compiler/driver.js";
import type { Settings } from "@ggsl/compiler/lower/params.js";
import { WORD } from "@ggsl/compiler/source/lexemes.js";
import type { Phrase } from "ggsl/sequence/phrases/phrases.js";
import { assignment } from "./assignment.js";
import { jsonOr } from "./json.js";
import { withValues } from "./values.js";

/** Wrong usage of the command line; exit status 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly code = "USAGE";
}

const LARGEST = Number.MAX_SAFE_INTEGER;

/** An integer, rounded if it is beyond 2^53: its range is for the caller to check. */
function parsed(text: string): number {
  if (!/^-?\d+$/.test(text)) throw new InvalidArgumentError("Expected an integer.");
  return Number(text);
}

function from(least: number, text: string): number {
  const value = parsed(text);
  if (value > LARGEST) throw new InvalidArgumentError(`Expected an integer from ${least} to ${LARGEST}.`);
  if (value < least) throw new InvalidArgumentError(`Expected an integer of ${least} or more.`);
  return value;
}

export const natural = (text: string): number => from(0, text);

export const positive = (text: string): number => from(1, text);

export function seed(text: string): number {
  const value = parsed(text);
  if (!isSeed(value)) throw new InvalidArgumentError(`Expected ${SEED_RANGE}.`);
  return value;
}

/** Collects the values of an option that can be given several times. */
export const collected = (text: string, present: readonly string[] = []): string[] => [...present, text];

/** Collects `NAME=VALUE`, where the value is JSON or a text. @param name the form of names */
export const collectedJson =
  (name: string) =>
  (text: string, present: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => {
    const [, own, value] = new RegExp(`^(${name})=([^]*)$`).exec(text) ?? [];
    if (own === undefined || value === undefined) throw new InvalidArgumentError("Expected NAME=VALUE.");
    return { ...present, [own]: jsonOr(value) };
  };

/** Collects `--disable NAME`. */
function optimization(name: string, present: readonly string[] = []): string[] {
  if (!OPTIMIZATIONS.has(name))
    throw new InvalidArgumentError(`Expected the name of an optimization: ${[...OPTIMIZATIONS.keys()].join(", ")}.`);
  return [...present, name];
}

const SETTING = assignment(String.raw`\s*(\[[^]*\]|\S+)\s*`);

/** Collects `--set NAME=VALUE`; the value of a set of tokens is a JSON list. */
function setting(text: string, present: Settings = {}): Settings {
  const [, name, given = ""] = SETTING.exec(text) ?? [];
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

/** Names of programs in a shell. */
export const PROGRAM_FILES = { files: ["ggsl"] } as const;
/** Names of programs and specs. */
const CHAIN_FILES = { files: ["ggsl", "json"] } as const;
/** Programs and specs. */
export const chainsArgument = (): Argument =>
  withValues(
    new Argument("[files...]", "GGSL files, folders or globs of them, or specs: *.graph.json; - is standard input"),
    CHAIN_FILES,
  );
/** A program or a spec. */
export const chainArgument = (): Argument =>
  withValues(new Argument("[file]", "GGSL file, or a spec: *.graph.json"), CHAIN_FILES);
export const programArgument = (name: string, about = "GGSL file"): Argument =>
  withValues(new Argument(name, about), PROGRAM_FILES);
export const samplerOption = (): Option =>
  withValues(
    new Option(
      "--sampler <file>",
      "GGSL file, or a spec: *.graph.json (default: the sampling advice of the model file)",
    ),
    CHAIN_FILES,
  );
export const stagesOption = (about = "a chain of standard samplers instead of FILE"): Option =>
  withValues(new Option("-e, --stages <stages>", about), { stages: true });
export const setOption = (): Option =>
  new Option("--set <name=value>", "set a parameter of the chain (repeatable)").argParser(setting);
/** For several chains. */
export const setChainsOption = (): Option =>
  new Option(
    "--set <name=value>",
    "set a parameter of all chains that have it, or of one: CHAIN.NAME=VALUE (repeatable)",
  ).argParser(chainSetting);

const CHAIN_SETTING = new RegExp(String.raw`^(${WORD}\.)?([^]*)$`, "u");

/** `NAME=VALUE` or `CHAIN.NAME=VALUE`. */
function chainSetting(text: string, present: Settings = {}): Settings {
  const [, chain = "", rest] = CHAIN_SETTING.exec(text)!;
  const [[name, value] = []] = Object.entries(setting(rest!));
  if (name === undefined || value === undefined) throw new InvalidArgumentError("Expected NAME=NUMBER.");
  return { ...present, [chain + name]: value };
}

const stops = (text: string, present?: readonly string[]): string[] => [...(present ?? []), text];
export const stopOption = (): Option =>
  new Option("--stop <text>", "a text that ends the text and is no part of it; repeatable").argParser(stops);
const phrases = (text: string, present?: readonly Phrase[]): Phrase[] => [...(present ?? []), phraseOf(text)];
/** A text between two `/` is a regular expression. */
const phraseOf = (text: string): Phrase => {
  const [, regex] = /^\/(.+)\/$/s.exec(text) ?? [];
  return regex === undefined ? text : { regex };
};
export const phraseOption = (): Option =>
  new Option(
    "--ban-phrase <phrase>",
    "a text that is not written, or a regular expression between two `/`; repeatable",
  ).argParser(phrases);
export const rootOption = (): Option =>
  new Option("--root <dir>", "the folder that imports must stay below (default: the folder of FILE)");
export const noOptimizeOption = (): Option => new Option("--no-optimize", "disable all optimizations");
export const disableOption = (): Option =>
  withValues(
    new Option("--disable <name>", "disable one optimization (repeatable); docs/optimizer.md lists them").argParser(
      optimization,
    ),
    { words: [...OPTIMIZATIONS.keys()] },
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
    deviceName,
  );
const deviceName = (text: string): number | string => (/^\d{1,4}$/.test(text) ? Number(text) : text);
/** Several devices share a model's layers. */
export const devicesOption = (): Option =>
  new Option(
    "--device <devices>",
    "a device of the backend, by number or name (see `ggsl devices`); several, as in Vulkan0,CPU, share the layers",
  ).argParser((text) => {
    const devices = text.split(",").map(deviceName);
    return devices.length === 1 ? devices[0] : devices;
  });
export const strictOption = (): Option => new Option("--strict", "fail if the device cannot run the whole chain");
export const vocabOption = (): Option =>
  withValues(
    new Option("--vocab <file>", "the texts of the tokens: a model's GGUF file, or a JSON list (*.json) of texts"),
    { files: ["gguf", "json"] },
  );
export const jsonOption = (): Option => new Option("--json", "print one JSON object");

/** An integer from 1 to `limit`. */
export const atMost =
  (limit: number) =>
  (text: string): number => {
    const value = parsed(text);
    if (value > limit) throw new InvalidArgumentError(`Expected an integer from 1 to ${limit}.`);
    return from(1, text);
  };

/** An integer from 0 to `limit`; undefined for another text. */
export function upTo(limit: number, text: string): number | undefined {
  const value = /^\d+$/.test(text) ? Number(text) : Infinity;
  return value <= limit ? value : undefined;
}
