/**
 * Samplers and functions that no chain uses, each lowered in a chain of its own: many errors of a body are found only there. A
 * parameter has its default, so that conditions on it are settled as usual; one without a default is a parameter of the chain.
 */
import { isError, type Diagnostic } from "../diagnostics/diagnostic.js";
import { chainIn, stagesOf } from "../check/chains.js";
import { bindingOf } from "../check/program.js";
import type { Binding, ChainBinding, Module, Param as TypedParam, SamplerBinding } from "../check/tree.js";
import { paramsOf } from "../check/types.js";
import { isInRange } from "../core/range.js";
import type { Arg, Chain, Expr, Fn, Name, Param, Sampler } from "../syntax/ast.js";
import { callsIn, expressionsIn } from "../syntax/walk.js";
import type { Settings } from "./params.js";

/**
 * Faults that another chain mends. Other arguments: an order that depends on a condition, a formula that is too large, and a window
 * that is not known. Other stages: rows in no order, and a grammar that none follows. They are errors of the chain that has them.
 */
const OF_CHAINS: ReadonlySet<string> = new Set(["E0309", "E0310", "E0321", "E0357", "E0384", "E0523"]);

/** The warning of sums of rows that are not known to be sorted. */
const UNSORTED = "W0301";

/** A sampler in a chain of its own. */
interface Alone {
  readonly chain: ChainBinding;
  /** A chain that is not lowered has it, so that its order of rows is not known. */
  readonly isUsed: boolean;
  /** Values of the chain's parameters. */
  readonly set: Settings;
}

/** The samplers and functions of a file that none of the `closed` chains, which are lowered, uses. */
export function unusedAlone(main: Module, closed: readonly Chain[], open: readonly Chain[]): Alone[] {
  const used = new Set<Binding>();
  for (const chain of closed) addUsed(used, chainIn(main, chain));
  const inOpen = new Set<Binding>();
  for (const chain of open) addUsed(inOpen, chainIn(main, chain));
  // what is made here has no place in the file
  const aside: Module = { ...main, uses: new Map() };
  return main.declared.flatMap((b) => {
    // a function without a caller is lowered as the value of a sampler
    const isAlone = b.kind === "fn" && !isCalled(main, b.declaration);
    const sampler = b.kind === "sampler" ? b : isAlone ? bindingOf(callerOf(b.declaration), aside) : undefined;
    return !sampler || used.has(b) ? [] : (inChain(aside, sampler, inOpen.has(b)) ?? []);
  });
}

/** The diagnostics of a sampler alone that are its own: errors, and sums of rows that it has not sorted. */
export const faultsAlone = ({ chain, isUsed }: Alone, diagnostics: readonly Diagnostic[]): Diagnostic[] =>
  diagnostics
    .filter((d) => (isError(d) ? !OF_CHAINS.has(d.code) : d.code === UNSORTED && !isUsed))
    .map(({ notes = [], ...d }) => {
      // the chain is not in the file
      const own = notes.filter((note) => note.span !== chain.declaration.name.span);
      return { ...d, ...(own.length > 0 && { notes: own }) };
    });

/** Adds what a chain's stages are, those of its chains included. */
function addUsed(used: Set<Binding>, chain: ChainBinding): void {
  for (const stage of stagesOf(chain).value) {
    if (stage.kind !== "stage" || used.has(stage.callee)) continue;
    used.add(stage.callee);
    if (stage.callee.kind === "chain") addUsed(used, stage.callee);
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
function inChain(main: Module, sampler: SamplerBinding, isUsed: boolean): Alone | undefined {
  const { name, span, params: declared } = sampler.declaration;
  const open = declared.filter((p) => !p.default);
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
  const bound = bindingOf(chain, { ...main, scope: new Map(main.scope).set(name.text, sampler) });
  return { chain: bound, set: valuesOf(paramsOf(bound).value), isUsed };
}

/** A value in the range of each parameter, where there is no default to begin with. */
function valuesOf(params: readonly TypedParam[]): Settings {
  return Object.fromEntries(
    params.flatMap(({ declaration: { name, type }, range }): [string, Settings[string]][] => {
      if (type === "tokens") return [[name.text, []]];
      if (type !== "f32" && type !== "i32") return [];
      const { min = 0, max = min } = range;
      const fitting = [0, 1, min + 1, max - 1, (min + max) / 2, min, max].find((x) => isInRange(range, x));
      return fitting === undefined ? [] : [[name.text, fitting]];
    }),
  );
}
