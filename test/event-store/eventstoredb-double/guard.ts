import { Metadata, ServerCredentials, status } from '@grpc/grpc-js';
import type { Certificate } from './certificates';

/** Certificate and users of a double that is not open to everyone. */
export interface Guarded {
  readonly certificate: Certificate;
  /** By name. */
  readonly users: Readonly<Record<string, User>>;
}

interface User {
  readonly password: string;
  /** As one of $admins, or by the ACL of $all. */
  readonly mayReadAll: boolean;
  /** As one of $ops or $admins; every user by default. */
  readonly mayAskProjections?: boolean;
}

interface Refusal {
  readonly code: status;
  readonly details: string;
  readonly metadata?: Metadata;
}

const UNKNOWN: Refusal = { code: status.UNAUTHENTICATED, details: 'Unauthenticated' };

/** TLS and users, as the server has them; without them every call is allowed, as with --insecure. */
export class Guard {
  constructor(private readonly guarded?: Guarded) {}

  get credentials(): ServerCredentials {
    if (!this.guarded) return ServerCredentials.createInsecure();
    const { certificate, key } = this.guarded.certificate;
    const private_key = Buffer.from(key);
    const cert_chain = Buffer.from(certificate);
    return ServerCredentials.createSsl(null, [{ private_key, cert_chain }]);
  }

  /** Undefined when the call is allowed. */
  refusal({ metadata }: { readonly metadata: Metadata }, wanted?: 'all' | 'projections'): Refusal | undefined {
    if (!this.guarded) return undefined;
    const [header] = metadata.get('authorization').map(String);
    if (header === undefined) return denied();
    const given = Buffer.from(header.replace(/^Basic /, ''), 'base64').toString();
    const users = Object.entries(this.guarded.users);
    const user = users.find(([name, { password }]) => given === `${name}:${password}`)?.[1];
    if (!user) return UNKNOWN;
    const { mayReadAll, mayAskProjections = true } = user;
    const isDenied = (wanted === 'all' && !mayReadAll) || (wanted === 'projections' && !mayAskProjections);
    return isDenied ? denied() : undefined;
  }
}

export function denied(): Refusal {
  const metadata = new Metadata();
  metadata.set('exception', 'access-denied');
  return { code: status.PERMISSION_DENIED, details: 'Access Denied', metadata };
}
