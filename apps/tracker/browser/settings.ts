/** What the script element of a page says. */
export interface Settings {
  readonly websiteId: string;
  /** Origin of the tracking host: where the script itself came from. */
  readonly host: string;
  /** `data-storage="local"`: a random id of this browser is kept in localStorage; otherwise nothing is kept at all. */
  readonly keepsVisitorId: boolean;
  /** `data-ignore-errors`: a regular expression of errors that are not reported. */
  readonly ignoredErrors: string | undefined;
}

/** Of the element that runs now. A module does not know its own, and runs once for all that load it. */
export function readSettings(): readonly Settings[] {
  if (hasOptedOut()) return [];
  const own = document.currentScript as HTMLScriptElement | null;
  return (own ? [own] : [...document.querySelectorAll<HTMLScriptElement>(MODULES)]).flatMap(settingsOf);
}

const MODULES = 'script[data-website-id][type=module][src], script[data-website-id][src*="/tracker.js"]';

/** None where the element names no website. */
function settingsOf({ src, dataset }: HTMLScriptElement): readonly Settings[] {
  const { websiteId, storage, ignoreErrors: ignoredErrors } = dataset;
  const host = src.split('/', 3).join('/');
  return websiteId ? [{ websiteId, host, keepsVisitorId: storage === 'local', ignoredErrors }] : [];
}

/** Do Not Track and Global Privacy Control. */
function hasOptedOut(): boolean {
  const { doNotTrack, globalPrivacyControl } = navigator as Navigator & { globalPrivacyControl?: boolean };
  return globalPrivacyControl === true || doNotTrack === '1' || doNotTrack === 'yes';
}
