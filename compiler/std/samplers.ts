/** The standard samplers with the contents of their files, for tests, benchmarks and generated pages. */
import type { Sampler, Stmt } from "../syntax/ast.js";
import { callsIn, expressionsIn } from "../syntax/walk.js";
import { readDoc, samplerIn, type StdDoc } from "./entry.js";
import { STD_NAMES, stdExample, stdFile, stdSource } from "./library.js";

export interface StdSampler extends StdDoc {
  readonly name: string;
  readonly declaration: Sampler;
  /** A typical call that has an effect, e.g. `typical(0.95)`. */
  readonly example: string;
  /** How it picks a token. Absent if it only changes the table. */
  readonly picks?: "argmax" | "sample";
  /** The sequences whose logits it reads, by name. */
  readonly guides: readonly string[];
  /** Whether it takes a grammar, so that it needs the texts of tokens. */
  readonly takesGrammar: boolean;
  /** Whether it changes logits. */
  readonly assignsLogits: boolean;
  /** Whether it is about the token that a later stage picks. */
  readonly actsAfterPick: boolean;
}

export const STD_SAMPLERS: readonly StdSampler[] = STD_NAMES.map((name) => {
  const { declarations } = stdFile(stdSource(name)!)!;
  const declaration = samplerIn(declarations, name);
  const statements = statementsIn(declaration.body);
  const pick = statements.find((s) => s.kind === "pick");
  return {
    name,
    declaration,
    example: stdExample(name)!,
    ...readDoc(declaration),
    ...(pick && { picks: pick.how }),
    guides: declarations.flatMap((d) => (d.kind === "input" && d.type === "logits" ? [d.name.text] : [])),
    takesGrammar: declaration.params.some((p) => p.type === "grammar"),
    assignsLogits: statements.some((s) => s.kind === "assign" && s.target.text === "logit"),
    actsAfterPick:
      !pick && expressionsIn(declaration).some((e) => callsIn(e).some(({ callee }) => callee.text === "picked")),
  };
});

/** The statements of a body, including those inside `if`. */
function statementsIn(body: readonly Stmt[]): Stmt[] {
  return body.flatMap((s) => (s.kind === "if" ? [s, ...statementsIn([...s.then, ...(s.else ?? [])])] : [s]));
}
