/** Answers that are read piece by piece, as a whole. */
import type { Part } from "ggsl/chat/answer.js";

export interface Call {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

export interface Whole {
  readonly reasoning: string;
  readonly content: string;
  readonly calls: readonly Call[];
}

interface Reader {
  push(text: string): readonly Part[];
  flush(): readonly Part[];
}

/** What a text is read as, in pieces of some characters. Throws for parts of calls that are not in order. */
export function readWhole(reader: Reader, text: string, size: number): Whole {
  let [reasoning, content] = ["", ""];
  const calls: { id: string; function: { name: string; arguments: string } }[] = [];
  const add = (part: Part): void => {
    if (part.part !== "call") {
      if (part.part === "reasoning") reasoning += part.text;
      else content += part.text;
    } else {
      const { index, id, name, arguments: args } = part.call;
      if (id !== undefined && name !== undefined && index === calls.length)
        calls.push({ id, function: { name, arguments: args } });
      else if (id === undefined && name === undefined && index === calls.length - 1)
        calls[index]!.function.arguments += args;
      else throw new Error(`expected a part of call ${calls.length}, found ${JSON.stringify(part)}`);
    }
  };
  for (let at = 0; at < text.length; at += size) reader.push(text.slice(at, at + size)).forEach(add);
  reader.flush().forEach(add);
  return { reasoning, content, calls };
}
