/** Inputs: columns that the calling program supplies. */
import type { Expr, InputDecl } from "../syntax/ast.js";
import { evaluateConstant } from "./constants.js";
import { expectedValue } from "../graph/param.js";
import { expressionsIn, namesIn } from "../syntax/walk.js";
import type { Sink } from "./diagnostics.js";
import { unusedInput } from "./diagnostics/statements.js";
import { outOfRange } from "./diagnostics/params.js";
import {
  inputOfType,
  mustBeWhole,
  notConstant,
  sparseGuide,
  sparseText,
  textWithoutSize,
} from "./diagnostics/types.js";
import { sizeOnType } from "./diagnostics/sets.js";
import type { Module } from "./program.js";
import { isTextInput } from "./texts.js";
import { columnTypeOf, constantScope, numberType, typeOf } from "./types.js";

/** The most pairs of a sparse input, and the most tokens of a text. */
const MAX_CAPACITY = 1 << 16;

export function checkInput(module: Module, input: InputDecl, diagnostics: Sink): void {
  const { size: length, sparse, name } = input;
  if (isTextInput(input)) {
    if (sparse) diagnostics.push(sparseText(sparse.capacity.span, name.text));
    if (length) checkCapacity(module, length, "tokens", "the largest number of tokens of a text", diagnostics);
    else diagnostics.push(textWithoutSize(input.span, name.text));
    return;
  }
  if (columnTypeOf(input) === undefined) return void diagnostics.push(inputOfType(input.span, input.type));
  if (length) diagnostics.push(sizeOnType(length.span, input.type));
  if (!sparse) return;
  if (input.type === "logits") return void diagnostics.push(sparseGuide(sparse.capacity.span, name.text));
  checkFill(module, input, sparse.fill, diagnostics);
  checkCapacity(module, sparse.capacity, "sparse", "the capacity of an input", diagnostics);
}

/** The most pairs or tokens of an input; `word` stands before it. */
function checkCapacity(module: Module, capacity: Expr, word: string, what: string, diagnostics: Sink): void {
  const size = constantOf(module, capacity, what, diagnostics);
  if (size === undefined) return;
  if (!Number.isInteger(size)) diagnostics.push(mustBeWhole(capacity.span, what, String(size)));
  else if (size < 1 || size > MAX_CAPACITY)
    diagnostics.push(outOfRange(capacity.span, word, `in [1, ${MAX_CAPACITY}]`, String(size)));
}

/** The value of all other tokens. A condition is `true`, `false`, 1 or 0. */
function checkFill(module: Module, { name, type }: InputDecl, fill: Expr, diagnostics: Sink): void {
  const what = "the default value of an input";
  if (type === "bool" && typeOf(constantScope(module, []), fill).type === "bool") {
    if (evaluateConstant(fill, module) === undefined) diagnostics.push(notConstant(fill.span, what));
    return;
  }
  const value = constantOf(module, fill, what, diagnostics);
  if (value === undefined || type === "f32") return;
  const expected = expectedValue({ type: type as "i32" | "bool", range: {} }, value);
  if (expected !== undefined) diagnostics.push(outOfRange(fill.span, name.text, expected, String(value)));
}

interface DeclaredInput {
  readonly declaration: InputDecl;
  readonly module: Module;
}

/** The inputs that a module, or what it imports, declares, by name; its own come first. */
export function declaredInputs(main: Module): ReadonlyMap<string, DeclaredInput> {
  const inputs = new Map<string, DeclaredInput>();
  // a set gives what is added while it is read
  const modules = new Set([main]);
  for (const module of modules) {
    for (const d of module.file.declarations)
      if (d.kind === "input" && !inputs.has(d.name.text)) inputs.set(d.name.text, { declaration: d, module });
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

function constantOf(module: Module, expr: Expr, what: string, diagnostics: Sink): number | undefined {
  if (numberType(constantScope(module, diagnostics), expr).type === "error") return undefined;
  const value = evaluateConstant(expr, module);
  if (value === undefined) diagnostics.push(notConstant(expr.span, what));
  return value;
}
