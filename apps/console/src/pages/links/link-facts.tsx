import type { LinkDto } from '@ledgerline/client';
import { Address } from '../../addresses/address';
import { Expiry } from '../../components/expiry';
import { Facts } from '../../components/facts';
import { Time } from '../../components/time';

/** What is set of a link; visitors choose nothing of it, but colleagues do: addresses are texts. */
export const LinkFacts = ({ link }: { readonly link: LinkDto }) => (
  <Facts
    facts={[
      [
        'Destination',
        <a href={link.targetUrl} rel="noreferrer">
          <Address raw={link.targetUrl} />
        </a>,
      ],
      ['Expires', <Expiry at={link.expiresAt} />],
      ['After it expired', address(link.expiredRedirectUrl)],
      ['External id', link.externalId],
      ['On iOS', address(link.iosUrl)],
      ['On Android', address(link.androidUrl)],
      ['Preview title', link.ogTitle],
      ['Preview text', link.ogDescription],
      ['Preview image', address(link.ogImageUrl)],
      ['Query string', link.forwardQuery ? 'Forwarded' : 'Not forwarded'],
      ['Created', <Time at={link.createdAt} />],
      ['Changed', <Time at={link.updatedAt} />],
    ]}
  />
);

const address = (raw: string | null) => (raw === null ? null : <Address raw={raw} />);
