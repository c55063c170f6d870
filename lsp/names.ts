/** Every name in a file, with its meaning. */
import { findName, FUNCTIONS, NAMES } from "@ggsl/compiler/builtins/builtins.js";
import { TAIL_SAMPLERS } from "@ggsl/compiler/llama/samplers.js";
import { builtinCalled, type Binding, type Module } from "@ggsl/compiler/check/program.js";
import { textNamed } from "@ggsl/compiler/check/texts.js";
import { TOKEN_CLASSES, type TokenClass } from "@ggsl/compiler/graph/sets.js";
import { declaredInputs } from "@ggsl/compiler/check/inputs.js";
import { scalarType, typeOf, type Local as TypedLocal, type Scope, type Type } from "@ggsl/compiler/check/types.js";
import {
  importedAs,
  type Arg,
  type Expr,
  type Fn,
  type ImportedName,
  type Name,
  type Param,
  type Sampler,
  type StageCall,
  type Stmt,
  type Test,
} from "@ggsl/compiler/syntax/ast.js";
import type { Span } from "@ggsl/compiler/syntax/source.js";
import { children } from "@ggsl/compiler/syntax/walk.js";

export type Meaning =
  | { readonly kind: "fn" | "sampler" | "chain" | "const" | "input"; readonly span: Span; readonly binding: Binding }
  | { readonly kind: "parameter"; readonly span: Span; readonly param: Param }
  | { readonly kind: "let" | "state" | "counter" | "repeated"; readonly span: Span; readonly type: Type }
  | { readonly kind: "measure"; readonly span: Span }
  | { readonly kind: "column" | "function" | "seed" | "host" | "text" }
  | { readonly kind: "tokenClass"; readonly name: TokenClass }
  | { readonly kind: "tailParameter"; readonly stage: string };

export interface Occurrence {
  readonly text: string;
  readonly span: Span;
  readonly meaning: Meaning;
  readonly isDeclaration: boolean;
  /** The call of a stage that the name begins. */
  readonly stage?: StageCall;
}

/** Occurrences of the same declaration have the same key; builtins have none. */
export const keyOf = (meaning: Meaning): string | undefined =>
  "span" in meaning ? `${meaning.span.source.name}:${meaning.span.start}` : undefined;

/** Where what a name means is declared, under whatever name an import knows it. */
export const declarationOf = (meaning: Extract<Meaning, { span: Span }>): Span =>
  "binding" in meaning ? meaning.binding.declaration.name.span : meaning.span;

type Local = Extract<Meaning, { kind: "parameter" | "let" | "state" | "counter" | "repeated" }>;
type Locals = Map<string, Local>;

/** Every resolved name of a module's file, in source order. */
export function occurrencesOf(module: Module): Occurrence[] {
  const found: Occurrence[] = [];
  const add = ({ text, span }: Name, meaning: Meaning | undefined, isDeclaration = false, stage?: StageCall): void => {
    if (meaning) found.push({ text, span, meaning, isDeclaration, ...(stage && { stage }) });
  };
  for (const d of module.file.declarations) {
    if (d.kind === "import") d.names.forEach((name) => importedName(module, name, add));
    else if (d.kind === "test") testNames(module, d, add);
    else {
      add(d.name, { kind: d.kind, span: d.name.span, binding: { declaration: d, module } }, true);
      if (d.kind === "const") expression(module, new Map(), d.value, add);
      if (d.kind === "input")
        [d.size, d.sparse?.capacity, d.sparse?.fill].forEach((e) => e && expression(module, new Map(), e, add));
      if (d.kind === "fn") functionNames(module, d, add);
      if (d.kind === "sampler") block(module, parameters(module, d.params, add), d, d.body, add);
      if (d.kind === "chain") {
        const locals = parameters(module, d.params, add);
        d.stages.forEach((stage) => stageNames(module, locals, stage, add));
      }
    }
  }
  return found.sort((a, b) => a.span.start - b.span.start);
}

type Add = (name: Name, meaning: Meaning | undefined, isDeclaration?: boolean, stage?: StageCall) => void;

/** What a name means at the top level of a file. */
export function topLevel(module: Module, name: string): Meaning | undefined {
  const binding = module.scope.get(name);
  const own = binding && aliasOf(module, name);
  return binding && { ...declared(binding), ...(own && { span: own.span }) };
}

/** The name in the other file and, if it is another one, that in this file, which is a declaration of its own. */
function importedName(module: Module, name: ImportedName, add: Add): void {
  const meaning = topLevel(module, importedAs(name).text);
  add(name, meaning && "binding" in meaning ? declared(meaning.binding) : undefined);
  if (name.as) add(name.as, meaning, true);
}

const declared = (binding: Binding): Extract<Meaning, { binding: Binding }> => ({
  kind: binding.declaration.kind,
  span: binding.declaration.name.span,
  binding,
});

function functionNames(module: Module, fn: Fn, add: Add): void {
  const locals = parameters(module, fn.params, add);
  for (const { name, value } of fn.lets) declareLet(module, locals, name, value, add);
  expression(module, locals, fn.result, add);
}

/** The name that an import gives to a declaration of another file. */
const aliasOf = (module: Module, name: string): Name | undefined =>
  module.file.declarations.flatMap((d) => (d.kind === "import" ? d.names : [])).find((n) => n.as?.text === name)?.as;

function parameters(module: Module, params: readonly Param[], add: Add): Locals {
  const locals: Locals = new Map();
  for (const param of params) {
    const meaning = { kind: "parameter", span: param.name.span, param } as const;
    add(param.name, meaning, true);
    const range = param.range;
    const bounds = !range ? [] : range.kind === "in" ? [range.min, range.max] : [range.bound];
    for (const e of [param.size, ...bounds, param.default].filter((e) => e !== undefined))
      expression(module, new Map(), e, add);
    locals.set(param.name.text, meaning);
  }
  return locals;
}

function testNames(module: Module, { clauses }: Test, add: Add): void {
  for (const clause of clauses) {
    if (clause.kind === "run") clause.stages.forEach((stage) => stageNames(module, new Map(), stage, add));
    else if (clause.kind === "input") add(clause.name, inputNamed(module, clause.name.text));
    else if (clause.kind === "measure" || clause.kind === "state")
      add(
        clause.name,
        ofStages(
          module,
          clauses.flatMap((c) => (c.kind === "run" ? c.stages : [])),
          clause,
        ),
      );
    const values =
      "values" in clause
        ? clause.values
        : clause.kind === "bias"
          ? clause.pairs.flat()
          : "count" in clause
            ? [clause.count]
            : [];
    values.forEach((e) => expression(module, new Map(), e, add));
  }
}

/** An input of the file, or of one that it imports. */
function inputNamed(module: Module, name: string): Meaning | undefined {
  const binding = declaredInputs(module).get(name);
  return binding && { kind: "input", span: binding.declaration.name.span, binding };
}

/** The first measure or state of a name in these stages. */
function ofStages(
  module: Module,
  stages: readonly StageCall[],
  wanted: { readonly kind: "measure" | "state"; readonly name: Name },
  seen = new Set<unknown>(),
): Meaning | undefined {
  for (const { name, isHost } of stages) {
    const callee = isHost ? undefined : module.scope.get(name.text);
    // a faulty chain may have itself as a stage
    if (!callee || seen.has(callee.declaration)) continue;
    seen.add(callee.declaration);
    const { declaration, module: inside } = callee;
    const found =
      declaration.kind === "chain"
        ? ofStages(inside, declaration.stages, wanted, seen)
        : declaration.kind === "sampler"
          ? ofStatements(declaration.body, wanted)
          : undefined;
    if (found) return found;
  }
  return undefined;
}

function ofStatements(
  statements: readonly Stmt[],
  wanted: { readonly kind: "measure" | "state"; readonly name: Name },
): Meaning | undefined {
  for (const s of statements) {
    const inside = s.kind === "if" ? [...s.then, ...(s.else ?? [])] : s.kind === "after" ? s.body : [];
    const found = ofStatements(inside, wanted);
    if (found) return found;
    if (s.kind !== wanted.kind || s.name.text !== wanted.name.text) continue;
    const { span } = s.name;
    return s.kind === "measure"
      ? { kind: "measure", span }
      : { kind: "state", span, type: scalarType(s.type, "runtime") };
  }
  return undefined;
}

/** What a name means as a text: an input of tokens, or a word. */
export function textMeaning(module: Module, name: string): Meaning | undefined {
  const text = textNamed(module, name);
  return text && (typeof text.source === "object" ? topLevel(module, name) : { kind: "text" });
}

function stageNames(module: Module, locals: Locals, stage: StageCall, add: Add): void {
  const { name, isHost, args } = stage;
  const isKnownTail = isHost && Object.hasOwn(TAIL_SAMPLERS, name.text);
  const callee = isHost ? undefined : topLevel(module, name.text);
  add(name, isKnownTail ? { kind: "host" } : callee, false, stage);
  args.forEach((arg) => {
    if (arg.name) add(arg.name, argument(callee, isKnownTail, name.text, arg));
    expression(module, locals, arg.value, add);
  });
}

function argument(callee: Meaning | undefined, isHost: boolean, stage: string, { name }: Arg): Meaning | undefined {
  if (isHost && Object.hasOwn(TAIL_SAMPLERS[stage]!.params, name!.text)) return { kind: "tailParameter", stage };
  const declaration = callee && "binding" in callee ? callee.binding.declaration : undefined;
  if (!declaration || !("params" in declaration)) return undefined;
  const param = declaration.params.find((p) => p.name.text === name!.text);
  return param && { kind: "parameter", span: param.name.span, param };
}

function declare(locals: Locals, name: Name, meaning: Local, add: Add): void {
  add(name, meaning, true);
  locals.set(name.text, meaning);
}

function declareLet(module: Module, locals: Locals, name: Name, value: Expr, add: Add): void {
  expression(module, locals, value, add);
  declare(locals, name, { kind: "let", span: name.span, type: inferred(module, locals, value) }, add);
}

function block(module: Module, locals: Locals, sampler: Sampler, statements: readonly Stmt[], add: Add): void {
  const visit = (e: Expr | undefined): void => {
    if (e) expression(module, locals, e, add);
  };
  for (const s of statements) {
    switch (s.kind) {
      case "let":
        declareLet(module, locals, s.name, s.value, add);
        break;
      case "state":
        visit(s.init);
        declare(locals, s.name, { kind: "state", span: s.name.span, type: scalarType(s.type, "runtime") }, add);
        break;
      case "assign":
        add(
          s.target,
          locals.get(s.target.text) ?? (findName(s.target.text)?.isAssignable ? { kind: "column" } : undefined),
        );
        visit(s.value);
        break;
      case "keep":
        visit(s.cond);
        visit(s.atLeast);
        break;
      case "top":
        visit(s.count);
        visit(s.by);
        break;
      case "sort":
        visit(s.by);
        break;
      case "pick":
        visit(s.value);
        visit(s.at);
        break;
      case "if":
        visit(s.cond);
        block(module, new Map(locals), sampler, s.then, add);
        block(module, new Map(locals), sampler, s.else ?? [], add);
        break;
      case "measure":
        add(s.name, { kind: "measure", span: s.name.span }, true);
        visit(s.value);
        break;
      case "after":
        block(module, new Map(locals), sampler, s.body, add);
    }
  }
}

/** The type of an expression with only these names in scope; its errors are reported elsewhere. */
function inferred(module: Module, locals: Locals, value: Expr): Type {
  const names = new Map([...locals].map(([name, meaning]): [string, TypedLocal] => [name, localOf(meaning)]));
  const scope: Scope = {
    module,
    names,
    uniforms: new Set(),
    hasRows: true,
    isAfterPick: true,
    canUsePicked: true,
    diagnostics: [],
  };
  return typeOf(scope, value);
}

const localOf = (meaning: Local): TypedLocal =>
  meaning.kind === "parameter"
    ? { type: scalarType(meaning.param.type, meaning.param.isStatic ? "static" : "uniform"), span: meaning.span }
    : { type: meaning.type, span: meaning.span };

function expression(module: Module, locals: Locals, e: Expr, add: Add): void {
  if (e.kind === "name") {
    const builtin: Meaning | undefined = Object.hasOwn(NAMES, e.text)
      ? { kind: "column" }
      : e.text === "random"
        ? { kind: "seed" }
        : undefined;
    add({ text: e.text, span: e.span }, locals.get(e.text) ?? topLevel(module, e.text) ?? builtin);
  }
  if (e.kind === "call") {
    const callee = topLevel(module, e.callee.text);
    const builtin = Object.hasOwn(FUNCTIONS, e.callee.text) ? ({ kind: "function" } as const) : undefined;
    add(e.callee, callee?.kind === "fn" ? callee : builtin);
    for (const arg of e.args) {
      if (arg.name) add(arg.name, argument(callee, false, e.callee.text, arg));
      const isText = builtinCalled(module, e.callee.text)?.named?.[arg.name?.text ?? ""] === "source";
      if (isText && arg.value.kind === "name") {
        const { text, span } = arg.value;
        add({ text, span }, textMeaning(module, text));
      } else expression(module, locals, arg.value, add);
    }
    return;
  }
  if (e.kind === "part") {
    const name = TOKEN_CLASSES.find((known) => known === e.name.text);
    if (name) add(e.name, { kind: "tokenClass", name });
    return;
  }
  const counter = e.kind === "fold" ? e.counter : e.kind === "repeat" ? e.counter?.name : undefined;
  if (e.kind !== "fold" && e.kind !== "repeat") for (const child of children(e)) expression(module, locals, child, add);
  else {
    for (const child of children(e).slice(0, -1)) expression(module, locals, child, add);
    const inner: Locals = new Map(locals);
    if (counter)
      declare(inner, counter, { kind: "counter", span: counter.span, type: scalarType("i32", "static") }, add);
    if (e.kind === "repeat")
      declare(inner, e.name, { kind: "repeated", span: e.name.span, type: inferred(module, locals, e) }, add);
    expression(module, inner, e.body, add);
  }
}

/** The name at or just before an offset. */
export const occurrenceAt = (occurrences: readonly Occurrence[], offset: number): Occurrence | undefined =>
  occurrences.find(({ span }) => span.start <= offset && offset < span.end) ??
  occurrences.find(({ span }) => span.end === offset);
