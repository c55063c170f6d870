/** What a chain picks after the text so far: decodes, and what is read of their outputs. */
import { guidesOf } from "@ggsl/compiler/graph/feeds.js";
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import type { PlacedGraph } from "../backends/devices/place.js";
import type { ChainResults, ModelBinding, NativeModel, NativeText } from "../backends/native/binding.js";
import type { Part, Slot, SlotOutput } from "../decode/scheduler/step.js";
import type { TextPiece } from "../decode/scheduler/written.js";
import type { Speculator } from "../decode/speculation/speculator.js";
import { varying } from "../sequence/features/feed.js";
import { withRejected } from "../sequence/phrases/values.js";
import { featureInputs, uniformsOf, type SequenceState } from "../sequence/sequence.js";
import type { TailLine } from "../sequence/tailLine.js";
import { mayEnd } from "./ends.js";
import { likeliest } from "./likeliest.js";
import { logprobsOf } from "./likelihood.js";
import { guideParts, type OpenGuide } from "./openGuides.js";
import type { BannedPhrases } from "./phrases/banned.js";
import { afterPrompt } from "./healing/grammars.js";
import type { Healing } from "./healing/healing.js";
import { openMasked, openTokens, type MaskedChain } from "./masked.js";
import { rowsGraphOf, type SequenceRequest } from "./request.js";
import type { KeptRows, RowReader } from "./rows.js";
import type { TokenText } from "./text.js";
import type { Facts } from "./texts.js";

/** What a generation holds while it runs. */
export interface Parts {
  readonly model: NativeModel;
  readonly binding: ModelBinding;
  readonly graph: Graph;
  readonly options: SequenceRequest;
  /** The tokens of the prompt. */
  readonly prompt: Int32Array;
  readonly slot: Slot;
  readonly placed: PlacedGraph;
  readonly tail: TailLine | undefined;
  /** With `alternatives`, unless the host tail or the graph gives the rows. */
  readonly rows: RowReader | undefined;
  readonly guides: readonly OpenGuide[];
  readonly speculator: Speculator | undefined;
  /** Every logit of the model is checked. */
  readonly checksLogits: boolean;
  /** After the prompt. */
  readonly sequence: SequenceState;
  /** What the text begins with of the prompt, if that is healed. */
  readonly healing: Healing | undefined;
}

export const NONE = new Float32Array();
const NO_INPUTS: ReturnType<typeof varying> = [];

/** A token that something else has accepted. */
export interface Told {
  /** Undefined: that is not known. */
  readonly isRefused: boolean | undefined;
  /** The texts that are known with it; undefined where nothing else has read it. */
  readonly pieces?: readonly TextPiece[] | undefined;
  /** The place of the stop text that it completes; -1: none. */
  readonly stop?: number;
  /** The model has read the tokens before it. */
  readonly isRead?: boolean;
}

/** A picked token and what came with it. */
export interface Picked {
  readonly token: number;
  readonly isForced?: boolean;
  /** It ends a text; undefined: that is not known. */
  readonly isEnd?: boolean;
  /** It is of a text that is written in place of picks: by the chain, or the end of a thought. */
  readonly isWritten?: boolean;
  /** The context's text has accepted it. */
  readonly told?: Told;
  /** Absent if nothing was asked for. */
  readonly facts?: Omit<Facts, "token">;
  /** The states, the measures, the stops. */
  readonly scalars: Float32Array;
}

/** Where the next token is picked. */
export interface Place {
  readonly text: TokenText;
  /** After the latest token. */
  readonly sequence: () => SequenceState;
  /** The most tokens of the text. */
  readonly limit: number;
}

export class Picks {
  /** Tokens that the model has read. */
  read = 0;
  /** The chain, and its rows, where tokens are masked. */
  private masked: MaskedChain | undefined;
  private maskedRows: MaskedChain | undefined;

  constructor(
    private readonly parts: Parts,
    private readonly phrases: BannedPhrases | undefined,
  ) {}

  close(): void {
    this.masked?.[Symbol.dispose]();
    this.maskedRows?.[Symbol.dispose]();
  }

  /** Whether the text may go on by itself: no draft pays. */
  rests(place: Place): boolean {
    const { speculator, slot } = this.parts;
    if (!speculator) return true;
    const { tokens } = place.text;
    return speculator.rests({
      slot,
      tokens,
      get sequence() {
        return place.sequence();
      },
      room: roomOf(place),
      isBehind: this.read + 1 < tokens.length,
    });
  }

  /** By the context's text, which may go on by itself then. */
  decodeIn(place: Place, text: NativeText): Promise<SlotOutput> {
    return this.decode(place, NONE, NO_INPUTS, false, text);
  }

  /** @param written comes whatever the chain picks */
  async pick(place: Place, written?: number): Promise<Picked> {
    const { placed, tail, rows, options, model } = this.parts;
    const { count } = place.text;
    const healing = this.parts.healing?.isAt(count) ? this.parts.healing : undefined;
    const picking = this.picking(place.sequence());
    const whole = healing ? await afterPrompt(picking, healing, count) : picking;
    const allowed = healing?.tokensAt(count);
    const masked = this.phrases?.maskedAt(count, whole, allowed);
    const sequence = masked && whole.phrases.size > 0 ? withRejected(whole, masked) : whole;
    const uniforms = uniformsOf(sequence);
    const inputs = this.parts.graph.inputs.length > 1 ? varying(this.parts.graph, featureInputs(sequence)) : NO_INPUTS;
    const { logprobs, alternatives = 0 } = options;
    // phrases of the chain are masked by the chain itself
    const unwritten = options.bannedPhrases?.length ? masked : undefined;
    const open =
      unwritten === undefined && allowed === undefined
        ? undefined
        : openTokens(model.info.vocabSize, allowed, unwritten);
    const isRaw = logprobs !== undefined || rows !== undefined || open !== undefined;
    const decoded = await this.decode(place, uniforms, inputs, isRaw);
    const run = (chain: MaskedChain): ChainResults =>
      chain.run(sequence, open!, decoded.raw!, this.guideLogits(decoded));
    const output = open
      ? run((this.masked ??= openMasked(this.parts.graph, sequence)))
      : placed.finish(decoded, uniforms, inputs);
    const left = tail?.pick(output);
    const token = written ?? (left ? left.selected : output.sampled![0]!);
    const scalars = output.states ?? NONE;
    if (logprobs === undefined && alternatives === 0) return { token, scalars };
    const ofRows = ({ candidates, ...more }: ChainResults): KeptRows => ({ ...more, tokens: candidates });
    const maskedRows = (): KeptRows => ofRows(run((this.maskedRows ??= openMasked(rowsGraphOf(options), sequence))));
    const kept = (): KeptRows => {
      if (left) return left;
      if (!rows) return ofRows(output);
      return open ? maskedRows() : rows.read(sequence, decoded.raw!, this.guideLogits(decoded));
    };
    const facts = {
      ...(logprobs !== undefined && logprobsOf(decoded.raw!, token, logprobs)),
      ...(alternatives > 0 && likeliest(kept(), token, alternatives)),
    };
    return { token, facts, scalars };
  }

  private guideLogits({ guides = [] }: SlotOutput): ReadonlyMap<string, Float32Array> {
    return new Map(guidesOf(this.parts.graph).map(({ name }, i) => [name, guides[i]!]));
  }

  private async decode(
    place: Place,
    uniforms: Float32Array,
    inputs: ReturnType<typeof varying>,
    isRaw: boolean,
    text?: NativeText,
  ): Promise<SlotOutput> {
    const { slot, guides, prompt, options, speculator } = this.parts;
    const { tokens, count } = place.text;
    const position = this.read;
    const generated = tokens.subarray(prompt.length);
    const parts = guideParts(guides, generated, position === 0 ? undefined : position - prompt.length);
    const onRead = count === 0 ? (read: number) => options.onPromptProgress?.(read, tokens.length) : undefined;
    const room = roomOf(place);
    const step = {
      tokens: tokens.subarray(position),
      position,
      uniforms,
      inputs,
      guides: parts,
      isRaw,
      onRead,
      ...(text && { text, ahead: options.ahead, room }),
    };
    const output = await (speculator && !text
      ? speculator.next({
          slot,
          tokens,
          step,
          sequence: place.sequence(),
          room: this.isMaskedAt(count) ? 0 : room,
          extend: (draft) => ({ ...longer(step, draft), guides: parts.map((part) => longer(part, draft)) }),
        })
      : slot.decode(step));
    this.read = tokens.length;
    return output;
  }

  /** Whether tokens are masked there. */
  isMaskedAt(place: number): boolean {
    return this.phrases?.masksAt(place) === true || this.parts.healing?.isAt(place) === true;
  }

  /** The sequence as its next token is picked. */
  private picking(sequence: SequenceState): SequenceState {
    const { options, model } = this.parts;
    return mayEnd(sequence, options, (token) => model.isEnd(token));
  }
}

/** The tokens that the text may have after the next one. */
export const roomOf = ({ limit, text }: Place): number => limit - text.count - 1;

/** A part with drafted tokens after its own. */
const longer = <P extends Part>(part: P, draft: readonly number[]): P => ({
  ...part,
  tokens: Int32Array.from([...part.tokens, ...draft]),
});
