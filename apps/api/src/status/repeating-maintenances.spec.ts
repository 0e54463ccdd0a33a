import { ask } from '@test/api/ask';
import type { Owner } from '@test/api/people';
import { StatusScene } from '@test/monitors/status-scene';

describe('a maintenance that repeats over HTTP', () => {
  it('is planned, changed, ended for an occurrence and as a whole', async () => {
    const page = await newPage();
    const created = await ask(scene.api, `POST ${page}/incidents`, { body: REPEATING, headers });
    const whole = { interval: 1, monthDay: null, until: null, ...REPEAT };
    expect(created).toMatchObject({
      status: 201,
      body: {
        startsAt: null,
        endsAt: null,
        resolvedAt: null,
        repeat: whole,
        repeats: 'Every Tuesday and Thursday 02:00–03:00, Europe/Berlin',
        occurrence: { day: '2090-01-03', startsAt: '2090-01-03T01:00:00.000Z', endsAt: '2090-01-03T02:00:00.000Z' },
      },
    });
    expect(created.body).not.toHaveProperty('repeatSetAt');
    const path = `${page}/incidents/${String(created.body.id)}` as const;
    const change = async (body: object) => ask(scene.api, `PATCH ${path}`, { body, headers });
    const off = { status: 'resolved', message: 'Not needed.', occurrence: '2090-01-03' };
    expect(await change({ update: off })).toMatchObject({
      status: 200,
      body: { resolvedAt: null, occurrence: { day: '2090-01-05' }, updates: [{ occurrence: null }, off] },
    });
    const repeat = { ...REPEAT, every: 'month', weekdays: [], monthDay: 'last' };
    expect(await change({ repeat })).toMatchObject({
      body: { repeat: { monthDay: 'last' }, occurrence: { day: '2090-01-31' } },
    });
    expect(await change({ update: { status: 'resolved', message: 'No more.' } })).toMatchObject({
      body: { resolvedAt: expect.stringMatching(/Z$/) as string, occurrence: null },
    });
    const once = { repeat: null, startsAt: '2090-01-01T00:00:00.000Z', endsAt: '2090-01-01T01:00:00.000Z' };
    expect(await change(once)).toMatchObject({ status: 200, body: { ...once, repeats: null } });
    expect(await change({ repeat: REPEAT })).toMatchObject({ status: 200, body: { startsAt: null, endsAt: null } });
  });

  it.each([
    [{ every: 'year' }, 'repeat.every'],
    [{ interval: 0 }, 'repeat.interval'],
    [{ interval: 1.5 }, 'repeat.interval'],
    [{ weekdays: [] }, 'repeat.weekdays'],
    [{ weekdays: ['Dienstag'] }, 'repeat.weekdays[0]'],
    [{ monthDay: 32 }, 'repeat.monthDay'],
    [{ every: 'month', weekdays: null, monthDay: 'first' }, 'repeat.monthDay'],
    [{ timezone: 'Mars/Base' }, 'repeat.timezone'],
    [{ startTime: '24:00' }, 'repeat.startTime'],
    [{ durationMinutes: 0 }, 'repeat.durationMinutes'],
    [{ durationMinutes: 2 * 1_440 }, 'repeat.durationMinutes'],
    [{ from: '2026-02-30' }, 'repeat.from'],
    [{ until: 'never' }, 'repeat.until'],
    [{ until: '2089-12-31' }, 'repeat.until'],
    [{ colour: 'red' }, 'repeat.colour'],
  ])('is refused when it has %j', async (wrong, field) => {
    const page = await newPage();
    const body = { ...REPEATING, repeat: { ...REPEAT, ...wrong } };
    expect(await ask(scene.api, `POST ${page}/incidents`, { body, headers })).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_ERROR', details: [expect.objectContaining({ field })] },
    });
  });

  it.each([
    [{ repeat: 'daily' }, 'repeat'],
    [{ repeat: [] }, 'repeat'],
    [{ severity: 'minor' }, 'repeat'],
    [{ repeat: null }, 'startsAt'],
    [{ update: { status: 'resolved', message: 'Done.', occurrence: '2090-01-04' } }, 'update.occurrence'],
    [{ update: { status: 'resolved', message: 'Done.', occurrence: 'tomorrow' } }, 'update.occurrence'],
  ])('is not changed by %j', async (wrong, field) => {
    const page = await newPage();
    const { id } = (await ask(scene.api, `POST ${page}/incidents`, { body: REPEATING, headers })).body;
    expect(await ask(scene.api, `PATCH ${page}/incidents/${String(id)}`, { body: wrong, headers })).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_ERROR', details: [expect.objectContaining({ field })] },
    });
  });
});

describe('a public status page', () => {
  it('shows of a maintenance that repeats the occurrence that goes on or is next, and the last one', async () => {
    const shop = await scene.monitor('Shop');
    await scene.checks(shop, 4);
    const page = await scene.page([shop]);
    const see = async () => (await scene.get(`/public/v1/status-pages/${page.slug}`)).body;
    const began = new Date(Date.now() - 30 * 60_000).toISOString();
    const day = began.slice(0, 10);
    const startTime = began.slice(11, 16);
    const repeat = { every: 'day', timezone: 'UTC', startTime, durationMinutes: 60, from: day };
    const about = { title: 'New disks', severity: 'maintenance', monitorIds: [shop], repeat };
    const id = await scene.incident(page.id, about);
    const today = `${id}.${day}`;
    const tomorrow = `${id}.${dayAfter(day)}`;
    const repeats = `Every day ${startTime}–${minutesLater(startTime, 60)}, UTC`;
    expect(await see()).toMatchObject({
      overallStatus: 'maintenance',
      monitors: [{ currentStatus: 'maintenance' }],
      incidents: [{ id: today, startsAt: `${day}T${startTime}:00.000Z`, resolvedAt: null, repeats }],
    });
    const html = (await scene.get(`/status/${page.slug}`)).text;
    expect(html).toContain(`id="${today}"`);
    expect(html).toContain(repeats);
    expect((await scene.get(`/status/${page.slug}/badge.svg`)).text).toContain('status: under maintenance');
    const feed = async () => (await scene.get(`/status/${page.slug}/feed.atom`)).text;
    const idsIn = (text: string) => [...text.matchAll(/<id>.*#(.*)<\/id>/g)].map(([, each]) => each);
    const before = await feed();
    expect(idsIn(before)).toEqual([today]);
    expect(before).toContain(`${repeats}.`);
    expect(await feed()).toBe(before);
    await scene.update(page.id, id, { update: { status: 'resolved', message: 'Done.', occurrence: day } });
    expect(await see()).toMatchObject({
      overallStatus: 'operational',
      monitors: [{ currentStatus: 'up' }],
      incidents: [
        { id: tomorrow, status: 'investigating', resolvedAt: null, updates: [{ message: 'We are looking.' }] },
        { id: today, status: 'resolved', updates: [{}, { status: 'resolved', message: 'Done.' }] },
      ],
    });
    expect(idsIn(await feed())).toEqual([tomorrow, today]);
    const ended = (await scene.get(`/status/${page.slug}`)).text;
    expect(ended).toMatch(/Planned maintenance · [^]*Past incidents[^]*Maintenance is over · /);
    expect(ended).not.toContain(`${dateText(day)}, ${startTime}–${minutesLater(startTime, 60)} UTC`);
    await scene.update(page.id, id, { update: { status: 'resolved', message: 'No more.' } });
    expect(await see()).toMatchObject({
      incidents: [{ id: tomorrow, status: 'resolved', updates: [{}, { message: 'No more.' }] }, { id: today }],
    });
    expect((await scene.get(`/status/${page.slug}`)).text).toContain('Maintenance called off · ');
  });
});

const REPEAT = {
  every: 'week',
  weekdays: ['tuesday', 'thursday'],
  timezone: 'Europe/Berlin',
  startTime: '02:00',
  durationMinutes: 60,
  from: '2090-01-01',
};
const REPEATING = { title: 'New disks', severity: 'maintenance', message: 'We change disks.', repeat: REPEAT };

let scene: StatusScene;
let headers: Owner['headers'];

const newPage = async () => `/v1/status-pages/${(await scene.page([])).id}` as const;

const dateText = (day: string) => new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' }).format(new Date(day));
const dayAfter = (day: string) => new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);
const minutesLater = (time: string, minutes: number) =>
  new Date(Date.parse(`2026-01-01T${time}Z`) + minutes * 60_000).toISOString().slice(11, 16);

beforeAll(async () => {
  scene = await StatusScene.open();
  headers = scene.owner.headers;
});

afterAll(() => scene.close());
