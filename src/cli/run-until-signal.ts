// Room: cli. Main thread. Keeps a server up until a signal, then stops it cleanly: the first SIGTERM or SIGINT drains, a second one
// ends the process at once, and so does the deadline.

import { getLogger } from '../base/logger.js';
import { ExitCode } from './exit-code.js';

const SIGNALS = { SIGINT: 2, SIGTERM: 15 } as const;

/** What of the process is needed; a test puts its own in place. */
export interface ProcessDoor {
  on(event: string, listener: () => void): unknown;
  off(event: string, listener: () => void): unknown;
  exit(code: number): void;
}

/** Resolves with the exit code when the server has stopped; ends the process itself at a second signal or at the deadline. */
export function runUntilSignal(
  shutdown: () => Promise<void>,
  deadlineMs: number,
  door: ProcessDoor = process,
): Promise<number> {
  const log = getLogger('cli');
  return new Promise((resolve) => {
    let isStopping = false;
    const listeners = Object.entries(SIGNALS).map(([signal, number]) => {
      const listener = () => {
        if (isStopping) {
          door.exit(ExitCode.SIGNAL_BASE + number);
          return;
        }
        isStopping = true;
        log.info(`${signal}: stopping; once more to stop at once`);
        void stop();
      };
      door.on(signal, listener);
      return [signal, listener] as const;
    });

    const stop = async () => {
      const timer = setTimeout(() => {
        log.error(`not stopped after ${deadlineMs} ms, giving up`);
        door.exit(ExitCode.FAILED);
      }, deadlineMs);
      let code: number = ExitCode.OK;
      try {
        await shutdown();
      } catch (error) {
        log.error('the stop failed', { err: error });
        code = ExitCode.FAILED;
      }
      clearTimeout(timer);
      for (const [signal, listener] of listeners) door.off(signal, listener);
      resolve(code);
    };
  });
}
