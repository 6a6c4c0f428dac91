// Room: cli. The outside world of a command, so that tests can run commands in their own process.

import type { StartBroker } from './broker-door.js';
import type { ProcessDoor } from './run-until-signal.js';

export interface CliContext {
  /** Data and ready lines; everything else goes to the log on stderr. */
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  readonly process: ProcessDoor;
  /** Loads the broker only when it is wanted: a name server needs no addon and no workers. */
  readonly loadBroker: () => Promise<StartBroker>;
}
