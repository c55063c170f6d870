/** The path of an address, without what follows it, as it was written. */
export const pathOf = (url: string): string => /^[^?#]*/.exec(url)![0] || "/";
