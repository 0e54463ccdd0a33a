import { Rejection } from '@ledgerline/contracts/errors/rejection';

/**
 * What is created expires after its command was started; null = never. The start and not the present, so that a
 * repeated command is decided as the first time. @throws Rejection
 */
export function assertFuture(expiresAt: string | null, startedAt: Date): void {
  if (expiresAt !== null && Date.parse(expiresAt) <= startedAt.getTime()) throw new Rejection('EXPIRED', 'expiresAt');
}
