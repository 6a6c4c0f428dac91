// Room: base. Main thread, at start. Turns defaults, a .properties file, environment and flags into one typed, flat object, and
// says where each value came from. Later sources win: default, file, environment (RMQ_BROKER_<name>), flag. A command may have
// defaults of its own.
// Always holds: nothing is ignored in silence. An unknown name is a warning with the name that was probably meant, a known name
// that has no effect here is a note, a bad value is an error that names file and line, and all errors are told at once.

import { availableParallelism, homedir, hostname, networkInterfaces } from 'node:os';
import type { MachineFacts, PropertyValue } from './config-property.js';
import {
  type BrokerConfig,
  brokerSchema,
  type ConfigObject,
  type NamesrvConfig,
  namesrvSchema,
  nearestName,
  type Schema,
} from './config-schema.js';
import { cometError, isCometError } from './errors.js';
import { splitHostPort } from './net-address.js';
import { readPropertiesFile } from './properties-file.js';

export type { BrokerConfig, NamesrvConfig } from './config-schema.js';

export type ConfigSource = 'default' | 'file' | 'environment' | 'flag' | 'derived';

export interface LoadOptions {
  /** In place of the schema's, before anything else is read. */
  readonly defaults?: Readonly<Record<string, string>> | undefined;
  readonly file?: string | undefined;
  readonly flags?: Readonly<Record<string, string>> | undefined;
  readonly machine?: MachineFacts | undefined;
  readonly javaDefaults?: boolean | undefined;
}

export interface LoadedConfig<C> {
  readonly config: C;
  readonly sources: Readonly<Record<string, ConfigSource>>;
  readonly warnings: readonly string[];
  /** Known properties that were set and have no effect here. */
  readonly notes: readonly string[];
}

/** Throws CONFIG_INVALID with every error that was found. */
export function loadBrokerConfig(options: LoadOptions = {}): LoadedConfig<BrokerConfig> {
  const loader = new Loader(brokerSchema, 'RMQ_BROKER_', options);
  const config = loader.config as BrokerConfig;
  settleBroker(config, loader);
  return loader.finish(config);
}

/** Throws CONFIG_INVALID with every error that was found. */
export function loadNamesrvConfig(options: LoadOptions = {}): LoadedConfig<NamesrvConfig> {
  const loader = new Loader(namesrvSchema, 'RMQ_NAMESRV_', options);
  return loader.finish(loader.config as NamesrvConfig);
}

/** The facts of the machine that this process runs on. */
export function systemMachine(): MachineFacts {
  return {
    cpuCount: availableParallelism(),
    hostName: hostname(),
    homeDir: homedir(),
    localAddress: localAddress(),
    env: process.env,
  };
}

/** `name=value` lines in Java's order; only those that `-m` shows when asked so. */
export function printConfig(schema: Schema, config: object, importantOnly = false): string {
  let text = '';
  for (const [name, property] of Object.entries(schema)) {
    if (importantOnly && property.important !== true) continue;
    text += `${property.field ?? name}=${(config as ConfigObject)[name] ?? ''}\n`;
  }
  return text;
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}

export function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

class Loader {
  readonly config: ConfigObject = {};
  readonly sources: Record<string, ConfigSource> = {};
  readonly warnings: string[] = [];
  readonly notes: string[] = [];
  readonly errors: string[] = [];
  readonly #schema: Schema;

  constructor(schema: Schema, envPrefix: string, options: LoadOptions) {
    this.#schema = schema;
    const machine = options.machine ?? systemMachine();
    for (const [name, property] of Object.entries(schema)) {
      const { javaDefault } = property;
      const useJava = options.javaDefaults === true && javaDefault !== undefined;
      this.#put(name, useJava ? javaDefault : property.initial(machine), 'default');
    }
    for (const [name, value] of Object.entries(options.defaults ?? {})) {
      this.#set(name, value, 'default', `default of ${name}`);
    }
    if (options.file !== undefined) this.#readFile(options.file);
    for (const [key, value] of Object.entries(machine.env)) {
      if (key.startsWith(envPrefix) && value !== undefined) {
        this.#set(key.slice(envPrefix.length), value, 'environment', key);
      }
    }
    for (const [name, value] of Object.entries(options.flags ?? {})) {
      this.#set(name, value, 'flag', `flag ${name}`);
    }
  }

  derive(name: string, value: PropertyValue): void {
    this.#put(name, value, 'derived');
  }

  isDefault(name: string): boolean {
    return this.sources[name] === 'default';
  }

  finish<C>(config: C): LoadedConfig<C> {
    if (this.errors.length > 0) throw cometError('CONFIG_INVALID', this.errors.join('; '));
    return { config, sources: this.sources, warnings: this.warnings, notes: this.notes };
  }

  #readFile(path: string): void {
    for (const { name, value, line } of readPropertiesFile(path)) {
      this.#set(name, value, 'file', `${path}:${line}`);
    }
  }

  #set(name: string, text: string, source: ConfigSource, where: string): void {
    const property = Object.hasOwn(this.#schema, name) ? this.#schema[name] : undefined;
    if (property === undefined) {
      const near = nearestName(this.#schema, name);
      const hint = near === null ? '' : `; did you mean "${near}"?`;
      this.warnings.push(`${where}: unknown property "${name}"${hint}`);
      return;
    }
    const value = property.parse(text);
    if (value === undefined) {
      this.errors.push(`${where}: ${name} must be ${property.expects}, not "${text}"`);
      return;
    }
    if (property.unused === true) this.notes.push(`${where}: ${name} has no effect here`);
    this.#put(name, value, source);
  }

  #put(name: string, value: PropertyValue, source: ConfigSource): void {
    this.config[name] = value;
    this.sources[name] = source;
  }
}

/** What follows from other values, as in BrokerStartup and BrokerController. */
function settleBroker(config: BrokerConfig, loader: Loader): void {
  if (config.brokerRole !== 'SLAVE') {
    if (config.brokerId !== 0) loader.derive('brokerId', 0);
  } else if (config.brokerId <= 0) {
    loader.errors.push('a SLAVE must have a brokerId above 0');
  }
  loader.derive('haListenPort', config.listenPort === 0 ? 0 : config.listenPort + 1);
  settleAddresses(config, loader);
  checkNamesrvAddr(config.namesrvAddr, loader);
}

/** A broker that listens on one address advertises that one; clients could not reach it by another. */
function settleAddresses(config: BrokerConfig, loader: Loader): void {
  const { bindAddress } = config;
  if (loader.isDefault('brokerIP1')) {
    if (!isWildcard(bindAddress)) loader.derive('brokerIP1', bindAddress);
  } else if (isLoopback(bindAddress) && !isLoopback(config.brokerIP1)) {
    loader.warnings.push(
      `clients are told ${config.brokerIP1}, but the broker listens on ${bindAddress} only; set bindAddress`,
    );
  }
  if (loader.isDefault('brokerIP2')) loader.derive('brokerIP2', config.brokerIP1);
}

function checkNamesrvAddr(list: string | null, loader: Loader): void {
  for (const address of (list ?? '').split(';')) {
    if (address.trim() === '') continue;
    try {
      splitHostPort(address);
    } catch (error) {
      if (!isCometError(error)) throw error;
      loader.errors.push(
        `namesrvAddr must look like 127.0.0.1:9876;192.168.0.1:9876, not "${list}"`,
      );
      return;
    }
  }
}

/** As Java's getLocalAddress: a public or at least not a 192.168 address first. */
function localAddress(): string {
  let second: string | null = null;
  for (const addresses of Object.values(networkInterfaces())) {
    for (const { address, family, internal } of addresses ?? []) {
      if (internal || family !== 'IPv4') continue;
      if (!address.startsWith('192.168.')) return address;
      second ??= address;
    }
  }
  return second ?? '127.0.0.1';
}
