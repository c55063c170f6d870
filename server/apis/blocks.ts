/** Parts of an answer as blocks: texts in turn of one kind are a block, and each call is one. */
import type { CallPart, Part } from "ggsl/chat/answer.js";

export type BlockKind = Part["part"];

/** One that is open, or was. */
export interface Block {
  readonly kind: BlockKind;
  readonly index: number;
  /** Of a call: its arguments. */
  text: string;
  readonly call: Pick<CallPart, "id" | "name"> | undefined;
}

/** What happens to the blocks of an answer, in turn. */
export type BlockChange =
  | { readonly change: "open"; readonly block: Block }
  | { readonly change: "add"; readonly block: Block; readonly text: string }
  | { readonly change: "close"; readonly block: Block };

export class Blocks {
  readonly all: Block[] = [];
  private isOpen = false;

  /** Adds parts, and gives what they change. */
  add(parts: readonly Part[]): readonly BlockChange[] {
    return parts.flatMap((part) => {
      const isNew =
        part.part === "call" ? part.call.id !== undefined : !this.isOpen || this.all.at(-1)!.kind !== part.part;
      const opened = isNew ? this.begin(part.part, part.part === "call" ? part.call : undefined) : [];
      const text = part.part === "call" ? part.call.arguments : part.text;
      return [...opened, ...this.grow(text)];
    });
  }

  /** A block without text, where an answer must have one. */
  empty(kind: BlockKind): readonly BlockChange[] {
    return this.begin(kind, undefined);
  }

  /** Closes the last block. */
  close(): readonly BlockChange[] {
    if (!this.isOpen) return [];
    this.isOpen = false;
    return [{ change: "close", block: this.all.at(-1)! }];
  }

  private begin(kind: BlockKind, call: Block["call"]): readonly BlockChange[] {
    const closed = this.close();
    const block: Block = { kind, index: this.all.length, text: "", call };
    this.all.push(block);
    this.isOpen = true;
    return [...closed, { change: "open", block }];
  }

  private grow(text: string): readonly BlockChange[] {
    if (text === "") return [];
    const block = this.all.at(-1)!;
    block.text += text;
    return [{ change: "add", block, text }];
  }
}
