/** The table of ops in docs/graph.md, from compiler/graph/ops.ts; the rest of the page is written by hand. */
import { OPS } from "../../dist/compiler/graph/ops.js";

const DIMS = { rows: "n", broadcast: "n or 1", scalar: "1" };

/** In a table a bar would end the cell. */
const cell = (text) => text.replaceAll("|", "\\|");
const code = (parts) => parts.map((part) => `\`${part}\``).join(", ");

function rowOf([name, { operands, attrs, dtype, dim, kind, isElementwise, isRising, doc }], number) {
  const free = operands.filter((o) => o.dim === "free");
  const dims = operands.map((o) => DIMS[o.dim] ?? "ab"[free.indexOf(o)]);
  const dtypes = operands.map((o) => (o.dtype === "any" ? "T" : o.dtype));
  const resultOf = (rule, ofOperands) =>
    typeof rule !== "object" ? rule : (rule.attr ?? ofOperands[operands.findIndex((o) => o.name === rule.operand)]);
  const takes = operands.map((o, i) => `${o.name}${o.optional ? "?" : ""}: ${dtypes[i]}[${dims[i]}]`);
  const given = attrs.map((a) => {
    const type = a.choices?.join(" or ") ?? a.kind;
    return `${a.name}: ${type}${a.default === undefined ? "" : ` = ${a.default}`}`;
  });
  const result = `${resultOf(dtype, dtypes)}[${resultOf(dim, dims)}]`;
  const traits = [kind, isElementwise && "elementwise", isRising && "never falls"].filter(Boolean).join(", ");
  return `| ${[number, `\`${name}\``, code(takes), code(given), `\`${result}\``, traits, doc].map(String).map(cell).join(" | ")} |`;
}

function table() {
  const rows = Object.entries(OPS).map(rowOf);
  return [
    "| | op | operands | attributes | result | | what it gives |",
    "| --- | --- | --- | --- | --- | --- | --- |",
    ...rows,
  ].join("\n");
}

/** The page with its table as it is now. */
export function page(old) {
  const parts = /^([^]*<!-- ops: [^\n]*\n)[^]*?(<!-- end -->[^]*)$/.exec(old);
  if (!parts) throw new Error("docs/graph.md has no place for the table of ops");
  return `${parts[1]}\n${table()}\n\n${parts[2]}`;
}
