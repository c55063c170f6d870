/** Groups whose process crashes are split and run again, without losing a case. */
import { expect, test } from "@jest/globals";
import { newReport, runGroup, runProcess } from "./children.js";

/** A process that crashes if `crashes` holds for its cases, and otherwise prints them. */
const childOf = (crashes: (cases: readonly string[]) => boolean) => (cases: readonly string[]) =>
  runProcess(
    ["-e", `${crashes(cases) ? 'process.kill(process.pid, "SIGSEGV")' : ""}; console.log("${cases.join()}")`],
    {},
  );

const report = (crashes: (cases: readonly string[]) => boolean) => {
  const found = newReport();
  runGroup(["a", "b", "c", "d", "e"], childOf(crashes), (name) => `case ${name}`, found);
  return { ...found, outputs: found.outputs.map((text) => text.trim()) };
};

test("a group that does not crash is run once", () => {
  expect(report(() => false)).toEqual({ outputs: ["a,b,c,d,e"], failures: [], retried: 0 });
});

test("a crash due to too many cases in one process is counted, and all cases run", () => {
  expect(report((cases) => cases.length > 2)).toEqual({ outputs: ["a,b", "c", "d,e"], failures: [], retried: 2 });
});

test("a case that crashes alone fails, by its name", () => {
  expect(report((cases) => cases.includes("d"))).toEqual({
    outputs: ["a,b,c", "e"],
    failures: ["the driver crashed (SIGSEGV) alone with\ncase d"],
    retried: 2,
  });
});

test("a failure without a crash is not retried", () => {
  const found = newReport();
  runGroup(["a", "b"], () => runProcess(["-e", 'throw new Error("wrong")'], {}), String, found);
  expect([found.outputs, found.retried]).toEqual([[], 0]);
  expect(found.failures.join()).toContain("Error: wrong");
});

test("a process that was killed from outside fails", () => {
  const found = newReport();
  runGroup(["a"], () => runProcess(["-e", 'process.kill(process.pid, "SIGKILL")'], {}), String, found);
  expect(found.failures.join()).toContain("ended by SIGKILL");
});
