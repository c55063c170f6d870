/** The stages of a chain with the values of their arguments; nested chains are inlined. */
import type { Settings } from "@ggsl/compiler/lower/params.js";
import { resolveArgs } from "@ggsl/compiler/check/arguments.js";
import { evaluateConstant, textConstant } from "@ggsl/compiler/check/constants.js";
import { itemsNamed } from "@ggsl/compiler/check/sets.js";
import { TAIL_SAMPLERS } from "@ggsl/compiler/llama/samplers.js";
import { resolveTailArgs } from "@ggsl/compiler/check/tailArguments.js";
import type { Module } from "@ggsl/compiler/check/program.js";
import type { TokenItem, TokenSequence } from "@ggsl/compiler/graph/graph.js";
import { stdSource } from "@ggsl/compiler/std/library.js";
import type { Chain, Expr, Param, Sampler, StageCall } from "@ggsl/compiler/syntax/ast.js";
import { lineColumn } from "@ggsl/compiler/syntax/source.js";

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
  /** The declaration of any other sampler, and the module where it is. */
  readonly sampler?: { readonly declared: Sampler; readonly module: Module };
}

type Values = ReadonlyMap<string, Value>;

/** Uniforms have the values that `set` gives them, or their defaults. */
export function flatten(module: Module, chain: Chain, set: Settings): FlatStage[] {
  const values = new Map(chain.params.map((p) => [p.name.text, set[p.name.text] ?? defaultOf(p, module)]));
  return stagesOf(module, chain, values);
}

const stagesOf = (module: Module, { stages }: Chain, values: Values): FlatStage[] =>
  stages.flatMap((call) => (call.isHost ? tailStage(module, call, values) : stageOf(module, call, values)));

function stageOf(module: Module, call: StageCall, values: Values): FlatStage[] {
  const found = module.scope.get(call.name.text)!;
  const callee = found.declaration as Sampler | Chain;
  const { bound } = resolveArgs(callee.params, call.args);
  const args = new Map(
    callee.params.map((param) => {
      const arg = bound.get(param.name.text);
      return [param.name.text, arg ? valueOf(arg.value, module, values) : defaultOf(param, found.module)];
    }),
  );
  if (callee.kind === "chain") return stagesOf(found.module, callee, args);
  const isStandard = stdSource(callee.name.text) === found.module.source;
  return [
    {
      name: callee.name.text,
      label: labelOf(call),
      isStandard,
      args: Object.fromEntries(args),
      ...(!isStandard && { sampler: { declared: callee, module: found.module } }),
    },
  ];
}

function tailStage(module: Module, call: StageCall, values: Values): FlatStage[] {
  const { bound } = resolveTailArgs(call);
  const params = Object.entries(TAIL_SAMPLERS[call.name.text]!.params);
  const args = params.map(([name, param]): [string, Value] => {
    const given = bound.get(name);
    return [name, given ? valueOf(given, module, values) : param.default];
  });
  return [{ name: call.name.text, label: labelOf(call), isStandard: true, args: Object.fromEntries(args) }];
}

function labelOf({ span }: StageCall): string {
  const text = span.source.text.slice(span.start, span.end).replace(/\s+/g, " ");
  return `${span.source.name}:${lineColumn(span.source, span.start).line}: \`${text}\``;
}

/** As in the compiler: an open seed is random, a uniform without a default is 0. */
function defaultOf(param: Param, module: Module): Value {
  if (param.default) return valueOf(param.default, module, new Map());
  return param.type === "seed" ? "random" : param.isStatic ? undefined : 0;
}

function valueOf(expr: Expr, module: Module, values: Values): Value {
  if (expr.kind === "name" && values.has(expr.text)) return values.get(expr.text);
  if (expr.kind === "name" && expr.text === "random") return "random";
  const items = itemsNamed(expr, module);
  if (items) return { items };
  const text = textConstant(module, expr);
  if (text?.kind === "string") return text.value;
  if (text) return text.values.map((v) => valueOf(v, module, values) as TokenSequence);
  return evaluateConstant(expr, module);
}
