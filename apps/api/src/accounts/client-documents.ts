import type { ClientMetadataResourceFetch } from '@better-auth/oauth-provider';
import { Injectable } from '@nestjs/common';

/** What clients publish of themselves on the web: metadata documents and keys. */
@Injectable()
export class ClientDocuments {
  /**
   * Fetches over https from public addresses only: every address of the name must be public, and the connection goes to
   * one of those that were looked at. Redirects are not followed; the library limits time and size.
   */
  async fetch(...request: Parameters<ClientMetadataResourceFetch>): Promise<Response> {
    const { fetchClientMetadataResource } = await import('@better-auth/cimd/node');
    return fetchClientMetadataResource(...request);
  }
}
