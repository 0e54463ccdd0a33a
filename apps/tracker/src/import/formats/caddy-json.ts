import { firstText, isJsonRecord, type JsonRecord, textOfJsonValue } from './json-record';
import type { LineContent, LogFormat } from './log-format';
import { requestOf } from './logged-request';

/** The JSON of Caddy 2. */
export const caddyJson: LogFormat = {
  name: 'caddy-json',
  open: () => (_, record) => record && read(record),
};

const ADDRESSES = ['client_ip', 'remote_ip', 'remote_addr'];
const TIMES = ['ts', 'time', 'timestamp', '@timestamp'];

function read(record: JsonRecord): LineContent | null {
  const { request, level, logger, msg } = record;
  if (!isJsonRecord(request)) return null;
  const isAccess = msg === 'handled request' || String(logger).startsWith('http.log.access');
  if (!isAccess) return level !== undefined && msg !== undefined ? 'message' : null; // of a step of the same request
  const headers = isJsonRecord(request.headers) ? request.headers : undefined;
  return requestOf({
    host: textOfJsonValue(request.host),
    address: firstText(request, ADDRESSES),
    time: firstText(record, TIMES),
    method: textOfJsonValue(request.method),
    target: textOfJsonValue(request.uri),
    status: textOfJsonValue(record.status),
    referrer: textOfJsonValue(headers?.Referer),
    userAgent: headers && (textOfJsonValue(headers['User-Agent']) ?? ''),
  });
}
