/** A running generation: one step decodes, picks with the chain in the graph, and accepts. */
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import type { PlacedGraph } from "../devices/place.js";
import { grammarsReady, varying } from "../features/feed.js";
import { guideParts, savedGuides, type OpenGuide } from "../guides.js";
import { likeliest } from "../likeliest.js";
import type { DecodeOutput, NativeModel } from "../native/binding.js";
import type { Part, Slot } from "../scheduler/step.js";
import { saveSequence } from "../savedSequence.js";
import { acceptToken, featureInputs, measuresOf, statesOf, uniformsOf, type SequenceState } from "../sequence.js";
import type { Speculator } from "../speculation/step.js";
import type { Tail } from "../tail.js";
import type { GenerationStats, Piece, Saved } from "./generation.js";
import { Meter } from "./meter.js";
import type { SequenceRequest } from "./request.js";
import { TokenText } from "./text.js";

/** What a generation holds while it runs. */
export interface Parts {
  readonly model: NativeModel;
  readonly graph: Graph;
  readonly options: SequenceRequest;
  /** The tokens of the prompt. */
  readonly prompt: Int32Array;
  readonly slot: Slot;
  readonly placed: PlacedGraph;
  readonly tail: Tail | undefined;
  readonly guides: readonly OpenGuide[];
  readonly speculator: Speculator | undefined;
  /** After the prompt. */
  readonly sequence: SequenceState;
}

/** A picked token and what came with it. */
interface Picked {
  readonly token: number;
  readonly rows: Parameters<typeof likeliest>[0];
  /** The states, then the measures. */
  readonly scalars: Float32Array;
}

export class Writer {
  sequence: SequenceState;
  readonly meter: Meter;
  private readonly text: TokenText;
  private readonly decoder = new TextDecoder();
  private readonly limit: number;
  private isOver = false;

  constructor(private readonly parts: Parts) {
    const { prompt, slot, placed, guides, options } = parts;
    this.sequence = parts.sequence;
    this.text = new TokenText(prompt, slot.contextSize);
    const longest = Math.max(prompt.length, ...guides.map(({ tokens }) => tokens.length));
    this.limit = Math.min(options.maxTokens ?? Infinity, slot.contextSize - longest);
    this.meter = new Meter({
      ...{ promptTokens: prompt.length, computedPromptTokens: slot.computedPromptTokens },
      ...{ split: placed.split, context: slot.stats, speculation: parts.speculator?.stats },
    });
  }

  /** The next piece; undefined after the last. */
  async step(): Promise<Piece | undefined> {
    const { options, graph, model, tail } = this.parts;
    const { count } = this.text;
    if (this.isOver) return undefined;
    if (count === this.limit) return this.end(count === options.maxTokens ? "maxTokens" : "context");
    options.signal?.throwIfAborted();
    const start = performance.now();
    const { token, rows, scalars } = await this.pick();
    this.meter.add(performance.now() - start, count);
    this.sequence = acceptToken(this.sequence, token, scalars);
    tail?.accept(token);
    if (model.isEnd(token)) return this.end("end");
    this.text.push(token);
    this.meter.record(this.text.count);
    const { alternatives = 0 } = options;
    return {
      ...{ token, text: this.decoder.decode(model.piece(token, false), { stream: true }) },
      ...(alternatives > 0 && likeliest(rows, token, alternatives)),
      ...(options.states && { states: statesOf(this.sequence) }),
      ...measuresOf(graph, scalars),
    };
  }

  save(): Saved {
    const { guides } = this.parts;
    return {
      tokens: this.text.tokens.slice(),
      sequence: saveSequence(this.sequence),
      ...(guides.length > 0 && { guides: savedGuides(guides, this.text.generated) }),
    };
  }

  private end(finish: GenerationStats["finish"]): undefined {
    this.isOver = true;
    this.meter.record(this.text.count, finish);
  }

  private async pick(): Promise<Picked> {
    const { placed, tail } = this.parts;
    await grammarsReady(this.sequence.features);
    const uniforms = uniformsOf(this.sequence);
    const inputs = varying(this.parts.graph, featureInputs(this.sequence));
    const output = placed.finish(await this.decode(uniforms, inputs), uniforms, inputs);
    const scalars = output.states ?? new Float32Array();
    if (!tail) return { token: output.sampled![0]!, rows: { ...output, tokens: output.candidates }, scalars };
    const rows = tail.pick(output);
    return { token: rows.selected, rows, scalars };
  }

  private decode(uniforms: Float32Array, inputs: ReturnType<typeof varying>): Promise<DecodeOutput> {
    const { slot, guides, options, speculator } = this.parts;
    const { unread, tokens, count } = this.text;
    const parts = {
      tokens: unread,
      position: tokens.length - unread.length,
      guides: guideParts(guides, unread, count),
    };
    const onRead = count === 0 ? (read: number) => options.onPromptProgress?.(read, tokens.length) : undefined;
    const step = { ...parts, uniforms, inputs, onRead };
    if (!speculator) return slot.decode(step);
    const longer = <P extends Part>(part: P, draft: readonly number[]): P => ({
      ...part,
      tokens: Int32Array.from([...part.tokens, ...draft]),
    });
    return speculator.next({
      ...{ slot, tokens, step, sequence: this.sequence, room: this.limit - count - 1 },
      extend: (draft) => ({ ...longer(step, draft), guides: step.guides.map((part) => longer(part, draft)) }),
    });
  }
}
