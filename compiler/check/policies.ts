/** Policies: stages that a server puts before those of each request, and before its pick. What they do cannot be undone, which is checked here. */
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { policyCanBeUndone, policyIsOpen, policyPicks, policyWithoutChains } from "../diagnostics/policies.js";
import type { SourceFile } from "../source/source.js";
import { chainIn, stagesOf } from "./chains.js";
import type { Program } from "./program.js";
import { bodyOf } from "./samplers.js";
import type { ChainBinding, Module, Stmt } from "./tree.js";
import { statementsIn } from "./walk.js";

export interface Policy {
  /** Its stages only drop rows: a row that was dropped never comes back. */
  readonly before?: ChainBinding;
  /** Its stages come right before the statement that picks. */
  readonly beforePick?: ChainBinding;
  /** The files that it consists of, which may contain secrets. */
  readonly sources: ReadonlySet<SourceFile>;
}

/** The names of its chains. */
type Part = "before" | "before_pick";

/** The policy that a program declares, if it has no fault. */
export function policyOf({ main, chains }: Program): { readonly policy?: Policy; readonly diagnostics: Diagnostic[] } {
  const diagnostics: Diagnostic[] = [];
  const find = (name: Part): ChainBinding | undefined => {
    const chain = chains.find((one) => one.name.text === name);
    if (!chain) return undefined;
    const [param] = chain.params;
    if (param) diagnostics.push(policyIsOpen(param.span, name, `\`${param.name.text}\``));
    const binding = chainIn(main, chain);
    checkStages(binding, name, diagnostics);
    return binding;
  };
  const [before, beforePick] = [find("before"), find("before_pick")];
  if (!before && !beforePick) diagnostics.push(policyWithoutChains({ source: main.source, start: 0, end: 0 }));
  if (diagnostics.length > 0) return { diagnostics };
  return {
    policy: { ...(before && { before }), ...(beforePick && { beforePick }), sources: sourcesOf(main) },
    diagnostics,
  };
}

function checkStages(chain: ChainBinding, within: Part, diagnostics: Diagnostic[]): void {
  for (const stage of stagesOf(chain).value) {
    const { span, name } = stage.call;
    if (stage.kind === "tail") diagnostics.push(policyPicks(span, within, name.text));
    if (stage.kind !== "stage") continue;
    const { callee } = stage;
    if (callee.kind === "chain") {
      checkStages(callee, within, diagnostics);
      continue;
    }
    const statements = allOf(bodyOf(callee).value);
    if (statements.some(({ kind }) => kind === "pick")) diagnostics.push(policyPicks(span, within, name.text));
    if (within === "before" && statements.some(changesLogits)) diagnostics.push(policyCanBeUndone(span, name.text));
  }
}

const allOf = (body: readonly Stmt[]): Stmt[] => body.flatMap((s) => [s, ...allOf(statementsIn(s))]);

const changesLogits = (s: Stmt): boolean => s.kind === "assign" && s.state === undefined;

/** Whether a sampler picks; `more` if it does more, or picks by another number than the probability. */
export function pickIn(body: readonly Stmt[]): "none" | "plain" | "more" {
  const all = allOf(body);
  const pick = all.find((s) => s.kind === "pick");
  if (!pick) return "none";
  const { how, value } = pick;
  const isOwn = how === "sample" || (value.kind === "builtin" && value.name === "logit");
  const isAlone = all.every((s) => !changesLogits(s) && s.kind !== "keep" && s.kind !== "top" && s.kind !== "sort");
  return isOwn && isAlone ? "plain" : "more";
}

/** The file and what it imports, but for the standard library. */
function sourcesOf(module: Module, found = new Set<SourceFile>()): Set<SourceFile> {
  if (found.has(module.source) || module.source.name.startsWith("std/")) return found;
  found.add(module.source);
  for (const binding of module.scope.values()) sourcesOf(binding.module, found);
  return found;
}
