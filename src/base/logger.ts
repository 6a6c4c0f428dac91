// Room: base. Any thread; each thread has its own pino over the same descriptor 2, written synchronously so that the last
// lines before a crash are there. The level is one variable of the thread. Nothing is formatted when a level is off.

import { destination, type Logger as PinoLogger, pino } from 'pino';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

export interface Logger {
  debug(message: string, fields?: object): void;
  info(message: string, fields?: object): void;
  warn(message: string, fields?: object): void;
  /** An Error goes into the field `err`. */
  error(message: string, fields?: object): void;
  /** For callers whose fields are costly to make. */
  isLevelEnabled(level: LogLevel): boolean;
}

const RANKS: Readonly<Record<LogLevel, number>> = {
  debug: 20,
  info: 30,
  warn: 40,
  error: 50,
  silent: 100,
};

let threshold = RANKS.info;
let root: PinoLogger | null = null;
const loggers = new Map<string, Logger>();

/** The logger of a name; the same object each time. */
export function getLogger(name: string): Logger {
  let logger = loggers.get(name);
  if (logger === undefined) {
    logger = new NamedLogger(name);
    loggers.set(name, logger);
  }
  return logger;
}

/** Holds for all loggers of this thread, old and new. */
export function setLogLevel(level: LogLevel): void {
  threshold = RANKS[level];
}

class NamedLogger implements Logger {
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  debug(message: string, fields?: object): void {
    if (threshold <= RANKS.debug) this.#write('debug', message, fields);
  }

  info(message: string, fields?: object): void {
    if (threshold <= RANKS.info) this.#write('info', message, fields);
  }

  warn(message: string, fields?: object): void {
    if (threshold <= RANKS.warn) this.#write('warn', message, fields);
  }

  error(message: string, fields?: object): void {
    if (threshold <= RANKS.error) this.#write('error', message, fields);
  }

  isLevelEnabled(level: LogLevel): boolean {
    return threshold <= RANKS[level];
  }

  #write(level: 'debug' | 'info' | 'warn' | 'error', message: string, fields?: object): void {
    openRoot()[level]({ logger: this.#name, ...fields }, message);
  }
}

/** Opened by the first line, so that importing the module opens nothing. */
function openRoot(): PinoLogger {
  root ??= pino(
    {
      base: { pid: process.pid },
      level: 'debug',
      formatters: { level: (label) => ({ level: label }) },
      timestamp: () => `,"time":"${new Date(Date.now()).toISOString()}"`,
    },
    destination({ dest: 2, sync: true }),
  );
  return root;
}
