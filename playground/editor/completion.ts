/** Completions at the cursor: words of the language, samplers, and the parameters of the present stage. */
import type { Completion, CompletionContext, CompletionResult, CompletionSource } from "@codemirror/autocomplete";
import type { EditorView } from "@codemirror/view";
import { isWordLexeme, lexemesOf, WORD, WORD_CHARACTER } from "@ggsl/compiler/source/lexemes.js";
import type { LanguageTables, StageSymbol } from "../engine/messages.js";
import { h } from "../dom.js";

/** The maximum length of text before the cursor that is searched for an open bracket. */
const MAX_BACK = 2000;

/** A word at the end of a text. */
const LAST_WORD = new RegExp(`(?<!${WORD_CHARACTER})${WORD}$`, "u");

/** `ownSymbols` are the samplers and chains of the program. */
export function completionSource(tables: LanguageTables, ownSymbols: () => readonly StageSymbol[]): CompletionSource {
  const fixed: Completion[] = [
    ...Object.entries(tables.keywords).map(([label, info]) => ({ label, info, type: "keyword" })),
    ...Object.entries(tables.types).map(([label, info]) => ({ label, info, type: "type" })),
    ...Object.entries(tables.functions).map(([label, info]) => ({ label, info, type: "function" })),
    ...Object.entries(tables.names).map(([label, info]) => ({ label, info, type: "variable" })),
  ];
  return (context: CompletionContext): CompletionResult | null => {
    const before = context.state.sliceDoc(Math.max(0, context.pos - MAX_BACK), context.pos);
    const line = before.slice(before.lastIndexOf("\n") + 1);
    const [word] = LAST_WORD.exec(before) ?? [""];
    if (line.includes("//") || (word === "" && !context.explicit && !/[(,]\s*$/.test(line))) return null;
    const own = ownSymbols();
    const names = new Set(own.map(({ name }) => name));
    const stages = [...own, ...tables.std.filter(({ name }) => !names.has(name))];
    const call = openCall(before);
    const callee = stages.find(({ name }) => name === call?.name);
    const params = (callee?.params ?? []).filter(({ name }) => !call!.given.includes(name));
    if (word === "" && !context.explicit && params.length === 0) return null;
    const options: Completion[] = [
      ...params.map(({ name, declaration }) => ({
        label: name,
        apply: `${name}: `,
        detail: declaration,
        type: "property",
        boost: 50,
        ...(callee!.doc && { info: callee!.doc }),
      })),
      ...(word === "" && !context.explicit
        ? []
        : [
            ...own.map((s) => stage(s)),
            ...tables.std.filter(({ name }) => !names.has(name)).map((s) => stage(s, "std")),
            ...fixed,
          ]),
    ];
    return { from: context.pos - word.length, options, validFor: LAST_WORD };
  };
}

function stage(symbol: StageSymbol, from?: "std"): Completion {
  const { name, kind, doc, params } = symbol;
  const head = `${name}(${params.map(({ declaration }) => declaration).join(", ")})`;
  return {
    label: name,
    detail: from ?? kind,
    type: "class",
    boost: 20,
    info: () => h("div", {}, h("code", { textContent: head }), h("p", { textContent: doc })),
    ...(from && {
      apply: (view: EditorView, _: Completion, start: number, end: number) => insertStd(view, name, start, end),
    }),
  };
}

/** Inserts the name, and imports it if necessary; inside an import, only the name. */
function insertStd(view: EditorView, name: string, from: number, to: number): void {
  const text = view.state.doc.toString();
  const before = text.slice(0, from);
  const inImport = /import\s*\{[^}]*$/.test(before);
  const present = /import\s*\{([^}]*)\}\s*from\s*"std"/.exec(text);
  const isImported = present?.[1]!.split(",").some((part) => part.trim() === name) === true;
  const changes = [{ from, to, insert: name }];
  if (!inImport && !isImported) {
    const end = present ? present.index + present[0].indexOf("}") : 0;
    const isEmpty = present?.[1]!.trim() === "";
    const start = text.slice(0, end).trimEnd().length;
    if (present) changes.push({ from: start, to: start, insert: isEmpty ? ` ${name}` : `, ${name}` });
    else changes.push({ from: 0, to: 0, insert: `import { ${name} } from "std"\n\n` });
  }
  const shift = changes.slice(1).reduce((sum, change) => sum + (change.from < from ? change.insert.length : 0), 0);
  view.dispatch({ changes, selection: { anchor: from + shift + name.length }, userEvent: "input.complete" });
}

/** The call with an open bracket at the end of a text, and the names of its arguments. */
function openCall(before: string): { readonly name: string; readonly given: readonly string[] } | undefined {
  let depth = 0;
  for (let i = before.length - 1; i >= 0; i--) {
    const character = before[i]!;
    if (character === ")") depth++;
    else if (character === "{" || character === "}" || character === "|") return undefined;
    else if (character === "(" && depth-- === 0) {
      const [name] = LAST_WORD.exec(before.slice(0, i)) ?? [""];
      const inside = lexemesOf(before.slice(i + 1));
      const given = inside.flatMap((one, j) => (isWordLexeme(one) && inside[j + 1]?.text === ":" ? [one.text] : []));
      return name === "" ? undefined : { name, given };
    }
  }
  return undefined;
}
