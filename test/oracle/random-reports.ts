import fc from 'fast-check';

/** The reports of browsers beside page views. */
export const failure = fc.record({
  message: fc.constantFrom('x is not a function', 'Failed to fetch'),
  stack: fc.constantFrom(null, 'TypeError: x\n\tat f (app.js:12)'),
  filename: fc.constantFrom(null, 'https://own.example/app.js'),
  line: fc.constantFrom(null, 12),
  column: fc.constantFrom(null, 7),
  errorType: fc.constantFrom(null, 'TypeError', 'RangeError'),
});

export const vital = fc.record({
  metric: fc.constantFrom('LCP' as const, 'LCP' as const, 'CLS' as const, 'FPS' as const),
  value: fc.constantFrom(0, 0.0123, 0.25, 59.94, 1200, 1834.5, 86_400_000),
});

/** Any of these measures may be missing. */
export const span = fc.record(
  {
    activeTime: fc.constantFrom(0, 1.5, 30),
    timeToFirstInteraction: fc.constantFrom(0, 850, 12_000),
    maxScrollDepth: fc.constantFrom(0, 24.99, 25, 60.5, 100),
    interactionCount: fc.constantFrom(0, 1, 26),
    clickCount: fc.constantFrom(0, 3),
    keyCount: fc.constantFrom(0, 14),
    rageClickCount: fc.constantFrom(0, 1, 4),
    deadClickCount: fc.constantFrom(0, 2),
    rageClickTarget: fc.constantFrom('button.buy', 'a.more'),
    deadClickTarget: fc.constantFrom('img', 'div.box'),
    formFieldCount: fc.constantFrom(0, 1, 4),
    formSubmitCount: fc.constantFrom(0, 0, 1),
    lastFormField: fc.constantFrom('email', 'card'),
  },
  { requiredKeys: [] },
);
export const left = fc.record({
  scrollDepth: fc.constantFrom(null, 0, 33.33, 75, 100),
  interactions: fc.constantFrom(null, 0, 2),
});
