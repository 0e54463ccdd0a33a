module.exports = {
  rootDir: '.',
  roots: ['<rootDir>/apps', '<rootDir>/libs', '<rootDir>/test', '<rootDir>/scripts', '<rootDir>/bench'],
  moduleFileExtensions: ['js', 'cjs', 'json', 'ts'],
  testRegex: '\\.spec\\.ts$',
  transform: { '\\.ts$': '<rootDir>/test/jest/swc-transformer.cjs' },
  runtime: '<rootDir>/test/jest/runtime.cjs',
  testEnvironment: '<rootDir>/test/jest/environment.cjs',
  setupFiles: ['<rootDir>/test/jest/cheap-passwords.cjs'],
  globalSetup: '<rootDir>/test/postgres/start.cjs',
  globalTeardown: '<rootDir>/test/postgres/stop.ts',
  reporters: ['default', '<rootDir>/test/jest/closing-line.cjs'],
  testSequencer: '<rootDir>/test/jest/slowest-first.cjs',
  maxWorkers: 3, // one more than the two processors of CI: suites that start processes mostly wait
  testTimeout: 120000,
};
