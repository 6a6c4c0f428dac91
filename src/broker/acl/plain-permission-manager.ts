// Room: broker, main thread, whose alone the rules are. The ACL files of a running broker: loaded, looked at every 2.5 s, taken over when
// a changed text was seen twice (so within 5 s, as Java's), and rewritten by codes 50, 51 and 53. Follows Java's PlainPermissionManager.
// Always holds: a text that can not be used, or is empty, or is gone, changes nothing: the last good rules stay (S7); a change over the
// wire is on disk before it is in force; no text of a file gets into a log or an answer.

import { resolve } from 'node:path';
import type { Clock } from '../../base/clock.js';
import { cometError, ErrorCatalogue, isCometError } from '../../base/errors.js';
import { writeFileAtomic } from '../../base/json-file.js';
import { getLogger } from '../../base/logger.js';
import type { AclConfig } from '../../protocol/bodies/acl-config.js';
import type { DataVersion } from '../../protocol/bodies/topic-config.js';
import type { RemotingCommand } from '../../protocol/remoting-command.js';
import { firstVersion, nextVersion } from '../topic/data-version.js';
import {
  type AccountChange,
  withAccount,
  withGlobalWhiteAddrs,
  withoutAccount,
} from './acl-document.js';
import { type AclFile, isLongKey, keysFault, maskSecret, parseAclFile } from './acl-file.js';
import { AclFolder, isReadableByOthers } from './acl-folder.js';
import { type AclRefusal, AclRules } from './acl-rules.js';
import { resourcePermsFault } from './permission.js';
import { parseAddressPattern } from './remote-address-pattern.js';

const log = getLogger('broker.acl');

/** The period of reload(). */
export const ACL_RELOAD_PERIOD_MS = 2500;
const ONLY_THE_OWNER = 0o600;

interface LoadedFile {
  readonly text: string;
  readonly file: AclFile;
  readonly version: DataVersion;
}

/** A remark says why not. */
export type AclChangeOutcome =
  | { readonly ok: true }
  | { readonly ok: false; readonly remark: string };

export class PlainPermissionManager {
  readonly #clock: Clock;
  readonly #folder: AclFolder;
  #files = new Map<string, LoadedFile>();
  #rules = new AclRules(new Map());
  /** Texts that differ from the loaded ones, as they were at the last look; null once it is told that a file is gone. */
  #seen = new Map<string, string | null>();
  #told = new Map<string, string>();
  /** Looks and changes follow one another. */
  #turn: Promise<unknown> = Promise.resolve();

  /** Throws CONFIG_INVALID when a file is there and can not be used: a broker does not start with half its rules. */
  constructor(rocketmqHome: string, clock: Clock) {
    this.#clock = clock;
    this.#folder = new AclFolder(rocketmqHome);
    for (const [path, text] of this.#folder.readSync()) {
      if (isReadableByOthers(path)) log.warn(`${path} holds secrets and others may read it`);
      const file = parsed(path, text);
      if (file !== null) this.#keep(path, text, file);
    }
    this.#merge();
    if (this.#rules.accounts().length === 0) {
      log.warn(`there are no accounts in ${this.#folder.defaultFile}: requests are refused`);
    }
  }

  /** Null for a request that is allowed. */
  refusal(remoteAddress: string, request: RemotingCommand): AclRefusal | null {
    return this.#rules.refusal(remoteAddress, request);
  }

  /** Looks whether files have changed. */
  reload(): Promise<void> {
    return this.#inTurn(async () => {
      const texts = await this.#folder.read();
      let changed = false;
      for (const [path, text] of texts) changed = this.#look(path, text) || changed;
      for (const path of this.#files.keys()) {
        if (!texts.has(path) && this.#seen.get(path) !== null) {
          this.#seen.set(path, null);
          log.warn(`${path} is gone; its rules stay in force until the broker stops`);
        }
      }
      if (changed) this.#merge();
    });
  }

  updateAccessConfig(change: Partial<AccountChange>): Promise<AclChangeOutcome> {
    const { accessKey = null, secretKey = null, admin = false } = change;
    if (!isLongKey(accessKey) || !isLongKey(secretKey)) {
      return Promise.resolve({ ok: false, remark: keysFault({ accessKey, secretKey }) });
    }
    const perms = [...(change.topicPerms ?? []), ...(change.groupPerms ?? [])];
    const fault = resourcePermsFault(perms) ?? addressFault([change.whiteRemoteAddress ?? '']);
    if (fault !== null) return Promise.resolve({ ok: false, remark: fault });
    const whole = { ...change, accessKey, secretKey, admin };
    return this.#inTurn(() => {
      const path = this.#rules.pathOf(accessKey) ?? this.#folder.defaultFile;
      return this.#change(path, (text, version) => withAccount(text, whole, version));
    });
  }

  deleteAccessConfig(accessKey: string): Promise<AclChangeOutcome> {
    return this.#inTurn(async () => {
      const path = this.#rules.pathOf(accessKey);
      if (path === undefined) {
        const remark = `The accesskey[${accessKey}] corresponding to accessConfig has been deleted failed.`;
        return { ok: false, remark };
      }
      return this.#change(path, (text, version) => withoutAccount(text, accessKey, version));
    });
  }

  /** Of one file: the default one, or a path that is one of the ACL files. */
  updateGlobalWhiteAddrs(
    addresses: readonly string[],
    filePath: string | null,
  ): Promise<AclChangeOutcome> {
    const fault = addressFault(addresses);
    if (fault !== null) return Promise.resolve({ ok: false, remark: fault });
    const { defaultFile } = this.#folder;
    const path = filePath === null || filePath === '' ? defaultFile : resolve(filePath);
    return this.#inTurn(async () => {
      if (path !== defaultFile && !this.#files.has(path)) {
        return { ok: false, remark: `${filePath} is none of the ACL files` };
      }
      return this.#change(path, (text, version) => withGlobalWhiteAddrs(text, addresses, version));
    });
  }

  /** Without the secrets. */
  config(): AclConfig {
    return {
      globalWhiteAddrs: [...this.#files.values()].flatMap(({ file }) => file.globalWhiteAddrs),
      plainAccessConfigs: this.#rules
        .accounts()
        .map(({ config }) => ({ ...config, secretKey: maskSecret(config.secretKey) })),
    };
  }

  /** Of the default file. */
  version(): DataVersion {
    const loaded = this.#files.get(this.#folder.defaultFile);
    return loaded?.version ?? firstVersion(this.#clock);
  }

  versions(): ReadonlyMap<string, DataVersion> {
    return new Map([...this.#files].map(([path, { version }]) => [path, version]));
  }

  /** True when the text was taken over. */
  #look(path: string, text: string): boolean {
    if (this.#files.get(path)?.text === text) {
      this.#seen.delete(path);
      return false;
    }
    // A text that is being written differs at the next look.
    if (this.#seen.get(path) !== text) {
      this.#seen.set(path, text);
      return false;
    }
    if (this.#told.get(path) === text) return false;
    try {
      const file = parsed(path, text);
      if (file !== null) {
        this.#keep(path, text, file);
        this.#told.delete(path);
        log.info(`${path} has changed and is in force`);
        return true;
      }
      log.warn(`${path} is empty; what was in force stays so`);
    } catch (error) {
      if (!isCometError(error)) throw error;
      log.warn(`${error.message}; what was in force stays so`);
    }
    this.#told.set(path, text);
    return false;
  }

  /** What is on disk is what is changed, even if it is not yet in force. */
  async #change(
    path: string,
    edit: (text: string, version: DataVersion) => string,
  ): Promise<AclChangeOutcome> {
    try {
      const text = (await this.#folder.read()).get(path) ?? this.#files.get(path)?.text ?? '';
      const before = parsed(path, text)?.version ?? firstVersion(this.#clock);
      const changed = edit(text, nextVersion(before, this.#clock));
      const file = parsed(path, changed);
      if (file === null) return { ok: false, remark: `nothing would be left in ${path}` };
      await writeFileAtomic(path, changed, ONLY_THE_OWNER);
      this.#keep(path, changed, file);
      this.#merge();
      return { ok: true };
    } catch (error) {
      if (!isCometError(error)) throw error;
      return { ok: false, remark: error.message };
    }
  }

  #keep(path: string, text: string, file: AclFile): void {
    this.#seen.delete(path);
    const version = file.version ?? firstVersion(this.#clock);
    const files = new Map(this.#files).set(path, { text, file, version });
    this.#files = new Map([...files].sort(([a], [b]) => this.#folder.compare(a, b)));
  }

  #merge(): void {
    this.#rules = new AclRules(new Map([...this.#files].map(([path, { file }]) => [path, file])));
    for (const accessKey of this.#rules.repeated) {
      log.warn(`the access key ${accessKey} stands in more than one place; the first one counts`);
    }
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work, work);
    this.#turn = done.catch(() => {});
    return done;
  }
}

function parsed(path: string, text: string): AclFile | null {
  try {
    return parseAclFile(text);
  } catch (error) {
    if (!isCometError(error)) throw error;
    const why = error.message.replace(`${ErrorCatalogue.CONFIG_INVALID.text}: `, '');
    throw cometError('CONFIG_INVALID', `${path}: ${why}`);
  }
}

function addressFault(patterns: readonly string[]): string | null {
  try {
    for (const pattern of patterns) parseAddressPattern(pattern);
    return null;
  } catch (error) {
    if (!isCometError(error)) throw error;
    return error.message;
  }
}
