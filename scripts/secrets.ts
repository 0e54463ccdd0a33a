import { newSecrets } from './supervisor/secrets';

/** `npm run secrets`: random secrets for an installation with a database of its own, as the lines of an env file. */
const secrets = newSecrets();

process.stdout.write(`POSTGRES_PASSWORD=${secrets.postgresPassword}
DATABASE_URL=postgres://ledgerline:${secrets.postgresPassword}@localhost:5432/ledgerline
AUTH_SECRET=${secrets.authSecret}
KEY_PEPPER=${secrets.keyPepper}
AUDIT_SIGNING_KEY=${secrets.auditSigningKey}
`);
