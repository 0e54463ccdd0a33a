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

/** Null where the element names no website, or the visitor does not want to be counted. */
export function readSettings(script: HTMLScriptElement | null): Settings | null {
  const websiteId = script?.dataset['websiteId'];
  if (!script || !websiteId || hasOptedOut()) return null;
  return {
    websiteId,
    host: script.src.split('/', 3).join('/'),
    keepsVisitorId: script.dataset['storage'] === 'local',
    ignoredErrors: script.dataset['ignoreErrors'],
  };
}

/** Do Not Track and Global Privacy Control. */
function hasOptedOut(): boolean {
  const { doNotTrack, globalPrivacyControl } = navigator as Navigator & { globalPrivacyControl?: boolean };
  return globalPrivacyControl === true || doNotTrack === '1' || doNotTrack === 'yes';
}
