import type { CheckFailure } from '@ledgerline/contracts/events/observed-events';
import { AddressNotAllowed } from '@ledgerline/platform/outbound/guarded-agent';
import { CertificateRefused } from './exchange';
import { NameNotResolved } from './resolve-name';

/** Why a check failed, and the same in a sentence for people. */
export interface Failure {
  readonly failure: CheckFailure;
  readonly detail: string;
}

/** What kept a check from an answer. */
export function whyFailed(error: unknown): Failure {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof AddressNotAllowed) return { failure: 'address', detail: message };
  if (error instanceof NameNotResolved) return { failure: 'dns', detail: message };
  if (error instanceof CertificateRefused) return { failure: 'tls', detail: message };
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'ETIMEDOUT') return { failure: 'timeout', detail: 'The server did not take the connection in time.' };
  if (/SSL|TLS|EPROTO/.test(code)) return { failure: 'tls', detail: tlsText(code) };
  return { failure: 'connection', detail: SENTENCES[code] ?? otherText(code) };
}

const SENTENCES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The server refused the connection: nothing listens at this port.',
  ECONNRESET: 'The server closed the connection before its answer was whole.',
  EPIPE: 'The server closed the connection before its answer was whole.',
  ENETUNREACH: 'The server cannot be reached from here.',
  EHOSTUNREACH: 'The server cannot be reached from here.',
  EADDRNOTAVAIL: 'The server cannot be reached from here.',
  HPE_HEADER_OVERFLOW: 'The headers of the answer are longer than 256 KiB.',
};

const tlsText = (code: string): string =>
  /WRONG_VERSION_NUMBER|PACKET_LENGTH/.test(code)
    ? 'The server does not speak TLS at this port.'
    : `There was no TLS connection (${code}).`;

const otherText = (code: string): string =>
  code.startsWith('HPE_') ? `The answer is no HTTP (${code}).` : `There was no answer (${code || 'unknown error'}).`;
