/** Grammars of calls: of one that must come, and of texts in which calls may come. */
import type { Tool } from "ggsl/chat/messages.js";
import type { GrammarSource } from "ggsl/grammars/types.js";
import type { SchemaOptions } from "../bodies.js";
import { formatsOf, withoutMarks } from "./controls.js";
import type { CallForm, Segment } from "./form.js";

/** One call of one of the tools; undefined for a form whose arguments cannot be enforced. */
export function callGrammar(
  form: CallForm,
  tools: readonly Tool[],
  options: SchemaOptions = {},
): GrammarSource | undefined {
  const item = itemFormat(form, tools, options);
  return (
    item && {
      structuralTag: sequence([...formatsOf(form.head, form.marks), item, ...formatsOf(form.close, form.marks)]),
    }
  );
}

export interface FreeOptions {
  readonly schema: SchemaOptions;
  readonly isParallel: boolean;
}

/** Any text, in which what begins as a call is one; undefined for a form that begins with no mark, or cannot be enforced. */
export function freeGrammar(
  form: CallForm,
  tools: readonly Tool[],
  { schema, isParallel }: FreeOptions,
): GrammarSource | undefined {
  const { head, mark, between, close, marks, beside: tokens } = form;
  const item = head === "" ? undefined : itemFormat(form, tools, schema);
  if (!item) return undefined;
  const separator = between === undefined ? undefined : formatsOf(between, marks);
  const calls =
    isParallel && separator
      ? { type: "repeat", content: item, ...(separator.length > 0 && { separator: sequence(separator) }) }
      : item;
  const after = (rest: string): object => sequence([...formatsOf(rest, marks), calls, ...formatsOf(close, marks)]);
  const isToken = withoutMarks(mark[0]!) === "";
  if (!isToken && withoutMarks(mark) !== mark) return undefined;
  // what follows the mark is written as the template writes it
  const opener = isToken
    ? { blocks: [sequence([...formatsOf(mark, marks), after(head.slice(mark.length))])] }
    : {
        triggers: [mark],
        tags: [{ type: "tag", begin: mark, content: after(head.slice(mark.length)), end: "" }],
      };
  return {
    structuralTag: {
      type: "free_text",
      ...opener,
      ...(tokens.length > 0 && { tokens }),
      ...(!isParallel && { stop_after_first: true }),
    },
  };
}

/** A call of one of the tools, without the marks around it. */
function itemFormat(form: CallForm, tools: readonly Tool[], options: SchemaOptions): object | undefined {
  const { segments } = form.item;
  const nameAt = segments.findIndex((segment) => typeof segment === "object" && segment.hole === "name");
  const before = partsOf(form, segments.slice(0, nameAt));
  const rest = segments.slice(nameAt + 1);
  const ways: object[] = [];
  for (const tool of tools) {
    const args = form.item.args.format(tool, options);
    if (!args) return undefined;
    const { name } = tool.function;
    const written = { type: "const_string", value: form.item.isJson ? JSON.stringify(name).slice(1, -1) : name };
    ways.push(sequence([written, ...partsOf(form, rest, args)]));
  }
  return sequence([...before, ways.length === 1 ? ways[0]! : { type: "or", elements: ways }]);
}

const HOLES = { id: "[A-Za-z0-9]{9}", index: "0|[1-9][0-9]{0,3}" } as const;

const partsOf = ({ marks }: CallForm, segments: readonly Segment[], args?: object): object[] =>
  segments.flatMap((segment): readonly object[] => {
    if (typeof segment === "string") return formatsOf(segment, marks);
    if (segment.hole === "id" || segment.hole === "index") return [{ type: "regex", pattern: HOLES[segment.hole] }];
    return args ? [args] : [];
  });

const sequence = (elements: readonly object[]): object =>
  elements.length === 1 ? elements[0]! : { type: "sequence", elements };
