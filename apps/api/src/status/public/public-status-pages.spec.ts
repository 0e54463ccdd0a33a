import { StatusScene } from '@test/monitors/status-scene';

describe('a public status page', () => {
  it('shows its monitors in their order, with 90 days', async () => {
    const shop = await scene.monitor('Shop');
    const blog = await scene.monitor('Blog');
    await scene.checks(shop, 48, (ago) => ago === 30);
    await scene.checks(blog, 1);
    const { slug } = await scene.page([blog, shop], { description: 'All of it' });
    const { body } = await scene.get(`/public/v1/status-pages/${slug}`);
    expect(body).toMatchObject({ name: 'Shop', description: 'All of it', overallStatus: 'operational', incidents: [] });
    const monitors = body.monitors as Monitor[];
    expect(monitors.map(({ id, currentStatus }) => [id, currentStatus])).toEqual([
      [blog, 'up'],
      [shop, 'up'],
    ]);
    expect(monitors.map(({ dailyData }) => dailyData.length)).toEqual([90, 90]);
    expect(monitors[1]).toMatchObject({
      uptimePercentage: 97.92,
      lastCheckedAt: expect.stringMatching(/Z$/) as string,
    });
    const last = monitors[1]!.dailyData.at(-1)!;
    const nothing = { uptime_percentage: null, total_checks: 0, avg_response_time: null, p95_response_time: null };
    expect(monitors[1]!.dailyData[0]).toEqual({ date: dayAgo(89), ...nothing });
    expect(last.date).toBe(dayAgo(0));
    expect(last.avg_response_time).toBeGreaterThan(100);
    expect(monitors.flatMap(Object.keys)).not.toContain('failure');
  });

  it('reports a downtime by itself, as long as it lasts and when it is over', async () => {
    const down = await scene.monitor('Api');
    const back = await scene.monitor('Mail');
    await scene.checks(down, 10, (ago) => ago < 3);
    await scene.checks(back, 10, (ago) => ago === 4 || ago === 5);
    const { slug } = await scene.page([down, back]);
    const { body } = await scene.get(`/public/v1/status-pages/${slug}`);
    expect(body).toMatchObject({
      overallStatus: 'degraded',
      monitors: [{ currentStatus: 'down' }, { currentStatus: 'up' }],
      incidents: [
        { title: 'Api is down', status: 'investigating', severity: 'major', resolvedAt: null, updates: [] },
        { title: 'Mail was down', status: 'resolved', resolvedAt: expect.stringMatching(/Z$/) as string },
      ],
    });
    const ids = (body.incidents as { id: string }[]).map(({ id }) => id);
    expect(ids.every((id) => /^inc_[0-9A-Z]{26}$/.test(id))).toBe(true);
    const again = (await scene.get(`/public/v1/status-pages/${slug}`)).body.incidents as { id: string }[];
    expect(again.map(({ id }) => id)).toEqual(ids);
  });

  it('is unknown while nothing is known of its monitors', async () => {
    const fresh = await scene.monitor('New');
    const paused = await scene.monitor('Paused', { paused: true });
    const stale = await scene.monitor('Stale');
    await scene.checks(paused, 2);
    await scene.checks(stale, 2, undefined, { intervalSeconds: 30 });
    for (const [monitors, status] of [
      [[], 'unknown'],
      [[fresh], 'unknown'],
      [[fresh, paused], 'unknown'],
    ] as const) {
      const { slug } = await scene.page(monitors);
      expect((await scene.get(`/public/v1/status-pages/${slug}`)).body.overallStatus).toBe(status);
    }
  });

  it('shows what people report, and is the worse for it', async () => {
    const shop = await scene.monitor('Shop');
    await scene.checks(shop, 1);
    const page = await scene.page([shop]);
    await scene.incident(page.id, { severity: 'critical' });
    const hour = (n: number) => new Date(Date.now() + n * 3_600_000).toISOString();
    const planned = { severity: 'maintenance', startsAt: hour(24), endsAt: hour(25), monitorIds: [shop] };
    await scene.incident(page.id, { title: 'New disks', ...planned });
    await scene.incident(page.id, { title: 'Old disks', ...planned, startsAt: hour(-3), endsAt: hour(-2) });
    const { body } = await scene.get(`/public/v1/status-pages/${page.slug}`);
    expect(body).toMatchObject({
      overallStatus: 'outage',
      monitors: [{ currentStatus: 'up' }],
      incidents: [
        { title: 'Old disks', status: 'resolved', resolvedAt: expect.stringMatching(/Z$/) as string },
        { title: 'New disks', severity: 'maintenance', startsAt: planned.startsAt, endsAt: planned.endsAt },
        { title: 'Orders fail', updates: [{ status: 'investigating', message: 'We are looking.' }] },
      ],
    });
  });

  it('says that a system is under maintenance while one is under way, and nothing of one before or after it', async () => {
    const shop = await scene.monitor('Shop');
    const blog = await scene.monitor('Blog');
    await scene.checks(shop, 4, () => true, { maintenance: true });
    await scene.checks(blog, 4);
    const page = await scene.page([shop, blog]);
    const see = async () => (await scene.get(`/public/v1/status-pages/${page.slug}`)).body;
    const now = maintenance(-60, 60);
    const id = await scene.incident(page.id, { title: 'New disks', ...now, monitorIds: [shop] });
    await scene.incident(page.id, { title: 'Later', ...maintenance(60, 90), monitorIds: [blog] });
    expect(await see()).toMatchObject({
      overallStatus: 'maintenance',
      monitors: [{ currentStatus: 'maintenance' }, { currentStatus: 'up' }],
    });
    const html = (await scene.get(`/status/${page.slug}`)).text;
    expect(html).toContain('Some systems are under maintenance');
    expect(html).toMatch(/New disks<\/h3>\s+<p class="soft">\s*Under maintenance ·/);
    expect(html.indexOf('New disks')).toBeLessThan(html.indexOf('Later'));
    expect(html).toMatch(/Later<\/h3>\s+<p class="soft">\s*Planned maintenance ·/);
    expect((await scene.get(`/status/${page.slug}/badge.svg`)).text).toContain('status: under maintenance');
    expect((await scene.get(`/status/${page.slug}/feed.atom`)).text).toContain('>Under maintenance.');
    const path = `/v1/monitors/status?organizationId=${scene.owner.organizationId}`;
    const { data } = (await scene.get(path, scene.owner.headers)).body as { data: Monitor[] };
    expect(data.find((each) => each.id === shop)?.currentStatus).toBe('maintenance');
    await scene.update(page.id, id, { update: { status: 'resolved', message: 'Done.' } });
    expect(await see()).toMatchObject({
      overallStatus: 'degraded',
      monitors: [{ currentStatus: 'degraded' }, { currentStatus: 'up' }],
    });
  });

  it('is degraded by a monitor that is slow, of which only members see why', async () => {
    const shop = await scene.monitor('Shop');
    const certificateExpiresAt = Date.parse('2030-01-01T00:00:00Z');
    await scene.checks(shop, 3, undefined, { warning: 'slow', detail: 'It took 2 s.', certificateExpiresAt });
    const { slug } = await scene.page([shop]);
    const { body, text } = await scene.get(`/public/v1/status-pages/${slug}`);
    expect(body).toMatchObject({ overallStatus: 'degraded', monitors: [{ currentStatus: 'degraded' }], incidents: [] });
    expect(text).not.toMatch(/It took|certificate|warning/);
    const path = `/v1/monitors/status?organizationId=${scene.owner.organizationId}`;
    const { data } = (await scene.get(path, scene.owner.headers)).body as { data: Monitor[] };
    expect(data.find(({ id }) => id === shop)).toMatchObject({
      currentStatus: 'degraded',
      uptimePercentage: 100,
      failure: null,
      warning: 'slow',
      detail: 'It took 2 s.',
      certificateExpiresAt: '2030-01-01T00:00:00.000Z',
    });
  });

  it('ends a downtime with the last check when the monitor is paused', async () => {
    const shop = await scene.monitor('Shop');
    await scene.checks(shop, 5, (ago) => ago < 2);
    const { slug } = await scene.page([shop]);
    const see = async () => (await scene.get(`/public/v1/status-pages/${slug}`)).body as unknown as Report;
    expect((await see()).incidents).toMatchObject([{ title: 'Shop is down', resolvedAt: null }]);
    await scene.pause(shop);
    const { incidents, monitors } = await see();
    expect(incidents).toMatchObject([{ title: 'Shop was down', resolvedAt: monitors[0]?.lastCheckedAt }]);
  });

  it('is found by its slug alone, and only while it is public', async () => {
    const hidden = await scene.page([], { isPublic: false });
    const shown = await scene.page([]);
    for (const slug of [hidden.slug, 'no-such-page', shown.id])
      for (const path of [
        `/public/v1/status-pages/${slug}`,
        ...['', '/feed.atom', '/badge.svg'].map((end) => `/status/${slug}${end}`),
      ])
        expect(await scene.get(path)).toMatchObject({ status: 404, body: { error: 'Status page not found' } });
    const { data } = (await scene.get('/public/v1/status-pages')).body as { data: string[] };
    expect(data).toContain(shown.slug);
    expect(data).not.toContain(hidden.slug);
  });

  it('may be cached for a minute, and is not sent again while it is the same', async () => {
    const { slug } = await scene.page([]);
    for (const path of [
      `/public/v1/status-pages/${slug}`,
      `/status/${slug}`,
      `/status/${slug}/feed.atom`,
      `/status/${slug}/badge.svg`,
    ]) {
      const { headers, text } = await scene.get(path);
      expect(headers['cache-control']).toBe('public, max-age=60');
      const etag = String(headers['etag']);
      expect(etag).toMatch(/^"[\w-]+"$/);
      expect(text).not.toBe('');
      for (const known of [etag, `W/${etag}`, `"x", ${etag}`])
        expect(await scene.get(path, { 'if-none-match': known })).toMatchObject({ status: 304, text: '' });
      expect((await scene.get(path, { 'if-none-match': '"x"' })).status).toBe(200);
    }
  });

  it('is a page whose texts are escaped, with a bar and a text for each day', async () => {
    const shop = await scene.monitor('<b>Shop</b>');
    await scene.checks(shop, 30, (ago) => ago === 5);
    const page = await scene.page([shop], { name: '<script>1</script>', description: '"a" & \'b\'' });
    await scene.incident(page.id, { title: '<img src=x>', message: '</li><script>2</script>' });
    const { headers, text } = await scene.get(`/status/${page.slug}`);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(text).not.toMatch(/<script|<img|<b>/);
    expect(text).toContain('&#60;script&#62;1&#60;/script&#62;');
    expect(text.match(/<li class="(none|full|high|low)" title="\d{4}-\d\d-\d\d: [^"]+"><span>/g)).toHaveLength(90);
    expect(text).toContain(`${dayAgo(89)}: no data`);
  });

  it('shows times in its zone, and goes on in UTC without one', async () => {
    const page = await scene.page([], { timezone: 'Asia/Kathmandu' });
    const planned = { severity: 'maintenance', startsAt: '2030-01-01T20:00:00Z', endsAt: '2030-01-01T21:00:00Z' };
    await scene.incident(page.id, planned);
    for (const path of ['', '/feed.atom'])
      expect((await scene.get(`/status/${page.slug}${path}`)).text).toContain('2 Jan 2030, 01:45–02:45 GMT+5:45');
    const other = await scene.page([]);
    expect((await scene.get(`/status/${other.slug}`)).text).toContain('Days are of UTC, times of UTC');
  });

  it('has a feed of its incidents', async () => {
    const page = await scene.page([], { name: 'A & B' });
    const id = await scene.incident(page.id, { title: 'Orders < 1' });
    const { headers, text } = await scene.get(`/status/${page.slug}/feed.atom`);
    expect(headers['content-type']).toBe('application/atom+xml; charset=utf-8');
    const url = `http://localhost:3000/status/${page.slug}`;
    expect(text).toMatch(/^<\?xml version="1.0" encoding="utf-8"\?>\s+<feed xmlns="http:\/\/www.w3.org\/2005\/Atom">/);
    expect(text).toContain('<title>A &#38; B: status</title>');
    expect(text).toContain(`<id>${url}#${id}</id>`);
    expect(text).toContain('<title>Orders &#60; 1</title>');
    expect(text).toContain('Investigating: We are looking.');
  });

  it('has a feed that is XML whatever its texts hold, and is as old as its page when it is empty', async () => {
    const title = 'a\uFFFEb\uFFFFc 😀 \u{1FFFF}';
    const page = await scene.page([], { name: `A${title}`, description: title });
    const empty = await scene.get(`/status/${page.slug}/feed.atom`);
    const { updatedAt } = (await scene.get(`/public/v1/status-pages/${page.slug}`)).body;
    expect(empty.text).toContain(`<updated>${String(updatedAt)}</updated>`);
    expect(Date.now() - Date.parse(String(updatedAt))).toBeLessThan(60_000);
    await scene.incident(page.id, { title, message: `${title}\nmore\uFFFF` });
    for (const path of ['/feed.atom', '/badge.svg', '']) {
      const { text } = await scene.get(`/status/${page.slug}${path}`);
      expect(text).toMatch(/^[\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]*$/u);
    }
    const { text } = await scene.get(`/status/${page.slug}/feed.atom`);
    expect(text).toContain('<title>a\uFFFDb\uFFFDc 😀 \u{1FFFF}</title>');
  });

  it('has a badge, which other websites may show', async () => {
    const { slug } = await scene.page([]);
    const { headers, text } = await scene.get(`/status/${slug}/badge.svg`);
    expect(headers).toMatchObject({
      'content-type': 'image/svg+xml; charset=utf-8',
      'cross-origin-resource-policy': 'cross-origin',
    });
    expect(text).toContain('aria-label="status: unknown"');
  });
});

interface Report {
  readonly incidents: readonly object[];
  readonly monitors: readonly { readonly lastCheckedAt: string }[];
}

/** From and to so many minutes from now. */
const maintenance = (from: number, to: number) => {
  const [startsAt, endsAt] = [from, to].map((minutes) => new Date(Date.now() + minutes * 60_000).toISOString());
  return { severity: 'maintenance', startsAt, endsAt };
};

interface Monitor {
  readonly id: string;
  readonly currentStatus: string;
  readonly dailyData: readonly { readonly date: string; readonly avg_response_time: number | null }[];
}

const dayAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

let scene: StatusScene;

beforeAll(async () => {
  scene = await StatusScene.open();
});

afterAll(() => scene.close());
