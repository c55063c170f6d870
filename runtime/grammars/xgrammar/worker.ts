/** The worker thread: it answers requests in their order. */
import { InputError } from "../../core/errors.js";
import { route, type Routed } from "../sources.js";
import type { GrammarSource } from "../types.js";
import type { PrepareRequest, ThreadReply, ThreadRequest } from "../threads/protocol.js";
import { Engine, type EngineOptions } from "./engine.js";

/** The part of `node:worker_threads` that it needs; this file is not part of a page. */
interface Port {
  on(event: "message", listener: (message: Asked) => void): void;
  postMessage(message: object, transfer?: readonly ArrayBuffer[]): void;
}

interface Asked {
  readonly id: number;
  readonly request: ThreadRequest;
}

/** @param counter counts replies, for a thread that waits for them */
export function serve(port: Port, counter: Int32Array, options: EngineOptions): void {
  const engine = new Engine(options);
  let turn: Promise<void> = engine.load();
  const answer = ({ id, request }: Asked): void => {
    const reply = request.type === "prepare" ? prepare(engine, request) : engine.answer(request);
    const transfer = reply.type === "moved" ? reply.bits.map(({ buffer }) => buffer as ArrayBuffer) : [];
    port.postMessage({ id, reply }, transfer);
    Atomics.add(counter, 0, 1);
    Atomics.notify(counter, 0);
  };
  let waiting = 0;
  port.on("message", (asked) => {
    if (waiting === 0 && engine.isLoaded) return answer(asked);
    waiting++;
    turn = turn.then(async () => {
      await engine.load();
      waiting--;
      answer(asked);
    });
  });
}

function prepare(engine: Engine, { vocabulary, source }: PrepareRequest): ThreadReply {
  const begin = performance.now();
  let routed: Routed;
  try {
    routed = route(JSON.parse(source) as GrammarSource);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return { type: "refused", code: error.code, message: error.message };
  }
  if (routed.engine === "llama") return { type: "prepared", routed, milliseconds: performance.now() - begin };
  const opened = engine.answer({ type: "open", vocabulary, grammar: routed.grammar });
  if (opened.type !== "opened") return opened;
  const { matcher, epoch } = opened;
  const moved = engine.answer({ type: "move", matcher, epoch, back: 0, tokens: [], masks: 1 });
  engine.answer({ type: "close", matcher, epoch });
  const milliseconds = performance.now() - begin;
  engine.freeMemory();
  return moved.type === "moved" ? { type: "prepared", routed, milliseconds } : moved;
}
