/** Inputs: columns that the calling program supplies. */
import type { Expr, InputDecl } from "../syntax/ast.js";
import { expectedValue } from "../graph/param.js";
import { expressionsIn, namesIn } from "../syntax/walk.js";
import type { Sink } from "../diagnostics/diagnostic.js";
import { unusedInput } from "../diagnostics/statements.js";
import { outOfRange } from "../diagnostics/params.js";
import {
  inputOfType,
  mustBeWhole,
  notConstant,
  sparseGuide,
  sparseText,
  textWithoutSize,
} from "../diagnostics/types.js";
import { sizeOnType } from "../diagnostics/sets.js";
import { constantScope, visit, type Scope } from "./scope.js";
import type { InputBinding, Module } from "./tree.js";
import { columnTypeOf, constantIn, typed, typedNumber, TYPING } from "./types.js";

/** The most pairs of a sparse input, and the most tokens of a text. */
const MAX_CAPACITY = 1 << 16;

export function checkInput({ declaration: input, module }: InputBinding, diagnostics: Sink): void {
  const { size: length, sparse, name } = input;
  const scope = constantScope(module, diagnostics);
  if (input.type === "tokens") {
    if (sparse) diagnostics.push(sparseText(sparse.capacity.span, name.text));
    if (length) checkCapacity(scope, length, "tokens", "the largest number of tokens of a text");
    else diagnostics.push(textWithoutSize(input.span, name.text));
  } else if (columnTypeOf(input) === undefined) {
    diagnostics.push(inputOfType(input.span, input.type));
  } else {
    if (length) diagnostics.push(sizeOnType(length.span, input.type));
    if (sparse && input.type === "logits") diagnostics.push(sparseGuide(sparse.capacity.span, name.text));
    else if (sparse) {
      checkFill(scope, input, sparse.fill);
      checkCapacity(scope, sparse.capacity, "sparse", "the capacity of an input");
    }
  }
  // what was not checked has names, too
  for (const e of [length, sparse?.capacity, sparse?.fill]) if (e) visit(TYPING, scope, e);
}

/** The pairs of a sparse input, and the value of all other tokens. */
export function sparseOf({ declaration, module }: InputBinding): { capacity: number; fill: number } | undefined {
  const { sparse } = declaration;
  if (!sparse) return undefined;
  return { capacity: constantIn(module, sparse.capacity) ?? 0, fill: constantIn(module, sparse.fill) ?? 0 };
}

/** The most pairs or tokens of an input; `word` stands before it. */
function checkCapacity(scope: Scope, capacity: Expr, word: string, what: string): void {
  const size = constantOf(scope, capacity, what);
  if (size === undefined) return;
  if (!Number.isInteger(size)) scope.diagnostics.push(mustBeWhole(capacity.span, what, String(size)));
  else if (size < 1 || size > MAX_CAPACITY)
    scope.diagnostics.push(outOfRange(capacity.span, word, `in [1, ${MAX_CAPACITY}]`, String(size)));
}

/** The value of all other tokens. A condition is `true`, `false`, 1 or 0. */
function checkFill(scope: Scope, { name, type }: InputDecl, fill: Expr): void {
  const what = "the default value of an input";
  const found = type === "bool" ? typed({ ...scope, diagnostics: [] }, fill) : undefined;
  if (found?.type === "bool") {
    if (found.constant === undefined) scope.diagnostics.push(notConstant(fill.span, what));
    return;
  }
  const value = constantOf(scope, fill, what);
  if (value === undefined || type === "f32") return;
  const expected = expectedValue({ type: type as "i32" | "bool", range: {} }, value);
  if (expected !== undefined) scope.diagnostics.push(outOfRange(fill.span, name.text, expected, String(value)));
}

/** The inputs that a module, or what it imports, declares, by name; its own come first. */
export function declaredInputs(main: Module): ReadonlyMap<string, InputBinding> {
  const inputs = new Map<string, InputBinding>();
  // a set gives what is added while it is read
  const modules = new Set([main]);
  for (const module of modules) {
    for (const binding of module.declared) {
      const { text } = binding.declaration.name;
      if (binding.kind === "input" && !inputs.has(text)) inputs.set(text, binding);
    }
    for (const binding of module.scope.values()) modules.add(binding.module);
  }
  return inputs;
}

/** Warns of the main file's inputs that no sampler uses; those of imported files may be for other programs. */
export function checkUnusedInputs(main: Module, modules: Iterable<Module>, diagnostics: Sink): void {
  const inputs = main.file.declarations.filter((d) => d.kind === "input");
  if (inputs.length === 0 || !main.file.declarations.some((d) => d.kind === "sampler")) return;
  const used = new Set<unknown>();
  for (const { file, scope } of modules)
    for (const d of file.declarations)
      if (d.kind === "sampler" || d.kind === "fn")
        for (const name of expressionsIn(d).flatMap(namesIn)) used.add(scope.get(name)?.declaration);
  for (const input of inputs) if (!used.has(input)) diagnostics.push(unusedInput(input.name.span, input.name.text));
}

function constantOf(scope: Scope, expr: Expr, what: string): number | undefined {
  const found = typedNumber(scope, expr);
  if (found.type !== "error" && found.constant === undefined) scope.diagnostics.push(notConstant(expr.span, what));
  return found.constant;
}
