/** Addresses and names that mean this machine. */

const NAMES = /^(?:.+\.)?localhost$/;
/** Also in the form that sockets for both families have. */
const IP4 = /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/;
const IP6 = /^(?:0*:)*:?0*1$/;

/** Whether only this machine reaches an address. Browsers, too, take all names below `localhost` for this machine. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase();
  return NAMES.test(name) || IP4.test(name) || (name.includes(":") && IP6.test(name));
}
