/** Tools that not every machine has. */
import { needing, program, isSet } from "../needs.js";

/** Tests that need a tool. */
export const withTool = (tool: string, tests: () => void): void =>
  needing(program([tool], { isRequired: isSet("GGSL_NEED_C_TOOLS") })).describe(tool, tests);
