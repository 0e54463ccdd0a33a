/** Calls back when the address has become another page without a new document, as single-page apps do. */
export function onNavigation(callBack: () => void): void {
  let path = location.pathname + location.search;
  const look = () => {
    const now = location.pathname + location.search;
    if (now === path) return;
    path = now;
    callBack();
  };
  for (const name of ['pushState', 'replaceState'] as const) {
    const original = history[name].bind(history);
    history[name] = (...parameters: Parameters<History['pushState']>) => {
      original(...parameters);
      look();
    };
  }
  addEventListener('popstate', look);
}
