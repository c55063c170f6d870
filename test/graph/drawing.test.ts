/** The drawing of a graph, and that its three renderers agree. */
import { expect, test } from "@jest/globals";
import { readFileSync } from "node:fs";
import { draw as drawSvg } from "../../cli/html/drawing.js";
import { ALL_OUTPUTS, compileProgram, graphOf } from "../../compiler/driver.js";
import { printDot } from "../../compiler/graph/dot.js";
import { drawingOf } from "../../compiler/graph/drawing.js";
import { draw as drawLayers } from "../../playground/engine/drawing.js";

const TEXT = `import { temp } from "std"

sampler push(w: f32) {
  state last: f32 = w
  logit += w * last
  pick argmax(logit)
  after pick { last = picked(prob) }
}

chain c(t: f32 > 0 = 0.5) = temp(2) |> push(t)
`;
const graph = graphOf(compileProgram(TEXT));
const drawing = drawingOf(graph);

test("a box for each node, output and state, and an edge for each operand and result", () => {
  const { boxes, edges, groups } = drawing;
  expect(groups).toEqual([{ name: "temp(2)" }, { name: "push(t)" }]);
  expect(boxes.slice(0, graph.nodes.length).map(({ type }) => type)).toEqual(
    graph.nodes.map(({ dtype, dim }) => `${dtype}[${dim}]`),
  );
  expect(boxes.slice(graph.nodes.length)).toEqual([
    { kind: "output", label: "sampled", attrs: [], type: "i32[1]" },
    { kind: "state", label: "last", attrs: [], type: "f32[1]" },
  ]);
  expect(boxes[0]).toEqual({ kind: "input", label: "logits", attrs: [], type: "f32[V]" });
  expect(boxes.filter(({ kind }) => kind === "uniform").map(({ formula }) => formula)).toContain("mul(t, state0)");
  expect(edges.every(([from, to]) => from < to)).toBe(true);
  expect(edges).toHaveLength(graph.nodes.reduce((sum, { inputs }) => sum + inputs.length, 0) + 2);
});

test("Graphviz accepts it", () => {
  expect(printDot(graph)).toBe(`digraph "c" {
  node [shape=box, fontname="monospace"]
  n0 [label="logits\\nf32[V]", shape=ellipse]
  n2 [label="2", shape=ellipse]
  n4 [label="mul(t, state0)", shape=ellipse]
  subgraph cluster_0 {
    label="temp(2)"; style=rounded; color=gray
    n1 [label="clamp lo=-1e+30 hi=1e+30\\nf32[V]"]
    n3 [label="div\\nf32[V]"]
  }
  subgraph cluster_1 {
    label="push(t)"; style=rounded; color=gray
    n5 [label="add\\nf32[V]"]
    n6 [label="clamp lo=-1e+31 hi=1e+31\\nf32[V]"]
    n7 [label="scale s=1 b=9e+29\\nf32[V]"]
    n8 [label="step\\nf32[V]"]
    n9 [label="scale s=1e+33 b=-1e+33\\nf32[V]"]
    n10 [label="add\\nf32[V]"]
    n11 [label="argmax\\ni32[1]"]
    n12 [label="soft_max\\nf32[V]"]
    n13 [label="get_rows\\nf32[1]"]
  }
  n0 -> n1
  n1 -> n3
  n2 -> n3
  n3 -> n5
  n4 -> n5
  n5 -> n6
  n0 -> n7
  n7 -> n8
  n8 -> n9
  n6 -> n10
  n9 -> n10
  n10 -> n11
  n6 -> n12
  n9 -> n12
  n12 -> n13
  n11 -> n13
  sampled [shape=plaintext]
  n11 -> sampled
}
`);
});

test("the drawings of the page and of the playground have the same boxes", () => {
  const { markup } = drawSvg(graph, "c");
  const { nodes, edges } = drawLayers(graph);
  const shown = drawing.boxes.filter(({ kind }) => kind !== "uniform");
  expect(markup.match(/<g class="node/g)).toHaveLength(drawing.boxes.length);
  expect(markup.match(/class="edge"/g)).toHaveLength(drawing.edges.length);
  expect(nodes.map(({ lines }) => lines[0])).toEqual(shown.map(({ label }) => label));
  expect(nodes.filter(({ isResult }) => isResult)).toHaveLength(2);
  expect(edges.length).toBeLessThanOrEqual(drawing.edges.length);
  for (const { lines, isResult } of nodes) {
    expect(markup).toContain(lines[0]);
    if (!isResult) expect(lines[1]).toMatch(/^[fi]32\[[V1]\]/);
  }
});

test.each(["creative", "reports", "tournament", "entropy-temperature"])("no edge runs behind a box: %s", (name) => {
  const { nodes, edges } = drawLayers(
    graphOf(compileProgram(readFileSync(`examples/${name}.ggsl`, "utf8"), { outputs: ALL_OUTPUTS })),
  );
  const hidden: string[] = [];
  for (const points of edges)
    for (const [i, end] of points.slice(1).entries())
      for (let part = 0; part <= 1; part += 1 / 128) {
        const start = points[i]!;
        const [x, y] = [start.x + part * (end.x - start.x), start.y + part * (end.y - start.y)];
        for (const { x: left, y: top, width, height, title } of nodes)
          if (x > left + 1 && x < left + width - 1 && y > top + 1 && y < top + height - 1) hidden.push(title);
      }
  expect(hidden).toEqual([]);
});
