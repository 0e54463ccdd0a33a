/** Which methods the paths of a host have; a path that is a route by itself is no value of a parameter. */
export class RouteMethods {
  private readonly literal = new Map<string, Set<string>>();
  private readonly patterns = new Map<string, { readonly pattern: RegExp; readonly methods: Set<string> }>();

  add(url: string, methods: readonly string[]): void {
    const isLiteral = !/[:*]/.test(url);
    const known = isLiteral ? this.literal.get(url) : this.patterns.get(url)?.methods;
    const all = new Set([...(known ?? []), ...methods]);
    if (isLiteral) this.literal.set(url, all);
    else this.patterns.set(url, { pattern: patternOf(url), methods: all });
  }

  /** Sorted; empty for a path without a route. */
  allowed(path: string): readonly string[] {
    const exact = this.literal.get(withoutEnd(path));
    if (exact) return [...exact].sort();
    const matching = [...this.patterns.values()].filter(({ pattern }) => pattern.test(path));
    return [...new Set(matching.flatMap(({ methods }) => [...methods]))].sort();
  }

  /** A path that is a route, asked for with another method, though it would fit the parameter of another route. */
  isShadowed(path: string, method: string): boolean {
    const exact = this.literal.get(withoutEnd(path));
    return exact !== undefined && !exact.has(method);
  }

  /** Every method of any path. */
  get all(): readonly string[] {
    const sets = [...this.literal.values(), ...[...this.patterns.values()].map(({ methods }) => methods)];
    return [...new Set(sets.flatMap((each) => [...each]))].sort();
  }

  /** Every route: `GET /v1/links/:id`. */
  get routes(): readonly string[] {
    const entries = [...this.literal, ...[...this.patterns].map(([url, { methods }]) => [url, methods] as const)];
    return entries.flatMap(([url, methods]) => [...methods].map((method) => `${method} ${url}`)).sort();
  }
}

/** The path of a request target. */
export function pathOf(url: string): string {
  const end = url.search(/[?#]/);
  return end === -1 ? url : url.slice(0, end);
}

const withoutEnd = (path: string): string => (path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path);

const patternOf = (url: string): RegExp =>
  new RegExp(
    `^${url
      .split('/')
      .map((part) =>
        part === '*' ? '.*' : part.startsWith(':') ? '[^/]+' : part.replaceAll(/[.+?^$(){}|[\]\\]/g, '\\$&'),
      )
      .join('/')}/?$`,
  );
