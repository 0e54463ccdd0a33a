import type { StatusPageDto } from '@ledgerline/client';

/** The address of a status page, which can be opened while the page is public. */
export const PublicLink = ({ page: { url, isPublic } }: { readonly page: StatusPageDto }) =>
  isPublic ? (
    <a href={url} target="_blank" rel="noreferrer">
      {url}
    </a>
  ) : (
    <span className="soft">{url}</span>
  );
