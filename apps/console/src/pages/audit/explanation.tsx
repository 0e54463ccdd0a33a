import { CodeBlock } from '../../components/code-block';

const COMMAND = 'npm run audit -- verify audit.ndjson --public-key keys.pem --head head.json';

/** What a reviewer can rely on, in a sentence each. */
export const Explanation = () => (
  <details className="more">
    <summary>What this proves, and what it does not</summary>
    <dl className="facts">
      <div>
        <dt>The chain</dt>
        <dd>
          Each event has a hash over its content and the hash before it, so an intact chain proves that no event was
          changed, dropped, swapped or inserted.
        </dd>
      </div>
      <div>
        <dt>The signed head</dt>
        <dd>
          The newest hash stands for the whole history; its signature proves that the key of this installation signed it
          at the time it names.
        </dd>
      </div>
      <div>
        <dt>A head that you keep</dt>
        <dd>
          Whoever holds the key could rewrite the history and sign it again; a head that you saved elsewhere proves
          later that the history up to it is still the same.
        </dd>
      </div>
      <div>
        <dt>Not proven</dt>
        <dd>That everything was recorded, that the contents were right, and that the clock of the api was.</dd>
      </div>
      <div>
        <dt>Without trusting this page</dt>
        <dd>
          Export the proof and verify it on your own machine, with a copy of the source code and the public keys of the
          operator:
        </dd>
      </div>
    </dl>
    <CodeBlock text={COMMAND} label="the command" />
  </details>
);
