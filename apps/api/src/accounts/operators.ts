import type { Settings } from '@ledgerline/platform/config/settings';
import { verifiesAddresses } from './account-library';

/** What decides whether a person runs the installation. */
interface Account {
  readonly email: string;
  readonly emailVerified: boolean;
  readonly isDemoOwner?: boolean | null | undefined;
}

/**
 * With a mail server an address has to be verified, as anybody may sign up with it. The demo's owner is an operator while
 * OPERATOR_EMAILS is empty.
 */
export function isOperator(account: Account, settings: Pick<Settings, 'operatorEmails' | 'mail'>): boolean {
  const { operatorEmails } = settings;
  if (operatorEmails.length === 0) return account.isDemoOwner === true;
  return (
    operatorEmails.includes(account.email.toLowerCase()) && (!verifiesAddresses(settings) || account.emailVerified)
  );
}
