export const BUILDERS: readonly string[];
export function compilersFault(): string | undefined;
