/** `ggsl devices`: the devices that models and chains can run on. */
import type { Command } from "commander";
import { surveyDevices, type Survey } from "ggsl/backends/devices/survey.js";
import type { CpuVariant } from "ggsl/backends/native/binding.js";
import { formatTable } from "ggsl/core/table.js";
import { jsonOption } from "../usage.js";
import { print } from "../terminal.js";

const gib = (bytes: number): string => `${(bytes / 2 ** 30).toFixed(1)} GiB`;

export const addDevices = (command: Command): Command =>
  command.addOption(jsonOption()).action(async (options: { json?: true }) => {
    const survey = await surveyDevices();
    if (options.json) process.stdout.write(`${JSON.stringify(survey)}\n`);
    else print(textOf(survey));
  });

function textOf({ fault, devices, backends, cpuVariants }: Survey): string {
  if (fault !== undefined) return `${fault}\nWithout it, chains and models run in WebAssembly.\n`;
  const rows = devices.map((d) => [
    ...[d.backend, `${d.index}`, d.name, d.type, d.description, gib(d.memoryFree), gib(d.memoryTotal)],
    d.unsupported.length === 0 ? "all" : `all but ${d.unsupported.join(", ")}`,
  ]);
  const header = ["backend", "number", "device", "type", "description", "free", "memory", "ops"];
  const absent = backends
    .filter((b) => b.reason !== undefined)
    .map(({ name, reason, install }) => `no ${name}: ${reason}${install === undefined ? "" : `: ${install}`}\n`);
  return (
    formatTable(header, rows) + [variantsText(cpuVariants), absent.join("")].map((part) => part && `\n${part}`).join("")
  );
}

/** Empty where the CPU backend has no variants. */
function variantsText(variants: readonly CpuVariant[]): string {
  const loaded = variants.find(({ isLoaded }) => isLoaded);
  if (!loaded) return "";
  const others = variants.filter((v) => v.isSupported && v !== loaded).map(({ name }) => name);
  const choice = others.length === 0 ? "" : `; GGSL_CPU_VARIANT can choose ${others.join(", ")}`;
  return `the CPU runs the variant ${loaded.name}${choice}\n`;
}
