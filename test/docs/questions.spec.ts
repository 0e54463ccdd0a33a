import { documentAt, linksOf, sectionAt } from './documents';

/** The questions of a new reader, where it is answered, and words of the answer. */
const QUESTIONS: Readonly<Record<string, readonly (readonly [question: string, where: string, answer: RegExp])[]>> = {
  'who asks': [
    ['How do I see it with data?', 'README.md#start', /npm run simulate.*less than a minute/],
    ['Which line goes into my pages?', 'docs/browser-script.md#the-script-for-browsers', /<script defer src=/],
    ['How do I get a key?', 'docs/getting-started.md#a-key-for-this-website', /v1\/api-keys/],
    ['Which questions are there?', 'docs/queries.md#asking-questions', /GET \/v1\/query\/types/],
    ['What is a visitor?', 'docs/definitions.md#sessions', /visitor id.*hash of address and user agent/],
    ['How do I measure a conversion?', 'docs/goals.md#managing', /v1\/goals/],
    ['How do I show a dashboard to others?', 'docs/sharing.md#sharing-statistics', /v1\/shares/],
  ],
  'who reviews': [
    ['Who changed what?', 'docs/audit.md#1-read', /v1\/audit-log/],
    ['How do I verify it myself?', 'docs/audit.md#4-verify-without-the-installation', /npm run audit -- verify/],
    ['What does that not prove?', 'docs/audit.md#7-what-is-proven-and-what-is-not', /Not proven are/],
    ['What is stored of visitors, and for how long?', 'docs/privacy.md#what-is-stored-and-how-long', /48 hours/],
    ['How do I erase a visitor?', 'docs/audit.md#8-erase-a-person-or-a-visitor', /v1\/erasures/],
  ],
  'who runs it': [
    ['How do I start it in containers?', 'docs/deployment.md#one-machine', /docker compose/],
    ['How much memory and disk does it need?', 'docs/scaling.md#what-one-core-does', /disk, a month/],
    ['How do I back it up?', 'docs/operating.md#backup-and-restore', /npm run backup/],
    ['How do I upgrade without a pause?', 'docs/operating.md#upgrade', /prepare/],
    ['What do I watch?', 'docs/operating.md#metrics', /ledgerline_projection_lag_seconds/],
    ['Who may create an account?', 'docs/operating.md#operators-and-accounts', /SIGN_UP/],
  ],
  'who changes it': [
    ['What do I read first?', 'ARCHITECTURE.md#six-flows-to-read', /in this order/],
    ['What do I touch for a new query type?', 'ARCHITECTURE.md#what-to-touch-for-a-new-', /catalogue\.ts/],
  ],
};

const clicked = (path: string): readonly string[] => linksOf(documentAt(path)).filter((link) => link.endsWith('.md'));
const near = new Set(['README.md', ...clicked('README.md'), ...clicked('README.md').flatMap(clicked)]);

describe.each(Object.entries(QUESTIONS))('a new reader %s', (_, questions) => {
  it.each(questions)('finds within two clicks: %s', (_question, where, answer) => {
    const [path = '', anchor = ''] = where.split('#');
    expect([...near]).toContain(path);
    expect(sectionAt(documentAt(path), anchor)).toMatch(answer);
  });
});
