import { test } from "@jest/globals";
import { runCases } from "./run.js";
test("run", () => {
  const t0 = performance.now();
  const tally = runCases({
    backends: ["reference", "cpu"],
    count: Number(process.env.N ?? 100),
    seed: Number(process.env.S ?? 1),
  });
  process.stdout.write(
    tally.failures
      .slice(0, 3)
      .map((f) => f.slice(0, 5000))
      .join("\n-----------\n"),
  );
  process.stdout.write(
    "\n" +
      tally.failures.length +
      " failures " +
      JSON.stringify({ ...tally, failures: 0, refused: [...tally.refused] }) +
      (performance.now() - t0),
  );
}, 1e8);
