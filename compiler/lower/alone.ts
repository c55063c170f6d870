/**
 * Samplers and functions that no chain uses, each lowered in a chain of its own: many errors of a body are found only there. A
 * parameter has its default, so that conditions on it are settled as usual; one without a default is a parameter of the chain.
 */
import { isError, type Diagnostic } from "../check/diagnostics.js";
import type { Module } from "../check/program.js";
import { declaredRange } from "../check/ranges.js";
import { isInRange } from "../graph/range.js";
import type { Arg, Chain, Expr, Fn, Name, Param, Sampler } from "../syntax/ast.js";
import { callsIn, expressionsIn } from "../syntax/walk.js";
import type { Settings } from "./params.js";

/**
 * Faults that another chain mends. Other arguments: an order that depends on a condition, a formula that is too large, and a window
 * that is not known. Other stages before: rows in no order. They are errors of the chain that has them.
 */
const OF_CHAINS: ReadonlySet<string> = new Set(["E0309", "E0310", "E0321", "E0357"]);

/** The warning of sums of rows that are not known to be sorted. */
const UNSORTED = "W0301";

/** A sampler in a chain of its own. */
export interface Alone {
  readonly module: Module;
  readonly chain: Chain;
  /** A chain that is not lowered has it, so that its order of rows is not known. */
  readonly isUsed: boolean;
  /** Values of the chain's parameters. */
  readonly set: Settings;
}

/** The samplers and functions of a file that none of the `closed` chains, which are lowered, uses. */
export function unusedAlone(main: Module, closed: readonly Chain[], open: readonly Chain[]): Alone[] {
  const used = new Set<object>();
  for (const chain of closed) addUsed(used, chain, main);
  const inOpen = new Set<object>();
  for (const chain of open) addUsed(inOpen, chain, main);
  return main.file.declarations.flatMap((d) => {
    // a function without a caller is lowered as the value of a sampler
    const sampler = d.kind === "sampler" ? d : d.kind === "fn" && !isCalled(main, d) ? callerOf(d) : undefined;
    return !sampler || used.has(d) ? [] : (inChain(main, sampler, inOpen.has(d)) ?? []);
  });
}

/** Those of the diagnostics of a sampler alone that are its own: errors, and sums of rows that it has not sorted. */
export const faultsAlone = ({ chain, isUsed }: Alone, diagnostics: readonly Diagnostic[]): Diagnostic[] =>
  diagnostics
    .filter((d) => (isError(d) ? !OF_CHAINS.has(d.code) : d.code === UNSORTED && !isUsed))
    .map(({ notes = [], ...d }) => {
      // the chain is not in the file
      const own = notes.filter((note) => note.span !== chain.name.span);
      return { ...d, ...(own.length > 0 && { notes: own }) };
    });

/** Adds what a chain's stages are, those of its chains included. */
function addUsed(used: Set<object>, chain: Chain, { scope }: Module): void {
  for (const { name, isHost } of chain.stages) {
    const found = isHost ? undefined : scope.get(name.text);
    if (!found || used.has(found.declaration)) continue;
    used.add(found.declaration);
    if (found.declaration.kind === "chain") addUsed(used, found.declaration, found.module);
  }
}

/** Whether a sampler or function of the file calls a function: its faults are found there. */
const isCalled = ({ file }: Module, fn: Fn): boolean =>
  file.declarations.some(
    (d) =>
      (d.kind === "sampler" || (d.kind === "fn" && d !== fn)) &&
      expressionsIn(d).some((e) => callsIn(e).some(({ callee }) => callee.text === fn.name.text)),
  );

const nameRef = ({ text, span }: Name): Expr => ({ kind: "name", text, span });

/** The parameters as arguments, by name. */
const passed = (params: readonly Param[]): Arg[] =>
  params.map(({ name, span }) => ({ name, value: nameRef(name), span }));

function callerOf({ name, params, span }: Fn): Sampler {
  const value: Expr = { kind: "call", callee: name, args: passed(params), span };
  return { kind: "sampler", name, params, body: [{ kind: "measure", name, value, span }], span };
}

/** Undefined if a static parameter has no value. */
function inChain(main: Module, sampler: Sampler, isUsed: boolean): Alone | undefined {
  const { name, span } = sampler;
  const open = sampler.params.filter((p) => !p.default);
  const isUnknown = ({ type, isStatic }: Param): boolean =>
    type === "text" || type === "list" || (isStatic && type !== "tokens");
  if (open.some(isUnknown)) return undefined;
  const params = open.map((p): Param => {
    const size: Expr = { kind: "number", value: 1, isInt: true, span };
    return p.type === "tokens" && !p.isStatic ? { ...p, size } : p;
  });
  const chain: Chain = {
    kind: "chain",
    name,
    params,
    stages: [{ name, isHost: false, args: passed(params), span: name.span }],
    span,
  };
  const module: Module = {
    ...main,
    scope: new Map(main.scope).set(name.text, { declaration: sampler, module: main }),
  };
  return { module, chain, set: valuesOf(main, params), isUsed };
}

/** A value in the range of each parameter, where there is no default to begin with. */
function valuesOf(module: Module, params: readonly Param[]): Settings {
  return Object.fromEntries(
    params.flatMap((p): [string, Settings[string]][] => {
      if (p.type === "tokens") return [[p.name.text, []]];
      if (p.type !== "f32" && p.type !== "i32") return [];
      const range = declaredRange(module, p);
      const { min = 0, max = min } = range;
      const fitting = [0, 1, min + 1, max - 1, (min + max) / 2, min, max].find((x) => isInRange(range, x));
      return fitting === undefined ? [] : [[p.name.text, fitting]];
    }),
  );
}
