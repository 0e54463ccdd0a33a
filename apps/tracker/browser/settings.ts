import { warn } from './guarded';

/** The settings in the script element of a page. */
export interface ScriptSettings {
  readonly websiteId: string;
  /** Address of the tracking host: `data-api`, on the page's host where it is a path; else where the script came from. */
  readonly host: string;
  /** `data-hash`: what follows `#/` is the path of the page. */
  readonly routesByHash: boolean;
  /** `data-replace-state`: another query string by `replaceState` is another page view. */
  readonly countsReplaced: boolean;
  /** `data-storage="local"`: a random id of this browser is kept in localStorage; otherwise nothing is kept at all. */
  readonly keepsVisitorId: boolean;
  /** `data-ignore-errors`: a regular expression of errors that are not reported. */
  readonly ignoredErrors: string | undefined;
}

/**
 * Reads the settings of the element that runs now. A module does not know its own, and runs once for all that load it.
 */
export function readSettings(): readonly ScriptSettings[] {
  if (hasOptedOut() || isLeftOut()) return [];
  const own = document.currentScript as HTMLScriptElement | null;
  const elements = own ? [own] : [...document.querySelectorAll<HTMLScriptElement>(MODULES)];
  const settings = elements.flatMap(settingsOf);
  if (settings.length === 0) warn(INCOMPLETE);
  return settings;
}

const INCOMPLETE = 'nothing is counted: the script element needs data-website-id, and data-api where it has no src';

const MODULES = 'script[data-website-id][type=module][src], script[data-website-id][src*="/tracker.js"]';

/** None where the element names no website, or no host: an inlined script comes from nowhere. */
function settingsOf({ src, dataset }: HTMLScriptElement): readonly ScriptSettings[] {
  const { websiteId, api, hash, replaceState, storage, ignoreErrors: ignoredErrors } = dataset;
  const host = (api ? new URL(api, location.href).href : src.split('/', 3).join('/')).replace(/\/+$/, '');
  if (!websiteId || !/^https?:/.test(host)) return [];
  return [
    {
      websiteId,
      host,
      routesByHash: hash !== undefined,
      countsReplaced: replaceState !== undefined,
      keepsVisitorId: storage === 'local',
      ignoredErrors,
    },
  ];
}

declare global {
  interface Navigator {
    readonly globalPrivacyControl?: boolean;
  }
}

/** Do Not Track and Global Privacy Control. */
function hasOptedOut(): boolean {
  const { doNotTrack, globalPrivacyControl } = navigator;
  return globalPrivacyControl === true || doNotTrack === '1' || doNotTrack === 'yes';
}

const LEFT_OUT = 'ledgerline-off';

/** By a link to a page of the website that ends with `#ledgerline-off`, until one with `#ledgerline-on` is followed. */
function isLeftOut(): boolean {
  try {
    const [, wish] = /^#ledgerline-(on|off)$/.exec(location.hash) ?? [];
    if (wish && confirm(`Count your visits to ${location.host} in this browser: ${wish}?`)) {
      if (wish === 'off') localStorage.setItem(LEFT_OUT, '1');
      else localStorage.removeItem(LEFT_OUT);
    }
    return localStorage.getItem(LEFT_OUT) !== null;
  } catch {
    return false; // storage is switched off
  }
}
