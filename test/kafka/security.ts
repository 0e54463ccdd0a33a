import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newAuthority } from '../event-store/eventstoredb-double/certificates';

export type Security = 'none' | 'sasl' | 'tls+sasl';

export interface KafkaUser {
  readonly name: string;
  readonly password: string;
}

/** The connection that a client needs. Users can sign in with PLAIN, SCRAM-SHA-256 and SCRAM-SHA-512. */
export interface KafkaConnection {
  readonly brokers: readonly string[];
  /** A file with the certificate of the authority of the brokers, in PEM. */
  readonly caFile?: string;
  /** May do everything. */
  readonly user?: KafkaUser;
  /** May do nothing until an ACL allows it. */
  readonly stranger?: KafkaUser;
}

/** The protection of the listener of clients. */
export interface Protection {
  readonly connection: Omit<KafkaConnection, 'brokers'>;
  readonly settings: Readonly<Record<string, string>>;
  /** Arguments of the storage tool, which writes the first users. */
  readonly formatArguments: readonly string[];
}

/** Writes the certificates to `folder`. */
export function protect(security: Security, folder: string): Protection {
  if (security === 'none') return { connection: {}, settings: protocol('PLAINTEXT'), formatArguments: [] };
  const users = { user: newUser('ledgerline'), stranger: newUser('stranger') };
  const { settings: sasl, formatArguments } = withUsers(users.user, users.stranger);
  if (security === 'sasl')
    return { connection: users, settings: { ...protocol('SASL_PLAINTEXT'), ...sasl }, formatArguments };
  const { caFile, settings: tls } = withCertificates(folder);
  return {
    connection: { ...users, caFile },
    settings: { ...protocol('SASL_SSL'), ...sasl, ...tls },
    formatArguments,
  };
}

const newUser = (name: string): KafkaUser => ({ name, password: randomBytes(12).toString('hex') });

/** The brokers and controllers connect to each other over loopback without a password. */
const protocol = (ofClients: string) => ({
  'listener.security.protocol.map': `CLIENT:${ofClients},INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT`,
});

function withUsers(superUser: KafkaUser, stranger: KafkaUser): Omit<Protection, 'connection'> {
  const users = [superUser, stranger];
  const listener = 'listener.name.client';
  const modules = 'org.apache.kafka.common.security';
  const scram = `${modules}.scram.ScramLoginModule required;`;
  const plain = users.map(({ name, password }) => `user_${name}="${password}"`).join(' ');
  return {
    settings: {
      [`${listener}.sasl.enabled.mechanisms`]: 'PLAIN,SCRAM-SHA-256,SCRAM-SHA-512',
      [`${listener}.plain.sasl.jaas.config`]: `${modules}.plain.PlainLoginModule required ${plain};`,
      [`${listener}.scram-sha-256.sasl.jaas.config`]: scram,
      [`${listener}.scram-sha-512.sasl.jaas.config`]: scram,
      'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
      'super.users': `User:ANONYMOUS;User:${superUser.name}`,
    },
    formatArguments: users.flatMap(({ name, password }) =>
      ['SCRAM-SHA-256', 'SCRAM-SHA-512'].flatMap((mechanism) => [
        '--add-scram',
        `${mechanism}=[name=${name},password=${password}]`,
      ]),
    ),
  };
}

function withCertificates(folder: string) {
  const authority = newAuthority();
  const { certificate, key } = authority.issue();
  const caFile = join(folder, 'ca.pem');
  const keystore = join(folder, 'broker.pem');
  writeFileSync(caFile, authority.certificate);
  writeFileSync(keystore, key + certificate, { mode: 0o600 });
  return { caFile, settings: { 'ssl.keystore.type': 'PEM', 'ssl.keystore.location': keystore } };
}
