import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXPIRED, newAuthority } from './certificates';
import { EventStoreDbDouble } from './eventstoredb-double';

export const PASSWORD = 'pass:w@rd/ä?#%';

/** A double that speaks TLS and knows `admin`, who may everything, `ledgerline`, who may not ask for projections, and `reader`, who may not read `$all`. */
export interface GuardedDouble {
  readonly double: EventStoreDbDouble;
  /** In PEM. */
  readonly caFile: string;
  /** The file of a CA that signed nothing. */
  readonly otherCaFile: string;
  /** A connection string; also through a proxy on another port. */
  url(user?: string, password?: string, port?: number): string;
  stop(): void;
}

export async function guardedDouble({ expired = false } = {}): Promise<GuardedDouble> {
  const folder = mkdtempSync(join(tmpdir(), 'ledgerline-ca-'));
  const authority = newAuthority();
  const other = newAuthority();
  const caFile = join(folder, 'ca.pem');
  const otherCaFile = join(folder, 'other.pem');
  writeFileSync(caFile, authority.certificate);
  writeFileSync(otherCaFile, other.certificate);
  const forget = () => rmSync(folder, { recursive: true, force: true });
  const double = await EventStoreDbDouble.start({
    certificate: authority.issue(expired ? EXPIRED : undefined),
    users: {
      admin: { password: PASSWORD, mayReadAll: true },
      ledgerline: { password: PASSWORD, mayReadAll: true, mayAskProjections: false },
      reader: { password: PASSWORD, mayReadAll: false },
    },
  }).catch((error: unknown) => {
    forget();
    throw error;
  });
  return {
    double,
    caFile,
    otherCaFile,
    url: (user = 'admin', password = PASSWORD, port = double.port) =>
      `esdb://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}?tls=true&tlsCAFile=${encodeURIComponent(caFile)}`,
    stop: () => {
      double.stop();
      forget();
    },
  };
}
