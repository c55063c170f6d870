/** Grammars where the end of a prompt is written again: they begin after it, and so read only what a token adds to it. */
import { InputError } from "../../core/errors.js";
import { hasBit } from "../../grammars/bits.js";
import { positionOf } from "../../grammars/position.js";
import type { GrammarState } from "../../grammars/types.js";
import { grammarOf } from "../../sequence/features/feed.js";
import type { OpenGrammar } from "../../sequence/features/grammars.js";
import type { SequenceState } from "../../sequence/sequence.js";
import type { Healing } from "./healing.js";

/** The sequence at such a place, whose grammars are ready: they allow the tokens of which they allow what comes after the prompt. */
export async function afterPrompt(sequence: SequenceState, healing: Healing, place: number): Promise<SequenceState> {
  if (!sequence.features.some(grammarOf)) return sequence;
  const tokens = healing.tokensAt(place);
  const features = await Promise.all(
    sequence.features.map(async (feature) => {
      if (feature.kind !== "allowed" || !feature.grammar) return feature;
      const { grammar } = feature;
      const bits = new Uint32Array(grammar.state.bits().length);
      for (const token of tokens) {
        const read = healing.readAt(place, token);
        if (read && (await allows(grammar, read))) bits[token >>> 5]! |= 1 << (token & 31);
      }
      return { ...feature, grammar: { ...grammar, state: new MaskedState(grammar.state, bits) } };
    }),
  );
  return { ...sequence, features };
}

/** Whether a grammar goes on with tokens, one after another. */
async function allows({ state }: OpenGrammar, tokens: readonly number[]): Promise<boolean> {
  const [first] = tokens;
  if (first === undefined) return true;
  if (!hasBit(state.bits(), first)) return false;
  if (tokens.length === 1) return true;
  try {
    // masks are not needed for this
    const last = tokens.reduce<GrammarState>((at, token) => at.accept(token), state);
    if (positionOf(last)) return true;
  } catch (error) {
    if (error instanceof InputError && error.code === "INVALID_ARGUMENT") return false;
    throw error;
  }
  return (await state.follow(tokens)).length === tokens.length;
}

/** What grammars read in place of the token at a place; undefined: the token itself. */
export const readInPlace = (
  healing: Healing | undefined,
  place: number,
  token: number,
  { features }: SequenceState,
): readonly number[] | undefined =>
  healing?.isAt(place) && features.some(grammarOf) ? healing.readAt(place, token) : undefined;

/** A position with another mask. */
class MaskedState implements GrammarState {
  constructor(
    private readonly state: GrammarState,
    private readonly mask: Uint32Array,
  ) {}

  ready(): undefined {
    return undefined;
  }

  bits(): Uint32Array {
    return this.mask;
  }

  accept(token: number): GrammarState {
    return this.state.accept(token);
  }

  follow(tokens: ArrayLike<number>): Promise<readonly GrammarState[]> {
    return this.state.follow(tokens);
  }

  release(): void {
    this.state.release();
  }
}
