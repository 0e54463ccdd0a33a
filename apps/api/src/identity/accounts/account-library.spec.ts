import { refusalOf } from './account-library';

describe('a refusal of the account library', () => {
  it.each([
    [400, 'VALIDATION_ERROR'],
    [401, 'AUTH_REQUIRED'],
    [403, 'FORBIDDEN'],
    [404, 'NOT_FOUND'],
    [405, 'VALIDATION_ERROR'],
    [409, 'CONFLICT'],
    [422, 'VALIDATION_ERROR'],
    [429, 'RATE_LIMITED'],
  ])('of %i is %s', (statusCode, code) => {
    expect(refusalOf({ statusCode, body: { code: 'SOME_CODE', message: 'Some words' } })).toMatchObject({ code });
  });

  it.each([500, 503])('is none with %i', (statusCode) => expect(refusalOf({ statusCode })).toBeUndefined());

  it('is none where a statement failed', () =>
    expect(refusalOf({ statusCode: 422, body: { code: 'FAILED_TO_CREATE_USER' } })).toBeUndefined());

  it('is a conflict where something exists already', () => {
    const body = { code: 'USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL', message: 'User already exists' };
    expect(refusalOf({ statusCode: 422, body })).toMatchObject({ code: 'CONFLICT', message: 'User already exists' });
  });

  it.each([
    ['INVALID_TOKEN', 'Invalid token', 'token', 'Is not valid, or not any more: ask for another mail.'],
    ['INVALID_PASSWORD', 'Invalid password', 'currentPassword', 'Is not your password.'],
    ['INVALID_EMAIL', 'Invalid email', 'email', 'Must be an email address such as ada@example.com.'],
    ['VALIDATION_ERROR', '[body.name] Invalid input', 'name', '[body.name] Invalid input'],
  ])('names the field of %s', (code, message, field, sentence) => {
    const { details } = refusalOf({ statusCode: 400, body: { code, message } }) ?? {};
    expect(details).toEqual([{ field, message: sentence }]);
  });

  it.each([401, 403])('of %i shows nothing of what exists', (statusCode) => {
    const body = { code: 'INVALID_EMAIL_OR_PASSWORD', message: 'Invalid email or password' };
    expect(refusalOf({ statusCode, body })?.message).not.toContain('mail');
  });
});
