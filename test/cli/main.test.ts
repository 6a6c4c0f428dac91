import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { BrokerConfig } from '../../src/base/config.js';
import { cometError } from '../../src/base/errors.js';
import { setLogLevel } from '../../src/base/logger.js';
import type { CliContext } from '../../src/cli/context.js';
import { main } from '../../src/cli/main.js';
import { createRequest } from '../../src/protocol/remoting-command.js';
import { RequestCode } from '../../src/protocol/request-code.js';
import { RemotingClient } from '../../src/remoting/remoting-client.js';
import { until } from '../remoting/support.js';

/** A process that is only told signals and exits. */
class FakeProcess {
  readonly #listeners = new Map<string, Set<() => void>>();
  readonly exits: number[] = [];

  on(event: string, listener: () => void): void {
    const listeners = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, listeners.add(listener));
  }

  off(event: string, listener: () => void): void {
    this.#listeners.get(event)?.delete(listener);
  }

  exit(code: number): void {
    this.exits.push(code);
  }

  signal(name: string): void {
    for (const listener of this.#listeners.get(name) ?? []) listener();
  }

  get listenerCount(): number {
    return [...this.#listeners.values()].reduce((sum, { size }) => sum + size, 0);
  }
}

let dir: string;
let out: string;
let err: string;
let door: FakeProcess;
let started: { config: BrokerConfig; configFile: string | null }[];
let stops: string[];
let stopGate: Promise<void>;
let brokerFailure: Error | null;
let context: CliContext;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'cometmq-cli-'));
  out = '';
  err = '';
  door = new FakeProcess();
  started = [];
  stops = [];
  stopGate = Promise.resolve();
  brokerFailure = null;
  context = {
    stdout: (text) => {
      out += text;
    },
    stderr: (text) => {
      err += text;
    },
    process: door,
    loadBroker: async () => async (config, options) => {
      if (brokerFailure !== null) throw brokerFailure;
      started.push({ config, configFile: options?.configFile ?? null });
      return {
        shutdown: async () => {
          await stopGate;
          stops.push('broker');
        },
      };
    },
  };
});
afterEach(() => {
  setLogLevel('info');
  rmSync(dir, { recursive: true, force: true });
});

const quiet = ['--set', 'logLevel=silent'];

function namesrvArgs(): string[] {
  const paths = ['--set', `kvConfigPath=${join(dir, 'kv.json')}`];
  return ['namesrv', '--set', 'listenPort=0', ...paths, ...quiet];
}

describe('namesrv', () => {
  test('prints the line that scripts wait for, and stops cleanly at a signal', async () => {
    const run = main(namesrvArgs(), context);
    await until('the ready line', () => out !== '');
    expect(out).toBe('The Name Server boot success. serializeType=JSON\n');
    door.signal('SIGTERM');
    expect(await run).toBe(0);
    expect(door.listenerCount).toBe(0);
  });

  test('-p prints the configuration in force and starts nothing', async () => {
    expect(await main([...namesrvArgs(), '-p'], context)).toBe(0);
    expect(out).toContain('listenPort=0\n');
    expect(out).toContain(`kvConfigPath=${join(dir, 'kv.json')}\n`);
  });

  test('keeps its changes in the file that it was given', async () => {
    const file = join(dir, 'ns.conf');
    writeFileSync(file, 'orderMessageEnable=true\n');
    expect(await main(['namesrv', '-c', file, '-p', ...quiet], context)).toBe(0);
    expect(out).toContain(`configStorePath=${file}\n`);
    expect(out).toContain('orderMessageEnable=true\n');
  });
});

describe('broker', () => {
  test('starts with file and flags, prints the line of Java, stops at a signal', async () => {
    const file = join(dir, 'b.conf');
    writeFileSync(
      file,
      'brokerName=b1\nbrokerIP1=127.0.0.9\nlistenPort=12345\nnamesrvAddr=old:1\n',
    );
    const run = main(['broker', '-c', file, '-n', '127.0.0.1:9876', ...quiet], context);
    await until('the ready line', () => out !== '');
    expect(out).toBe(
      'The broker[b1, 127.0.0.9:12345] boot success. serializeType=JSON and name server is 127.0.0.1:9876\n',
    );
    expect(started[0]?.configFile).toBe(file);
    door.signal('SIGINT');
    expect(await run).toBe(0);
    expect(stops).toEqual(['broker']);
  });

  test('a second signal ends the process at once with the code of the signal', async () => {
    stopGate = new Promise(() => {});
    void main(['broker', ...quiet], context);
    await until('the start', () => out !== '');
    door.signal('SIGTERM');
    expect(door.exits).toEqual([]);
    door.signal('SIGINT');
    expect(door.exits).toEqual([130]);
  });

  test('a stop that takes too long is given up', async () => {
    stopGate = new Promise(() => {});
    void main(['broker', '--set', 'shutdownTimeoutMs=100', ...quiet], context);
    await until('the start', () => out !== '');
    door.signal('SIGTERM');
    await until('the end', () => door.exits.length > 0);
    expect(door.exits).toEqual([1]);
  });

  test('-m prints the important part, -t checks only', async () => {
    expect(await main(['broker', '-m', ...quiet], context)).toBe(0);
    expect(out).toContain('brokerName=');
    expect(out).not.toContain('regionId');
    expect(await main(['broker', '-t', ...quiet], context)).toBe(0);
    expect(started).toEqual([]);
  });

  test('listens on all addresses unless told otherwise, as in Java', async () => {
    expect(await main(['broker', '-p', ...quiet], context)).toBe(0);
    expect(out).toContain('bindAddress=0.0.0.0\n');
  });
});

describe('start', () => {
  test('runs both on loopback, in one folder, and says what listens where', async () => {
    const args = ['start', '--data', dir, '--namesrv-port', '0', '--port', '23456', ...quiet];
    const run = main(args, context);
    await until('the overview', () => out.includes('Ctrl-C'));
    const config = started[0]?.config;
    expect(config?.storePathRootDir).toBe(join(dir, 'store'));
    expect([config?.bindAddress, config?.brokerIP1]).toEqual(['127.0.0.1', '127.0.0.1']);
    expect(out).toContain('127.0.0.1:23456 (fast port 23454, slaves 23457)');
    expect(out).toContain('The Name Server boot success. serializeType=JSON\n');
    const client = new RemotingClient();
    const request = createRequest(RequestCode.GET_BROKER_CLUSTER_INFO);
    const answer = await client.invoke(config?.namesrvAddr ?? '', request, 3000);
    expect(answer.code).toBe(0);
    client.close();
    door.signal('SIGTERM');
    expect(await run).toBe(0);
    expect(stops).toEqual(['broker']);
  });

  test('suggests a command that is there', async () => {
    const run = main(['start', '--data', dir, '--namesrv-port', '0', ...quiet], context);
    await until('the overview', () => out.includes('Ctrl-C'));
    const namesrvAddr = started[0]?.config.namesrvAddr;
    expect(out).toContain(`\n  mqadmin clusterList -n ${namesrvAddr}\n`);
    expect(out).not.toMatch(/^ *cometmq /m);
    door.signal('SIGTERM');
    expect(await run).toBe(0);
  });

  test('takes from the file what the command line does not say', async () => {
    const file = join(dir, 'b.conf');
    writeFileSync(file, 'bindAddress=127.0.0.2\nlistenPort=23460\nbrokerName=mine\n');
    const args = ['start', '--data', dir, '-c', file, '--port', '23470', '-p', ...quiet];
    expect(await main(args, context)).toBe(0);
    for (const line of ['bindAddress=127.0.0.2', 'brokerIP1=127.0.0.2', 'brokerName=mine']) {
      expect(out).toContain(`\n${line}\n`);
    }
    expect(out).toContain('\nlistenPort=23470\n');
  });

  test('--java-defaults brings back what Java has', async () => {
    const args = ['start', '--data', dir, '--java-defaults', '-p', ...quiet];
    expect(await main(args, context)).toBe(0);
    expect(out).toContain('\nbindAddress=0.0.0.0\n');
    expect(out).not.toContain('\nbrokerName=broker-a\n');
  });

  test('a broker that can not start takes the name server down again', async () => {
    brokerFailure = cometError('STORE_DAMAGED', 'on purpose');
    const args = ['start', '--data', dir, '--namesrv-port', '0', ...quiet];
    expect(await main(args, context)).toBe(1);
    expect(err).toMatch(/^cometmq: .*on purpose\n$/);
  });
});

describe('the exit code', () => {
  test.each([
    [['--version'], 0],
    [['--help'], 0],
    [['broker', '--help'], 0],
    [['brokr'], 2],
    [['broker', '--no-such-flag'], 2],
    [['start', '--port', '70000'], 2],
    [['start', '--bind', 'example.org'], 2],
    [['broker', '--set', 'nonsense'], 2],
    [['broker', '--set', 'listenPort=abc'], 2],
    [['broker', '-c', '/nowhere/broker.conf'], 2],
    [['broker', '-n', 'localhost'], 2],
  ] as const)('of %j is %i', async (argv, code) => {
    expect(await main([...argv], context)).toBe(code);
  });

  test('an error is one line, with its stack only when asked for', async () => {
    await main(['broker', '-c', '/nowhere/broker.conf'], context);
    expect(err).toMatch(/^cometmq: .*\/nowhere\/broker\.conf can not be read \(ENOENT\)\n$/);
    err = '';
    await main(['--debug', 'broker', '-c', '/nowhere/broker.conf'], context);
    expect(err).toContain('    at ');
  });

  test('a mistyped command is answered with the right one', async () => {
    await main(['brokr'], context);
    expect(err).toContain('Did you mean broker?');
  });
});
