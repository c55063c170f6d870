/** Converts values of settings to numbers, booleans, texts and lists: undefined for a value of another type. */
import type { Node } from "./nodes.js";
import { show } from "./notes.js";

/** A value as shown in messages. */
export function describe(node: Node): string {
  if (node.kind === "number") return node.text.length > 40 ? `${node.text.slice(0, 40)}...` : node.text;
  if (node.kind === "string" || node.kind === "word") return show(node.value);
  if (node.kind === "bool") return String(node.value);
  return node.kind === "null" ? "null" : node.kind === "array" ? "a list" : "an object";
}

const DECIMAL = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i;
const INTEGER = /^[-+]?\d{1,40}$/;

/** A number that an f32 can hold. */
export function numberOf(node: Node): number | undefined {
  const value =
    node.kind === "number" ? node.value : node.kind === "word" && DECIMAL.test(node.value) ? Number(node.value) : NaN;
  return Number.isFinite(Math.fround(value)) ? value + 0 : undefined;
}

export function wholeOf(node: Node): number | undefined {
  const value = numberOf(node);
  return value !== undefined && Number.isInteger(value) && Math.abs(value) < 2 ** 31 ? value : undefined;
}

export function flagOf(node: Node): boolean | undefined {
  if (node.kind === "bool") return node.value;
  if (node.kind !== "word") return undefined;
  return { true: true, false: false }[node.value.toLowerCase()];
}

export const textOf = (node: Node): string | undefined =>
  node.kind === "string" || node.kind === "word" ? node.value : undefined;

export function listOf<T>(node: Node, convert: (node: Node) => T | undefined): T[] | undefined {
  if (node.kind !== "array") return undefined;
  const items = node.items.map(convert);
  return items.every((item) => item !== undefined) ? items : undefined;
}

export function tokenOf(node: Node): number | undefined {
  const token = wholeOf(node);
  return token !== undefined && token >= 0 ? token : undefined;
}

export const tokensOf = (node: Node): number[] | undefined => {
  const token = tokenOf(node);
  return token === undefined ? listOf(node, tokenOf) : [token];
};

export function seedOf(node: Node, isRandom: (seed: bigint) => boolean): number | "random" | undefined {
  const text = node.kind === "number" ? node.text : node.kind === "word" ? node.value : "";
  if (!INTEGER.test(text)) return undefined;
  const seed = BigInt(text.replace(/^\+/, ""));
  return isRandom(seed) ? "random" : Number(BigInt.asUintN(32, seed));
}
