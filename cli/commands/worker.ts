/** `ggsl worker`: lends devices of this machine to models that run elsewhere. */
import { Option, type Command } from "commander";
import { MAX_THREADS } from "@ggsl/compiler/llama/contexts.js";
import { DEVICE_BACKENDS } from "ggsl/backends/devices/locate.js";
import type { DeviceChoice } from "ggsl/backends/devices/several.js";
import { isReachable, startWork, type WorkOptions } from "ggsl/models/rpcWorker.js";
import { atMost, devicesOption } from "../usage.js";
import { say } from "../terminal.js";

interface Options {
  readonly listen: string;
  readonly backend: WorkOptions["backend"];
  readonly device?: DeviceChoice;
  readonly cache?: string;
  readonly threads?: number;
}

export const addWorker = (command: Command): Command =>
  command
    .option(
      "--listen <address:port>",
      "where to listen; the default is reached from this machine only",
      "127.0.0.1:50052",
    )
    .addOption(
      new Option("--backend <name>", "the backend to lend").choices(["auto", ...DEVICE_BACKENDS]).default("auto"),
    )
    .addOption(devicesOption())
    .option("--cache <folder>", "keep large weights there, so that the same model is not sent again")
    .option("-t, --threads <n>", "CPU threads (default: half the number of processors)", atMost(MAX_THREADS))
    .action(run);

async function run(options: Options): Promise<void> {
  const { listen } = options;
  if (isReachable(listen))
    say(
      `warning: ${listen} is reached from other machines, and the protocol has no authentication: whoever connects can read and write the memory that is lent. Use a tunnel, as docs/machines.md shows\n`,
    );
  const { devices, ended } = await startWork(options);
  say(`a worker at ${listen} lends ${devices.join(", ")}; Ctrl-C ends it\n`);
  await ended;
}
