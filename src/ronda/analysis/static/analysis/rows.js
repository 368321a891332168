// Where a piece of a file may be cut: behind a row, never within one.

const QUOTE = 0x22, COMMA = 0x2c, LINE_FEED = 0x0a, RETURN = 0x0d;
const DELIMITERS = [COMMA, 0x3b, 0x09, 0x7c];

// How much of the bytes is whole lines.
export function cutLines(bytes) {
  return bytes.lastIndexOf(LINE_FEED) + 1;
}

// How much of the bytes, which begin with a row, is whole rows of CSV, by the server's rules: a quote opens a field only
// at its beginning, and the one that closes it stands before a delimiter or the end of the row. A row that breaks this
// ends with its first line. `first`: only the first row.
export function cutCsv(bytes, delimiter = COMMA, first = false) {
  if (!first && bytes.indexOf(QUOTE) < 0) return cutLines(bytes);
  let cut = 0, isQuoted = false, isFieldStart = true;
  for (let at = 0; at < bytes.length; at++) {
    const sign = bytes[at];
    if (isQuoted) {
      if (sign !== QUOTE) continue;
      const next = bytes[at + 1];
      if (next === QUOTE) {
        at++;
        continue;
      }
      isQuoted = false;
      if (![undefined, delimiter, LINE_FEED, RETURN].includes(next)) {
        const line = bytes.indexOf(LINE_FEED, cut);
        if (line < 0) return cut;
        at = line - 1;
      }
    } else if (sign === QUOTE && isFieldStart) {
      isQuoted = true;
    } else if (sign === LINE_FEED) {
      cut = at + 1;
      if (first) return cut;
      isFieldStart = true;
      continue;
    }
    isFieldStart = !isQuoted && sign === delimiter;
  }
  return cut;
}

// What stands most often in the header.
function delimiterOf(header) {
  const count = (sign) => header.reduce((sum, one) => sum + (one === sign), 0);
  return DELIMITERS.reduce((best, sign) => (count(sign) > count(best) ? sign : best));
}

export function joined(...parts) {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

// The batches of a text: pieces of about `size` bytes on row boundaries, each with the header row where there is one.
export async function* textPieces(stream, isCsv, size) {
  const reader = stream.getReader();
  let header = isCsv ? null : new Uint8Array(0);
  let held = [], length = 0, isAny = false, delimiter = COMMA;
  const take = function* (isEnd) {
    let data = joined(...held);
    held = [];
    length = 0;
    if (header === null) {
      let end = cutCsv(data, COMMA, true);
      if (!end && isEnd && data.length) {
        data = joined(data, new Uint8Array([LINE_FEED]));
        end = data.length;
      }
      if (!end) { held = [data]; length = data.length; return; }
      header = data.slice(0, end);
      delimiter = delimiterOf(header);
      data = data.slice(end);
    }
    const end = isEnd ? data.length : (isCsv ? cutCsv(data, delimiter) : cutLines(data));
    if (end || (isEnd && isCsv && !isAny && header.length)) {
      isAny = true;
      yield joined(header, data.subarray(0, end));
    }
    held = [data.slice(end)];
    length = held[0].length;
  };
  while (true) {
    const { done, value } = await reader.read();
    if (value) { held.push(value); length += value.length; }
    if (done) break;
    if (length >= size) yield* take(false);
  }
  if (length) yield* take(true);
}
