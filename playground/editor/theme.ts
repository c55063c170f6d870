/** The editor in the page's colours. */
import { EditorView } from "@codemirror/view";

export const theme = EditorView.theme({
  "&": {
    backgroundColor: "var(--field)",
    color: "var(--ink)",
    fontSize: "var(--size-code)",
    maxHeight: "var(--editor-most)",
  },
  // the page draws a focus ring around the whole editor
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.45", overflow: "auto" },
  ".cm-content": { caretColor: "var(--ink)" },
  ".cm-content, .cm-gutter": { minHeight: "var(--editor-least)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": { backgroundColor: "var(--field)", color: "var(--faint)", border: "none" },
  ".cm-activeLine": { backgroundColor: "var(--line-here)" },
  ".cm-activeLineGutter": { backgroundColor: "transparent" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--selection)",
  },
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": { backgroundColor: "var(--selection)", color: "inherit" },
  ".cm-tooltip": {
    backgroundColor: "var(--panel)",
    color: "var(--ink)",
    border: "1px solid var(--edge)",
    borderRadius: "var(--round)",
    maxWidth: "min(34em, 90vw)",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", maxHeight: "14em" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--on-accent)" },
  ".doc, .signature": { padding: "6px 10px", maxHeight: "16em", overflow: "auto" },
  ".signature .doc": { padding: "0" },
  ".doc p, .doc ul": { margin: "4px 0" },
  ".doc pre": { margin: "4px 0", whiteSpace: "pre-wrap" },
  ".doc code, .signature code": { fontFamily: "var(--mono)", fontSize: "var(--size-label)" },
  ".signature strong": { color: "var(--accent)" },
  ".cm-completionInfo": { padding: "6px 10px", whiteSpace: "pre-wrap" },
  ".cm-diagnostic": { whiteSpace: "pre-wrap" },
});
