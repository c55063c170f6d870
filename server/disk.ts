/** The disk of this machine, for what the server reads: keys, samplers, libraries, policies. */
import fs from "node:fs";
import path from "node:path";
import type { Disk } from "@ggsl/compiler/disk.js";

export const disk: Disk = { fs, path };
