/** All generators, in the order in which a campaign runs them. */
import type { Generator } from "../core/generator.js";
import { calls } from "./calls.js";
import { commandLine } from "./commands.js";
import { editor } from "./editor.js";
import { grammars } from "./grammars.js";
import { links } from "./links.js";
import { models } from "./models.js";
import { programs } from "./programs.js";
import { sizes } from "./sizes.js";
import { specs } from "./specs.js";

export const GENERATORS: readonly Generator[] = [
  programs,
  sizes,
  specs,
  grammars,
  links,
  models,
  editor,
  commandLine,
  calls,
];
