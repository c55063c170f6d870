/** Documentation of the name under the pointer or at the cursor, and the signature of the call around the cursor. */
import { StateEffect, StateField, type Extension } from "@codemirror/state";
import { EditorView, hoverTooltip, keymap, showTooltip, ViewPlugin, type Tooltip } from "@codemirror/view";
import { debounced, h } from "../dom.js";
import type { HelpRequest, HoverReply, SignatureReply } from "../engine/messages.js";
import { markdown } from "./markdown.js";

export interface Help {
  /** Undefined if a newer request took its place. */
  hover(request: HelpRequest): Promise<HoverReply | null | undefined>;
  signature(request: HelpRequest): Promise<SignatureReply | null | undefined>;
}

/** Milliseconds after the last key. */
const PAUSE = 120;

/** Documentation that a key asked for has the cursor's place: until it moves, no signature takes the documentation's. */
interface Tip extends Tooltip {
  readonly docsAt?: number;
}

const setTip = StateEffect.define<Tip | null>();

/** The tip at the cursor: a signature, or documentation that a key asked for. */
const tip = StateField.define<Tip | null>({
  create: () => null,
  update: (present, { effects, docChanged }) => {
    const set = effects.find((effect) => effect.is(setTip));
    return set ? set.value : docChanged ? null : present;
  },
  provide: (field) => showTooltip.from(field),
});

const tooltip = (pos: number, dom: HTMLElement, end?: number): Tooltip => ({
  pos,
  above: true,
  create: () => ({ dom }),
  ...(end !== undefined && { end }),
});

export function helpOf(help: Help): Extension {
  const docsAt = async (view: EditorView, offset: number): Promise<Tooltip | null> => {
    const found = await help.hover({ text: view.state.doc.toString(), offset });
    return found ? tooltip(found.from, markdown(found.markdown), found.to) : null;
  };
  const showDocs = (view: EditorView): boolean => {
    const { head } = view.state.selection.main;
    void docsAt(view, head).then((docs) => view.dispatch({ effects: setTip.of(docs && { ...docs, docsAt: head }) }));
    return true;
  };
  const hide = (view: EditorView): boolean => {
    if (!view.state.field(tip)) return false;
    view.dispatch({ effects: setTip.of(null) });
    return true;
  };
  const signatures = ViewPlugin.define((view) => {
    const show = async (): Promise<void> => {
      const { doc, selection } = view.state;
      const offset = selection.main.head;
      const found = view.hasFocus ? await help.signature({ text: doc.toString(), offset }) : null;
      // the text may be another by now
      if (found === undefined || view.state.doc !== doc || view.state.selection.main.head !== offset) return;
      if (view.state.field(tip)?.docsAt === offset) return;
      view.dispatch({ effects: setTip.of(found ? tooltip(offset, signatureOf(found)) : null) });
    };
    const soon = debounced(() => void show(), PAUSE);
    return {
      update({ docChanged, selectionSet }) {
        if (docChanged || selectionSet) soon();
      },
    };
  });
  return [
    tip,
    signatures,
    hoverTooltip(docsAt),
    keymap.of([
      { key: "F1", run: showDocs, preventDefault: true },
      { key: "Escape", run: hide },
    ]),
  ];
}

function signatureOf({ label, active, markdown: text }: SignatureReply): HTMLElement {
  const at = active === undefined ? -1 : label.indexOf(active, label.indexOf("("));
  const parts =
    at < 0 ? [label] : [label.slice(0, at), h("strong", { textContent: active! }), label.slice(at + active!.length)];
  const doc = text === undefined ? [] : [markdown(text.split("\n\n")[0]!)];
  return h("div", { className: "signature", role: "status" }, h("code", {}, ...parts), ...doc);
}
