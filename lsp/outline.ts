/** The declarations of a file, with nested ones. */
import { SymbolKind, type DocumentSymbol } from "vscode-languageserver";
import type { Declaration, File, Stmt } from "@ggsl/compiler/syntax/ast.js";
import type { Span } from "@ggsl/compiler/source/source.js";
import { headOf } from "./describe.js";
import { rangeOf } from "./positions.js";

export const outline = ({ declarations }: File): DocumentSymbol[] => declarations.flatMap(symbolOf);

const KINDS: Readonly<Record<string, SymbolKind>> = {
  const: SymbolKind.Constant,
  input: SymbolKind.Field,
  fn: SymbolKind.Function,
  sampler: SymbolKind.Function,
  chain: SymbolKind.Method,
};

function symbolOf(d: Declaration): DocumentSymbol[] {
  if (d.kind === "import") return [];
  if (d.kind === "test") return [symbol(d.title === "" ? "test" : d.title, SymbolKind.Event, d.span, d.span, "test")];
  const params = "params" in d ? d.params : [];
  const inside = params.map((p) => symbol(p.name.text, SymbolKind.Variable, p.span, p.name.span, p.type));
  const named = symbol(
    d.name.text,
    KINDS[d.kind]!,
    d.span,
    d.name.span,
    "params" in d ? headOf(d.kind, params) : d.kind,
  );
  const body = d.kind === "sampler" ? d.body : d.kind === "fn" ? d.lets : [];
  return [{ ...named, children: [...inside, ...body.flatMap(variables)] }];
}

const symbol = (name: string, kind: SymbolKind, span: Span, nameSpan: Span, detail: string): DocumentSymbol => ({
  name,
  kind,
  detail,
  range: rangeOf(span),
  selectionRange: rangeOf(nameSpan),
});

function variables(s: Stmt): DocumentSymbol[] {
  if (s.kind === "let" || s.kind === "state" || s.kind === "measure")
    return [symbol(s.name.text, SymbolKind.Variable, s.span, s.name.span, s.kind)];
  if (s.kind === "stop") return [symbol(s.reason.value || "stop", SymbolKind.Event, s.span, s.reason.span, s.kind)];
  if (s.kind === "if") return [...s.then, ...(s.else ?? [])].flatMap(variables);
  return s.kind === "after" ? s.body.flatMap(variables) : [];
}
