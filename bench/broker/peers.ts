// Brokers that a bench puts its load to: those it starts itself and those that run already.

export interface Target {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  /** 0 when nothing is known of the process. */
  readonly pid: number;
  /** Where the broker counts its syncs; '' when it does not. */
  readonly syncFolder: string;
}

/** --peer NAME=[HOST:]PORT[:PID], as often as wanted: the same load for a broker that runs already; its settings are its own. */
export function peersOf(args: readonly string[]): Target[] {
  return args.flatMap((arg, i) => {
    if (args[i - 1] !== '--peer') return [];
    const match = /^([^=]+)=(?:([\w.-]*[A-Za-z.][\w.-]*):)?(\d+)(?::(\d+))?$/.exec(arg);
    if (match === null) throw new Error(`--peer ${arg} is not NAME=[HOST:]PORT[:PID]`);
    const [, name = '', host = '127.0.0.1', port, pid] = match;
    return [{ name, host, port: Number(port), pid: Number(pid ?? 0), syncFolder: '' }];
  });
}

export function optionOf(args: readonly string[], name: string): string | undefined {
  const at = args.indexOf(`--${name}`);
  return at < 0 ? undefined : args[at + 1];
}
