/** Every kind of fault on purpose, for the test of the watch. It is no part of a campaign. */
import * as fc from "fast-check";
import { InputError } from "../../../runtime/core/errors.js";
import { defineGenerator, Wrong } from "../core/generator.js";

function fail(error: unknown): never {
  throw error;
}

const overflow = (): number => overflow() + 1;

function busy(seconds: number): void {
  const start = process.cpuUsage();
  let used = 0;
  while (used < seconds * 1e6) {
    for (let i = 0; i < 1e6; i++) Math.sqrt(i);
    const { user, system } = process.cpuUsage(start);
    used = user + system;
  }
}

const ACTIONS: Readonly<Record<string, () => unknown>> = {
  nothing: () => undefined,
  "a declared error": () => fail(new InputError("expected", { code: "INVALID_ARGUMENT" })),
  "a type error": () => (undefined as unknown as { x: number }).x,
  "a stack overflow": overflow,
  "a wrong result": () => fail(new Wrong("wrong")),
  "an error in a callback": () => {
    setImmediate(() => fail(new TypeError("late")));
    return new Promise((resolve) => setTimeout(resolve, 1000));
  },
  "the end of the process": () => process.exit(3),
  "a signal": () => process.kill(process.pid, "SIGKILL"),
  "much time": () => busy(2),
  "a loop": () => busy(Infinity),
  "much memory": () => Buffer.alloc(100 * 2 ** 20, 1),
};

export const selfTest = defineGenerator<string>({
  name: "self-test",
  doc: "every kind of fault on purpose",
  // little, because a test waits for it
  seconds: 0.2,
  bytes: 50 * 2 ** 20,
  cases: fc.constantFrom("nothing", "a type error", "a type error and more"),
  run: (how) => (ACTIONS[how] ?? ACTIONS["a type error"]!)(),
  *smaller(how) {
    if (how === "a type error and more") yield "a type error";
  },
});
