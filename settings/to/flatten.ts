/** The stages of a chain with the values of their arguments; nested chains are inlined. */
import type { Settings } from "@ggsl/compiler/lower/params.js";
import { chainIn, stagesOf } from "@ggsl/compiler/check/chains.js";
import type {
  ChainBinding,
  Expr,
  Item,
  Local,
  Module,
  Param,
  SamplerBinding,
  Stage,
} from "@ggsl/compiler/check/tree.js";
import { paramsOf } from "@ggsl/compiler/check/types.js";
import { TAIL_SAMPLERS } from "@ggsl/compiler/llama/samplers.js";
import type { TokenItem, TokenSequence } from "@ggsl/compiler/graph/graph.js";
import { stdSource } from "@ggsl/compiler/std/library.js";
import type { Chain, StageCall } from "@ggsl/compiler/syntax/ast.js";
import { lineColumn } from "@ggsl/compiler/source/source.js";

/** A set of tokens. */
export interface SetValue {
  readonly items: readonly TokenItem[];
}

/** Lists have ids, texts and sequences of ids. Undefined if it is unknown before the chain runs. */
export type Value = number | string | readonly TokenSequence[] | SetValue | undefined;

export interface FlatStage {
  readonly name: string;
  /** Its place and its text: `chain.ggsl:3: temp(t)`. */
  readonly label: string;
  /** A sampler of the standard library, or one of llama.cpp's in the host tail. */
  readonly isStandard: boolean;
  readonly args: Readonly<Record<string, Value>>;
  /** Any other sampler. */
  readonly sampler?: SamplerBinding;
}

type Values = ReadonlyMap<Local, Value>;

/** Uniforms have the values that `set` gives them, or their defaults. */
export function flatten(module: Module, chain: Chain, set: Settings): FlatStage[] {
  const bound = chainIn(module, chain);
  const values = paramsOf(bound).value.map((p) => [p.local, set[nameOf(p)] ?? defaultOf(p)] as const);
  return flatStages(bound, new Map(values));
}

const nameOf = ({ declaration }: Param): string => declaration.name.text;

const flatStages = (chain: ChainBinding, values: Values): FlatStage[] =>
  stagesOf(chain).value.flatMap((stage) =>
    stage.kind === "stage" ? calledStages(stage, values) : stage.kind === "tail" ? [tailStage(stage, values)] : [],
  );

function calledStages({ call, callee, args }: Extract<Stage, { kind: "stage" }>, values: Values): FlatStage[] {
  const params = paramsOf(callee).value;
  const given = params.map((param, i) => {
    const arg = args[i]!;
    return [param, arg === param.default ? defaultOf(param) : valueOf(arg, values)] as const;
  });
  if (callee.kind === "chain") return flatStages(callee, new Map(given.map(([{ local }, value]) => [local, value])));
  const { text: name } = callee.declaration.name;
  const isStandard = stdSource(name) === callee.module.source;
  return [
    {
      name,
      label: labelOf(call),
      isStandard,
      args: Object.fromEntries(given.map(([param, value]) => [nameOf(param), value])),
      ...(!isStandard && { sampler: callee }),
    },
  ];
}

function tailStage({ call, args }: Extract<Stage, { kind: "tail" }>, values: Values): FlatStage {
  const { text: name } = call.name;
  const given = new Map(args);
  const all = Object.entries(TAIL_SAMPLERS[name]!.params).map(([param, fact]): [string, Value] => {
    const arg = given.get(param);
    return [param, arg ? valueOf(arg, values) : fact.default];
  });
  return { name, label: labelOf(call), isStandard: true, args: Object.fromEntries(all) };
}

function labelOf({ span }: StageCall): string {
  const text = span.source.text.slice(span.start, span.end).replace(/\s+/g, " ");
  return `${span.source.name}:${lineColumn(span.source, span.start).line}: \`${text}\``;
}

/** The default as the compiler has it: an open seed is random, a uniform without a default is 0. */
function defaultOf({ declaration: { type, isStatic }, default: standard }: Param): Value {
  if (standard) return valueOf(standard, new Map());
  return type === "seed" ? "random" : isStatic ? undefined : 0;
}

function valueOf(expr: Expr, values: Values): Value {
  switch (expr.kind) {
    case "local":
      return values.get(expr.local);
    case "random":
      return "random";
    case "set":
      return { items: expr.items };
    case "text":
      return expr.value;
    case "list":
      return expr.items.map(sequenceOf);
    default:
      return expr.constant;
  }
}

const sequenceOf = ({ value }: Item): TokenSequence =>
  typeof value === "object" ? value.map((item) => item.value as number) : value;
