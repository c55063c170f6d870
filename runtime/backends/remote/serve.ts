/**
 * The process that has a model on workers. It makes the calls of the addon that it is asked, in order, and answers with their results, or
 * with the first error: calls that only set something are made all the same.
 */
import { answerRequests, type Port } from "../../core/requests.js";
import type { Binding } from "../native/binding.js";
import type { Call, CallsRequest, Handle } from "./protocol.js";

type Note = (fraction: number) => void;
type Members = Readonly<Record<string, unknown>>;

/** It ends with its parent. */
export function serveRemote(addon: Binding): void {
  addon.loadBackends(addon.libraries);
  // Ctrl-C in a terminal is for the program that began this one
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);
  process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
  const objects = new Map<number, object>([[0, addon]]);

  async function run({ on, call, args = [], as }: Call, note: Note): Promise<unknown> {
    const values = args.map((value) => given(value, note));
    const result: unknown =
      call === "new Graph" ? new addon.Graph(...(values as [Int32Array])) : await called(on, call, values);
    if (as === undefined) return result;
    objects.set(as, result as object);
    return undefined;
  }

  function called(on: number, call: string, values: readonly unknown[]): unknown {
    const target = objects.get(on) as Record<string, unknown>;
    const member = target[call];
    return typeof member === "function"
      ? (member as (...args: unknown[]) => unknown).apply(target, [...values])
      : member;
  }

  /** An argument, with the objects that it names. */
  function given(value: unknown, note: Note): unknown {
    if (value === null || typeof value !== "object" || ArrayBuffer.isView(value)) return value;
    if (Array.isArray(value)) return value.map((item) => given(item, note));
    if ("$" in value) return objects.get((value as Handle).$);
    const copy: Members = Object.fromEntries(Object.entries(value).map(([name, item]) => [name, given(item, note)]));
    return copy["isWatched"] === true ? { ...copy, onProgress: note } : copy;
  }

  answerRequests<CallsRequest, readonly unknown[], number>(PARENT, async ({ calls, forget = [] }, note) => {
    for (const handle of forget) objects.delete(handle);
    const results: unknown[] = [];
    let failure: Error | undefined;
    for (const [index, call] of calls.entries()) {
      if (failure && !isSetting(call)) break;
      try {
        results.push(await run(call, note));
      } catch (thrown) {
        failure ??= Object.assign(thrown as Error, { call: index });
      }
    }
    if (failure) throw failure;
    return results;
  });
}

const isSetting = ({ call }: Call): boolean => call.startsWith("set") || call === "remove" || call === "copy";

const PARENT: Port = {
  post: (message) => void process.send!(message),
  listen: (receive) => void process.on("message", receive),
};
