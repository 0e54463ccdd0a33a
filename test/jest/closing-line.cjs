/** Ends a test run by naming what was skipped, and with one plain line. */
module.exports = class ClosingLine {
  onRunComplete(_, { numPassedTests, numFailedTests, numRuntimeErrorTestSuites, numPendingTests, testResults }) {
    for (const { testResults: tests } of testResults)
      for (const { status, fullName } of tests) if (status === 'pending') console.log(`SKIPPED: ${fullName}`);
    const skipped = numPendingTests > 0 ? `, ${numPendingTests} skipped` : '';
    console.log(`\n${numPassedTests} passed, ${numFailedTests + numRuntimeErrorTestSuites} failed${skipped}`);
  }
};
