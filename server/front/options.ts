/** The options of a front, and those of its processes. */
import type { OptionNames } from "@ggsl/compiler/core/optionNames.js";
import { named, namedIn } from "ggsl/core/check.js";
import { invalid } from "ggsl/core/errors.js";
import { DEFAULTS, NAMES, pingIntervalOf, type NamedFile, type ServeOptions } from "../config/options.js";

/** Several models, each in a process of its own; the other options are those of `serve`, for all of them. */
export interface ServeModelsOptions extends Omit<ServeOptions, "model" | "alias"> {
  /** The names that requests give, and GGUF files; the first one is that of requests without a name. */
  readonly models: readonly NamedFile[];
  /**
   * The most models that are loaded at once; of those that are idle the one that was used least recently makes place for another.
   * @default 1
   */
  readonly maxLoadedModels?: number | undefined;
}

const { model: _model, alias: _alias, ...SHARED } = NAMES;
const FRONT: OptionNames<ServeModelsOptions> = { ...SHARED, models: true, maxLoadedModels: true };
const FILE: OptionNames<NamedFile> = { name: true, file: true };
/** A sampler's name comes after a colon. */
const NAME = /^[^\s:]{1,128}$/;

/** Throws `InputError`. */
export function checkFront(options: ServeModelsOptions): void {
  named(FRONT)(options, "options");
  pingIntervalOf(options);
  const { models, maxLoadedModels = 1 } = options;
  // who calls it may use no types
  const isList: boolean = Array.isArray(models);
  if (!isList || models.length === 0) throw invalid("`models` must be a list of one or more models");
  models.forEach((model, i) => namedIn(FILE)(model, `models[${i}]`));
  const names = models.map(({ name }) => name);
  for (const name of names) {
    if (!NAME.test(name))
      throw invalid(
        `the name of a model has 1 to 128 characters, without blanks and colons, found ${JSON.stringify(name)}`,
      );
    if (names.indexOf(name) !== names.lastIndexOf(name)) throw invalid(`there are two models of the name "${name}"`);
  }
  if (!Number.isInteger(maxLoadedModels) || maxLoadedModels < 1)
    throw invalid(`\`maxLoadedModels\` must be an integer from 1, found ${maxLoadedModels}`);
}

/** The options of the process of a model. It listens for the front alone, which has the limits of clients. */
export function optionsOf(options: ServeModelsOptions, { name, file }: NamedFile): ServeOptions {
  const {
    models: _,
    maxLoadedModels: __,
    apiKeys: ___,
    cors: ____,
    allowHosts: _____,
    files: ______,
    ...shared
  } = options;
  return { ...shared, model: file, alias: name, host: DEFAULTS.host, port: 0, trustProxy: [DEFAULTS.host] };
}

/** The names of models, and with samplers as `NAME:SAMPLER`, and the model of each. */
export function namesOf({ models, samplers = [] }: ServeModelsOptions): ReadonlyMap<string, string> {
  const own = samplers.flatMap(({ name }) => (name === "default" ? [] : [name]));
  return new Map([
    ...models.map(({ name }): [string, string] => [name, name]),
    ...models.flatMap(({ name }) => own.map((sampler): [string, string] => [`${name}:${sampler}`, name])),
  ]);
}
