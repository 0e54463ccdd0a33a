import type { StatusPageDto } from '@ledgerline/client';
import { Address } from '../../addresses/address';

/** The address of a status page, which can be opened while the page is public. */
export const PublicLink = ({ page: { url, isPublic } }: { readonly page: StatusPageDto }) =>
  isPublic ? (
    <a href={url} target="_blank" rel="noreferrer">
      <Address raw={url} />
    </a>
  ) : (
    <Address className="soft" raw={url} />
  );
