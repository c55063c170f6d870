/** The size of chains after the chains among their stages are inlined, and chains that contain themselves. */
import { TAIL_SAMPLERS } from "../llama/samplers.js";
import type { Chain, Sampler, StageCall } from "../syntax/ast.js";
import type { Binding, Module } from "./program.js";
import { picks } from "./samplers.js";

export interface Extent {
  readonly stages: number;
  /** How deep chains are nested in it; a sampler has 0. */
  readonly depth: number;
  readonly picks: boolean;
  /** Ends in the host tail, so that only tail stages can follow. */
  readonly hasTail: boolean;
}

/** A chain that is being visited. */
interface Visit {
  readonly chain: Chain;
  readonly module: Module;
  /** The chains among its stages, and how many of them were visited. */
  readonly inner: readonly Binding[];
  next: number;
  readonly index: number;
  /** The earliest open chain that it contains. */
  low: number;
}

/** Computes each chain's extent once, so that nested chains do not multiply the work, and without recursion. */
export class Extents {
  private readonly known = new Map<Chain, Extent>();
  /** Chains that contain each other have the same number. */
  private readonly cycles = new Map<Chain, number>();

  of(callee: Sampler | Chain, module: Module): Extent {
    if (callee.kind === "sampler") return { stages: 1, depth: 0, picks: picks(callee.body), hasTail: false };
    if (!this.known.has(callee)) this.visit(callee, module);
    return this.known.get(callee)!;
  }

  /** Whether a chain that is a stage of `chain` contains it. */
  isCycle(chain: Chain, stage: Sampler | Chain): boolean {
    if (stage.kind === "sampler") return false;
    const cycle = this.cycles.get(chain);
    return chain === stage || (cycle !== undefined && cycle === this.cycles.get(stage));
  }

  /** Tarjan's strongly connected components: each is closed after all chains that it contains. */
  private visit(root: Chain, module: Module): void {
    const indices = new Map<Chain, number>();
    const path: Visit[] = [];
    const open: Visit[] = [];
    const enter = (chain: Chain, within: Module): void => {
      const index = indices.size;
      indices.set(chain, index);
      const inner = chain.stages.flatMap((stage) => innerOf(stage, within) ?? []);
      const visit: Visit = { chain, module: within, inner, next: 0, index, low: index };
      path.push(visit);
      open.push(visit);
    };
    enter(root, module);
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const inner = top.inner[top.next++];
      if (inner) {
        const chain = inner.declaration as Chain;
        if (this.known.has(chain)) continue;
        const index = indices.get(chain);
        if (index === undefined) enter(chain, inner.module);
        else top.low = Math.min(top.low, index);
        continue;
      }
      path.pop();
      const parent = path.at(-1);
      if (parent) parent.low = Math.min(parent.low, top.low);
      if (top.low === top.index) this.close(open.splice(open.indexOf(top)), top.index);
    }
  }

  private close(component: readonly Visit[], cycle: number): void {
    const isCyclic = component.length > 1 || component[0]!.inner.some((b) => b.declaration === component[0]!.chain);
    for (const { chain, module } of component) {
      if (isCyclic) this.cycles.set(chain, cycle);
      this.known.set(chain, isCyclic ? NOTHING : this.sum(chain, module));
    }
  }

  private sum(chain: Chain, module: Module): Extent {
    const parts = chain.stages.map((stage): Extent => {
      const { name, isHost } = stage;
      if (isHost) return { stages: 1, depth: 0, picks: TAIL_SAMPLERS[name.text]?.picks === true, hasTail: true };
      const found = module.scope.get(name.text);
      const isStage = found?.declaration.kind === "sampler" || found?.declaration.kind === "chain";
      return isStage ? this.of(found.declaration, found.module) : { ...NOTHING, stages: 1 };
    });
    return {
      stages: parts.reduce((total, p) => total + p.stages, 0),
      depth: parts.reduce((deepest, p) => Math.max(deepest, p.depth), 0) + 1,
      picks: parts.some((p) => p.picks),
      hasTail: parts.some((p) => p.hasTail),
    };
  }
}

/** The extent of a chain that contains itself, which is reported elsewhere. */
const NOTHING: Extent = { stages: 0, depth: 0, picks: false, hasTail: false };

/** The chain that a stage names. */
function innerOf({ name, isHost }: StageCall, { scope }: Module): Binding | undefined {
  const found = isHost ? undefined : scope.get(name.text);
  return found?.declaration.kind === "chain" ? found : undefined;
}
