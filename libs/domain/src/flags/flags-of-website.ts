import type { FlagDetails } from '@ledgerline/contracts/events/flag.events';

/**
 * The flags that a client of a website is given: the active ones of this environment, those of the website before those
 * of its organization with the same key.
 */
export function flagsOfWebsite<Flag extends FlagDetails>(
  flags: readonly Flag[],
  websiteId: string,
  environment: string | undefined,
): readonly Flag[] {
  const found = new Map<string, Flag>();
  const reach = (of: string | null) => flags.filter((flag) => flag.websiteId === of && isGiven(flag, environment));
  for (const flag of [...reach(null), ...reach(websiteId)]) found.set(flag.key, flag);
  return [...found.values()];
}

const isGiven = ({ status, environment: only }: FlagDetails, environment: string | undefined): boolean =>
  status === 'active' && (only === null || only === environment);
