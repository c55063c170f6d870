/** The size of chains after the chains among their stages are inlined, and chains that contain themselves. */
import { TAIL_SAMPLERS } from "../llama/samplers.js";
import { picks } from "./samplers.js";
import type { ChainBinding, Stage, StageBinding } from "./tree.js";

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
  readonly chain: ChainBinding;
  /** The chains among its stages, and how many of them were visited. */
  readonly inner: readonly ChainBinding[];
  next: number;
  readonly index: number;
  /** The earliest open chain that it contains. */
  low: number;
}

/** Computes each chain's extent once, so that nested chains do not multiply the work, and without recursion. */
export class Extents {
  private readonly known = new Map<ChainBinding, Extent>();
  /** Chains that contain each other have the same number. */
  private readonly cycles = new Map<ChainBinding, number>();

  constructor(private readonly stagesOf: (chain: ChainBinding) => readonly Stage[]) {}

  of(callee: StageBinding): Extent {
    if (callee.kind === "sampler")
      return { stages: 1, depth: 0, picks: picks(callee.declaration.body), hasTail: false };
    if (!this.known.has(callee)) this.visit(callee);
    return this.known.get(callee)!;
  }

  /** Whether a chain that is a stage of `chain` contains it. */
  isCycle(chain: ChainBinding, stage: StageBinding): boolean {
    if (stage.kind === "sampler") return false;
    const cycle = this.cycles.get(chain);
    return chain === stage || (cycle !== undefined && cycle === this.cycles.get(stage));
  }

  /** Tarjan's strongly connected components: each is closed after all chains that it contains. */
  private visit(root: ChainBinding): void {
    const indices = new Map<ChainBinding, number>();
    const path: Visit[] = [];
    const open: Visit[] = [];
    const enter = (chain: ChainBinding): void => {
      const index = indices.size;
      indices.set(chain, index);
      const inner = this.stagesOf(chain).flatMap((s) =>
        s.kind === "stage" && s.callee.kind === "chain" ? [s.callee] : [],
      );
      const visit: Visit = { chain, inner, next: 0, index, low: index };
      path.push(visit);
      open.push(visit);
    };
    enter(root);
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const inner = top.inner[top.next++];
      if (inner) {
        if (this.known.has(inner)) continue;
        const index = indices.get(inner);
        if (index === undefined) enter(inner);
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
    const isCyclic = component.length > 1 || component[0]!.inner.includes(component[0]!.chain);
    for (const { chain } of component) {
      if (isCyclic) this.cycles.set(chain, cycle);
      this.known.set(chain, isCyclic ? NOTHING : this.sum(chain));
    }
  }

  private sum(chain: ChainBinding): Extent {
    const parts = this.stagesOf(chain).map((stage): Extent => {
      const { name, isHost } = stage.call;
      if (isHost) return { stages: 1, depth: 0, picks: TAIL_SAMPLERS[name.text]?.picks === true, hasTail: true };
      return stage.kind === "stage" ? this.of(stage.callee) : { ...NOTHING, stages: 1 };
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
