/** The worker thread: it answers requests in their order. */
import { InputError } from "../../core/errors.js";
import { answerRequests, nodePort, type NodePort, type Port } from "../../core/requests.js";
import { route } from "../sources.js";
import type { GrammarSource } from "../types.js";
import type { PrepareRequest, ThreadReply, ThreadRequest } from "../threads/protocol.js";
import { Engine, type EngineOptions } from "./engine.js";

/** @param counter counts messages to the thread that asks, which may wait for them */
export async function serve(port: NodePort, counter: Int32Array, options: EngineOptions): Promise<void> {
  const engine = new Engine(options);
  await engine.load();
  const answer = (request: ThreadRequest): ThreadReply =>
    request.type === "prepare" ? prepare(engine, request) : engine.answer(request);
  let turn = Promise.resolve();
  let waiting = 0;
  answerRequests<ThreadRequest, ThreadReply>(
    counted(nodePort(port), counter),
    (request) => {
      if (waiting === 0 && engine.isLoaded) return answer(request);
      waiting++;
      const reply = turn.then(async () => {
        await engine.load();
        waiting--;
        return answer(request);
      });
      turn = reply.then(
        () => undefined,
        () => undefined,
      );
      return reply;
    },
    {
      transfer: (reply) => (reply.type === "moved" ? reply.bits.map(({ buffer }) => buffer) : []),
      // after a fault nothing of the engine can be trusted
      isFatal: (error) => !(error instanceof InputError),
    },
  );
}

const counted = (port: Port, counter: Int32Array): Port => ({
  ...port,
  post(message, transfer) {
    port.post(message, transfer);
    Atomics.add(counter, 0, 1);
    Atomics.notify(counter, 0);
  },
});

/** Throws `InputError` for a source that is not right. */
function prepare(engine: Engine, { vocabulary, source }: PrepareRequest): ThreadReply {
  const begin = performance.now();
  const routed = route(JSON.parse(source) as GrammarSource);
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
