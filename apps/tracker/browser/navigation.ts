import { CLICK_PARAMETER } from '@ledgerline/contracts/intake-limits';
import { withoutThrowing, listen } from './guarded';
import type { BrowserItem } from './outbox';
import type { ScriptSettings } from './settings';

/** The address of the page that is shown; with `byHash` a route such as `#/settings` is a part of its path. */
export function pageUrl(byHash: boolean): string {
  const [page = '', hash = ''] = location.href.split(/#(.*)/s);
  const [, route] = (byHash && /^!?(\/.*)/s.exec(hash)) || [];
  if (!route) return page;
  const [path = '', query] = page.split(/\/?\?(.*)/s);
  return path.replace(/\/$/, '') + route + (query ? (route.includes('?') ? '&' : '?') + query : '');
}

/** Without the click on a short link that led here; all else as it is written. */
export const withoutClick = (url: string): string =>
  url.replace(CLICK, (_, before: string, after: string) => after && before);

const CLICK = new RegExp(`([?&])${CLICK_PARAMETER}=[^&#]*(&?)`);

/** Takes the click out of the address bar: an address that is passed on brings other visitors. */
export function hideClick(): void {
  const { href } = location;
  const url = withoutClick(href);
  if (url !== href) history.replaceState(history.state, '', url);
}

/**
 * Calls back when the address has become another page without a new document, as single-page apps do. A replaced query
 * string mirrors what is done on a page, as a search while it is typed, and is none unless that is wanted.
 */
export function onNavigation({ routesByHash, countsReplaced }: ScriptSettings, callBack: () => void): void {
  let url = pageUrl(routesByHash);
  const look = withoutThrowing((isReplaced: boolean) => {
    const before = url;
    const now = pageUrl(routesByHash);
    url = now;
    if (now !== before && (countsReplaced || !isReplaced || pathOf(now) !== pathOf(before))) callBack();
  });
  const { navigation } = window as { readonly navigation?: Partial<Navigation> };
  // TRICKY: only where there is no such event. An error that a page makes in a replaced function is "Script error." to it.
  if (navigation?.addEventListener) {
    navigation.addEventListener('currententrychange', ({ navigationType }) => look(navigationType === 'replace'));
    return;
  }
  for (const name of ['pushState', 'replaceState'] as const) {
    const original = history[name].bind(history);
    history[name] = (...parameters: Parameters<History['pushState']>) => {
      original(...parameters);
      look(name === 'replaceState');
    };
  }
  addEventListener('popstate', () => look(false));
}

const pathOf = (url: string): string => url.replace(/\/?(\?.*)?$/s, '');

/** Endings of files that browsers save, or open as a document of their own. */
const FILES =
  /\.(pdf|docx?|xlsx?|pptx?|od[tsp]|csv|txt|epub|zip|gz|xz|7z|rar|exe|msi|dmg|pkg|deb|rpm|apk|iso|mp[34]|wav|mov)$/i;

/** Links that lead to another host or to a file, opened by click, key or middle click. */
export function onOutgoingLink(report: (link: BrowserItem) => void): void {
  const follow = (event: MouseEvent) => {
    if (event.type === 'auxclick' && event.button !== 1) return;
    const link = event.composedPath().find(isLink);
    if (!link) return;
    const { href, protocol, host, pathname } = Object.assign(document.createElement('a'), { href: addressOf(link) });
    const isFile = link.hasAttribute('download') || FILES.test(pathname);
    if (!/^https?:$/.test(protocol) || (host === location.host && !isFile)) return;
    report({ href, text: textOf(link).trim().slice(0, 200), link_kind: isFile ? 'download' : undefined });
  };
  for (const name of ['click', 'auxclick'] as const) listen(name, follow, { capture: true });
}

type Link = HTMLAnchorElement | HTMLAreaElement | SVGAElement;

/** By its name: a page may have put something else in the place of what the browser calls `Element`. */
const isLink = (target: EventTarget): target is Link =>
  /^a(rea)?$/.test((target as Element).localName) && Boolean((target as Link).href);

/** SVG has an object for it, with the address as it was written. */
const addressOf = ({ href }: Link): string => (typeof href === 'string' ? href : href.baseVal);

const textOf = (link: Link): string =>
  ('innerText' in link ? link.innerText : link.textContent) || link.getAttribute('alt') || '';
