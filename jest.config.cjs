module.exports = {
  rootDir: '.',
  roots: ['<rootDir>/apps', '<rootDir>/libs', '<rootDir>/test', '<rootDir>/scripts', '<rootDir>/bench'],
  moduleFileExtensions: ['js', 'mjs', 'cjs', 'json', 'ts'],
  testRegex: '\\.spec\\.ts$',
  transform: { '\\.([cm]?ts|m?js)$': '<rootDir>/test/swc-transformer.cjs' },
  transformIgnorePatterns: [],
  moduleNameMapper: {
    '^@ledgerline/(contracts|domain|platform)/(.*)$': '<rootDir>/libs/$1/src/$2',
    '^(\\.{1,2}/.*)\\.js$': ['$1.js', '$1'],
  },
  testEnvironment: 'node',
  globalSetup: '<rootDir>/test/postgres/start.cjs',
  globalTeardown: '<rootDir>/test/postgres/stop.ts',
  reporters: ['default', '<rootDir>/test/closing-line.cjs'],
  testSequencer: '<rootDir>/test/slowest-first.cjs',
  maxWorkers: 3, // one more than the two processors of CI: suites that start processes mostly wait
  testTimeout: 120000,
};
