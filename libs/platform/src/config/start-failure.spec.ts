import { createServer, type Server } from 'node:net';
import { Client } from 'pg';
import { explain, StartFailure } from './start-failure';

describe('a failed start', () => {
  it('prints the message of an expected failure', () => {
    expect(explain(new StartFailure('API_PORT is "x".'))).toBe('API_PORT is "x".');
    expect(explain(new Error('wrapped', { cause: new StartFailure('inner') }))).toBe('inner');
  });

  it('names a busy port', async () => {
    const busy = await listen(createServer(), 0);
    const { port } = busy.address() as { port: number };
    const error: unknown = await listen(createServer(), port).catch((failure: unknown) => failure);
    expect(explain(error)).toBe(
      `Port ${port} is already in use; stop what uses it or choose another with API_PORT or TRACKER_PORT.`,
    );
    busy.close();
  });

  it('names an unreachable database, without its password', async () => {
    const client = new Client({ connectionString: 'postgres://me:hidden@127.0.0.1:1/db' });
    const error: unknown = await client.connect().catch((failure: unknown) => failure);
    expect(explain(error)).toBe(
      'The database cannot be used (connection refused); check DATABASE_URL and that the server is running.',
    );
  });

  it.each([
    ['42501', 'permission denied for schema public', 'permission denied for schema public'],
    ['08P01', 'unsupported startup parameter: options', 'unsupported startup parameter: options'],
    ['3F000', 'no schema has been selected to create in', 'search_path names no schema to create tables in'],
    ['25006', 'cannot execute INSERT in a read-only transaction', 'it is read-only, as a standby is'],
    ['57P01', 'terminating connection', 'it is shutting down'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'x', 'its certificate is not trusted: SELF_SIGNED_CERT_IN_CHAIN'],
    [undefined, 'The server does not support SSL connections', 'it does not offer TLS, which sslmode asks for'],
  ])('says why a database cannot be used: %s', (code, message, reason) =>
    expect(explain(Object.assign(new Error(message), { code }))).toBe(
      `The database cannot be used (${reason}); check DATABASE_URL and that the server is running.`,
    ),
  );

  it('asks for the migrations where a table is missing', () => {
    const error = Object.assign(new Error('relation "intake_log" does not exist'), { code: '42P01' });
    expect(explain(error)).toBe('The tables of the database are missing; run "npm run migrate" first.');
  });

  it('is not explained away when it was not expected', () => {
    expect(explain(new TypeError('x is not a function'))).toBeUndefined();
    expect(explain('text')).toBeUndefined();
  });
});

function listen(server: Server, port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', () => resolve(server));
  });
}
