/**
 * Limits that an embedder sets: what a program or a spec may cost. They protect the process that compiles and the device that
 * runs the graph; a limit that is exceeded is an error with the limit's name. docs/security.md says what each protects.
 */
import { LIMITS } from "./format.js";
import { OptionError } from "../core/optionError.js";

export interface Limits {
  /** Characters of a source file. */
  readonly sourceLength: number;
  /** Tokens of a source file: names, numbers, texts and marks. */
  readonly tokens: number;
  /** Characters of a name in a source file. */
  readonly nameLength: number;
  /** Files of a program: its own, those that it imports, and those of the standard library. */
  readonly files: number;
  /** Diagnostics that are kept; the last one counts the others. */
  readonly diagnostics: number;
  /** Steps of the compiler: tokens read, expressions lowered, nodes created, nodes visited by passes. */
  readonly steps: number;
  /** Characters of a grammar or another text. */
  readonly textLength: number;
  /** Entries of a list of breakers. */
  readonly breakers: number;
  /** Stages of a chain, with those of the chains inside it. */
  readonly stages: number;
  readonly nodes: number;
  readonly params: number;
  readonly uniforms: number;
  /** Operations and leaves of all uniform expressions together; each character or id of an ending counts as one. */
  readonly uniformParts: number;
  readonly draws: number;
  readonly states: number;
  readonly measures: number;
  /** Conditions that end a text. */
  readonly stops: number;
  /** Windows over scalars. */
  readonly windows: number;
  /** Rules of grammars that are asked about. */
  readonly rules: number;
  /** Texts that a program writes. */
  readonly writes: number;
  readonly inputs: number;
  readonly features: number;
  /** Sets of tokens. */
  readonly sets: number;
  /** Entries of a set of tokens. */
  readonly setItems: number;
  /** Stages of the host tail. */
  readonly tail: number;
  /** The vocabulary that the limits below are for, in tokens. */
  readonly vocabSize: number;
  /** Rows that all nodes compute for a token of a sequence. */
  readonly work: number;
  /** Sorts and selections over the whole vocabulary for a token of a sequence. */
  readonly sorts: number;
  /** Bytes of device memory for a sequence. */
  readonly deviceBytes: number;
  /** Bytes of the host's memory for the tail and the windows of a sequence. */
  readonly hostBytes: number;
}

export type LimitName = keyof Limits;

const MIB = 2 ** 20;

/** Limits by name of the preset: `default` for programs of one's own, `strict` for those of strangers. */
export const LIMIT_PRESETS = {
  default: {
    sourceLength: MIB / 4,
    tokens: 16_384,
    nameLength: 255,
    files: 256,
    diagnostics: 100,
    steps: 200_000,
    textLength: MIB / 4,
    breakers: LIMITS.list,
    stages: 256,
    nodes: LIMITS.nodes,
    params: LIMITS.params,
    uniforms: LIMITS.uniforms,
    uniformParts: LIMITS.uniformParts,
    draws: LIMITS.draws,
    states: LIMITS.states,
    measures: LIMITS.measures,
    stops: LIMITS.stops,
    windows: LIMITS.windows,
    rules: LIMITS.rules,
    writes: LIMITS.writes,
    inputs: LIMITS.inputs,
    features: LIMITS.features,
    sets: LIMITS.sets,
    setItems: LIMITS.list,
    tail: LIMITS.tail,
    vocabSize: 2 ** 17,
    work: 256 * MIB,
    sorts: 64,
    deviceBytes: 256 * MIB,
    hostBytes: 64 * MIB,
  },
  strict: {
    sourceLength: 2 ** 16,
    tokens: 4096,
    nameLength: 64,
    files: 1,
    diagnostics: 20,
    steps: 40_000,
    textLength: 2 ** 14,
    breakers: 64,
    stages: 32,
    nodes: 1000,
    params: 64,
    uniforms: 256,
    uniformParts: 4096,
    draws: 16,
    states: 16,
    measures: 16,
    stops: 16,
    windows: 16,
    rules: 16,
    writes: 8,
    inputs: 16,
    features: 16,
    sets: 16,
    setItems: 64,
    tail: 16,
    vocabSize: 2 ** 17,
    work: 32 * MIB,
    sorts: 4,
    deviceBytes: 32 * MIB,
    hostBytes: 8 * MIB,
  },
} as const satisfies Readonly<Record<string, Limits>>;

/** The name of a set of limits. */
export type LimitPreset = keyof typeof LIMIT_PRESETS;

/** A preset's name, or limits that replace those of `default`. */
export type LimitOptions = LimitPreset | Partial<Limits>;

/** The most that a setting may allow: the graph form's own limits; other limits have none. */
const LARGEST: Readonly<Record<string, number>> = {
  ...LIMITS,
  vocabSize: LIMITS.dim,
  textLength: LIMITS.text,
  breakers: LIMITS.list,
  setItems: LIMITS.list,
};

/** All limits. Throws an `OptionError` for an unknown preset or limit, and for a value that is not an integer of its range. */
export function limitsOf(options: LimitOptions = "default"): Limits {
  if (typeof options === "string") {
    if (!Object.hasOwn(LIMIT_PRESETS, options))
      throw new OptionError(
        `there are no limits ${JSON.stringify(options)}; there are ${Object.keys(LIMIT_PRESETS).join(", ")}`,
      );
    return LIMIT_PRESETS[options];
  }
  if (typeof options !== "object" || options === null || Array.isArray(options))
    throw new OptionError("limits are the name of a preset or an object of numbers");
  for (const [name, value] of Object.entries(options)) checkLimit(name, value);
  return { ...LIMIT_PRESETS.default, ...options };
}

function checkLimit(name: string, value: unknown): void {
  if (!Object.hasOwn(LIMIT_PRESETS.default, name))
    throw new OptionError(
      `there is no limit ${JSON.stringify(name)}; there are ${Object.keys(LIMIT_PRESETS.default).join(", ")}`,
    );
  const most = LARGEST[name] ?? Number.MAX_SAFE_INTEGER;
  if (!Number.isInteger(value) || (value as number) < 0 || (value as number) > most)
    throw new OptionError(`the limit \`${name}\` must be an integer from 0 to ${most}, found ${String(value)}`);
}
