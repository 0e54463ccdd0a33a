interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly domain: string;
  /** Whether hosts below the domain get it, too. */
  readonly isShared: boolean;
  readonly path: string;
  readonly isSecure: boolean;
}

/** The cookies that servers set within one check (RFC 6265, 5). */
export class Cookies {
  private readonly kept = new Map<string, Cookie>();

  /** Keeps what an answer from an address sets, and forgets what it deletes. */
  take(lines: readonly string[], from: URL, now = Date.now()): void {
    for (const line of lines) {
      const [pair = '', ...parts] = line.split(';');
      const [name, value] = splitAt(pair, '=');
      if (value === undefined || name === '') continue;
      const attributes = new Map(parts.map((part) => splitAt(part, '=')).map(([key, own]) => [key.toLowerCase(), own]));
      const wanted = attributes.get('domain')?.replace(/^\./, '').toLowerCase();
      const domain = wanted ? wanted : from.hostname;
      if (!isWithin(from.hostname, domain)) continue;
      const given = attributes.get('path') ?? '';
      const path = given.startsWith('/') ? given : folderOf(from.pathname);
      const cookie = { name, value, domain, path, isShared: Boolean(wanted), isSecure: attributes.has('secure') };
      const key = JSON.stringify([name, domain, path]);
      if (isOver(attributes, now)) this.kept.delete(key);
      else this.kept.set(key, cookie);
    }
  }

  /** The header for a request to an address; undefined = none belongs to it. */
  headerFor({ hostname, pathname, protocol }: URL): string | undefined {
    const own = [...this.kept.values()].filter(
      ({ domain, isShared, path, isSecure }) =>
        (isShared ? isWithin(hostname, domain) : hostname === domain) &&
        (pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`)) &&
        (!isSecure || protocol === 'https:'),
    );
    const longestPathFirst = own.sort((a, b) => b.path.length - a.path.length);
    return own.length === 0 ? undefined : longestPathFirst.map(({ name, value }) => `${name}=${value}`).join('; ');
  }
}

function splitAt(text: string, separator: string): readonly [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text.trim(), undefined] : [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}

/** Domains of one label, as `com`, are a host's own alone. */
const isWithin = (host: string, domain: string): boolean =>
  host === domain || (host.endsWith(`.${domain}`) && domain.includes('.') && !/^[\d.]+$/.test(host));

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/')) || '/';

function isOver(attributes: ReadonlyMap<string, string | undefined>, now: number): boolean {
  const [age, expires] = [attributes.get('max-age'), attributes.get('expires')];
  if (age !== undefined && /^-?\d+$/.test(age)) return Number(age) <= 0;
  return expires !== undefined && Date.parse(expires) <= now;
}
