import type { FlagDetails } from '@ledgerline/contracts/events/flag.events';

/**
 * The flags that a client of a website is given: the active ones of this environment. A flag of the website hides the
 * one of its organization with the same key, also where it is not given itself.
 */
export function flagsOfWebsite<Flag extends FlagDetails>(
  flags: readonly Flag[],
  websiteId: string,
  environment: string | undefined,
): readonly Flag[] {
  const own = flags.filter((flag) => flag.websiteId === websiteId);
  const hidden = new Set(own.map(({ key }) => key));
  const shared = flags.filter((flag) => flag.websiteId === null && !hidden.has(flag.key));
  return [...shared, ...own].filter((flag) => isGiven(flag, environment));
}

function isGiven(flag: FlagDetails, environment: string | undefined): boolean {
  const { status, environment: only, environments = [] } = flag;
  const own = environments.find(({ name }) => name === environment);
  return status !== 'archived' && (own?.status ?? status) === 'active' && (only === null || only === environment);
}
