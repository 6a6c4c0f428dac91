// Room: processor. Hot (bench/30-header-scan). Writes a response frame straight into a ring, in the key order that Java's broker
// writes (test/golden/frames.jsonl shows it). One writer is used for one frame at a time: begin(), fields, end().

/** The wire version that every frame of ours carries: V4_9_7. */
const VERSION = 407;
const HEX = Buffer.from('0123456789ABCDEF', 'latin1');

export class FrameWriter {
  /** Where the next byte goes; after end(), the end of the header, where a body may follow. */
  at = 0;
  #target: Buffer = Buffer.alloc(0);
  #start = 0;
  #binary = false;
  #extStart = 0;
  #firstField = true;

  /** Opens a response of the given code; ext fields follow. */
  begin(
    target: Buffer,
    start: number,
    serializeType: number,
    code: number,
    opaque: number,
    remark: string,
  ): void {
    this.#target = target;
    this.#start = start;
    this.#binary = serializeType === 1;
    this.#firstField = true;
    this.at = start + 8;
    if (!this.#binary) {
      this.#ascii('{"code":');
      this.#decimal(code);
      this.#ascii(',"extFields":{');
      return;
    }
    target.writeInt16BE(code, this.at);
    target[this.at + 2] = 0;
    target.writeInt16BE(VERSION, this.at + 3);
    target.writeInt32BE(opaque, this.at + 5);
    target.writeInt32BE(1, this.at + 9);
    const size = target.write(remark, this.at + 17, 'utf8');
    target.writeInt32BE(size, this.at + 13);
    this.#extStart = this.at + 17 + size;
    this.at = this.#extStart + 4;
  }

  textField(name: string, value: string): void {
    const sizeAt = this.#openField(name);
    this.#ascii(value);
    this.#closeField(sizeAt);
  }

  integerField(name: string, value: number): void {
    const sizeAt = this.#openField(name);
    this.#decimal(value);
    this.#closeField(sizeAt);
  }

  /** A field of comma-joined offset message ids: the fixed part in hex, then 16 hex digits of each position. */
  messageIdsField(name: string, prefix: string, positions: ArrayLike<number>, count: number): void {
    const sizeAt = this.#openField(name);
    for (let i = 0; i < count; i++) {
      if (i > 0) this.#target[this.at++] = 0x2c;
      this.#ascii(prefix);
      const high = Math.floor(positions[i]! / 0x1_0000_0000);
      this.#hex(high);
      this.#hex(positions[i]! - high * 0x1_0000_0000);
    }
    this.#closeField(sizeAt);
  }

  /** Closes the header and writes the two length words. @returns the size of the frame with that body. */
  end(opaque: number, remark: string, bodyLength: number): number {
    const target = this.#target;
    if (this.#binary) {
      target.writeInt32BE(this.at - this.#extStart - 4, this.#extStart);
    } else {
      this.#ascii('},"flag":1,"language":"JAVA","opaque":');
      this.#decimal(opaque);
      if (remark !== '') {
        this.#ascii(',"remark":');
        this.at += target.write(JSON.stringify(remark), this.at, 'utf8');
      }
      this.#ascii(',"serializeTypeCurrentRPC":"JSON","version":407}');
    }
    const headerLength = this.at - this.#start - 8;
    target.writeInt32BE(4 + headerLength + bodyLength, this.#start);
    target.writeInt32BE(this.#binary ? headerLength | 0x0100_0000 : headerLength, this.#start + 4);
    return 8 + headerLength + bodyLength;
  }

  #openField(name: string): number {
    if (!this.#binary) {
      if (!this.#firstField) this.#target[this.at++] = 0x2c;
      this.#firstField = false;
      this.#target[this.at++] = 0x22;
      this.#ascii(name);
      this.#target[this.at++] = 0x22;
      this.#target[this.at++] = 0x3a;
      this.#target[this.at++] = 0x22;
      return 0;
    }
    this.#target.writeInt16BE(name.length, this.at);
    this.at += 2;
    this.#ascii(name);
    this.at += 4;
    return this.at - 4;
  }

  #closeField(sizeAt: number): void {
    if (this.#binary) this.#target.writeInt32BE(this.at - sizeAt - 4, sizeAt);
    else this.#target[this.at++] = 0x22;
  }

  #ascii(text: string): void {
    const target = this.#target;
    let at = this.at;
    for (let i = 0; i < text.length; i++) target[at++] = text.charCodeAt(i);
    this.at = at;
  }

  #decimal(value: number): void {
    const target = this.#target;
    let rest = value;
    if (rest < 0) {
      target[this.at++] = 0x2d;
      rest = -rest;
    }
    let digits = 1;
    for (let limit = 10; rest >= limit; limit *= 10) digits++;
    let at = this.at + digits;
    this.at = at;
    while (rest > 0x3fff_ffff) {
      const quotient = Math.floor(rest / 10);
      target[--at] = 0x30 + (rest - quotient * 10);
      rest = quotient;
      digits--;
    }
    let small = rest | 0;
    for (; digits > 0; digits--) {
      const quotient = (small / 10) | 0;
      target[--at] = 0x30 + (small - quotient * 10);
      small = quotient;
    }
  }

  #hex(word: number): void {
    const target = this.#target;
    for (let shift = 28; shift >= 0; shift -= 4) target[this.at++] = HEX[(word >>> shift) & 15]!;
  }
}
