/**
 * Numbers of host stages that llama.cpp's own programs do not accept. What its command line refuses is refused here; what its server
 * refuses or clamps is refused here, or picks as the bound does. The bounds are read from llama.cpp's source, the picks made by its
 * compiled library.
 */
import { expect, test } from "@jest/globals";
import { readFileSync } from "node:fs";
import { fieldOf, type FieldName } from "../../compiler/llama/fields.js";
import { TAIL_SAMPLERS, type TailParam } from "../../compiler/llama/samplers.js";
import { checkProgram } from "../../compiler/driver.js";
import { openTail } from "../../runtime/sequence/tail.js";

const SOURCE = "build/llama.cpp";

/** The flags whose negative values the command line refuses. */
const REFUSED_BELOW_0: ReadonlySet<string> = new Set(
  readFileSync(`${SOURCE}/common/arg.cpp`, "utf8")
    .split("add_opt(")
    .filter((option) => /if \(value < 0\) \{\s*throw/.test(option))
    .flatMap((option) => [...option.slice(0, option.indexOf("}")).matchAll(/"(--[^"]+)"/g)].map(([, flag]) => flag!)),
);

interface Bounds {
  readonly min: number;
  readonly max: number;
}

const NUMBERS: Readonly<Record<string, number>> = {
  "std::numeric_limits<float>::infinity()": Infinity,
  "-std::numeric_limits<float>::max()": -Infinity,
  INT32_MAX: 2 ** 31 - 1,
};
const numberOf = (text: string): number => NUMBERS[text] ?? Number(text.replace(/f$/, ""));

/** The bounds of the server's fields: hard ones refuse, others clamp. */
const SERVER: ReadonlyMap<string, Bounds> = new Map(
  [
    ...readFileSync(`${SOURCE}/tools/server/server-schema.cpp`, "utf8").matchAll(
      /^ *add\(\(new field_num\("(\w+)"[^\n]*\n *->set_(?:hard_)?limits\(([^,]+), ([^\n]+)\)$/gm,
    ),
  ].map(([, name, min, max]) => [name!, { min: numberOf(min!), max: numberOf(max!) }]),
);

/** The other parameters of a stage, so that this one has an effect. */
const BESIDE: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  xtc: { p: 1, seed: 1 },
  penalties: { repeat: 2, freq: 1 },
  dry: { multiplier: 2 },
  adaptive_p: { target: 0.2, seed: 1 },
  top_p: { p: 0.4 },
  min_p: { p: 0.9 },
  typical: { p: 0.2 },
};

interface Parameter extends TailParam {
  readonly stage: string;
  readonly param: string;
  readonly field: FieldName;
}

const PARAMETERS = Object.entries(TAIL_SAMPLERS).flatMap(([stage, { params }]) =>
  Object.entries(params).flatMap(([param, facts]) =>
    facts.field === undefined ? [] : [{ ...facts, stage, param, field: facts.field } satisfies Parameter],
  ),
);

/** Whether a program with the value is refused with its range. */
function isRefused({ stage, param }: Parameter, value: number): boolean {
  const diagnostics = checkProgram({ name: "a.ggsl", text: `chain c = host ${stage}(${param}: ${value})` });
  const codes = diagnostics.filter(({ severity }) => severity === "error").map(({ code }) => code);
  expect(["", "E0401"]).toContain(codes.join());
  return codes.length > 0;
}

const HISTORY = [0, 1, 2, 0, 1, 2, 0, 1];

/** What llama.cpp's sampler leaves of some rows, for several tokens. */
function rowsAfter({ stage, param }: Parameter, value: number): unknown {
  const args = { ...BESIDE[stage], [param]: value };
  using tail = openTail([{ name: stage, args: { ...args, ...(stage === "penalties" && { n_vocab: 6 }) } }], new Map())!;
  if (stage !== "dry") tail.acceptPrompt(HISTORY);
  return Array.from({ length: 6 }, (_, step) => {
    const logits = Float32Array.from({ length: 6 }, (__, i) => Math.fround(2 * Math.sin(step + i * 1.7)));
    const { tokens, logits: left, selected } = tail.apply({ logits });
    tail.accept(selected < 0 ? step % 3 : selected);
    return [[...tokens], [...left], selected];
  });
}

test("the bounds are found in llama.cpp's source", () => {
  expect([...REFUSED_BELOW_0]).toEqual(expect.arrayContaining(["--repeat-last-n", "--dry-penalty-last-n"]));
  expect(SERVER.get("top_p")).toEqual({ min: 0, max: 1 });
  expect(SERVER.get("adaptive_decay")).toEqual({ min: 0, max: 0.99 });
  expect(SERVER.get("repeat_last_n")!.min).toBe(0);
  expect(PARAMETERS.filter(onCommandLine).map(({ stage, param }) => [stage, param])).toEqual([
    ["penalties", "last_n"],
    ["dry", "last_n"],
  ]);
  expect(BEYOND.length).toBeGreaterThan(20);
});

const onCommandLine = ({ field }: Parameter): boolean => fieldOf(field).flags.some((flag) => REFUSED_BELOW_0.has(flag));

test.each(PARAMETERS.filter(onCommandLine))("$stage, $param: -1 is refused, as on the command line", (parameter) => {
  expect(isRefused(parameter, -1)).toBe(true);
  expect(isRefused(parameter, 0)).toBe(false);
});

/** Values beyond a bound of the server, and the bound. */
const BEYOND = PARAMETERS.flatMap((parameter) => {
  const { min, max } = SERVER.get(parameter.field) ?? { min: -Infinity, max: Infinity };
  const step = parameter.type === "i32" ? 1 : 0.25;
  return [
    { ...parameter, value: min - step, bound: min },
    { ...parameter, value: max + step, bound: max },
  ].filter(({ value }) => Math.abs(value) < 2 ** 31 - 1);
});

test.each(BEYOND)("$stage, $param: $value is refused, or as $bound", ({ value, bound, ...parameter }) => {
  if (!isRefused(parameter, value)) expect(rowsAfter(parameter, value)).toEqual(rowsAfter(parameter, bound));
});
