/** The compiler's phases one by one, and that all callers get the same graphs. */
import { expect, test } from "@jest/globals";
import {
  ALL_OUTPUTS,
  checkSource,
  chooseChain,
  compileChain,
  compileProgram,
  graphOf,
  lowerChain,
  optimizeDraft,
  PASSES,
} from "../compiler/driver.js";
import type { Graph } from "../compiler/graph/graph.js";
import { verify } from "../compiler/graph/verify.js";
import type { Chain } from "../compiler/syntax/ast.js";
import { openProgram } from "../playground/engine/program.js";

const TEXT = `import { dist, min_p, top_k } from "std"

chain short(t: f32 > 0 = 0.5) = top_k(40) |> min_p(t) |> dist(seed: 1)
chain open(static k: i32) = top_k(k) |> dist(seed: 1)
`;

const { program } = checkSource({ name: "program.ggsl", text: TEXT });
const chain = chooseChain(program!, "short") as Chain;

test("each phase accepts the result of the one before", () => {
  const { draft, diagnostics } = lowerChain(program!, chain);
  expect(diagnostics).toEqual([]);
  expect(draft!.ranges).toHaveLength(draft!.graph.nodes.length);
  expect(optimizeDraft(draft!)).toEqual(graphOf(compileProgram(TEXT, { chain: "short" })));
  expect(optimizeDraft(draft!, { optimize: false, outputs: ALL_OUTPUTS })).toEqual(draft!.graph);
});

test("a trace names the passes that changed the graph, in order, with valid graphs", () => {
  const trace: { readonly pass: string; readonly graph: Graph }[] = [];
  const { graph } = compileChain(program!, chain, { onPass: (pass, made) => trace.push({ pass, graph: made }) });
  const order = PASSES.map(({ name }) => name);
  const places = trace.map(({ pass }) => order.indexOf(pass));
  expect(places.length).toBeGreaterThan(1);
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(trace.flatMap((step) => verify(step.graph))).toEqual([]);
  expect(trace.at(-1)!.graph).toBe(graph);
});

test("a disabled pass is not in the trace, and every phase refuses an unknown name", () => {
  const passes: string[] = [];
  compileChain(program!, chain, { disable: ["remove-dead"], onPass: (pass) => passes.push(pass) });
  expect(passes).not.toContain("remove-dead");
  const { draft } = lowerChain(program!, chain);
  for (const phase of [lowerChain.bind(undefined, program!, chain), optimizeDraft.bind(undefined, draft!)])
    expect(() => phase({ disable: ["remove-ded"] })).toThrow('there is no optimization "remove-ded"');
});

test("the playground compiles to the same graphs as the library", () => {
  const { graph } = openProgram({ kind: "program", text: TEXT, chain: "open", statics: { k: 7 }, seed: 3 });
  const options = { chain: "open", set: { k: 7 } };
  expect(graph()).toEqual(graphOf(compileProgram(TEXT, options)));
  const disable = ["few-rows"];
  expect(graph({ outputs: ALL_OUTPUTS, disable })).toEqual(
    graphOf(compileProgram(TEXT, { ...options, outputs: ALL_OUTPUTS, disable })),
  );
});
