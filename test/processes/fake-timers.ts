const CLOCKS = [
  ...(['Date', 'hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'clearImmediate'] as const),
  ...(['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] as const),
  ...(['requestAnimationFrame', 'cancelAnimationFrame', 'requestIdleCallback', 'cancelIdleCallback'] as const),
];

/** For `jest.useFakeTimers`: everything but these goes on as always. */
export const fakeOnly = (...names: (typeof CLOCKS)[number][]) => ({
  doNotFake: CLOCKS.filter((each) => !names.includes(each)),
});
