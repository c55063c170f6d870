/** All generators, by the order in which a campaign runs them. */
import type { Generator } from "../core/generator.js";
import { programs } from "./programs.js";
import { sizes } from "./sizes.js";
import { specs } from "./specs.js";

export const GENERATORS: readonly Generator[] = [programs, sizes, specs];
