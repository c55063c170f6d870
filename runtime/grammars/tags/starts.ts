/** Texts by their beginnings. */
import { spend } from "../budget.js";

interface Node {
  readonly next: Map<string, Node>;
  isEnd: boolean;
}

/** Which of some texts begin at a place of another one, in steps of that one's length. */
export class Starts {
  private readonly root: Node = { next: new Map(), isEnd: false };

  constructor(texts: readonly string[]) {
    for (const text of texts) {
      spend(text.length / 8);
      let node = this.root;
      for (const character of text) {
        const next = node.next.get(character) ?? { next: new Map<string, Node>(), isEnd: false };
        node.next.set(character, next);
        node = next;
      }
      node.isEnd = true;
    }
  }

  /** Where the shortest of them ends that begins at a place, before another place; `Infinity` for none. */
  end(text: string, at: number, before = Infinity): number {
    spend();
    let node: Node | undefined = this.root;
    for (let i = at; i < Math.min(text.length, before);) {
      const character = String.fromCodePoint(text.codePointAt(i)!);
      node = node.next.get(character);
      if (!node) break;
      i += character.length;
      if (node.isEnd) return i;
    }
    return Infinity;
  }
}
