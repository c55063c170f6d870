/** The table of ops in docs/graph.md, from compiler/graph/ops.ts; the rest of the page is written by hand. */
import { OPS, type OpRule, type OperandRule } from "@ggsl/compiler/graph/ops.js";
import { table } from "../lib/markdown.js";

const DIMS: Readonly<Record<Exclude<OperandRule["dim"], "free">, string>> = {
  rows: "n",
  broadcast: "n or 1",
  scalar: "1",
};

const code = (parts: readonly string[]): string => parts.map((part) => `\`${part}\``).join(", ");

function rowOf(
  name: string,
  { operands, attrs, dtype, dim, kind, isElementwise, isRising, doc }: OpRule,
  id: number,
): string[] {
  const free = operands.filter((o) => o.dim === "free");
  const dims = operands.map((o) => (o.dim === "free" ? "ab"[free.indexOf(o)]! : DIMS[o.dim]));
  const dtypes = operands.map((o) => (o.dtype === "any" ? "T" : o.dtype));
  const resultOf = (rule: OpRule["dtype"] | OpRule["dim"], ofOperands: readonly string[]): string => {
    if (typeof rule !== "object") return `${rule}`;
    return "attr" in rule ? rule.attr : ofOperands[operands.findIndex((o) => o.name === rule.operand)]!;
  };
  const takes = operands.map((o, i) => `${o.name}${o.optional ? "?" : ""}: ${dtypes[i]}[${dims[i]}]`);
  const given = attrs.map((a) => {
    const type = a.choices?.join(" or ") ?? a.kind;
    return `${a.name}: ${type}${a.default === undefined ? "" : ` = ${a.default}`}`;
  });
  const result = `\`${resultOf(dtype, dtypes)}[${resultOf(dim, dims)}]\``;
  const traits = [kind, isElementwise && "elementwise", isRising && "never falls"].filter(Boolean).join(", ");
  return [`${id}`, `\`${name}\``, code(takes), code(given), result, traits, doc];
}

/** The page with an updated table. */
export function page(old: string): string {
  const parts = /^([^]*<!-- ops: [^\n]*\n)[^]*?(<!-- end -->[^]*)$/.exec(old);
  if (!parts) throw new Error("docs/graph.md has no place for the table of ops");
  const rows = Object.entries(OPS).map(([name, rule], id) => rowOf(name, rule, id));
  const head = ["", "op", "operands", "attributes", "result", "", "what it gives"];
  return `${parts[1]}\n${table(head, rows).trimEnd()}\n\n${parts[2]}`;
}
