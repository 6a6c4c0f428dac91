// Room: namesrv. Main thread. The name server as a whole, for the command line, tests and whoever embeds it.

import type { Clock } from '../base/clock.js';
import type { NamesrvConfig } from '../base/config.js';
import { NamesrvController } from './namesrv-controller.js';

export interface RunningNamesrv {
  readonly port: number;
  readonly controller: NamesrvController;
  shutdown(): Promise<void>;
}

/** Rejects with CONFIG_INVALID (address in use) or CONFIG_FILE_DAMAGED (kvConfig.json); nothing is left running then. */
export async function startNamesrv(config: NamesrvConfig, clock?: Clock): Promise<RunningNamesrv> {
  const controller = new NamesrvController(config, clock);
  await controller.start();
  return {
    port: controller.port,
    controller,
    shutdown: () => controller.shutdown(),
  };
}
