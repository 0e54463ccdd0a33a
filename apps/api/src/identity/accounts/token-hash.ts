import { createHmac } from 'node:crypto';

export const ACCESS_TOKEN_PREFIX = 'oat_';
export const REFRESH_TOKEN_PREFIX = 'ort_';

/** As what codes and tokens are stored, without their prefix: without the pepper, a stolen table is of no use. */
export const hashToken = (token: string, type: string, pepper: string): string =>
  createHmac('sha256', pepper).update(`${type}:${token}`).digest('base64url');

/**
 * Returns what only a link holds that was sent to an address, or that the log of the api shows: `subject` is the
 * invitation, or what else the link is about.
 */
export const addressProof = (subject: string, email: string, secret: string): string =>
  createHmac('sha256', secret)
    .update(JSON.stringify(['address', subject, email.toLowerCase()]))
    .digest('base64url');
