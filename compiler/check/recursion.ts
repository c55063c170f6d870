/** Functions that call themselves, and functions that are nested too deep. */
import type { Expr, Fn } from "../syntax/ast.js";
import { children, expressionsIn } from "../syntax/walk.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { functionCycle, functionTooDeep } from "../diagnostics/functions.js";
import type { Module } from "./tree.js";
import { greatest } from "../core/extremes.js";

/** The most levels of a function's expressions, with those of the functions that it calls: passes over them are recursive. */
const MAX_LEVELS = 250;

/** The levels of the functions of each file that are not at fault, by name. */
const levels = new WeakMap<Module, Map<string, number>>();

/** Ends the visit of a function at once: callers with several calls would multiply the work. */
const TOO_DEEP = new Error("a function is nested too deep");

interface FunctionFault {
  readonly name: string;
  readonly fault: Diagnostic;
}

/** Faults of the file's own functions; those of imported files are known. A cycle is within a file, since imports have none. */
export function functionFaults(module: Module): FunctionFault[] {
  const faults = new Map<string, Diagnostic>();
  const found = new Map<string, number>();
  levels.set(module, found);
  const own = [...module.scope].flatMap(([name, b]) =>
    b.kind === "fn" && b.module === module ? [[name, b] as const] : [],
  );

  /** The levels of a function that `path` calls. Throws `TOO_DEEP` if they are more than those that are left. */
  function levelsOf(name: string, left: number, path: readonly string[]): number {
    const binding = module.scope.get(name);
    if (binding?.kind !== "fn" || faults.has(name)) return 0;
    const known =
      binding.module === module
        ? found.get(name)
        : (levels.get(binding.module)?.get(binding.declaration.name.text) ?? 0);
    if (known !== undefined) {
      if (known > left) throw TOO_DEEP;
      return known;
    }
    const first = path.indexOf(name);
    if (first >= 0) {
      const cycle = path.slice(first);
      cycle.forEach((member, i) => {
        const { span } = module.scope.get(member)!.declaration.name;
        faults.set(member, functionCycle(span, [...cycle.slice(i), ...cycle.slice(0, i), member]));
      });
      return 0;
    }
    const here = [...path, name];
    const depth = depthOfBody(binding.declaration, left, (callee, rest) => levelsOf(callee, rest, here));
    if (!faults.has(name)) found.set(name, depth);
    return depth;
  }

  for (const [name, { declaration }] of own) {
    try {
      levelsOf(name, MAX_LEVELS, []);
    } catch (fault) {
      if (fault !== TOO_DEEP) throw fault;
      faults.set(name, functionTooDeep(declaration.name.span, name, MAX_LEVELS));
    }
  }
  return [...faults].map(([name, fault]) => ({ name, fault }));
}

type LevelsOf = (callee: string, left: number) => number;

const depthOfBody = (fn: Fn, left: number, of: LevelsOf): number =>
  greatest(expressionsIn(fn).map((e) => depthOf(e, left, of)));

function depthOf(e: Expr, left: number, of: LevelsOf): number {
  if (left <= 0) throw TOO_DEEP;
  const parts = children(e).map((part) => depthOf(part, left - 1, of));
  const called = e.kind === "call" ? of(e.callee.text, left - 1) : 0;
  return 1 + greatest(parts, Math.max(0, called));
}
