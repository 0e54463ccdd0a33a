import { OPERATOR, type Person } from '../api/people';
import { accountOf, erasureOf, SESSION } from './records';
import { fixed, invalid, PASSWORD } from './requests';
import type { Sample } from './scene';

const isOperator = ({ email }: Person): boolean => email === OPERATOR;

export const ACCOUNT_SAMPLES: Readonly<Record<string, Sample>> = {
  'GET /v1/auth/get-session': {
    path: () => '/v1/auth/get-session',
    // the body of those without a session is null, which is read as empty
    answer: ({ caller: { person } }) =>
      person ? { user: accountOf(person), session: SESSION, isOperator: isOperator(person) } : {},
  },
  'POST /v1/auth/sign-up/email': {
    path: () => '/v1/auth/sign-up/email',
    body: ({ ours: { email } }) => ({ name: 'Ada', email, password: PASSWORD }),
    answer: () => expect.objectContaining({ code: 'CONFLICT' }) as object,
  },
  'GET /v1/auth/sign-up': fixed('/v1/auth/sign-up', { mode: 'open', verifiesAddresses: false, mail: 'nothing' }),
  'POST /v1/auth/send-verification-email': {
    ...fixed('/v1/auth/send-verification-email', { success: true }),
    body: () => ({ email: 'nobody@invited.example' }),
  },
  'POST /v1/auth/sign-in/email': { ...fixed('/v1/auth/sign-in/email', invalid('email', 'password')), body: () => ({}) },
  'POST /v1/auth/request-password-reset': {
    ...fixed('/v1/auth/request-password-reset', { success: true }),
    body: () => ({ email: 'nobody@invited.example' }),
  },
  'POST /v1/auth/reset-password': {
    ...fixed('/v1/auth/reset-password', invalid('token')),
    body: () => ({ token: 'none', newPassword: PASSWORD }),
  },
  'POST /v1/auth/change-password': {
    ...fixed('/v1/auth/change-password', invalid('newPassword')),
    body: () => ({ currentPassword: PASSWORD, newPassword: 'short' }),
  },
  'POST /v1/auth/update-user': { ...fixed('/v1/auth/update-user', invalid('name')), body: () => ({ name: '' }) },
  'POST /v1/auth/change-email': {
    ...fixed('/v1/auth/change-email', invalid('currentPassword')),
    body: () => ({ newEmail: 'nobody@invited.example', currentPassword: 'not the password' }),
  },
  'POST /v1/auth/verify-email': fixed('/v1/auth/verify-email?token=none', invalid('token')),
  'GET /v1/auth/verify-email': fixed('/v1/auth/verify-email?token=none', {}),
  'POST /v1/auth/verify-email/confirm': {
    ...fixed('/v1/auth/verify-email/confirm', {
      success: false,
      code: 'FORBIDDEN',
      error: 'Insufficient permissions',
    }),
    body: () => ({}),
  },
  'POST /v1/auth/delete-user': {
    ...fixed('/v1/auth/delete-user', invalid('currentPassword')),
    body: () => ({ currentPassword: 'not the password' }),
  },
  'POST /v1/auth/sign-out': { ...fixed('/v1/auth/sign-out', { success: true }), body: () => ({}) },
  'GET /v1/erasures/:id': {
    path: ({ ids }) => `/v1/erasures/${ids.erasureId}`,
    answer: ({ ours, ids }) => erasureOf(ours, { id: ids.erasureId, subject: { userId: ids.memberId } }),
  },
  'GET /v1/erasures': {
    path: ({ ids: { organizationId } }) => `/v1/erasures?organizationId=${organizationId}&limit=1`,
    answer: ({ ours, ids }) => ({
      success: true,
      data: [erasureOf(ours, { subject: { userId: ids.memberId } })],
      hasMore: false,
      nextCursor: null,
    }),
  },
  'POST /v1/erasures/preview': {
    path: () => '/v1/erasures/preview',
    body: ({ ids: { organizationId, websiteId } }) => ({ organizationId, subject: { websiteId, visitorId: VISITOR } }),
    answer: () => ({ visitors: 0, sessions: 0, events: 0, clicks: 0, firstAt: null, lastAt: null }),
  },
  'GET /v1/websites/:id/retention': {
    path: ({ ids }) => `/v1/websites/${ids.websiteId}/retention?days=30`,
    answer: () => ({
      before: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) as string,
      sessions: 0,
      events: 0,
      firstAt: null,
      deletedBefore: null,
      stay: expect.arrayContaining(['top_pages']) as unknown,
      end: expect.arrayContaining(['session_list']) as unknown,
    }),
  },
  'POST /v1/people/export': {
    path: () => '/v1/people/export',
    body: ({ ids: { organizationId, websiteId } }) => ({ organizationId, subject: { websiteId, visitorId: VISITOR } }),
    answer: () => ({}),
  },
  'POST /v1/erasures': {
    path: () => '/v1/erasures',
    body: ({ ids: { organizationId, memberId } }) => ({ organizationId, subject: { userId: memberId } }),
    answer: ({ ours, ids }) => erasureOf(ours, { subject: { userId: ids.memberId } }),
  },
  'POST /v1/erasures/bulk': {
    path: () => '/v1/erasures/bulk',
    body: ({ ids: { organizationId, websiteId } }) => ({
      organizationId,
      subjects: [{ websiteId, visitorId: VISITOR }],
    }),
    answer: ({ ours, ids: { websiteId } }) => ({
      data: [
        erasureOf(ours, {
          subject: { websiteId, visitors: [VISITOR] },
          state: 'erasing',
          files: undefined,
          checks: { rules: 1, readStores: 1, events: 0, payloads: 0 },
          proof: { eventId: expect.any(String) as unknown, destroyedKeyIds: [] },
        }),
      ],
    }),
  },
};

const VISITOR = 'ab'.repeat(16);
