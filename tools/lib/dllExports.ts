/** The functions that a DLL exports, for import libraries: node-llama-cpp's packages for Windows have none. */

/** Reads the export table of a 64-bit PE file. Returns the names in the file's order, which is alphabetic. */
export function exportsOf(file: Buffer): string[] {
  const header = file.length > 0x40 && file.toString("latin1", 0, 2) === "MZ" ? file.readUInt32LE(0x3c) : -1;
  if (header < 0 || header + 24 > file.length || file.toString("latin1", header, header + 4) !== "PE\0\0")
    throw new Error("expected a PE file, such as a DLL");
  const optional = header + 24;
  if (file.readUInt16LE(optional) !== 0x20b) throw new Error("expected a 64-bit PE file");
  const sections = optional + file.readUInt16LE(header + 20);
  const count = file.readUInt16LE(header + 6);

  /** The place in the file of an address of the loaded image. */
  const placeOf = (address: number): number => {
    for (let i = 0; i < count; i++) {
      const section = sections + 40 * i;
      const [size, start, rawSize, raw] = [8, 12, 16, 20].map((at) => file.readUInt32LE(section + at)) as [
        ...[number, number, number, number],
      ];
      if (address >= start && address < start + Math.max(size, rawSize)) return address - start + raw;
    }
    throw new Error(`no section of the PE file has the address ${address}`);
  };
  const textAt = (place: number): string => file.toString("latin1", place, file.indexOf(0, place));

  const address = file.readUInt32LE(optional + 112);
  if (address === 0) return [];
  const table = placeOf(address);
  const names = placeOf(file.readUInt32LE(table + 32));
  return Array.from({ length: file.readUInt32LE(table + 24) }, (_, i) =>
    textAt(placeOf(file.readUInt32LE(names + 4 * i))),
  );
}

/** The definition file from which `lib` and `dlltool` make an import library. */
export const definitionOf = (name: string, exported: readonly string[]): string =>
  `LIBRARY "${name}"\nEXPORTS\n${exported.map((symbol) => `  ${symbol}\n`).join("")}`;
