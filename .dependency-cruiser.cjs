/** The dependency rule: apps → domain → aggregation → contracts, apps → engines → eventstoredb, kafka → platform → aggregation (for the SQL of its tables), contracts; no app imports another; no cycles. */
const only = (from, allowed) => ({
  name: `${from}-imports-only-${allowed.length ? allowed.join('-') : 'itself'}`,
  severity: 'error',
  from: { path: `^libs/${from}/` },
  to: {
    path: '^(apps|libs|scripts|tools|test)/',
    pathNot: [`^libs/${from}/`, ...allowed.map((name) => `^libs/${name}/`)].join('|'),
  },
});

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-app-imports-another-app',
      severity: 'error',
      from: { path: '^apps/([^/]+)/' },
      to: { path: '^apps/([^/]+)/', pathNot: '^apps/$1/' },
    },
    {
      name: 'apps-import-no-scripts-tools-or-test',
      severity: 'error',
      from: { path: '^apps/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^(scripts|tools|test)/' },
    },
    { ...only('contracts', []), from: { path: '^libs/contracts/', pathNot: '\\.spec\\.ts$' } },
    { ...only('aggregation', ['contracts']), from: { path: '^libs/aggregation/', pathNot: '\\.spec\\.ts$' } },
    { ...only('domain', ['aggregation', 'contracts']), from: { path: '^libs/domain/', pathNot: '\\.spec\\.ts$' } },
    { ...only('client', []), from: { path: '^libs/client/', pathNot: '\\.spec\\.ts$' } },
    { ...only('platform', ['aggregation', 'contracts']), from: { path: '^libs/platform/', pathNot: '\\.spec\\.ts$' } },
    {
      ...only('eventstoredb', ['platform', 'contracts']),
      from: { path: '^libs/eventstoredb/', pathNot: '\\.spec\\.ts$' },
    },
    { ...only('kafka', ['platform', 'contracts']), from: { path: '^libs/kafka/', pathNot: '\\.spec\\.ts$' } },
    {
      ...only('engines', ['eventstoredb', 'kafka', 'platform', 'contracts']),
      from: { path: '^libs/engines/', pathNot: '\\.spec\\.ts$' },
    },
    {
      name: 'drivers-of-engines-in-their-libraries-alone',
      severity: 'error',
      from: { path: '^(apps|libs|scripts)/', pathNot: '^libs/(eventstoredb|kafka)/|\\.spec\\.ts$' },
      to: { path: 'node_modules/(@eventstore|kafkajs)/' },
    },
    {
      name: 'console-uses-the-client-alone',
      severity: 'error',
      from: { path: '^apps/console/' },
      // a sentence that a form previews and the api answers, what a rule tells, what was probably meant, what can be filtered by, what conditions say, the lists of a dashboard, and functions over plain data
      to: {
        path: '^libs/',
        pathNot:
          '^libs/(client/|domain/src/(status-pages/repeat-text|alerts/(alert-sentence|decide-window)|query/suggestion)\\.ts$|contracts/src/(attributes|definitions|json|events/(share|alert)\\.events)\\.ts$)',
      },
    },
    {
      name: 'domain-is-pure',
      severity: 'error',
      from: { path: '^libs/(domain|aggregation|contracts)/', pathNot: '\\.spec\\.ts$' },
      to: { path: 'node_modules/(@nestjs|pg|typeorm|kafkajs|@eventstore)/' },
    },
    {
      name: 'scripts-import-no-tools',
      severity: 'error',
      from: { path: '^scripts/' },
      to: { path: '^tools/' },
    },
    {
      name: 'product-code-imports-no-spec',
      severity: 'error',
      from: { path: '^(apps|libs|scripts|tools)/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^test/|\\.(spec|laws|fixture)\\.ts$' },
    },
    {
      name: 'aggregation-has-one-face',
      severity: 'error',
      from: { path: '^(apps|libs|scripts|tools)/', pathNot: '^libs/aggregation/|\\.spec\\.ts$' },
      to: { path: '^libs/aggregation/', pathNot: '^libs/aggregation/src/aggregation\\.ts$' },
    },
    { name: 'no-barrels', severity: 'error', from: {}, to: { path: '^(apps|libs)/.*/index\\.ts$' } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    parser: 'swc',
    moduleSystems: ['es6', 'cjs'],
    skipAnalysisNotInRules: true,
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'require', 'node', 'default'] },
  },
};
