import { runScriptCommand, takesNothing } from './command';
import { newSecrets } from './supervisor/secrets';

const USAGE = `Usage: npm run --silent secrets > docker/.env

Prints random secrets for an installation with its own database, in the format of an env file.`;

runScriptCommand(USAGE, (args) => {
  takesNothing(args, USAGE);
  const secrets = newSecrets();
  process.stdout.write(`POSTGRES_PASSWORD=${secrets.postgresPassword}
DATABASE_URL=postgres://ledgerline:${secrets.postgresPassword}@localhost:5432/ledgerline
AUTH_SECRET=${secrets.authSecret}
KEY_PEPPER=${secrets.keyPepper}
AUDIT_SIGNING_KEY=${secrets.auditSigningKey}
`);
  return Promise.resolve();
});
