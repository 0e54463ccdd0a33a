import { guarded } from './guarded';

/** Calls back when the address has become another page without a new document, as single-page apps do. */
export function onNavigation(callBack: () => void): void {
  let path = location.pathname + location.search;
  const look = guarded(() => {
    const now = location.pathname + location.search;
    if (now === path) return;
    path = now;
    callBack();
  });
  const { navigation } = window as { navigation?: EventTarget };
  // TRICKY: only where there is no such event. An error that a page makes in a replaced function is "Script error." to it.
  if (navigation?.addEventListener) {
    navigation.addEventListener('currententrychange', look);
    return;
  }
  for (const name of ['pushState', 'replaceState'] as const) {
    const original = history[name].bind(history);
    history[name] = (...parameters: Parameters<History['pushState']>) => {
      original(...parameters);
      look();
    };
  }
  addEventListener('popstate', look);
}
