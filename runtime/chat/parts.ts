/** What the text of a model consists of: content, thoughts, calls of tools. */

/** A part of a call: the first has its id and its name; the arguments of all parts in turn are a JSON object as text. */
export interface CallPart {
  /** Among the calls of the answer, from 0 on. */
  readonly index: number;
  /** Nine letters and digits. */
  readonly id?: string;
  readonly name?: string;
  readonly arguments: string;
}

/** What a piece of text adds to an answer. Texts of the same part in turn are one text. */
export type Part =
  | { readonly part: "reasoning" | "content"; readonly text: string }
  | { readonly part: "call"; readonly call: CallPart };

export type TextPart = Extract<Part, { readonly text: string }>;

/** Parts, where what goes on is one. */
export function joinedParts(parts: readonly TextPart[]): readonly TextPart[];
export function joinedParts(parts: readonly Part[]): readonly Part[];
export function joinedParts(parts: readonly Part[]): readonly Part[] {
  const all: Part[] = [];
  for (const part of parts) {
    const last = all.at(-1);
    if (part.part !== "call" && last?.part === part.part)
      all[all.length - 1] = { ...part, text: last.text + part.text };
    else if (part.part === "call" && last?.part === "call" && part.call.id === undefined)
      all[all.length - 1] = {
        part: "call",
        call: { ...last.call, arguments: last.call.arguments + part.call.arguments },
      };
    else all.push(part);
  }
  return all;
}
