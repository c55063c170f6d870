/** What is wrong with a JSON schema. */
import { show } from "@ggsl/compiler/core/show.js";
import { InputError, invalid } from "../../core/errors.js";
import type { SchemaPlace } from "./values.js";

const at = (path: string): string => (path === "" ? "" : ` at ${show(path)}`);

export const fault = (path: string, message: string): InputError => invalid(`the JSON schema${at(path)}: ${message}`);

export const exceeded = (message: string): InputError =>
  new InputError(`the JSON schema exceeds a limit: ${message}`, { code: "LIMIT_EXCEEDED" });

/** A grammar cannot enforce a keyword. */
export const unenforced = ({ path, keyword }: SchemaPlace, why: string): InputError =>
  new InputError(
    `the JSON schema${at(path)}: \`${keyword}\` cannot be enforced: ${why}; omit it, or list it in \`ignore\``,
    { code: "UNENFORCED_KEYWORD" },
  );
