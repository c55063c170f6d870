/** Grammars that are asked only sometimes, or not obeyed: they wait, on every backend. */
import { describe, expect, test } from "@jest/globals";
import { compile } from "../../runtime/chain/chain.js";
import { createEvaluator, type EvaluateBackend, type EvaluateOptions } from "../../runtime/chain/evaluate.js";
import { fromSpec, toSpec } from "../../compiler/graph/json.js";
import { restoreSequence, saveSequence } from "../../runtime/sequence/savedSequence.js";
import { grammarOf } from "../../runtime/sequence/features/feed.js";
import { acceptToken, startSequence } from "../../runtime/sequence/sequence.js";

const BACKENDS: readonly EvaluateBackend[] = ["reference", "cpu", "wasm"];
const LETTERS = Array.from("abcdefgh");
const TEXTS = [...LETTERS, "x", "y"];
const X = TEXTS.indexOf("x");
const LOGITS = TEXTS.map((_, i) => Math.sin(3 * i));
const GRAMMAR = `root ::= ${LETTERS.map((letter) => `"${letter}"`).join(" ")}`;

interface Case {
  readonly body: string;
  /** Whether the grammar is asked at a step; `before` is the token before it. */
  readonly isAsked: (step: number, before: number) => boolean;
  readonly options?: Partial<EvaluateOptions>;
}

const CASES: Record<string, Case> = {
  "an if": { body: "if step < 2 or step == 4 { keep allowed(g) }", isAsked: (step) => step < 2 || step === 4 },
  "an else": {
    body: "if step < 2 { logit *= 2 } else { keep allowed(g) }",
    isAsked: (step) => step >= 2,
  },
  "an if in an else": {
    body: "if step < 2 { logit *= 2 } else { if step == 4 { logit *= 3 } else { keep allowed(g) } }",
    isAsked: (step) => step >= 2 && step !== 4,
  },
  "both branches": {
    body: "if step < 2 { keep allowed(g) } else { logit *= 2 keep allowed(g) }",
    isAsked: () => true,
  },
  "two places": {
    body: "if step < 2 { keep allowed(g) } if step == 4 { keep allowed(g) }",
    isAsked: (step) => step < 2 || step === 4,
  },
  "a choice": { body: "keep step < 3 ? allowed(g) : true", isAsked: (step) => step < 3 },
  "the other side of a choice": { body: "keep step < 3 ? true : allowed(g)", isAsked: (step) => step >= 3 },
  or: { body: "keep step < 3 or allowed(g)", isAsked: (step) => step >= 3 },
  "or, the other way round": { body: "keep allowed(g) or step < 3", isAsked: (step) => step >= 3 },
  and: { body: "keep (step < 3 and allowed(g)) or step >= 3", isAsked: (step) => step < 3 },
  "and, the other way round": { body: "keep step >= 3 or (allowed(g) and step < 3)", isAsked: (step) => step < 3 },
  "a state": {
    body: "state turn: i32 = 0 if turn == 1 { keep allowed(g) } after pick { turn = 1 - turn }",
    isAsked: (step) => step % 2 === 1,
  },
  "the text so far": { body: 'if not ends_with("b") { keep allowed(g) }', isAsked: (_, before) => before !== 1 },
  "the token before": { body: "if last(1) != 2 { keep allowed(g) }", isAsked: (_, before) => before !== 2 },
  "a set of tokens": {
    body: "if not (last(1) in tokens(0, 3)) { keep allowed(g) }",
    isAsked: (_, before) => before !== 0 && before !== 3,
  },
  "a draw": {
    body: "if uniform(7) > 0.5 { keep allowed(g) }",
    isAsked: (step) => step % 3 === 0,
    options: { draws: [0.9, 0.1, 0.2] },
  },
};

const chainOf = (body: string) =>
  compile(`import { greedy } from "std"
sampler some(g: grammar) { ${body} }
chain c(g: grammar) = some(g) |> greedy()`);

describe.each(BACKENDS)("on %s", (backend) => {
  test.each(Object.entries(CASES))("a grammar goes on where it is asked: %s", (_, { body, isAsked, options }) => {
    // the graph goes through its spec
    const graph = fromSpec(JSON.parse(JSON.stringify(toSpec(chainOf(body).rowsGraph))));
    const open = () =>
      createEvaluator(graph, TEXTS.length, {
        backend,
        uniforms: { g: { gbnf: GRAMMAR } },
        feed: { vocabulary: TEXTS },
        ...options,
      });
    for (const refused of [undefined, 1, 3]) {
      using evaluator = open();
      let [letter, before, disallowed] = [0, -1, 0];
      for (let step = 0; step < 7; step++) {
        const { candidates } = evaluator.evaluate(LOGITS);
        const asks = isAsked(step, before);
        const kept = candidates.map(({ token }) => token).sort((a, b) => a - b);
        expect(kept).toEqual(asks ? [letter] : [...TEXTS.keys()]);
        // where it is not asked, the token that it would allow does not count
        before = step === refused ? X : letter;
        evaluator.accept(before);
        if (asks && step === refused) disallowed++;
        else if (asks) letter++;
        expect(evaluator.disallowedTokens).toBe(disallowed);
      }
    }
  });

  test("the best token stays where a grammar allows none of those left, and the grammar waits", () => {
    const { rowsGraph } = compile(
      'import { top_k, constrain, greedy } from "std"\nchain c(g: grammar) = top_k(2) |> constrain(g) |> greedy()',
    );
    using evaluator = createEvaluator(rowsGraph, TEXTS.length, {
      backend,
      uniforms: { g: { regex: "ab" } },
      feed: { vocabulary: TEXTS },
    });
    const picks = (...best: string[]): string => {
      const logits = TEXTS.map((text) => (best.includes(text) ? best.length - best.indexOf(text) : -5));
      const { token } = evaluator.evaluate(logits);
      evaluator.accept();
      return TEXTS[token!]!;
    };
    expect([picks("x", "y"), picks("x", "a"), picks("c", "x"), picks("y", "b")]).toEqual(["x", "a", "c", "b"]);
    expect(evaluator.disallowedTokens).toBe(2);
  });

  test("a condition of rows counts as asked", () => {
    const { rowsGraph } = chainOf("if max(prob) < 0.9 { keep allowed(g) }");
    using evaluator = createEvaluator(rowsGraph, TEXTS.length, {
      backend,
      uniforms: { g: { regex: "ab" } },
      feed: { vocabulary: TEXTS },
    });
    const sure = (text: string) => TEXTS.map((other) => (other === text ? 50 : 0));
    expect(TEXTS[evaluator.evaluate(sure("x")).token!]).toBe("x");
    evaluator.accept();
    expect(evaluator.disallowedTokens).toBe(1);
    expect(TEXTS[evaluator.evaluate(sure("a")).token!]).toBe("a");
    evaluator.accept();
    expect(TEXTS[evaluator.evaluate(LOGITS).token!]).toBe("b");
    evaluator.accept();
    expect(evaluator.disallowedTokens).toBe(1);
  });
});

test("what the compiler says of a grammar", () => {
  const factsOf = (body: string) => {
    const [{ from }] = chainOf(body).graph.features as never as [{ from: { when?: unknown; first?: true } }];
    return { when: from.when, first: from.first };
  };
  expect(factsOf("keep allowed(g)")).toEqual({ first: true });
  expect(factsOf("logit *= 2 keep allowed(g)")).toEqual({ first: true });
  expect(factsOf("keep allowed(g) if step < 3 { keep allowed(g) }")).toEqual({ first: true });
  expect(factsOf("if step < 3 { keep allowed(g) } keep allowed(g)")).toEqual({});
  expect(factsOf("keep prob > 0.1 keep allowed(g)")).toEqual({});
  expect(factsOf("top 5 keep allowed(g)")).toEqual({});
  expect(factsOf("keep allowed(g) at least 2")).toEqual({});
  expect(factsOf("keep allowed(g) or prob > 0.5")).toEqual({});
  expect(factsOf("keep not allowed(g)")).toEqual({});
  expect(factsOf("logit += allowed(g) ? 1 : 0")).toEqual({});
  expect(factsOf("if max(prob) > 0.5 { keep allowed(g) }")).toEqual({});
  expect(factsOf("if step < 3 { keep allowed(g) }")).toEqual({ when: expect.anything() });
  expect(factsOf("let ok = allowed(g) if step < 3 { keep ok }")).toEqual({});
});

test("a spec with another expression, or another fact, is refused", () => {
  const spec = toSpec(chainOf("keep allowed(g)").graph);
  const changed = (facts: object) => () =>
    fromSpec({ ...spec, features: spec.features.map((f) => ({ ...f, from: { ...f.from, ...facts } })) });
  expect(changed({ when: { state: 3 } })).toThrow("feature 0: there is no state 3");
  expect(changed({ when: ["mad", 1] })).toThrow('feature 0: unknown operation "mad"');
  expect(changed({ first: 1 })).toThrow("expected true");
});

test("a saved sequence has the tokens that its grammar went on with", () => {
  const { graph } = chainOf('if ends_with("x") { keep allowed(g) }');
  const feed = { vocabulary: TEXTS };
  let sequence = startSequence(graph, TEXTS.length, { feed, uniforms: { g: { gbnf: GRAMMAR } } });
  for (const text of "axabxycxbx") sequence = acceptToken(sequence, TEXTS.indexOf(text), new Float32Array());
  const saved = saveSequence(sequence);
  // after an x come a, y, b
  expect(saved.followed).toEqual([[0, 1]]);
  expect(sequence.disallowed).toBe(1);
  const restored = restoreSequence(graph, TEXTS.length, JSON.parse(JSON.stringify(saved)) as typeof saved, feed);
  expect([...grammarOf(restored.features[0]!)!.state.bits()]).toEqual([4]);
});
