import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { LANGUAGES, type Language, type SampleRequest, type Samples } from '../../apps/api/src/reference/samples';
import { ask } from '../api/ask';
import { newKey, ownerWithWebsite, type Owner } from '../api/people';
import { startTestApi, type TestApi } from '../api/test-api';
import { freePort } from '../network/free-port';
import { projectInto, type DirectProjector } from '../query/projected-database';
import { documentedRequests, type DescribedOperation } from './documented-requests';

type Command = readonly [command: string, ...args: string[]];

/** The commands that run a program; curl and Node first, as the others are not on every machine. */
const COMMANDS: Readonly<Record<Language, Command>> = {
  curl: ['sh', '-c'],
  JavaScript: [process.execPath, '--input-type=module', '-e'],
  Python: ['python3', '-c'],
  PHP: ['php', '-r'],
};

const isThere = (command: string) => spawnSync(command, ['--version']).status === 0;
const RUN = (Object.keys(LANGUAGES) as Language[]).filter((language) =>
  isThere(language === 'curl' ? 'curl' : COMMANDS[language][0]),
);

describe('the samples of the reference', () => {
  it('are there for every operation', async () => {
    const document = (await ask(api, 'GET /openapi.json')).body as unknown as {
      readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
    };
    const operations = documentedRequests(document).map(({ operation }) => operation);
    expect(Object.keys(samples).map(nameOf).sort()).toEqual([...new Set(operations)].sort());
  });

  it.each(RUN)('are answered: %s', async (language) => {
    expect(await run(language, 'get /v1/query/types')).toContain('"top_pages"');
    expect(await run(language, 'get /v1/query/websites')).toContain('"domain":"example.com"');
    expect(await run(language, 'post /v1/query')).toContain('"unique_visitors":0');
    expect(await run(language, 'post /v1/links')).toContain(`"slug":"spring-${language}"`);
    expect(await run(language, 'patch /v1/organizations/{id}')).toContain(`"id":"${owner.organizationId}"`);
  });

  it.each(RUN)('pass every text as it is: %s', async (language) => {
    const name = `a'b"c\\d $API_KEY \`e\` \u00e9`;
    const { url, ...rest } = AWKWARD;
    const answer = await execute(language, LANGUAGES[language]({ ...rest, url: `${base}${url}`, body: body(name) }));
    expect(answer).toContain(`"name":${JSON.stringify(name)}`);
  });
});

const AWKWARD: SampleRequest = {
  method: 'POST',
  url: '/v1/links',
  headers: [
    ['x-api-key', { prefix: '', variable: 'API_KEY' }],
    ['content-type', 'application/json'],
  ],
  body: undefined,
};

const body = (name: string) => ({
  organizationId: owner.organizationId,
  name,
  targetUrl: 'https://example.com/',
  expiresAt: null,
});

/** `get /v1/links` → `GET /v1/links` */
const nameOf = (key: string): string => key.replace(/^\w+/, (method) => method.toUpperCase());

/** Returns what the sample prints, with things that exist instead of those of the examples. */
const run = (language: Language, operation: string): Promise<string> =>
  execute(
    language,
    samples[operation]![language].replaceAll(/\bsite_01\w+/g, owner.websiteId)
      .replaceAll(/\borg_01\w+/g, owner.organizationId)
      .replaceAll(/(?<=["'])spring(?=["'])/g, `spring-${language}`),
  );

async function execute(language: Language, program: string): Promise<string> {
  const [command, ...args] = COMMANDS[language];
  const env = { PATH: process.env['PATH'], API_KEY: key, SESSION: session };
  const text = language === 'PHP' ? program.replace('<?php', '') : program;
  return (await promisify(execFile)(command, [...args, text], { env })).stdout;
}

let api: TestApi;
let projector: DirectProjector;
let base: string;
let owner: Owner;
let key: string;
let session: string;
let samples: Readonly<Record<string, Samples>>;

beforeAll(async () => {
  const port = await freePort();
  base = `http://127.0.0.1:${port}`;
  api = await startTestApi({ PUBLIC_API_URL: base }, {}, port);
  projector = await projectInto(api.settings.databaseUrl, []);
  owner = await ownerWithWebsite(api);
  key = await newKey(api, owner, { scopes: ['read:data', 'write:data'] });
  session = owner.headers['cookie'].replace(/^[^=]+=/, '');
  await projector.catchUp();
  samples = (await ask(api, 'GET /reference/samples.json')).body as unknown as typeof samples;
});

afterAll(async () => {
  await projector.close();
  await api.close();
});
