import type { Item } from './outbox';

/** Clicks on links that lead to another host, with any button. */
export function onOutgoingLink(report: (link: Item) => void): void {
  const listen = ({ target }: Event) => {
    const link = target instanceof Element ? target.closest('a[href]') : null;
    if (!(link instanceof HTMLAnchorElement) || !/^https?:$/.test(link.protocol) || link.host === location.host) return;
    report({ href: link.href, text: link.innerText.trim().slice(0, 200) });
  };
  for (const name of ['click', 'auxclick']) addEventListener(name, listen, { capture: true });
}
