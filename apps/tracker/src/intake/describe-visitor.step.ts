import { readAgent } from '../visitors/agent';
import { botVerdict, NOT_SEEN } from '../visitors/bot-verdict';
import type { IntakeContext, IntakeDeps } from './intake-context';

/** Detects bots and what nobody sees. A request with an API key is never judged, because servers look like bots. */
export function judgeBots(context: IntakeContext): void {
  if (context.caller !== null) return;
  context.bot = botVerdict(context.userAgent) ?? (context.request.isUnseen ? NOT_SEEN : null);
}

/** Country, browser and so on. The address and user agent of a server with a key are not its visitors'. */
export function describeVisitor(context: IntakeContext, { geo }: Pick<IntakeDeps, 'geo'>): void {
  const { address, userAgent, caller } = context;
  if (caller !== null && botVerdict(userAgent) !== null) return;
  if (address !== null) context.place = geo.locate(address);
  if (userAgent !== null) context.agent = readAgent(userAgent);
}

/** After this step the visitor's address and user agent are nowhere any more. */
export function dropAddress(context: IntakeContext): void {
  context.address = null;
  context.userAgent = null;
}
