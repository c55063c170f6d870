/** `stop when`: which token ends a text, by conditions that are calculated here from the same logits; names, order, faults and specs. */
import { describe, expect, test } from "@jest/globals";
import { compileProgram, graphOf } from "../../compiler/driver.js";
import { fromSpec, SpecError, toSpec } from "../../compiler/graph/json.js";
import { prepend } from "../../compiler/graph/prepend.js";
import { compile, compilePipeline, type Chain } from "../../runtime/chain/chain.js";
import { createEvaluator } from "../../runtime/chain/evaluate.js";
import { runTests } from "../../runtime/chain/testing.js";

const BACKENDS = ["reference", "cpu", "wasm"] as const;
const LOGITS = [1, -2, 3.5, 4, 0.25, 2];

interface Step {
  readonly token: number | null;
  readonly stop: string | undefined;
}

function stepsOf({ rowsGraph }: Pick<Chain, "rowsGraph">, backend: (typeof BACKENDS)[number], count = 12): Step[] {
  using evaluator = createEvaluator(rowsGraph, LOGITS.length, { backend });
  return Array.from({ length: count }, () => {
    const { token, stop } = evaluator.evaluate(LOGITS);
    evaluator.accept();
    return { token, stop };
  });
}

const PROGRAM = `sampler report(seed: seed) {
  state same: i32 = 0
  pick sample(seed)
  stop when picked(token) == 5 as "five"
  after pick {
    let again = picked(token) == last(1) ? same + 1 : 0
    same = again
    stop when again >= 2 as "again"
    stop when step + 1 >= 12 as "long"
  }
}
chain c = report(11)`;

describe.each(BACKENDS)("%s", (backend) => {
  test("conditions of the picked row, of states and of the text; the first in the order of the program counts", () => {
    const steps = stepsOf(compile(PROGRAM), backend, 24);
    const tokens = steps.map(({ token }) => token!);
    const wanted = tokens.map((token, i) => {
      if (token === 5) return "five";
      // the third of a run of equal tokens
      let run = 0;
      while (run < i && tokens[i - run - 1] === token) run++;
      return run >= 2 ? "again" : i + 1 >= 12 ? "long" : undefined;
    });
    expect(steps.map(({ stop }) => stop)).toEqual(wanted);
    expect(new Set(wanted)).toEqual(new Set([undefined, "five", "again", "long"]));
  });

  test("before the pick, of all rows; a condition that never holds costs nothing", () => {
    const chain = compile(`sampler cut(static most: i32) {
  stop when n < most as "few"
  keep prob > 0.1
  stop when n <= 2 as "sharp"
  pick argmax(prob)
}
chain c = cut(2)`);
    expect(chain.graph.stops!.map(({ name }) => name)).toEqual(["few", "sharp"]);
    expect(stepsOf(chain, backend, 1)).toEqual([{ token: 3, stop: "sharp" }]);
    const never = (stop: string): number =>
      graphOf(compileProgram(`sampler s() { ${stop} pick argmax(logit) } chain c = s()`)).nodes.length;
    expect(never('stop when false as "never"')).toBe(never(""));
  });
});

test("a chain in front keeps the stops", () => {
  const { rowsGraph } = compile(PROGRAM);
  const front = compilePipeline("temp(2)").rowsGraph;
  const alone = stepsOf(
    {
      rowsGraph: compile(PROGRAM.replace("chain c = ", 'import { temp } from "std"\nchain c = temp(2) |> ')).rowsGraph,
    },
    "reference",
  );
  expect(stepsOf({ rowsGraph: prepend(front, rowsGraph) }, "reference")).toEqual(alone);
});

test("one sampler twice has its stops twice, by one name", () => {
  const { graph } = compile(`sampler a(x: f32) { stop when max(logit) > x as "high" } chain c = a(3) |> a(5)`);
  expect(graph.stops!.map(({ name }) => name)).toEqual(["high", "high"]);
});

test("the words stay names", () => {
  const chain = compile(`const when = 3
sampler names(stop: f32 = 2) { let as = logit * stop  logit = as + when }
chain c = names()`);
  using evaluator = createEvaluator(chain.rowsGraph, 2, { backend: "reference" });
  expect(evaluator.evaluate([1, 2]).candidates.map((c) => c.logit)).toEqual([5, 7]);
});

test("a spec with stops is of version 3, which older ones do not have", () => {
  const { graph } = compile(PROGRAM);
  const spec = toSpec(graph);
  expect(spec.ggsl).toBe(3);
  expect(fromSpec(JSON.parse(JSON.stringify(spec)))).toEqual(graph);
  const faultsOf = (data: object): readonly string[] => {
    try {
      fromSpec(data);
      return [];
    } catch (error) {
      return (error as SpecError).faults;
    }
  };
  for (const ggsl of [1, 2])
    expect(faultsOf({ ...spec, ggsl })).toEqual([
      `spec.stops: a spec of version ${ggsl} has no such member; version 3 has`,
    ]);
  expect(faultsOf({ ...spec, stops: [{ name: "a", node: 0 }] })).toEqual(["output stop a: has 1 rows, found V"]);
  expect(faultsOf({ ...spec, stops: [{ name: "", node: 1 }] })).toEqual([
    'spec.stops[0].name: expected a text of 1 to 100 characters, found ""',
  ]);
});

test("a test block says which stop ends the text, and that none does", () => {
  const text = `${PROGRAM}
test "again" {
  logits [[0, 9, 0], [0, 9, 0], [0, 9, 0]]
  history [1]
  run report(1)
  expect stop "again"
}
test "goes on" { logits [0, 9, 0] run report(1) expect stop "" }
test "before" { logits [0, 9, 0] history [1] run report(1) steps 3 expect stop "long" }
test "none of this name" { logits [0, 9, 0] run report(1) expect stop "six" }`;
  const results = runTests({ name: "stops.ggsl", text }, ["reference"]).map(({ differences }) => differences);
  expect(results).toEqual([
    [{ what: "stop", rows: [{ at: "step 2", expected: "none", found: "again" }] }],
    [],
    [
      {
        what: "stop",
        rows: [
          { at: "step 2", expected: "none", found: "again" },
          { at: "step 3", expected: "long", found: "again" },
        ],
      },
    ],
    [
      {
        what: "error",
        rows: [
          {
            at: "",
            expected: "a result",
            found: "the stages of the test have no stop `six`: they have five, again, long",
          },
        ],
      },
    ],
  ]);
});
