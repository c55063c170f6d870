/** Statements: the body of a sampler, and updates of its states. */
import * as fc from "fast-check";
import { drawNumbers, expressions, seeds } from "./expressions.js";
import { t, where, words, type Kind, type Named, type Snippet, type Rate, type Scope, type Text } from "./text.js";

const { staticWhole, settledFlag, uniformScalar, uniformWhole, uniformFlag, whole, scalar, flag, column, mask } =
  expressions;

/** `let` with a fresh name, which is not in scope in the value. */
const letOf = (kind: Kind, rate: Rate, value: Snippet): Snippet =>
  value.map((write) => (s) => {
    const text = write(s);
    const name = s.fresh("v");
    s.names.push({ name, kind, rate });
    return `let ${name} = ${text}`;
  });

const lets = fc.oneof(
  { weight: 4, arbitrary: letOf("column", "runtime", column) },
  { weight: 2, arbitrary: letOf("mask", "runtime", mask) },
  { weight: 2, arbitrary: letOf("scalar", "runtime", scalar) },
  letOf("whole", "runtime", whole),
  letOf("flag", "runtime", flag),
  letOf("scalar", "uniform", uniformScalar),
  letOf("whole", "static", staticWhole),
);

const written = (piece: Snippet, change: (s: Scope, text: string) => void): Snippet =>
  piece.map((write) => (s) => {
    const text = write(s);
    change(s, text);
    return text;
  });

const assignments = fc.oneof(
  { weight: 3, arbitrary: t`logit ${words("=", "+=", "-=")} ${fc.oneof(column, column, scalar)}` },
  { weight: 2, arbitrary: t`logit ${words("*=", "/=")} ${fc.oneof(scalar, column)}` },
  t`logit *= ${words("0.5", "2", "-1", "0", "1e10", "1e-10", "1e20", "1e-20", "1e30")}`,
  t`logit = (${mask} ? logit : ${column})`,
);

const assigns = written(assignments, (s) => {
  if (s.order === "logit") s.order = undefined;
});

const conditions = fc.oneof({ weight: 6, arbitrary: mask }, flag);
const keeps = fc.oneof(
  t`keep ${conditions}`,
  t`keep ${conditions} at least ${fc.oneof(whole, words("0", "1", "2", "5"))}`,
);

/** Most keys have no ties. */
const keys = fc.oneof(words("token", "-token", "logit", "-abs(logit)", "prob"), column);
const orders = written(
  fc.oneof(
    words("sort"),
    t`sort by ${keys}${words("", " asc", " desc")}`,
    t`sort ${words("asc", "desc")}`,
    t`top ${fc.oneof(staticWhole, words("1", "2", "7", "40"))}`,
    t`top ${fc.oneof(staticWhole, words("3", "20"))} by ${keys}`,
  ),
  (s, text) => {
    const [, by] = / by (.*?)(?: asc| desc)?$/s.exec(text) ?? [];
    const isByLogit = by === undefined || /^\(*logit\)*$/.test(by);
    s.order = isByLogit && !text.endsWith(" asc") ? "logit" : "key";
    s.sorts = true;
  },
);

/** Blocks of which one runs; names and row orders of one are unknown in the others. */
const branches = (conditions: Snippet, block: Snippet, changes: Partial<Scope>): Snippet =>
  fc
    .tuple(conditions, conditions, fc.array(block, { minLength: 1, maxLength: 3 }))
    .map(([first, second, blocks]) => (s) => {
      const before = { ...s };
      const tests = [first, second].map((condition) => condition(s));
      const bodies = blocks.map((write) => {
        const inner = { ...before, names: [...before.names], ...changes };
        const text = write(inner);
        s.sorts ||= inner.sorts;
        if (inner.order !== before.order) s.order = undefined;
        return `{ ${text} }`;
      });
      const [then, otherwise, last] = bodies;
      if (otherwise === undefined) return `if ${tests[0]!} ${then!}`;
      if (last === undefined) return `if ${tests[0]!} ${then!} else ${otherwise}`;
      return `if ${tests[0]!} ${then!} else if ${tests[1]!} ${otherwise} else ${last}`;
    });

interface Grammar {
  statement: Text;
  block: Text;
}

const depthIdentifier = fc.createDepthIdentifier();

const grammar = fc.letrec<Grammar>((tie: fc.LetrecTypedTie<Grammar>) => {
  const block = tie("block");
  return {
    statement: fc.oneof(
      { maxDepth: 2, depthSize: "small", depthIdentifier, withCrossShrink: true },
      { weight: 4, arbitrary: assigns },
      { weight: 4, arbitrary: keeps },
      { weight: 4, arbitrary: lets },
      { weight: 4, arbitrary: where((s) => !s.isBlend, orders, assigns) },
      { weight: 2, arbitrary: branches(flag, block, { isBlend: true }) },
      { weight: 1, arbitrary: branches(uniformFlag, block, { isBlend: true }) },
      { weight: 2, arbitrary: branches(settledFlag, block, {}) },
    ),
    block: lines(tie("statement"), 0, 2),
  };
});

function lines(statement: Snippet, minLength: number, maxLength: number): Snippet {
  return fc
    .array(statement, { minLength, maxLength, size: "max" })
    .map((texts) => (s) => texts.map((write) => write(s)).join("\n  "));
}

export const body: Snippet = lines(grammar.statement, 1, 5);

/** The end of a body: in most chains the last sampler picks. */
export const picks = {
  sample: fc.oneof(t`pick sample(${seeds})`, t`pick sample(${seeds}, ${drawNumbers})`),
  argmax: t`pick argmax(${fc.oneof(words("logit"), column)})`,
};

/** Either pick, decided by the arguments. */
export const settledPick: Snippet = t`if ${settledFlag} { ${picks.sample} } else { ${picks.argmax} }`;

// ---------------------------------------------------------------- states

const STATE_TYPES: readonly { readonly type: string; readonly kind: Kind; readonly init: Snippet }[] = [
  { type: "f32", kind: "scalar", init: uniformScalar },
  { type: "i32", kind: "whole", init: uniformWhole },
  { type: "bool", kind: "flag", init: uniformFlag },
];

export const stateDeclaration: Snippet = fc
  .oneof(...STATE_TYPES.map(({ type, kind, init }) => fc.tuple(fc.constant({ type, kind }), init)))
  .map(([{ type, kind }, init]) => (s) => {
    const value = init({ ...s, grammar: undefined });
    const state: Named = { name: s.fresh("s"), kind, rate: "runtime" };
    s.names.push(state);
    s.states.push(state);
    return `state ${state.name}: ${type} = ${value}`;
  });

/** A new value for one of the states, of any type. */
const stateAssign: Snippet = fc
  .tuple(fc.nat({ max: 7 }), words("=", "+=", "-=", "*=", "/="), words("=", "+=", "-="), scalar, whole, flag)
  .map(([which, operator, wholeOperator, number, integer, truth]) => (s) => {
    const state = s.states[which % Math.max(s.states.length, 1)];
    if (!state) return "";
    if (state.kind === "flag") return `${state.name} = ${truth(s)}`;
    return state.kind === "whole"
      ? `${state.name} ${wholeOperator(s)} ${integer(s)}`
      : `${state.name} ${operator(s)} ${number(s)}`;
  });

/** A scalar over the last tokens. */
const overTokens: Snippet = fc.oneof(
  t`${words("sum", "mean", "min", "max")}(${fc.oneof(scalar, whole)}, last: ${words("1", "2", "3")})`,
  t`count(${flag}, last: ${words("1", "2", "4")})`,
);

/** A value that is reported with the token; only here are there values over tokens, as the oracle reads what runs alone. */
export const measure: Snippet = fc
  .oneof({ weight: 4, arbitrary: scalar }, whole, flag, { weight: 2, arbitrary: overTokens })
  .map((write) => (s) => `measure ${s.fresh("m")} = ${write(s)}`);

/** A condition that ends the text. */
export const stop: Snippet = flag.map((write) => (s) => `stop when ${write(s)} as "${s.fresh("t")}"`);

/** Whether a state has some value. */
const stateHolds: Snippet = fc
  .tuple(fc.nat({ max: 7 }), fc.constantFrom("< 1", "== 1", "!= 0"))
  .map(([which, other]) => (s) => {
    const { name, kind } = s.states[which % Math.max(s.states.length, 1)] ?? { name: "step", kind: "whole" };
    return kind === "flag" ? name : `(${name} ${other})`;
  });

/** A text that is written where a condition begins to hold; one of them has no characters. */
export const write: Snippet = t`write ${words('"a"', '"ab7"', '" aé"', '"b7"', '""')} when ${fc.oneof(uniformFlag, { weight: 2, arbitrary: stateHolds })}`;

const afterStatement = fc.oneof(
  { weight: 4, arbitrary: stateAssign },
  { weight: 1, arbitrary: measure },
  { weight: 1, arbitrary: stop },
  lets,
  branches(fc.oneof(flag, uniformFlag), lines(stateAssign, 1, 2), {}),
);

export const afterPick: Snippet = t`after pick { ${lines(afterStatement, 1, 3)} }`;
