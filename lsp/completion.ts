/** Completion items at a position. */
import { CompletionItemKind, type CompletionItem, type TextEdit } from "vscode-languageserver";
import { assignableNames, FUNCTIONS, NAMES } from "@ggsl/compiler/builtins/builtins.js";
import { TAIL_SAMPLERS } from "@ggsl/compiler/llama/samplers.js";
import { parameterOf } from "@ggsl/compiler/check/params.js";
import { topLevel } from "@ggsl/compiler/check/names.js";
import { isTextInput, textMeaning, textNames } from "@ggsl/compiler/check/texts.js";
import { TOKEN_CLASSES } from "@ggsl/compiler/graph/sets.js";
import { STD_NAMES } from "@ggsl/compiler/std/library.js";
import type { Meaning, Module } from "@ggsl/compiler/check/tree.js";
import { KEYWORDS, type Keyword } from "@ggsl/compiler/source/keywords.js";
import type { Context, OpenCall } from "./context.js";
import { describe, functionHead, tailHead } from "./describe.js";
import type { FindStage } from "./signature.js";

interface Offers {
  readonly module: Module;
  /** Declarations of the standard library, as if they were imported. */
  readonly std: (name: string) => Meaning | undefined;
  /** The edits that import a name of the standard library. */
  importEdits(name: string): TextEdit[];
  /** The names that a file declares, with their meanings. */
  exports(from: string): readonly (readonly [string, Meaning])[];
  readonly findStage: FindStage;
}

export function completion(context: Context, offers: Offers): CompletionItem[] {
  switch (context.place) {
    case "nothing":
      return context.call ? argumentNames(context.call, offers) : [];
    case "declaration":
      return keywords("declaration");
    case "import": {
      const names = context.from === undefined ? [] : offers.exports(context.from);
      const offered = context.from === undefined || context.from === "std" ? stdNames(offers) : names;
      return offered.map(([name, meaning]) => item(name, kindOf(meaning), describe(name, meaning)));
    }
    case "stage":
      return [...stages(offers), word("host")];
    case "host":
      return Object.keys(TAIL_SAMPLERS).map((name) =>
        item(name, CompletionItemKind.Function, describe(name, { kind: "host" }), tailHead(name)),
      );
    case "parameter":
      return [word("static")];
    case "type":
      return [...keywords("type"), word("tokens")];
    case "inputType":
      return ["f32", "i32", "bool", "logits", "tokens"].map(word);
    case "tokenClass":
      return TOKEN_CLASSES.map((name) =>
        item(name, CompletionItemKind.Constant, describe(name, { kind: "tokenClass", name })),
      );
    case "text":
      return textNames(offers.module).map((name) => {
        const meaning = textMeaning(offers.module, name)!;
        return item(name, kindOf(meaning), describe(name, meaning));
      });
    case "statement":
      return [
        ...keywords("statement"),
        ...["at", "by", "asc", "desc", "and", "or", "when", "as"].map(word),
        ...assignableNames().map(builtin),
        ...locals(context).filter(({ detail }) => detail === "state"),
      ];
    case "clause":
      return [...keywords("clause"), word("input")];
    case "expected":
      return ["probs", "logits", "kept", "order", "token", "tokens", "measure", "state", "stop"].map(word);
    case "expression":
      return [...(context.call ? argumentNames(context.call, offers) : []), ...values(context, offers)];
  }
}

const item = (label: string, kind: CompletionItemKind, doc: string, detail?: string): CompletionItem => ({
  label,
  kind,
  ...(doc !== "" && { documentation: { kind: "markdown", value: doc } }),
  ...(detail !== undefined && { detail }),
});

const word = (text: string): CompletionItem => item(text, CompletionItemKind.Keyword, KEYWORDS[text]!.doc);

const keywords = (group: Keyword["group"]): CompletionItem[] =>
  Object.keys(KEYWORDS)
    .filter((text) => KEYWORDS[text]!.group === group)
    .map(word);

const builtin = (name: string): CompletionItem =>
  item(name, CompletionItemKind.Field, describe(name, { kind: "column" }), NAMES[name]!.type);

const kindOf = ({ kind }: Meaning): CompletionItemKind =>
  kind === "const" || kind === "text"
    ? CompletionItemKind.Constant
    : kind === "input"
      ? CompletionItemKind.Field
      : CompletionItemKind.Function;

const stdNames = ({ std }: Offers): [string, Meaning][] =>
  STD_NAMES.flatMap((name): [string, Meaning][] => {
    const meaning = std(name);
    return meaning ? [[name, meaning]] : [];
  });

/** Samplers and chains in scope, and those of the standard library with the edit that imports them. */
function stages(offers: Offers): CompletionItem[] {
  const { module } = offers;
  const here = [...module.scope.keys()].flatMap((name) => {
    const meaning = topLevel(module, name)!;
    return meaning.kind === "sampler" || meaning.kind === "chain"
      ? [item(name, CompletionItemKind.Function, describe(name, meaning), meaning.kind)]
      : [];
  });
  const std = stdNames(offers).filter(([name]) => !module.scope.has(name));
  return [
    ...here,
    ...std.map(([name, meaning]) => ({
      ...item(name, CompletionItemKind.Function, describe(name, meaning), 'from "std"'),
      additionalTextEdits: offers.importEdits(name),
    })),
  ];
}

/** A name that is also one of a function has a colon. */
const labelOf = (param: string): string => (Object.hasOwn(FUNCTIONS, param) ? `${param}:` : param);

/** `name: ` of the parameters that are not given yet. */
function argumentNames({ kind, name, given }: OpenCall, { findStage }: Offers): CompletionItem[] {
  const offer = (param: string, doc: string): CompletionItem[] =>
    given.includes(param)
      ? []
      : [{ ...item(labelOf(param), CompletionItemKind.Property, doc, "parameter"), insertText: `${param}: ` }];
  if (kind === "host")
    return Object.keys(TAIL_SAMPLERS[name]!.params).flatMap((param) =>
      offer(param, describe(param, { kind: "tailParameter", stage: name })),
    );
  if (kind === "function" && Object.hasOwn(FUNCTIONS, name))
    return Object.keys(FUNCTIONS[name]!.named ?? {}).flatMap((arg) => offer(arg, describe(name, { kind: "function" })));
  return (findStage(name)?.params ?? []).flatMap((param) =>
    offer(param.name.text, describe(param.name.text, parameterOf(param))),
  );
}

const locals = ({ locals: names }: Context): CompletionItem[] =>
  names.map(({ name, what }) => item(name, CompletionItemKind.Variable, "", what));

function values(context: Context, { module }: Offers): CompletionItem[] {
  const isStage = context.call !== undefined && context.call.kind !== "function";
  const named = [...module.scope.keys()].flatMap((name) => {
    const meaning = topLevel(module, name)!;
    const isValue = meaning.kind === "input" && !isTextInput(meaning.binding);
    return meaning.kind === "const" || isValue || meaning.kind === "fn"
      ? [item(name, kindOf(meaning), describe(name, meaning))]
      : [];
  });
  const functions = Object.keys(FUNCTIONS).map((name) =>
    item(name, CompletionItemKind.Function, describe(name, { kind: "function" }), functionHead(name)),
  );
  return [
    ...locals(context),
    ...named,
    ...(isStage
      ? [item("random", CompletionItemKind.Constant, describe("random", { kind: "seed" }))]
      : Object.keys(NAMES).map(builtin)),
    ...functions,
    ...keywords("constant"),
    word("not"),
    word("repeat"),
  ];
}
