/** Numbers about the text so far. The host knows them before the graph runs, so that they need no node. */
import * as I from "../graph/interval.js";
import { NEVER } from "../graph/uniform.js";
import { uniformValue } from "../table/value.js";
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
};
