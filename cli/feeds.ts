/** What a chain is fed beside its text: `--input` and `--bias`. */
import { InvalidArgumentError, Option } from "commander";
import { namedInputs } from "@ggsl/compiler/graph/features.js";
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { invalid } from "ggsl/core/errors.js";
import type { Feed, Pairs } from "ggsl/sequence/features/feed.js";
import { assignment } from "./assignment.js";
import { readNumbers, readTokens } from "./numbers.js";
import { UsageError } from "./usage.js";

export interface FeedFlags {
  readonly bias?: Pairs;
  readonly input?: Readonly<Record<string, string>>;
}

export const biasOption = (): Option =>
  new Option("--bias <list>", "logit biases, TOKEN:VALUE,...; -inf bans a token").argParser(pairs);
export const inputOption = (): Option =>
  new Option(
    "--input <name=list>",
    "the values of a column that the chain declares with `input`, TOKEN:VALUE,... for a sparse one, or the token ids of a text (repeatable)",
  ).argParser(input);

/** What the options feed to a chain; undefined for nothing. Throws `InputError` and `UsageError` for what it does not read. */
export function feedOf(graph: Graph, { bias, input: lists }: FeedFlags): Pick<Feed, "bias" | "inputs"> | undefined {
  if (bias && !graph.features.some(({ from }) => from.kind === "bias"))
    throw new UsageError(
      `--bias is read by the stage logit_bias(), which the chain \`${graph.name}\` does not have: add it, or leave the option out`,
    );
  if (!bias && !lists) return undefined;
  return { ...(bias && { bias }), ...(lists && { inputs: inputsOf(graph, lists) }) };
}

/** `--bias TOKEN:VALUE,...` */
function pairs(text: string): Pairs {
  const found = pairsOf(text);
  if (!found) throw new InvalidArgumentError("Expected TOKEN:VALUE,TOKEN:VALUE.");
  return found;
}

/** `TOKEN:VALUE,...`; undefined for any other text. */
function pairsOf(text: string): Pairs | undefined {
  const entries = text.split(",").map((pair): [number, number] => {
    const [, token, value] = /^\s*(\d+)\s*:\s*(\S+)\s*$/.exec(pair) ?? [];
    return [Number(token), value === "-inf" ? -Infinity : Number(value)];
  });
  return entries.flat().some(Number.isNaN) ? undefined : new Map(entries);
}

const INPUT = assignment("(.+)");

/** Collects `--input NAME=LIST`. */
function input(text: string, present: Readonly<Record<string, string>> = {}): Record<string, string> {
  const [, name, list] = INPUT.exec(text) ?? [];
  if (name === undefined || list === undefined) throw new InvalidArgumentError("Expected NAME=LIST.");
  return { ...present, [name]: list };
}

/**
 * The values of each input: a row, or for a sparse input pairs, by default the tokens of a row whose value is not the fill value. The
 * tokens of a text.
 */
function inputsOf(graph: Graph, lists: Readonly<Record<string, string>>): NonNullable<Feed["inputs"]> {
  const entries = Object.entries(lists).map(([name, list]): [string, Float32Array | readonly number[] | Pairs] => {
    const declared = namedInputs(graph.features).find((one) => one.name === name);
    const isText = declared?.kind === "text";
    if (isText && pairsOf(list))
      throw invalid(`--input ${name}: the input is a text: expected token ids, as in ${name}=1,2,3, found pairs`);
    if (isText) return [name, list.trim() === "[]" ? [] : [...readTokens(list, `--input ${name}`)]];
    if (!declared) throw invalid(`the chain declares no input \`${name}\``);
    const { form } = declared;
    const given = pairsOf(list);
    if (given && form.kind !== "sparse")
      throw invalid(
        `--input ${name}: the input is dense: expected a number for each token, as in ${name}=0.5,0,1, found pairs`,
      );
    if (given) return [name, given];
    if (/^\s*\d+\s*:/.test(list))
      throw invalid(`--input ${name}: "${list}" is not a list of pairs: expected TOKEN:VALUE,TOKEN:VALUE`);
    const values = readNumbers(list, `--input ${name}`);
    if (form.kind !== "sparse") return [name, values];
    return [name, new Map([...values.entries()].filter(([, value]) => value !== form.fill))];
  });
  return Object.fromEntries(entries);
}
