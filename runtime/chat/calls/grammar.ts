/** Grammars of calls: of one that must come, and of texts in which calls may come. */
import type { Tool } from "../messages.js";
import type { GrammarSource, SchemaSource } from "../../grammars/types.js";
import { formatsOf, withoutMarks } from "./controls.js";
import type { CallForm, Segment } from "./form.js";

/** How the schemas of arguments are read and written. */
export type SchemaOptions = Omit<SchemaSource, "jsonSchema">;

/** One call of one of the tools. */
export function callGrammar(form: CallForm, tools: readonly Tool[], options: SchemaOptions = {}): GrammarSource {
  return { structuralTag: callsFormat(form, tools, { schema: options, isParallel: false }) };
}

interface FreeOptions {
  readonly schema: SchemaOptions;
  readonly isParallel: boolean;
}

/** Any text, in which what begins as a call is one; undefined for a form that begins with no mark. */
export function freeFormat(
  form: CallForm,
  tools: readonly Tool[],
  { schema, isParallel }: FreeOptions,
): object | undefined {
  const { head, mark, marks, beside: tokens } = form;
  if (head === "") return undefined;
  const isToken = withoutMarks(mark[0]!) === "";
  if (!isToken && withoutMarks(mark) !== mark) return undefined;
  // what follows the mark is written as the template writes it
  const after = sequence(callsAfter(form, mark, itemsFormat(form, tools, { schema, isParallel })));
  const opener = isToken
    ? { blocks: [sequence([...formatsOf(mark, marks), after])] }
    : { triggers: [mark], tags: [{ type: "tag", begin: mark, content: after, end: "" }] };
  return {
    type: "free_text",
    ...opener,
    ...(tokens.length > 0 && { tokens }),
    ...(!isParallel && { stop_after_first: true }),
  };
}

/** The same as a grammar. */
export function freeGrammar(form: CallForm, tools: readonly Tool[], options: FreeOptions): GrammarSource | undefined {
  const structuralTag = freeFormat(form, tools, options);
  return structuralTag && { structuralTag };
}

/** Calls of the tools, one or, where the form has several, more. */
export function callsFormat(form: CallForm, tools: readonly Tool[], options: FreeOptions): object {
  return sequence(callsAfter(form, "", itemsFormat(form, tools, options)));
}

/** Calls and the marks around them, without the beginning of the first. */
const callsAfter = ({ head, close, marks }: CallForm, begun: string, calls: object): object[] => [
  ...formatsOf(head.slice(begun.length), marks),
  calls,
  ...formatsOf(close, marks),
];

/** Calls without the marks before the first and after the last. */
function itemsFormat(form: CallForm, tools: readonly Tool[], { schema, isParallel }: FreeOptions): object {
  const content = itemFormat(form, tools, schema);
  if (!isParallel || form.between === undefined) return content;
  const separator = formatsOf(form.between, form.marks);
  return { type: "repeat", content, ...(separator.length > 0 && { separator: sequence(separator) }) };
}

/** A call of one of the tools, without the marks around it. */
function itemFormat({ item, marks }: CallForm, tools: readonly Tool[], options: SchemaOptions): object {
  const { segments, isJson, args } = item;
  const nameAt = segments.findIndex((segment) => typeof segment === "object" && segment.hole === "name");
  const lettersOf = (text: string): readonly object[] => formatsOf(text, marks);
  const ways = tools.map((tool) => {
    const { name } = tool.function;
    const rest = segments
      .slice(nameAt + 1)
      .flatMap((segment) => partsOf(segment, lettersOf, () => args.formats(tool, options, lettersOf)));
    return sequence([...formatsOf(isJson ? JSON.stringify(name).slice(1, -1) : name, marks), ...rest]);
  });
  const before = segments.slice(0, nameAt).flatMap((segment) => partsOf(segment, lettersOf, () => []));
  return sequence([...before, ways.length === 1 ? ways[0]! : { type: "or", elements: ways }]);
}

const HOLES = { id: "[A-Za-z0-9]{9}", index: "0|[1-9][0-9]{0,3}" } as const;

function partsOf(
  segment: Segment,
  lettersOf: (text: string) => readonly object[],
  args: () => readonly object[],
): readonly object[] {
  if (typeof segment === "string") return lettersOf(segment);
  const { hole } = segment;
  if (hole === "id" || hole === "index") return [{ type: "regex", pattern: HOLES[hole] }];
  return hole === "arguments" ? args() : [];
}

const sequence = (elements: readonly object[]): object =>
  elements.length === 1 ? elements[0]! : { type: "sequence", elements };
