module.exports = async () => globalThis.ledgerlineTestPostgres?.stop();
