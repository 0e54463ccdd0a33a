import { examples, firstScreen, laterScreen, type FirstRun } from './screen';

describe('the screen of the first start', () => {
  it('shows addresses, ids, key and owner, where they are kept, and how to stop', () => {
    const screen = firstScreen(run, '.data/first-run.json');
    const shown = [run.apiUrl, run.trackUrl, run.websiteId, run.linkId, run.shortUrl, run.apiKey, run.owner.email];
    for (const text of [
      ...shown,
      run.owner.password,
      `${run.apiUrl}/console`,
      '.data/first-run.json',
      'npm run simulate',
      'Ctrl-C',
    ])
      expect(screen).toContain(text);
  });

  it('gives commands that a shell takes as they are', () => {
    for (const { command } of examples(run)) {
      expect(command).toMatch(/^curl (-i )?'http/);
      expect(command.match(/'/g)!.length % 2).toBe(0);
      expect(command).not.toMatch(/\\ *\n\s*$/);
    }
  });

  it('sends what a browser sends, as bots are not counted', () => {
    const [view, click] = examples(run);
    expect(view!.command).toContain("-A 'Mozilla/5.0");
    expect(click!.command).toContain("-A 'Mozilla/5.0");
  });
});

describe('the screen of a later start', () => {
  it('is short and shows no secret', () => {
    const screen = laterScreen(run, '.data/first-run.json');
    expect(screen.trim().split('\n').length).toBeLessThan(10);
    expect(screen).not.toContain(run.apiKey);
    expect(screen).toContain('.data/first-run.json');
    expect(laterScreen(run, undefined)).not.toContain('first-run');
  });
});

const run: FirstRun = {
  apiUrl: 'http://localhost:3000',
  trackUrl: 'http://localhost:3001',
  organizationId: 'org_1',
  websiteId: 'site_1',
  linkId: 'link_1',
  shortUrl: 'http://localhost:3001/demo',
  apiKey: 'svc_1',
  owner: { email: 'owner@example.com', password: 'pw' },
};
