/**
 * The script of the process that has a model on workers. It makes the calls of the addon that its messages list, in order, and answers
 * with their results, or with the first error: calls that only set something are made all the same.
 */
import type { NativeErrorCode } from "../../core/codes.js";

/** An object of the child: 0 is the addon. */
export interface Handle {
  readonly $: number;
}

export interface Call {
  readonly on: number;
  /** A method, a member, or `new Graph`. */
  readonly call: string;
  readonly args?: readonly unknown[];
  /** The result is kept under this number. */
  readonly as?: number;
}

export interface Message {
  readonly id: number;
  readonly calls: readonly Call[];
  /** Objects that are no longer needed. */
  readonly forget?: readonly number[];
}

export interface Reply {
  readonly id: number;
  /** Of each call; those that are kept are undefined. */
  readonly results?: readonly unknown[];
  /** `call` is the index of the one that failed. */
  readonly error?: { readonly code?: NativeErrorCode; readonly message: string; readonly call: number };
  /** The part of the model that is loaded, before the answer. */
  readonly progress?: number;
}

export const SCRIPT = `
const b = require(process.argv[1]);
b.loadBackends(b.libraries);
// Ctrl-C in a terminal is for the program that began this one
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});
process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
const objects = new Map([[0, b]]);
const given = (value, id) => {
  if (value === null || typeof value !== "object" || ArrayBuffer.isView(value)) return value;
  if (Array.isArray(value)) return value.map((item) => given(item, id));
  if ("$" in value) return objects.get(value.$);
  const copy = Object.fromEntries(Object.entries(value).map(([name, item]) => [name, given(item, id)]));
  if (!copy.isWatched) return copy;
  return {
    ...copy,
    onProgress: (progress) => process.send({ id, progress }),
  };
};
const run = async (id, { on, call, args = [], as }) => {
  const values = args.map((value) => given(value, id));
  const target = objects.get(on);
  const result =
    call === "new Graph" ? new b.Graph(...values) : typeof target[call] === "function" ? await target[call](...values) : target[call];
  if (as === undefined) return result;
  objects.set(as, result);
};
process.on("message", async ({ id, calls, forget = [] }) => {
  for (const handle of forget) objects.delete(handle);
  const results = [];
  let error;
  for (const [index, call] of calls.entries()) {
    if (error && !call.call.startsWith("set") && !["remove", "copy"].includes(call.call)) break;
    try {
      results.push(await run(id, call));
    } catch (thrown) {
      error ??= { code: thrown.code, message: thrown.message, call: index };
    }
  }
  process.send(error ? { id, error } : { id, results });
});
process.send({ id: 0, results: [] });
`;
