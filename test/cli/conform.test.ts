/** `ggsl conform`: what it refuses before it asks a server. */
import { expect, test } from "@jest/globals";
import { warm } from "./warm/warm.js";

const ggsl = warm();
const NOWHERE = ["conform", "--against", "http://127.0.0.1:9"];

test.each([
  ["top_k(3)", "does not pick a token: end it with a stage that does"],
  ["greedy()", "does not draw a token by its probabilities, once"],
  ["gumbel()", "does not draw a token by its probabilities, once"],
  ["xtc(0.5, 0.1) |> dist()", "does not draw a token by its probabilities, once"],
  ["penalties(64, 1.1) |> dist()", "reads the text, or inputs, of which the server tells nothing"],
  ["top_k(3) |> host dist()", "has host stages"],
  ["top_k(3) |> dist()", "does not answer: "],
])("%s", (stages, message) => {
  const { status, stderr } = ggsl([...NOWHERE, "-e", stages]);
  expect([status, stderr]).toEqual([1, expect.stringContaining(message)]);
});

test.each([
  [["conform", "-e", "dist()"], "required option '--against <url>' not specified"],
  [["conform", "--against", "example", "-e", "dist()"], "Expected an address such as http://127.0.0.1:8080"],
  [["conform", "--against", "ftp://a", "-e", "dist()"], "Expected an address"],
  [NOWHERE, "expected either --sampler FILE or -e STAGES"],
  [[...NOWHERE, "-e", "dist()", "--level", "1"], "Expected a number between 0 and 1"],
  [[...NOWHERE, "-e", "dist()", "--field", "x"], "Expected NAME=VALUE"],
])("%j is wrong usage", (args, message) => {
  const { status, stderr } = ggsl(args);
  expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
});
