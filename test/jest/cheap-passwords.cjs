/** Passwords are hashed a sixteenth as hard, as the tests sign up hundreds of people; started processes hash as always. */
const crypto = require('node:crypto');
const { syncBuiltinESMExports } = require('node:module');

const { scrypt } = crypto;
crypto.scrypt = (password, salt, length, options, done) =>
  scrypt(password, salt, length, { ...options, N: 1_024 }, done);
syncBuiltinESMExports();
