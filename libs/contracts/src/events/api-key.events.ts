import type { Event } from './event';

export type ApiKeyEvent = ApiKeyCreated;

/** Names the secret it goes with; the secret itself and its hash are never recorded in an event. */
export type ApiKeyCreated = Event<'ApiKeyCreated', ApiKeyDetails & { keyId: string; secretId: string; start: string }>;

export interface ApiKeyDetails {
  readonly organizationId: string;
  readonly name: string;
  readonly description: string | null;
  readonly scopes: readonly Scope[];
  /** null = global access; otherwise exactly these resources, each with its own scopes beside the top-level ones. */
  readonly resources: Readonly<Record<string, readonly Scope[]>> | null;
  readonly tags: readonly string[];
  readonly rateLimit: { readonly max: number; readonly windowSeconds: number } | null;
  /** ISO 8601 UTC. */
  readonly expiresAt: string | null;
}

export const SCOPES = ['read:data', 'write:data', 'track:events', 'manage:flags', 'read:audit'] as const;
export type Scope = (typeof SCOPES)[number];
