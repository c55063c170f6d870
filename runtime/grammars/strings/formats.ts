import type { Item } from "../text/rules.js";
export const formatItem = (name: string): Item | undefined => undefined;
