import type { LogFormat } from './log-format';
import { type LoggedRequest, present, requestOf } from './logged-request';

/** The extended format of the W3C, of IIS and CloudFront: the last `#Fields:` names the columns. Times are UTC. */
export const w3c: LogFormat = {
  name: 'w3c',
  open() {
    let columns: readonly string[] = [];
    return (line) => {
      const [, names] = FIELDS.exec(line) ?? [];
      if (names === undefined) return read(columns, line);
      columns = names.toLowerCase().split(/\s+/);
      return 'comment';
    };
  },
};

const FIELDS = /^#Fields:\s*(\S.*?)\s*$/i;
/** A value, in quotation marks if it has spaces. */
const VALUE = /"(?:[^"]|"")*"(?!\S)|\S+/g;
/** CloudFront encodes the percent sign too. */
const ENCODED_PERCENT = /%25(?=[0-9A-F]{2})/gi;

/** A line of CloudFront has tabs; one of IIS has spaces, and `+` in the place of those in values. */
function read(columns: readonly string[], line: string): LoggedRequest | null {
  const hasTabs = line.includes('\t');
  const values = hasTabs
    ? line.split('\t').map((value) => value.replace(ENCODED_PERCENT, '%'))
    : (line.match(VALUE) ?? []).map(unquoted);
  if (!hasTabs && values.length !== columns.length) return null;
  const withSpaces = (value: string | undefined, space: string) => (hasTabs ? value : value?.replaceAll('+', space));
  const find = (...names: readonly string[]) => {
    const found = names.map((name) => values[columns.indexOf(name)]).filter((value) => value !== undefined);
    return found.find((value) => value !== '-') ?? found[0];
  };
  const path = withSpaces(find('cs-uri-stem'), '%20');
  const query = present(find('cs-uri-query'));
  return requestOf({
    host: find('x-host-header', 'cs-host', 'cs(host)'),
    address: find('c-ip'),
    time: `${find('date')}T${find('time')}Z`,
    method: find('cs-method'),
    target: path === undefined || query === undefined ? path : `${path}?${query}`,
    status: find('sc-status'),
    referrer: find('cs(referer)', 'cs(referrer)'),
    userAgent: decoded(withSpaces(find('cs(user-agent)'), ' ')),
  });
}

const unquoted = (value: string): string =>
  value.length > 1 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1).replaceAll('""', '"') : value;

function decoded(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : decodeURIComponent(text);
  } catch {
    return text; // a percent sign that encodes nothing
  }
}
