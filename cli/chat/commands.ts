/** Lines that are not for the model: `/help` and others. */
import type { Settings } from "@ggsl/compiler/lower/params.js";
import { assignment } from "../assignment.js";
import { settingValue } from "../usage.js";

const SETTING = assignment(String.raw`\s*(\[.*\]|\S+)`);

export type ChatCommand =
  | { readonly name: "help" | "clear" | "undo" }
  | { readonly name: "set"; readonly values: Settings }
  | { readonly name: "sampler"; readonly file: string }
  | { readonly name: "unknown"; readonly reason: string };

export const HELP = `/set NAME=VALUE   set a parameter of the chain, as in /set t=1.2
/sampler FILE     another chain: a GGSL file, or a spec
/undo             take the last turn back
/clear            begin again
/help             this list
Ctrl-C stops an answer; Ctrl-D, or Ctrl-C twice, ends the program.
`;

/** Undefined for a line that is for the model. */
export function commandOf(line: string): ChatCommand | undefined {
  const [, name, rest = ""] = /^\/(\S*)\s*(.*?)\s*$/.exec(line) ?? [];
  switch (name) {
    case undefined:
      return undefined;
    case "help":
    case "clear":
    case "undo":
      return { name };
    case "sampler":
      return rest === "" ? { name: "unknown", reason: "/sampler needs a file" } : { name, file: rest };
    case "set": {
      const [, parameter, given = ""] = SETTING.exec(rest) ?? [];
      const value = settingValue(given);
      if (parameter === undefined || value === undefined || given === "")
        return { name: "unknown", reason: "/set needs NAME=NUMBER" };
      return { name, values: { [parameter]: value } };
    }
    default:
      return { name: "unknown", reason: `there is no command /${name}` };
  }
}
