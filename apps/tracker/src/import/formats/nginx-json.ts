import { normalAddress } from '@ledgerline/platform/http/address';
import { isJsonRecord, type JsonRecord, textOfJsonValue } from './json-record';
import type { LogFormat } from './log-format';
import { type LoggedRequest, present, readRequestLine, requestOf } from './logged-request';

/** A `log_format` of JSON, with the variables of nginx under the names that are usual. */
export const nginxJson: LogFormat = {
  name: 'nginx-json',
  open: () => (_, record) => (record === null || record.logger !== undefined ? null : read(record)), // Caddy has a logger
};

const names = (text: string): readonly string[] => text.split(' ');
/** Names of fields in lower case without signs, those of which most is certain first. */
const NAMES = {
  address: names(
    'remoteaddr remoteip realip clientip clientaddr clientaddress client ip ipaddress remotehost sourceip',
  ),
  host: names('httphost host vhost virtualhost domain servername'),
  time: names('timeiso8601 timelocal timestamp time datetime date msec ts'),
  requestLine: names('request requestline req'),
  method: names('requestmethod httpmethod method verb'),
  requestUri: names('requesturi urloriginal requesturl'),
  path: names('uri url path requestpath urlpath documenturi'),
  query: names('args querystring query requestquery requestargs urlquery'),
  status: names('status statuscode responsestatus responsecode httpstatus response'),
  referrer: names('httpreferer httpreferrer referer referrer'),
  userAgent: names('httpuseragent useragent useragentoriginal agent ua'),
};

function read(record: JsonRecord): LoggedRequest | null {
  const fields = new Map<string, string>();
  collect(record, '', fields);
  const find = (name: keyof typeof NAMES, not?: string) => {
    const values = NAMES[name].map((alias) => (alias === not ? undefined : fields.get(alias)));
    const logged = values.filter((value) => value !== undefined);
    return logged.find((value) => present(value) !== undefined) ?? logged[0];
  };
  const address = find('address');
  const host = address === undefined ? fields.get('host') : undefined; // some call the client so
  const isClient = host !== undefined && normalAddress(host) !== undefined;
  return requestOf({
    host: find('host', isClient ? 'host' : undefined),
    address: isClient ? host : address,
    time: find('time'),
    status: find('status'),
    referrer: find('referrer'),
    userAgent: find('userAgent'),
    ...requestIn(find),
  });
}

/** Method and target, of the variable that has both, or of one for each; without any method it is GET. */
function requestIn(find: (name: keyof typeof NAMES) => string | undefined) {
  const requestLine = find('requestLine');
  const line = requestLine === undefined ? undefined : readRequestLine(requestLine);
  const path = find('path');
  const query = present(find('query'))?.replace(/^\?/, '');
  const whole = path === undefined || query === undefined || path.includes('?') ? path : `${path}?${query}`;
  return {
    method: find('method') ?? (line ? line.method : 'GET'),
    target: find('requestUri') ?? line?.target ?? whole,
  };
}

const DEPTH = 4;

/** The fields by their names, and those of records within by their path and by their name alone; the outer ones first. */
function collect(record: JsonRecord, path: string, into: Map<string, string>, depth = 1): void {
  const inner: [path: string, record: JsonRecord][] = [];
  for (const [key, value] of Object.entries(record)) {
    const name = key.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
    const text = textOfJsonValue(value);
    if (isJsonRecord(value)) inner.push([path + name, value]);
    else if (text !== undefined) for (const each of [name, path + name]) if (!into.has(each)) into.set(each, text);
  }
  if (depth < DEPTH) for (const [name, value] of inner) collect(value, name, into, depth + 1);
}
