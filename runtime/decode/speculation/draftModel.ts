/** Drafts of a smaller model, in a context of its own. */
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import type { PlacedGraph } from "../../backends/devices/place.js";
import { varying } from "../../sequence/features/feed.js";
import { grammarsReady } from "../../sequence/features/followed.js";
import type { Slot } from "../scheduler/step.js";
import {
  acceptToken,
  featureInputs,
  uniformsOf,
  type SequenceState,
  type UniformValues,
} from "../../sequence/sequence.js";
import type { DraftLine } from "./draftLine.js";
import type { Draft, Drafter, TextSoFar } from "./drafter.js";

interface DraftParts {
  readonly graph: Graph;
  readonly placed: PlacedGraph;
  readonly slot: Slot;
  /** The draft's line with a chain of its own; absent for the chain of the text, whose sequence is the draft's. */
  readonly line: DraftLine | undefined;
  /** The sequence for the next token. */
  readonly settled: (sequence: SequenceState) => SequenceState;
  readonly isEnd: (token: number) => boolean;
}

const KIND = 0;
const NO_SCALARS = new Float32Array();

export class DraftModel implements Drafter {
  readonly isFree = false;
  /** The tokens in the draft's context. */
  private held = new Int32Array();

  constructor(private readonly parts: DraftParts) {}

  draft(text: TextSoFar, wanted: (kind: number) => number): undefined | Promise<Draft | undefined> {
    const count = wanted(KIND);
    return count === 0 ? undefined : this.write(text, count);
  }

  setUniforms(values: UniformValues, text: Int32Array): void {
    this.parts.line?.setUniforms(values, text);
  }

  rewind(length: number): void {
    this.parts.line?.rewind(length);
  }

  private async write({ tokens: text, sequence }: TextSoFar, count: number): Promise<Draft | undefined> {
    const { slot, isEnd, line } = this.parts;
    let after = line ? await line.after(text, async (at, before) => (await this.pick(at, before)).scalars) : sequence;
    if (!after) return undefined;
    const [tokens, scalars]: [number[], Float32Array[]] = [[], []];
    const whole = new Int32Array(text.length + count);
    whole.set(text);
    while (tokens.length < count && text.length + tokens.length < slot.contextSize) {
      const length = text.length + tokens.length;
      const picked = await this.pick(after, whole.subarray(0, length));
      whole[length] = picked.token;
      tokens.push(picked.token);
      scalars.push(picked.scalars);
      if (isEnd(picked.token)) break;
      after = acceptToken(after, picked.token, picked.scalars);
    }
    line?.remember({ base: text.length, tokens, scalars });
    return { tokens, kind: KIND };
  }

  /** What the draft's chain picks after a text. */
  private async pick(after: SequenceState, text: Int32Array): Promise<{ token: number; scalars: Float32Array }> {
    const { slot, graph, placed, settled } = this.parts;
    await grammarsReady(after.features);
    const sequence = settled(after);
    const uniforms = uniformsOf(sequence);
    const inputs = varying(graph, featureInputs(sequence));
    const position = this.common(text);
    const step = { tokens: text.subarray(position), position, uniforms, inputs };
    const output = placed.finish(await slot.decode(step), uniforms, inputs);
    this.held = text.slice();
    return { token: output.sampled![0]!, scalars: output.states?.slice() ?? NO_SCALARS };
  }

  /** How many tokens of a text the draft's context holds: without its last one, whose output is asked for. */
  private common(text: Int32Array): number {
    let common = 0;
    while (common < text.length - 1 && text[common] === this.held[common]) common++;
    return common;
  }

  dispose(): void {
    this.parts.slot.release();
    this.parts.placed[Symbol.dispose]();
    this.parts.line?.dispose();
  }
}
