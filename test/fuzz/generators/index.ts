/** All generators. */
import type { Generator } from "../core/generator.js";
import { bodies } from "./bodies.js";
import { calls } from "./calls.js";
import { commandLine } from "./commands.js";
import { constraints } from "./constraints.js";
import { editor } from "./editor.js";
import { grammars } from "./grammars.js";
import { links } from "./links.js";
import { models } from "./models.js";
import { programs } from "./programs.js";
import { runs } from "./runs.js";
import { schemas } from "./schemas.js";
import { selfTest } from "./selfTest.js";
import { sizes } from "./sizes.js";
import { sources } from "./sources.js";
import { specs } from "./specs.js";
import { stops } from "./stops.js";
import { templates } from "./templates.js";

/** In the order in which a campaign runs them. */
export const CAMPAIGN: readonly Generator[] = [
  programs,
  sizes,
  specs,
  grammars,
  sources,
  schemas,
  constraints,
  stops,
  templates,
  runs,
  bodies,
  links,
  models,
  editor,
  commandLine,
  calls,
];

/** With that of the test of the watch, which a worker knows too. */
export const GENERATORS: readonly Generator[] = [...CAMPAIGN, selfTest];
