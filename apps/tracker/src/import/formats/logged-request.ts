import { normalHost } from '@ledgerline/contracts/parse-url';
import { normalAddress } from '@ledgerline/platform/http/address';
import { readLogTime, type LogTime } from './log-time';

/** A request that a server logged. */
export interface LoggedRequest {
  /** The virtual host, in lower case and without its port; null = the line names none. */
  readonly host: string | null;
  /** In the form of `normalAddress`, or the name that the server looked up for it. */
  readonly address: string;
  /** Epoch ms. */
  readonly at: number;
  /** Empty for what the server could not read as a request. */
  readonly method: string;
  /** As requested: a path with its query string, or a full URL; bytes that the server escaped are percent-encoded. */
  readonly target: string;
  readonly status: number;
  /** null = none; escaped bytes are percent-encoded. */
  readonly referrer: string | null;
  /** null = none was sent; undefined = they are not logged. */
  readonly userAgent: string | null | undefined;
}

/** The fields of a request as they are logged; undefined = there is no such field. */
interface RequestFields {
  readonly host?: string | undefined;
  readonly address: string | undefined;
  readonly time: LogTime | undefined;
  readonly method: string | undefined;
  readonly target: string | undefined;
  readonly status: string | undefined;
  readonly referrer: string | undefined;
  readonly userAgent: string | undefined;
}

const HOST_NAME = /^[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_.])?$/i;
const METHOD = /^[A-Z]+$/;
const STATUS = /^\d{1,3}$/;

/** The request of these fields; null where one is absent or wrong without which no request can be counted. */
export function requestOf(fields: RequestFields): LoggedRequest | null {
  const { host = '', method, target, status = '', userAgent } = fields;
  const address = clientAddress(fields.address ?? '');
  const at = readLogTime(fields.time);
  if (address === null || at === undefined || method === undefined || target === undefined) return null;
  if (!STATUS.test(status)) return null;
  return {
    host: hostName(host),
    address,
    at,
    method: METHOD.test(method) ? method : '',
    target,
    status: Number(status),
    referrer: present(fields.referrer) ?? null,
    userAgent: userAgent === undefined ? undefined : (present(userAgent) ?? null),
  };
}

/** A value, unless it is what servers log in the place of none. */
export const present = (text: string | undefined): string | undefined =>
  text === '-' || text === '' ? undefined : text;

/** The client in the form of `normalAddress`, or its name; null for what is neither. */
export const clientAddress = (text: string): string | null =>
  normalAddress(text) ?? (HOST_NAME.test(text) ? text : null);

/** Returns the name or address of a virtual host without its port; null for any other text. */
export function hostName(text: string): string | null {
  const address = normalAddress(text);
  if (address !== undefined) return address;
  const name = text.replace(/:\d{1,5}$/, '');
  return HOST_NAME.test(name) ? normalHost(name) : null;
}

const REQUEST_LINE = /^([A-Z]+) (.+?)(?: HTTP\/[\d.]+)?$/;

/** The method and target of `GET /path HTTP/1.1`; both empty for what is no request. */
export function readRequestLine(text: string): { readonly method: string; readonly target: string } {
  const [, method = '', target = ''] = REQUEST_LINE.exec(text) ?? [];
  return { method, target };
}
