/** `ggsl devices`: what chains can run on. */
import type { Command } from "commander";
import { loadBinding } from "../../runtime/native/loader.js";
import { formatTable } from "../table.js";
import { jsonOption } from "../usage.js";

const gib = (bytes: number): string => `${(bytes / 2 ** 30).toFixed(1)} GiB`;

export const addDevices = (program: Command): Command =>
  program
    .command("devices")
    .description("list the devices that models and chains can run on")
    .addOption(jsonOption())
    .action((options: { json?: true }) => {
      const binding = loadBinding();
      const devices = binding.devices();
      if (options.json) {
        process.stdout.write(`${JSON.stringify({ llamaCpp: binding.llamaVersion, devices })}\n`);
        return;
      }
      const rows = devices.map((d) => [d.name, d.type, d.description, gib(d.memoryFree), gib(d.memoryTotal)]);
      process.stdout.write(formatTable(["device", "type", "description", "free", "memory"], rows));
    });
