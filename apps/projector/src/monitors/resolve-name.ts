import { lookup, Resolver } from 'node:dns/promises';

/** A name without any address. */
export class NameNotResolved extends Error {}

const SERVER_TIMEOUT_MS = 3_000;
const TRIES = 2;

/**
 * The addresses of a name, those of IPv4 first, from the name servers alone. Not by the system's lookup: that runs two at
 * a time in one process, so that names of one monitor without an answer would delay the checks of all others.
 * @throws NameNotResolved
 */
export async function resolveName(name: string): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: SERVER_TIMEOUT_MS, tries: TRIES });
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  return found(
    name,
    answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : [])),
  );
}

/** As this machine resolves names, hosts files included: for one's own network. @throws NameNotResolved */
export async function resolveLocally(name: string): Promise<readonly string[]> {
  const addresses = await lookup(name, { all: true, order: 'ipv4first' }).catch(() => []);
  return found(
    name,
    addresses.map(({ address }) => address),
  );
}

function found(name: string, addresses: readonly string[]): readonly string[] {
  if (addresses.length === 0) throw new NameNotResolved(`${name} has no address.`);
  return addresses;
}
