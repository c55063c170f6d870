/** The format of links: after `#`, `1.` and JSON in base64url. Links are untrusted, so everything is checked. */
import { isWord } from "@ggsl/compiler/source/lexemes.js";
import { isSeed, SEED_RANGE } from "@ggsl/compiler/graph/param.js";
import { InputError, invalid } from "ggsl/core/errors.js";
import type { ParamValues, StaticValues } from "../engine/messages.js";
import { MAX_SIZE, MIN_SIZE, SHAPES, type LogitSource } from "./source.js";
import { isGrammar } from "./grammarText.js";
import { isTokenList } from "./tokenList.js";

export interface Shared {
  readonly program: string;
  readonly chain?: string;
  readonly uniforms: ParamValues;
  readonly statics: StaticValues;
  readonly seed: number;
  readonly source: LogitSource;
  /** The field with the texts of the tokens, if it is not empty. */
  readonly vocabulary?: string;
  /** The stages to compare with. */
  readonly against?: string;
  /** The phrases that are not written, one a line; absent: none. */
  readonly banned?: string;
}

const VERSION = "1";
/** The maximum length of a link's fragment; browsers and chat programs truncate longer ones. */
const MAX_LINK = 32_000;
const MAX_VALUES = 256;
const MAX_NAME = 100;

/** @throws InputError if the link would be too long */
export function writeLink(shared: Shared): string {
  const bytes = new TextEncoder().encode(JSON.stringify(shared));
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  const link = `#${VERSION}.${btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")}`;
  if (link.length > MAX_LINK)
    throw new InputError(
      `the link would have ${link.length} characters, and at most ${MAX_LINK} are allowed: make the program or the pasted list shorter`,
      { code: "LIMIT_EXCEEDED" },
    );
  return link;
}

/** Decodes a fragment. Throws `InputError` if it is not such a link. */
export function readLink(fragment: string): Shared {
  if (fragment.length > MAX_LINK)
    throw unreadable(`it has ${fragment.length} characters; at most ${MAX_LINK} are allowed`);
  const [, version, data] = /^#(\d+)\.([A-Za-z0-9_-]+)$/.exec(fragment) ?? [];
  if (version === undefined || data === undefined) throw unreadable("it does not have the form #1.DATA");
  if (version !== VERSION) throw unreadable(`it has version ${version}; this page reads version ${VERSION}`);
  return checked(parse(data));
}

function parse(data: string): unknown {
  try {
    const binary = atob(data.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw unreadable("its data is damaged; it may have been cut off or changed");
  }
}

function checked(value: unknown): Shared {
  const { program, chain, uniforms, statics, seed, source, vocabulary, against, banned, ...rest } = objectOf(
    value,
    "its data",
  );
  const stray = Object.keys(rest)[0];
  if (stray !== undefined) throw unreadable(`it contains \`${stray.slice(0, MAX_NAME)}\`, which is unknown`);
  if (typeof program !== "string") throw unreadable("it contains no program");
  if (chain !== undefined && !isName(chain)) throw unreadable("its chain is not a valid name");
  if (vocabulary !== undefined && typeof vocabulary !== "string") throw unreadable("its vocabulary is not a text");
  if (against !== undefined && typeof against !== "string")
    throw unreadable("its stages to compare with are not a text");
  if (banned !== undefined && typeof banned !== "string") throw unreadable("its phrases are not a text");
  if (!isSeed(seed)) throw unreadable(`its seed is not ${SEED_RANGE}`);
  return {
    program,
    ...(chain !== undefined && { chain }),
    uniforms: valuesOf(uniforms, "uniforms"),
    statics: valuesOf(statics, "statics") as StaticValues,
    seed,
    source: sourceOf(source),
    ...(vocabulary !== undefined && { vocabulary }),
    ...(against !== undefined && { against }),
    ...(banned !== undefined && { banned }),
  };
}

const isName = (value: unknown): value is string => typeof value === "string" && value.length <= 100 && isWord(value);

function objectOf(value: unknown, what: string): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw unreadable(`${what} is not an object`);
  return { ...value };
}

function valuesOf(value: unknown, what: "uniforms" | "statics"): ParamValues {
  const entries = Object.entries(objectOf(value, `\`${what}\``));
  if (entries.length > MAX_VALUES)
    throw unreadable(`it contains ${entries.length} ${what}; at most ${MAX_VALUES} are allowed`);
  for (const [name, given] of entries)
    if (
      !isName(name) ||
      !(
        isTokenList(given) ||
        (what === "uniforms" && isGrammar(given)) ||
        (typeof given === "number" && Number.isFinite(given))
      )
    )
      throw unreadable(
        `\`${name.slice(0, MAX_NAME)}\` among its ${what} is not a name with a number or a list of tokens`,
      );
  return Object.fromEntries(entries) as ParamValues;
}

function sourceOf(value: unknown): LogitSource {
  const { kind, shape, size, text, are, prompt } = objectOf(value, "`source`");
  if (kind === "list" && typeof text === "string" && (are === "logits" || are === "probs")) return { kind, text, are };
  if (kind === "model" && typeof prompt === "string") return { kind, prompt };
  const known = SHAPES.find((name) => name === shape);
  const fits = Number.isInteger(size) && (size as number) >= MIN_SIZE && (size as number) <= MAX_SIZE;
  if (kind === "shape" && known && fits) return { kind, shape: known, size: size as number };
  throw unreadable("its logits are neither a shape nor a list nor the model's");
}

const unreadable = (reason: string): InputError => invalid(`This link cannot be read: ${reason}.`);
