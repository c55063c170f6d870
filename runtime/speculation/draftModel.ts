/** Drafts of a smaller model, in a context of its own. */
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import type { PlacedGraph } from "../devices/place.js";
import { varying } from "../features/feed.js";
import type { Slot } from "../scheduler/step.js";
import { acceptPrompt, acceptToken, featureInputs, uniformsOf, type SequenceState } from "../sequence.js";
import type { Draft, Drafter } from "./drafter.js";

export interface DraftParts {
  readonly graph: Graph;
  readonly placed: PlacedGraph;
  readonly slot: Slot;
  /** Before the text. */
  readonly sequence: SequenceState;
  readonly isEnd: (token: number) => boolean;
  readonly dispose: () => void;
}

const KIND = 0;
const NO_SCALARS = new Float32Array();

export class DraftModel implements Drafter {
  readonly isFree = false;
  /** The tokens in the draft's context. */
  private held: readonly number[] = [];
  /** The chain's state after the text so far, and its length. */
  private sequence: SequenceState;
  private length = 0;

  constructor(private readonly parts: DraftParts) {
    this.sequence = parts.sequence;
  }

  draft(text: Int32Array, wanted: (kind: number) => number): undefined | Promise<Draft> {
    const count = wanted(KIND);
    return count === 0 ? undefined : this.write(text, count);
  }

  rewind(): void {
    this.length = 0;
  }

  private async write(text: Int32Array, count: number): Promise<Draft> {
    const { slot, isEnd } = this.parts;
    this.follow(text);
    const tokens: number[] = [];
    let after = this.sequence;
    let [unread, position] = this.unread(text);
    while (tokens.length < count && position + unread.length < slot.contextSize) {
      const { token, scalars } = await this.pick(after, unread, position);
      this.held = [...this.held.slice(0, position), ...unread];
      tokens.push(token);
      if (isEnd(token)) break;
      after = acceptToken(after, token, scalars);
      [unread, position] = [Int32Array.of(token), position + unread.length];
    }
    return { tokens, kind: KIND };
  }

  /** The chain's state after the text. What its states would be there is known only for tokens that it picked itself. */
  private follow(text: Int32Array): void {
    if (this.length === 0) this.sequence = acceptPrompt(this.parts.sequence, text);
    else
      for (const token of text.subarray(this.length))
        this.sequence = acceptToken(this.sequence, token, this.sequence.states);
    this.length = text.length;
  }

  /** What the draft's context lacks of the text: at least its last token. */
  private unread(text: Int32Array): [tokens: Int32Array, position: number] {
    let common = 0;
    while (common < text.length - 1 && text[common] === this.held[common]) common++;
    return [text.subarray(common), common];
  }

  private async pick(
    sequence: SequenceState,
    tokens: Int32Array,
    position: number,
  ): Promise<{ token: number; scalars: Float32Array }> {
    const { slot, graph, placed } = this.parts;
    const uniforms = uniformsOf(sequence);
    const inputs = varying(graph, featureInputs(sequence));
    const output = placed.finish(await slot.decode({ tokens, position, uniforms, inputs }), uniforms, inputs);
    return { token: output.sampled![0]!, scalars: output.states ?? NO_SCALARS };
  }

  dispose(): void {
    this.parts.slot.release();
    this.parts.placed[Symbol.dispose]();
    this.parts.dispose();
  }
}
