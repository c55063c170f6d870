/** The worker thread: it answers requests in their order. */
import { Engine, type EngineRequest } from "./engine.js";

/** The part of `node:worker_threads` that it needs; this file is not part of a page. */
interface Port {
  on(event: "message", listener: (message: Asked) => void): void;
  postMessage(message: object, transfer?: readonly ArrayBuffer[]): void;
}

interface Asked {
  readonly id: number;
  readonly request: EngineRequest;
}

/** @param counter counts replies, for a thread that waits for them */
export function serve(port: Port, counter: Int32Array): void {
  const engine = new Engine();
  let turn: Promise<void> = engine.load();
  const answer = ({ id, request }: Asked): void => {
    const reply = engine.answer(request);
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
