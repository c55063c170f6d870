/** `ggsl import` and `ggsl export` as a user runs them. */
import { expect, test } from "@jest/globals";
import { DEMO_MODEL } from "../model/file.js";
import { warm } from "../cli/warm/warm.js";
import type { Result } from "../codegen/ggsl.js";

const run = warm();
const ggsl = (args: readonly string[], input = ""): Result => run(args, { input });

test("a command line becomes a program, and the program the same options", () => {
  const words = ["--samplers", "top_k;temperature", "--top-k", "20", "--temp", "0.7"];
  const { status, stdout, stderr } = ggsl(["import", "--", ...words, "-m", "x.gguf"]);
  expect(status).toBe(0);
  expect(stderr).toBe(
    'note: read as the settings of llama.cpp v0.5.0, its command line\nnote: not about sampling: "-m"\n',
  );
  expect(stdout).toContain("top_k(top_k) |> temp(temperature) |> dist()");
  const back = ggsl(["export", "-", "--to", "llama.cpp"], stdout);
  expect(back.stdout).toBe("--samplers 'top_k;temperature' --top-k 20 --temp 0.7 --dynatemp-range 0\n");
  const request = ggsl(["export", "-", "--to", "llama.cpp", "--json", "--set", "top_k=3"], stdout);
  expect(JSON.parse(request.stdout)).toMatchObject({ samplers: ["top_k", "temperature"], top_k: 3, temperature: 0.7 });
});

test("settings from standard input, and end-of-text given by tokens", () => {
  const settings = '{"n_predict": 5, "ignore_eos": true, "top_k": 3}';
  const { status, stdout, stderr } = ggsl(["import", "--from", "llama.cpp", "--eos", "1,2", "-"], settings);
  expect(status).toBe(0);
  expect(stderr).toBe('note: about the generation: "n_predict": ggsl run -n 5; in TypeScript maxTokens\n');
  expect(stdout).toContain("  keep token != 1\n  keep token != 2\n");
});

test("a pipeline is exported as a file is", () => {
  const { status, stdout } = ggsl(["export", "-e", "top_k(20) |> temp(0.7) |> dist(3)", "--to", "llama.cpp"]);
  expect(stdout).toBe("--samplers 'top_k;temperature' --top-k 20 --temp 0.7 --dynatemp-range 0 --seed 3\n");
  expect(status).toBe(0);
});

test("a model's file is recognised", () => {
  const { status, stderr } = ggsl(["import", DEMO_MODEL]);
  expect(status).toBe(0);
  expect(stderr).toContain("`general.sampling.*` keys of a model's file, of which this one has none");
});

test.each([
  [["import", "no-such-file.json"], 1, 'error: "no-such-file.json" cannot be read'],
  [["import", "."], 1, 'error: "." cannot be read: it is a folder'],
  [["import", "--from", "mnn", DEMO_MODEL], 1, "expected settings of mnn, found a GGUF file"],
  [["import", "--from", "mnn", "--", "--temp", "1"], 2, "only llama.cpp command lines can be imported"],
  [["import", "--", "--temp", "hot"], 1, 'error: word 2: "--temp" must be a finite number, found "hot"'],
  [["import", "--eos", "x", "a"], 2, "Expected token ids"],
  [["export", "--to", "llama.cpp"], 2, "expected either a FILE or -e STAGES"],
  [["export", "a.ggsl", "-e", "dist()", "--to", "llama.cpp"], 2, "expected either a FILE or -e STAGES"],
  [["export", "-e", "top_kk(3)", "--to", "llama.cpp"], 1, "top_kk"],
  [
    ["export", "-e", "top_a(0.3) |> dist()", "--to", "llama.cpp"],
    1,
    "-e:1: `top_a(0.3)`: llama.cpp has no such sampler",
  ],
  [["export", "examples/creative.ggsl"], 2, "required option '--to <tool>'"],
  [["export", "examples/creative.ggsl", "--to", "llama.cpp"], 1, "18: `top_a(a)`: llama.cpp has no such sampler"],
  [["export", "examples/first-chain.ggsl", "nope", "--to", "llama.cpp"], 1, "nope"],
])("%j", (args, wanted, message) => {
  const { status, stdout, stderr } = ggsl(args);
  expect(stderr).toContain(message);
  expect(status).toBe(wanted);
  expect(stdout).toBe("");
});
