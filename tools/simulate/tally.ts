import type { Request, Route } from './requests';
import type { Reply } from './sender';

interface Counts {
  requests: number;
  sent: number;
  accepted: number;
}

/** Counts of what was sent, accepted and rejected. */
export class Tally {
  readonly routes = new Map<Route, Counts>();
  readonly refusals = new Map<string, number>();
  botsRecognised = 0;
  botsSent = 0;
  repeated = 0;

  add(request: Request, reply: Reply): void {
    if (request.isBot) this.addBot(request, reply);
    else this.addHuman(request, reply);
  }

  get sent(): number {
    return sum(this.routes, ({ sent }) => sent);
  }

  get accepted(): number {
    return sum(this.routes, ({ accepted }) => accepted);
  }

  private addBot({ hits }: Request, { status }: Reply): void {
    this.botsSent += hits;
    if (status === 204) this.botsRecognised += hits;
  }

  private addHuman({ route, hits }: Request, reply: Reply): void {
    const counts = this.routes.get(route) ?? { requests: 0, sent: 0, accepted: 0 };
    const { accepted, reasons } = judge(route, hits, reply);
    this.routes.set(route, {
      requests: counts.requests + 1,
      sent: counts.sent + hits,
      accepted: counts.accepted + accepted,
    });
    for (const reason of reasons) this.refusals.set(reason, (this.refusals.get(reason) ?? 0) + 1);
  }
}

interface Answer {
  readonly count?: number;
  readonly error?: string;
  readonly results?: readonly { readonly status: string; readonly message?: string }[];
  readonly errors?: readonly { readonly index?: number; readonly field: string; readonly message: string }[];
}

/** Number of accepted hits, and a reason for each rejected one. */
function judge(route: Route, hits: number, { status, body }: Reply): { accepted: number; reasons: string[] } {
  if (status >= 300 && status < 400 && route === 'short link') return { accepted: hits, reasons: [] };
  if (status !== 200) return { accepted: 0, reasons: Array<string>(hits).fill(whole(status, body)) };
  const { results, count = hits, errors = [] } = parse(body);
  if (results === undefined) {
    const reasons = errors.map(({ field, message }) => `${field} ${message}`);
    return { accepted: count, reasons: count < hits && reasons.length === 0 ? ['no reason given'] : reasons };
  }
  const bad = results.filter((result) => result.status !== 'success');
  return { accepted: results.length - bad.length, reasons: bad.map(({ message }) => message ?? 'no reason given') };
}

function whole(status: number, body: string): string {
  if (status === 0) return `no response (${body})`;
  return `${status} ${parse(body).error ?? ''}`.trim();
}

function parse(body: string): Answer {
  try {
    return JSON.parse(body) as Answer;
  } catch {
    return {};
  }
}

const sum = (routes: ReadonlyMap<Route, Counts>, of: (counts: Counts) => number): number =>
  [...routes.values()].reduce((total, counts) => total + of(counts), 0);
