import { ask } from '../api/ask';
import { invite, join, ownerWithWebsite, signUp, type Owner, type Person } from '../api/people';
import { startTestApi, type TestApi } from '../api/test-api';
import { mailTo } from '../mail/written-mails';
import { newGrant } from '../oauth/new-grant';
import { projectInto } from '../query/projected-database';
import { placesOf, storedInFiles, storedInTables } from './stored-bytes';

const PASSWORD = 'correct horse battery';
const ADDRESSES = ['zenobia@first.example', 'zenobia@second.example', 'zenobia@third.example'] as const;
/** Parts of every name and address that the person ever had. */
const PERSONAL = ['Zenobia', 'zenobia', 'Palmyrene', 'first.example', 'second.example', 'third.example'];

describe('what an installation without a mail server holds of a person', () => {
  it('has name and addresses in tables and mails, and never in the log, before the erasure', async () => {
    const { tables, files, log } = await stored();
    for (const place of ['auth.user', 'public.invitation_addresses'])
      expect(placesOf(tables, PERSONAL).join()).toContain(place);
    expect(placesOf(files, PERSONAL).filter((place) => place.includes('mails')).length).toBeGreaterThan(4);
    expect(placesOf(log, PERSONAL)).toEqual([]);
  });

  it('is nowhere after the erasure by the last organization', async () => {
    const body = { organizationId: owner.organizationId, subject: { userId: person.id } };
    const answer = await ask(api, 'POST /v1/erasures', { body, headers: owner.headers });
    expect([answer.status, answer.body.state]).toEqual([202, 'completed']);
    const { tables, files, log } = await stored();
    for (const each of [tables, files, log]) expect(placesOf(each, PERSONAL)).toEqual([]);
    const audit = await ask(api, `GET /v1/audit-log?organizationId=${owner.organizationId}&limit=200`, owner);
    expect(audit.body).toMatchObject({ hasMore: false });
    expect(placesOf([{ place: 'audit log', text: audit.text }], PERSONAL)).toEqual([]);
  });
});

describe('what an installation without a mail server holds of an invitation', () => {
  it.each([['pending'], ['revoked']])('is nowhere after the erasure of one that is %s', async (state) => {
    const email = `Unread.${state}@invited.example`;
    const invitationId = await invite(api, owner, email);
    await mailTo(api, email.toLowerCase());
    if (state === 'revoked')
      await ask(api, `DELETE /v1/organizations/${owner.organizationId}/invitations/${invitationId}`, owner);
    const places = async () => {
      const { tables, files, log } = await stored();
      return [tables, files, log].flatMap((each) => placesOf(each, [email, email.toLowerCase()]));
    };
    expect((await places()).join()).toContain('mails');
    const body = { organizationId: owner.organizationId, subject: { invitationId } };
    const answer = await ask(api, 'POST /v1/erasures', { body, headers: owner.headers });
    expect([answer.status, answer.body.state]).toEqual([202, 'completed']);
    expect(await places()).toEqual([]);
  });
});

let api: TestApi;
let owner: Owner;
let person: Person;

/** After everything was projected. */
async function stored() {
  const projector = await projectInto(api.settings.databaseUrl, []);
  await projector.catchUp();
  await projector.close();
  const tables = await storedInTables(api.settings.databaseUrl);
  const files = await storedInFiles(api.settings.dataDir);
  return { tables, files, log: [{ place: 'log', text: api.log.join('\n') }] };
}

const post = (path: string, body: object) => ask(api, `POST ${path}`, { body, headers: person.headers });

/** Leaves name and address wherever the product takes them. */
async function live(): Promise<void> {
  const elsewhere = await ownerWithWebsite(api);
  await join(api, owner, person, 'admin');
  await join(api, elsewhere, person, 'member');
  await post('/v1/auth/update-user', { name: 'Zenobia Palmyrene' });
  await ask(api, `PATCH /v1/websites/${owner.websiteId}`, { body: { name: 'Renamed' }, headers: person.headers });
  await post('/v1/organizations', { name: 'Own' });
  await newGrant(api, { ...owner, id: person.id });
  await post('/v1/auth/change-email', { newEmail: ADDRESSES[1], currentPassword: PASSWORD });
  const token = /token=(\S+)/.exec((await mailTo(api, ADDRESSES[1])).text)?.[1];
  await post(`/v1/auth/verify-email?token=${token}`, {});
  await mailTo(api, ADDRESSES[0]);
  await post('/v1/auth/change-email', { newEmail: ADDRESSES[2], currentPassword: PASSWORD });
  await mailTo(api, ADDRESSES[2]);
  await post('/v1/auth/request-password-reset', { email: ADDRESSES[1] });
  await post('/v1/auth/sign-in/email', { email: ADDRESSES[1], password: 'not the password' });
  await invite(api, await ownerWithWebsite(api), ADDRESSES[1]);
  await mailTo(api, ADDRESSES[1], 3);
  const organizations = (await ask(api, 'GET /v1/organizations', person)).body.data as readonly { id: string }[];
  const [own] = organizations.filter(({ id }) => ![owner.organizationId, elsewhere.organizationId].includes(id));
  await ask(api, `DELETE /v1/organizations/${own!.id}`, person);
  await ask(api, `DELETE /v1/organizations/${elsewhere.organizationId}/members/${person.id}`, person);
}

beforeAll(async () => {
  api = await startTestApi({ MAIL_TO_FILES: '1', LOG_LEVEL: 'trace', LIMIT_FAILED_AUTH_PER_MINUTE: '1000' });
  owner = await ownerWithWebsite(api);
  person = await signUp(api, ADDRESSES[0]);
  await live();
});

afterAll(() => api.close());
