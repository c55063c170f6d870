/**
 * The process in which cases run. For each message, the name of a generator and a case, it answers with what the case cost and its
 * fault. A case that ends or blocks this process is known to the other side, which sent it.
 */
import { selfTest } from "../generators/selfTest.js";
import type { Generator } from "./generator.js";
import { faultOf, type Fault } from "./faults.js";

export interface Order {
  readonly generator: string;
  readonly case: unknown;
}

export interface Answer {
  readonly fault?: Fault;
  readonly seconds: number;
  /** Bytes by which the memory grew at most. */
  readonly growth: number;
  readonly memory: number;
}

/** The test of the watch starts many processes, which need no other generator. */
const generatorOf = async (name: string): Promise<Generator> =>
  name === selfTest.name
    ? selfTest
    : (await import("../generators/index.js")).CAMPAIGN.find((generator) => generator.name === name)!;

const peak = (): number => process.resourceUsage().maxRSS * 1024;

async function run(order: Order): Promise<Answer> {
  const generator = await generatorOf(order.generator);
  const [before, peakBefore, start] = [process.memoryUsage.rss(), peak(), process.cpuUsage()];
  let fault: Fault | undefined;
  try {
    await generator.run(order.case);
  } catch (error) {
    fault = faultOf(error);
  }
  const { user, system } = process.cpuUsage(start);
  const [memory, peakAfter] = [process.memoryUsage.rss(), peak()];
  const highest = peakAfter > peakBefore ? peakAfter : memory;
  return { ...(fault && { fault }), seconds: (user + system) / 1e6, growth: Math.max(0, highest - before), memory };
}

// an error outside the call, for example in a callback, belongs to the case too
let rejectCase: ((error: unknown) => void) | undefined;
process.on("uncaughtException", (error) => rejectCase?.(error));
process.on("unhandledRejection", (error) => rejectCase?.(error));

process.on("message", (order: Order) => {
  const stray = new Promise<Answer>((resolve) => {
    rejectCase = (error) => {
      const fault = faultOf(error) ?? { kind: "error" as const, message: String(error), key: `stray ${String(error)}` };
      resolve({ fault, seconds: 0, growth: 0, memory: process.memoryUsage.rss() });
    };
  });
  void Promise.race([run(order), stray]).then((answer) => process.send!(answer));
});
// loaded before the first case, whose time is measured
await generatorOf(process.argv[2]!);
process.send!("ready");
