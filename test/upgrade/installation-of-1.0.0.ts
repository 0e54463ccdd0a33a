import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { restore } from '../../scripts/backup/backup-command';

/** A backup that version 1.0.0 wrote, and what it answered. */
export const FOLDER = join(__dirname, 'installation-of-1.0.0');
export const KEYS = join(FOLDER, '..', 'installation-of-1.0.0.keys.json');
export const ANSWERS = join(FOLDER, '..', 'installation-of-1.0.0.answers.json.gz');
/** The secrets of this installation alone, and of tests. */
export const SECRETS = {
  KEY_PEPPER: 'a pepper for tests that is long enough 0123456789',
  AUDIT_SIGNING_KEY: 'MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g',
  BACKUP_PASSPHRASE: 'not a secret: of a test',
};
const RANGE = { startDate: '2026-03-20', endDate: '2026-09-30', granularity: 'daily', limit: 50 };
const OF_LINK: readonly string[] = ['link_total_clicks', 'link_top_countries'];

export interface Recorded {
  readonly organizationId: string;
  readonly websiteId: string;
  readonly linkId: string;
  readonly email: string;
  readonly key: string;
  /** Rows by the names of types. */
  readonly answers: Readonly<Record<string, unknown>>;
}

export const readRecorded = (): Recorded => JSON.parse(gunzipSync(readFileSync(ANSWERS)).toString()) as Recorded;

/** The parameters by which the command of backups works on a database. */
export const contextOf = (databaseUrl: string) => ({
  variables: { ...SECRETS, DATABASE_URL: databaseUrl },
  print: () => undefined,
});

/** Restores the backup of 1.0.0 into an empty database. */
export const restoreInstallation = (databaseUrl: string): Promise<void> =>
  restore([FOLDER, '--with-keys', KEYS], contextOf(databaseUrl));

/** Asks `POST /v1/query` with a key; answers its data. */
type AskQuery = (target: string, key: string, body: object) => Promise<readonly { parameter: string; data: unknown }[]>;

/** By the type's name its rows, and those of the link. @param types of the website; those that are recorded by default */
export async function answersOf(
  query: AskQuery,
  { websiteId, linkId, key }: Pick<Recorded, 'websiteId' | 'linkId' | 'key'>,
  types: readonly string[] = Object.keys(readRecorded().answers).filter((name) => !OF_LINK.includes(name)),
): Promise<Recorded['answers']> {
  const answers = [];
  for (const name of types)
    answers.push(...(await query(`website_id=${websiteId}`, key, { ...RANGE, parameters: [name] })));
  answers.push(...(await query(`link_id=${linkId}`, key, { ...RANGE, parameters: OF_LINK })));
  const rows = Object.fromEntries(answers.map(({ parameter, data }) => [parameter, data]));
  return JSON.parse(JSON.stringify(rows)) as Recorded['answers'];
}
