/** Ends a test run with one plain line. */
module.exports = class ClosingLine {
  onRunComplete(_, { numPassedTests, numFailedTests, numRuntimeErrorTestSuites, numPendingTests }) {
    const skipped = numPendingTests > 0 ? `, ${numPendingTests} skipped` : '';
    console.log(`\n${numPassedTests} passed, ${numFailedTests + numRuntimeErrorTestSuites} failed${skipped}`);
  }
};
