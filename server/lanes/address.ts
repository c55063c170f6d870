/** Addresses of clients in one form, and the part of them that is one client. */
import { isIP } from "node:net";

/** The groups of 16 bits of an IPv6 address that a provider gives one customer, at least. */
const NETWORK_GROUPS = 4;

/**
 * An address as it is compared: an IPv4 address also where it is written as IPv6 (`::ffff:192.0.2.1`), an IPv6 address as its eight
 * groups without leading zeros. Undefined for what is no address. A zone (`fe80::1%eth0`) is cut off.
 */
export function canonicalAddress(text: string): string | undefined {
  const [address = ""] = text.split("%");
  if (isIP(address) === 4) return address;
  if (isIP(address) !== 6) return undefined;
  const groups = groupsOf(address);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (!isMapped) return groups.map((group) => group.toString(16)).join(":");
  return groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 255])
    .join(".");
}

/** The network of a canonical address: itself, for IPv6 its /64, which a client can change the rest of at will. */
export const networkOf = (address: string): string =>
  isIP(address) === 6 ? `${address.split(":").slice(0, NETWORK_GROUPS).join(":")}::/64` : address;

/** Of a valid address. */
function groupsOf(address: string): number[] {
  const [before = [], after] = address.split("::").map(readGroups);
  if (after === undefined) return [...before];
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
}

const readGroups = (text: string): number[] =>
  text === ""
    ? []
    : text.split(":").flatMap((group): number[] => {
        if (!group.includes(".")) return [parseInt(group, 16)];
        const [a, b, c, d] = group.split(".").map(Number) as [number, number, number, number];
        return [256 * a + b, 256 * c + d];
      });
