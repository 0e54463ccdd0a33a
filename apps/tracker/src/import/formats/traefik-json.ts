import { firstText, type JsonRecord, textOfJsonValue } from './json-record';
import type { LogFormat } from './log-format';
import { type LoggedRequest, requestOf } from './logged-request';

/** The JSON of Traefik, which has user agents only where it is set to keep that header. */
export const traefikJson: LogFormat = {
  name: 'traefik-json',
  open: () => (_, record) => record && read(record),
};

const ADDRESSES = ['ClientHost', 'ClientAddr'];
const TIMES = ['StartUTC', 'StartLocal', 'time'];
const STATUSES = ['DownstreamStatus', 'OriginStatus'];

function read(record: JsonRecord): LoggedRequest | null {
  const [client] = firstText(record, ADDRESSES)?.split(',') ?? []; // with all that a trusted proxy forwards for
  return requestOf({
    host: firstText(record, ['RequestHost', 'RequestAddr']),
    address: client,
    time: firstText(record, TIMES),
    method: textOfJsonValue(record.RequestMethod),
    target: textOfJsonValue(record.RequestPath),
    status: firstText(record, STATUSES),
    referrer: textOfJsonValue(record.request_Referer),
    userAgent: textOfJsonValue(record['request_User-Agent']),
  });
}
