import { generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';

/** A certificate of a server at 127.0.0.1 and at names, and its key, in PEM. */
export interface Certificate {
  readonly certificate: string;
  readonly key: string;
}

interface Authority {
  /** In PEM. */
  readonly certificate: string;
  issue(validity?: Validity, names?: readonly string[]): Certificate;
}

interface Validity {
  readonly from: Date;
  readonly to: Date;
}

const DAY_MS = 86_400_000;
export const EXPIRED: Validity = { from: new Date(Date.now() - 2 * DAY_MS), to: new Date(Date.now() - DAY_MS) };
const VALID: Validity = { from: EXPIRED.from, to: new Date(Date.now() + 30 * DAY_MS) };

/** A new CA, which signs certificates; Node reads certificates but makes none, so here is their DER. */
export function newAuthority(): Authority {
  const own = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const certified = (subject: KeyObject, name: string, validity: Validity, extension: Buffer) =>
    toPem(signedBy(own.privateKey, statement(subject, name, validity, extension)));
  return {
    certificate: certified(own.publicKey, AUTHORITY, VALID, IS_AUTHORITY),
    issue: (validity = VALID, names = []) => {
      const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
      return { certificate: certified(publicKey, 'a server', validity, isAt(names)), key };
    },
  };
}

const AUTHORITY = 'A CA of a test';

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...parts: Buffer[]): Buffer => der(0x30, ...parts);
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));
const time = (at: Date): Buffer => der(0x18, Buffer.from(at.toISOString().replace(/[-:T]|\.\d+/g, ''), 'ascii')); // GeneralizedTime

const ECDSA_WITH_SHA256 = sequence(oid('2a8648ce3d040302'));
const COMMON_NAME = oid('550403');
const nameOf = (name: string): Buffer => sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from(name)))));

const extensionOf = (id: string, value: Buffer): Buffer => sequence(oid(id), der(0x04, value));
const IS_AUTHORITY = extensionOf('551d13', sequence(der(0x01, Buffer.from([0xff]))));
const LOOPBACK = der(0x87, Buffer.from([127, 0, 0, 1]));
const isAt = (names: readonly string[]): Buffer =>
  extensionOf('551d11', sequence(LOOPBACK, ...names.map((name) => der(0x82, Buffer.from(name)))));

/** TBSCertificate of RFC 5280. */
function statement(subject: KeyObject, name: string, { from, to }: Validity, extension: Buffer): Buffer {
  return sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1]), randomBytes(15)),
    ECDSA_WITH_SHA256,
    nameOf(AUTHORITY),
    sequence(time(from), time(to)),
    nameOf(name),
    subject.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(extension)),
  );
}

const signedBy = (key: KeyObject, told: Buffer): Buffer =>
  sequence(told, ECDSA_WITH_SHA256, der(0x03, Buffer.from([0]), sign('sha256', told, key)));

const toPem = (certificate: Buffer): string =>
  `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`;
