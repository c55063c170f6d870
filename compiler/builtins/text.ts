/** Numbers about the text so far. The host knows them before the graph runs, so that they need no node. */
import * as I from "../graph/interval.js";
import type { GrammarRef } from "../graph/graph.js";
import { isSameGrammar, RULE_IN_STRINGS } from "../graph/rules.js";
import { NEVER } from "../graph/uniform.js";
import type { Lowering } from "../table/lowering.js";
import { uniformValue, type Value } from "../table/value.js";
import { define, type Builtin } from "./builtin.js";

export const TEXT: Readonly<Record<string, Builtin>> = {
  last: define({
    doc: "id of the `k`-th last token of the text, prompt included; -1 where the text is shorter",
    args: { k: "position" },
    gives: "uniform",
    result: "i32",
    isUnreserved: true,
    lower: (_, { k }) => uniformValue({ last: k }, I.interval(-1, 2 ** 24)),
  }),
  ends_with: define({
    doc: "whether the text so far ends with a text, whatever its tokens are, or with a list of token ids",
    args: { ending: "ending" },
    gives: "uniform",
    result: "bool",
    isUnreserved: true,
    lower: (_, { ending }) => uniformValue({ ends_with: ending }, I.UNIT),
  }),
  since: define({
    doc: `tokens since the text last ended with a text or a list of token ids: 0 right then, ${NEVER} if it never did`,
    args: { ending: "ending" },
    gives: "uniform",
    result: "i32",
    isUnreserved: true,
    lower: (_, { ending }) => uniformValue({ since: ending }, I.interval(0, NEVER)),
  }),
  inside: define({
    doc: "whether the text so far has ended with `open` and not with `close` since then; each is a text or a list of token ids",
    args: { open: "ending", close: "ending" },
    gives: "uniform",
    result: "bool",
    isUnreserved: true,
    help: 'give what opens the part and what closes it, as in `inside("<think>", "</think>")`',
    lower: (_, { open, close }) => uniformValue(["gt", { since: close }, { since: open }], I.UNIT),
  }),
  in_rule: define({
    doc: "whether the next byte of the text may be one of a rule of the grammar; the rules of a JSON schema are `key`, `string`, `number`, `literal`, `object` and `array`",
    args: { grammar: "grammar", rule: "text" },
    gives: "uniform",
    result: "bool",
    isUnreserved: true,
    asksGrammar: true,
    help: 'give the grammar and the name of one of its rules, as in `in_rule(g, "key")`',
    lower: (cx, { grammar, rule }) => inRule(cx, grammar, rule),
  }),
  in_string: define({
    doc: "whether the text is within a string of JSON, key or value: after its opening quote, and not after the closing one",
    args: { grammar: "grammar" },
    gives: "uniform",
    result: "bool",
    isUnreserved: true,
    asksGrammar: true,
    lower: (cx, { grammar }) => inRule(cx, grammar, RULE_IN_STRINGS),
  }),
};

function inRule(cx: Lowering, grammar: GrammarRef, name: string): Value {
  const known = cx.rules.findIndex((rule) => rule.name === name && isSameGrammar(rule.grammar, grammar));
  if (known < 0) cx.meter.check("rules", cx.rules.length + 1);
  const rule = known < 0 ? cx.rules.push({ grammar, name }) - 1 : known;
  return uniformValue({ in_rule: rule }, I.UNIT);
}
