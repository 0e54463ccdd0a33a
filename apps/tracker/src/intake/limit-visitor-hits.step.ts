import { isIdentification, subjectOf, type IntakeContext, type IntakeDeps } from './intake-context';

/** Records hits without visitor and session once one visitor (or session) has had as many today as projections handle. */
export function limitVisitorHits(context: IntakeContext, { hitsPerVisitor }: Pick<IntakeDeps, 'hitsPerVisitor'>): void {
  if (context.bot !== null) return; // never counted
  for (const item of context.items) {
    const id = item.visitorId ?? item.sessionId;
    if (isIdentification(item)) continue; // it is in no session
    if (id === null || hitsPerVisitor.take(id, subjectOf(item), context.request.receivedAt)) continue;
    item.visitorId = null;
    item.sessionId = null;
  }
}
