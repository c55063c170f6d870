/** The two texts, the place that is chosen in one of them, and where they part. */
import { h } from "../dom.js";
import { openTokens, visible, type Tokens } from "./tokens.js";

export type Side = 0 | 1;

interface Chosen {
  readonly side: Side;
  readonly at: number;
}

export interface Sides {
  /** The program's, and the one to compare with. */
  readonly texts: readonly [Tokens, Tokens];
  chosen(): Chosen;
  /** A whole text is there: a place that it does not have becomes its last one. */
  settle(side: Side): void;
  /** Marks the first tokens that differ, and says where they are. */
  part(): string;
  /** Whether the program's text is that of an earlier one, because the present one has errors. */
  setOlder(isOlder: boolean): void;
}

/** @param against the field of the stages to compare with @param onChoose called when another place is chosen */
export function openSides(against: HTMLElement, onChoose: () => void): Sides {
  let chosen: Chosen = { side: 0, at: 0 };
  const older = h("span", { className: "older", textContent: "as of the last one that compiled", hidden: true });
  const texts = [
    openTokens("your program", h("h3", {}, "your program ", older), (at) => choose(0, at)),
    openTokens("the chain to compare with", h("h3", {}, "against ", against), (at) => choose(1, at)),
  ] as const;
  const mark = (): void => texts.forEach((text, side) => text.choose(side === chosen.side ? chosen.at : undefined));
  function choose(side: Side, at: number): void {
    chosen = { side, at };
    mark();
    onChoose();
  }

  return {
    texts,
    chosen: () => chosen,
    settle(side) {
      if (chosen.side === side) chosen = { side, at: Math.max(0, Math.min(chosen.at, texts[side].tokens.length - 1)) };
      mark();
    },
    part() {
      const [ours, theirs] = [texts[0].tokens, texts[1].tokens];
      const length = Math.min(ours.length, theirs.length);
      const at = ours.findIndex((token, i) => i < length && token.text !== theirs[i]!.text);
      for (const text of texts) text.part(at >= 0 ? at : length === 0 ? 0 : undefined);
      if (length === 0) return "";
      return at < 0
        ? `Both texts are the same for ${length} tokens.`
        : `The same for ${at} tokens, then they part: “${visible(ours[at]!.text)}” here, “${visible(theirs[at]!.text)}” there.`;
    },
    setOlder(isOlder) {
      older.hidden = !isOlder;
      texts[0].element.classList.toggle("older", isOlder);
    },
  };
}
