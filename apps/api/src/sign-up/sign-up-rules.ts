import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import { isSameSecret } from '@ledgerline/platform/api-keys/secret-store';
import type { Settings } from '@ledgerline/platform/config/settings';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { consolePage } from '../accounts/account-mails';
import { verifiesAddresses } from '../accounts/account-library';
import { People } from '../accounts/people';
import { addressProof } from '../accounts/token-hash';
import { InvitationAddresses } from '../organizations/invitation-addresses';
import { LOGGER, SETTINGS } from '../tokens';

interface Applicant {
  readonly email: string;
  readonly invitation?: string | undefined;
  readonly proof?: string | undefined;
}

/** What the proof in the link for an operator is about. */
const OPERATOR = 'operator';

const REFUSALS = {
  closed: 'Nobody can create an account here: sign-up is closed.',
  invited:
    'An account here needs an invitation: open the link of the invitation, and use the address that was invited.',
  unproven: 'An account for this address needs the link that the log of the api shows at its start.',
} as const;

/** Who may create an account. */
@Injectable()
export class SignUpRules implements OnApplicationBootstrap {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly invitations: InvitationAddresses,
    private readonly people: People,
  ) {}

  /**
   * Whether the address is proven by the link of a mailed invitation; the id alone proves nothing, as those who invited
   * know it. An answer shows nothing of invitations to those who do not have the id. @throws Problem FORBIDDEN
   */
  async admit({ email, invitation, proof = '' }: Applicant): Promise<boolean> {
    const { signUp, authSecret } = this.settings;
    if (signUp === 'closed') throw refused('closed');
    const isInvited = invitation !== undefined && (await this.invitations.isOpen(invitation, email));
    const isProven = isInvited && isSameSecret(proof, addressProof(invitation, email, authSecret));
    if (this.isOfOperator(email)) {
      const hasLink = isSameSecret(proof, addressProof(OPERATOR, email, authSecret));
      if (!verifiesAddresses(this.settings) && !isProven && !hasLink) throw refused('unproven');
    } else if (signUp === 'invited' && !isInvited) throw refused('invited');
    return isProven;
  }

  /** Logs how operators without an account get one. */
  onApplicationBootstrap(): void {
    if (this.settings.signUp !== 'closed')
      void this.logWaysIn().catch((err: unknown) => this.logger.warn({ err }, 'accounts cannot be read just now'));
  }

  private async logWaysIn(): Promise<void> {
    const { operatorEmails, signUp } = this.settings;
    const known = await this.people.withAddresses(operatorEmails);
    for (const email of operatorEmails.filter((each) => !known.has(each)))
      this.logger.warn(
        { operator: email, link: this.linkFor(email) },
        'an operator has no account yet: sign up with this link',
      );
    if (signUp === 'invited' && operatorEmails.length === 0 && (await this.people.isEmpty()))
      this.logger.warn(
        'nobody can sign in, as there is no account, and none can be created: name the address of an operator in OPERATOR_EMAILS, or set SIGN_UP=open',
      );
  }

  /** Without a mail server, the link is all that shows who the operator is. */
  private linkFor(email: string): string {
    const proof = addressProof(OPERATOR, email, this.settings.authSecret);
    return consolePage(this.settings, 'sign-up', verifiesAddresses(this.settings) ? { email } : { email, proof });
  }

  private isOfOperator(email: string): boolean {
    return this.settings.operatorEmails.includes(email.toLowerCase());
  }
}

const refused = (reason: keyof typeof REFUSALS): Problem => new Problem('FORBIDDEN', REFUSALS[reason]);
