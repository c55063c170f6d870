/** `ggsl devices`: what models and chains can run on. */
import type { Command } from "commander";
import { surveyDevices, type BackendSurvey, type DeviceSurvey } from "ggsl/devices/survey.js";
import { loadBinding } from "ggsl/native/loader.js";
import { formatTable } from "ggsl/table.js";
import { jsonOption } from "../usage.js";

const gib = (bytes: number): string => `${(bytes / 2 ** 30).toFixed(1)} GiB`;

export const addDevices = (program: Command): Command =>
  program
    .command("devices")
    .description("list the devices that models and chains can run on, and the ops that each supports")
    .addOption(jsonOption())
    .action(async (options: { json?: true }) => {
      const { llamaVersion } = loadBinding();
      const survey = await surveyDevices();
      process.stdout.write(
        options.json ? `${JSON.stringify({ llamaCpp: llamaVersion, ...survey })}\n` : textOf(survey),
      );
    });

function textOf({
  devices,
  backends,
}: {
  devices: readonly DeviceSurvey[];
  backends: readonly BackendSurvey[];
}): string {
  const rows = devices.map((d) => [
    ...[d.backend, `${d.index}`, d.name, d.type, d.description, gib(d.memoryFree), gib(d.memoryTotal)],
    d.unsupported.length === 0 ? "all" : `all but ${d.unsupported.join(", ")}`,
  ]);
  const header = ["backend", "number", "device", "type", "description", "free", "memory", "ops"];
  const absent = backends.filter((b) => b.reason !== undefined).map((b) => `no ${b.name}: ${b.reason}\n`);
  return formatTable(header, rows) + (absent.length > 0 ? `\n${absent.join("")}` : "");
}
