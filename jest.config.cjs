/** Specs that need what a machine may lack (Kafka, Debian's Postgres, PgBouncer, nginx and Caddy, images, a browser), or start whole installations to take a part away. */
const NEED_ENGINES = `${__dirname}/test/(?:(?:browser|kafka|intake-log/kafka|reliability(?!/malformed))/.*|docs/own-address|journeys/restored-.*|docker/images|.*(?:kafka|kafka-service|debian-postgres))\\.spec\\.ts$`;
/** `without` them as in `npm test`, `only` them as in `npm run test:engines`; otherwise all. */
const { ENGINES } = process.env;

module.exports = {
  rootDir: '.',
  roots: ['<rootDir>/apps', '<rootDir>/libs', '<rootDir>/test', '<rootDir>/scripts', '<rootDir>/tools'],
  moduleFileExtensions: ['js', 'cjs', 'json', 'ts'],
  testRegex: ENGINES === 'only' ? NEED_ENGINES : '\\.spec\\.ts$',
  testPathIgnorePatterns: ['/node_modules/', ...(ENGINES === 'without' ? [NEED_ENGINES] : [])],
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
