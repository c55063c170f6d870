/**
 * `npm run bench:grammars -- --vocabulary llama-bpe`: masks of the engine of grammars beside XGrammar's, over random texts that both
 * allow, with the time to prepare a grammar. Each is used as programs use it: the engine by `openGrammar`, XGrammar by its own reading of
 * EBNF and of schemas, with its defaults. Both allow any blanks between the parts of JSON.
 *
 * Tokens that only one of them allows are counted. In this version of XGrammar, some are expected: it reads classes with characters above
 * ASCII by their bytes (`japanese.gbnf`, `list.gbnf`, "letters beyond ASCII"); has no escapes in a string with a length or a pattern, and
 * control characters in one with a length; takes half of a character as an escape, `\ud800`; has no `-0` among integers; and leaves out some
 * tokens that end two rules ("nested lists").
 */
import { parseArgs } from "node:util";
import { formatTable } from "ggsl/core/table.js";
import { countOf, runMain } from "./main.js";
import { CASES } from "./grammars/cases.js";
import { measured, openVocabulary, type Measured } from "./grammars/masks.js";

const USAGE = `usage: npm run bench:grammars -- [options]
  --vocabulary NAME  one of llama.cpp's (default llama-bpe)
  --texts N          texts of each grammar (default 3)
  --tokens N         tokens of each text (default 40)
`;

const LEGEND = `milliseconds; masks of the engine, then of XGrammar
differences: tokens that only one of them allows; bench/grammars.ts says which are expected
`;

const at = (times: readonly number[], part: number): number =>
  [...times].sort((a, b) => a - b)[Math.floor((times.length - 1) * part)] ?? NaN;
const shown = (times: readonly number[], part: number): string => at(times, part).toFixed(3);

const row = (name: string, { differences, prepared, masks }: Measured): string[] => [
  name,
  prepared.ours.toFixed(2),
  prepared.theirs?.toFixed(1) ?? "refused",
  ...[0.5, 0.99, 1].map((part) => shown(masks.ours, part)),
  ...[0.5, 0.99, 1].map((part) => (masks.theirs.length === 0 ? "" : shown(masks.theirs, part))),
  String(differences),
];

await runMain(USAGE, async (signal) => {
  const { values } = parseArgs({
    options: {
      vocabulary: { type: "string", default: "llama-bpe" },
      texts: { type: "string", default: "3" },
      tokens: { type: "string", default: "40" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return void process.stdout.write(USAGE);
  const vocabulary = await openVocabulary(values.vocabulary);
  const size = { texts: countOf("--texts", values.texts), tokens: countOf("--tokens", values.tokens) };
  const all: { readonly name: string; readonly found: Measured }[] = [];
  for (const { name, source } of CASES) {
    await new Promise((resume) => setImmediate(resume));
    signal.throwIfAborted();
    all.push({ name, found: await measured(vocabulary, source, size) });
    process.stderr.write(".");
  }
  const whole: Measured = {
    differences: all.reduce((sum, { found }) => sum + found.differences, 0),
    prepared: {
      ours: at(
        all.map(({ found }) => found.prepared.ours),
        0.5,
      ),
      theirs: at(
        all.flatMap(({ found }) => found.prepared.theirs ?? []),
        0.5,
      ),
    },
    masks: {
      ours: all.flatMap(({ found }) => found.masks.ours),
      theirs: all.flatMap(({ found }) => found.masks.theirs),
    },
  };
  const head = ["grammar", "prepared", "XGrammar", "median", "p99", "most", "median", "p99", "most", "differences"];
  const rows = [...all.map(({ name, found }) => row(name, found)), row("all (median prepared)", whole)];
  process.stdout.write(`\n${formatTable(head, rows)}\n${LEGEND}`);
});
