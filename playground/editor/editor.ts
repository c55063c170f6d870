/** The editor: CodeMirror with the language's words, its diagnostics and its completion. */
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching, indentUnit } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { Compartment, EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import type { LanguageTables, PageDiagnostic, PageFix, StageSymbol } from "../engine/messages.js";
import { completionSource } from "./completion.js";
import { helpOf, type Help } from "./help.js";
import { highlighting } from "./highlight.js";
import { theme } from "./theme.js";

interface Editor {
  text(): string;
  /** Replaces the text; `onChange` is called as for any change. */
  setText(text: string): void;
  setTables(tables: LanguageTables): void;
  show(diagnostics: readonly PageDiagnostic[], symbols: readonly StageSymbol[]): void;
  readonly goTo: (offset: number) => void;
  /** Changes the text as a fix says; it must be one of the diagnostics that are shown. */
  readonly fix: (fix: PageFix) => void;
}

/** The editor is in a shadow tree, so that its style sheets need no exception from the content security policy. */
export function openEditor(host: HTMLElement, text: string, help: Help, onChange: () => void): Editor {
  const root = host.attachShadow({ mode: "open" });
  const language = new Compartment();
  let symbols: readonly StageSymbol[] = [];
  const view = new EditorView({
    root,
    parent: root as unknown as Element,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        history(),
        drawSelection(),
        bracketMatching(),
        closeBrackets(),
        highlightActiveLine(),
        indentUnit.of("  "),
        lintGutter(),
        language.of([]),
        helpOf(help),
        theme,
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": "Program", "aria-describedby": "editor-keys", tabindex: "0" }),
        // Tab moves to the next control, for keyboard users
        keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...completionKeymap, ...lintKeymap]),
        EditorView.updateListener.of(({ docChanged }) => {
          if (docChanged) onChange();
        }),
      ],
    }),
  });
  /** The text to which the diagnostics belong: edits of another one would hit other words. */
  let checked = view.state.doc;
  const mend = ({ edits }: PageFix): void => {
    if (view.state.doc !== checked) return;
    view.dispatch({ changes: [...edits] });
    view.focus();
  };
  return {
    text: () => view.state.doc.toString(),
    setText: (insert) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert } }),
    setTables: (tables) =>
      view.dispatch({
        effects: language.reconfigure([
          highlighting(tables),
          autocompletion({ override: [completionSource(tables, () => symbols)] }),
        ]),
      }),
    show(diagnostics, declared) {
      symbols = declared;
      checked = view.state.doc;
      const { length } = view.state.doc;
      const shown = diagnostics.map(({ from, to, severity, code, message, help, fix }) => ({
        from: Math.min(from, length),
        to: Math.min(to, length),
        severity,
        source: code,
        message: help === undefined ? message : `${message}\nhelp: ${help}`,
        ...(fix && { actions: [{ name: fix.title.replaceAll("`", ""), apply: () => mend(fix) }] }),
      }));
      view.dispatch(setDiagnostics(view.state, shown));
    },
    goTo(offset) {
      const anchor = Math.min(offset, view.state.doc.length);
      view.dispatch({ selection: { anchor }, scrollIntoView: true });
      view.focus();
    },
    fix: mend,
  };
}
