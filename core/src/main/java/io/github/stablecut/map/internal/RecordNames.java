package io.github.stablecut.map.internal;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.ObjectKey;
import io.github.stablecut.key.PartitionKeys;
import io.github.stablecut.map.storage.RecordId;
import io.github.stablecut.map.storage.RecordRange;
import io.github.stablecut.option.ScanOptions;
import java.io.ByteArrayOutputStream;

/**
 * Converts names of records to keys of a store's objects. The bucket is the space. Without a lead,
 * the key is the partition, as a partition key ({@link Key#withPartitionKey}), and the rest. With a
 * lead, it is a byte 1, the lead, the partition in braces, and the rest. In leads and partitions,
 * braces and the bytes before them are escaped: 122 as 122 1, 123 as 122 2, 124 as 124 1, and 125
 * as 124 2. This keeps the order. A record and its index entries are therefore on the same
 * partition of the store.
 */
final class RecordNames {
  private static final int LED = 1;

  private RecordNames() {}

  static <O, V> ObjectKey<O, V> key(RecordId id, CrdtType<?, O, ?, V> type) {
    Bytes key = key(id);
    int length = id.space().length() + key.length();
    if (length > Key.MAX_BYTES) {
      throw new LimitExceededException(
          id.lead().length() == 0
              ? "the key of a record has %,d bytes, and at most %,d are allowed: shorten its values"
                  .formatted(length, Key.MAX_BYTES)
              : "an indexed value and the key of its record have %,d bytes together, and at most %,d are allowed: shorten the value, or drop the index on its column"
                  .formatted(length, Key.MAX_BYTES));
    }
    return Key.of(id.space(), key, type);
  }

  private static Bytes key(RecordId id) {
    Bytes partition = escape(id.partition());
    if (id.lead().length() == 0) {
      return KeyCodec.join(PartitionKeys.prefix(partition), id.rest());
    }
    ByteArrayOutputStream key = new ByteArrayOutputStream();
    key.write(LED);
    key.writeBytes(escape(id.lead()).toArray());
    key.write('{');
    key.writeBytes(partition.toArray());
    key.write('}');
    key.writeBytes(id.rest().toArray());
    return Bytes.wrap(key.toByteArray());
  }

  /**
   * Returns the record that an object represents.
   *
   * @throws FormatException if it represents none
   */
  static RecordId id(Bytes space, Bytes key) {
    if (PartitionKeys.isMarked(key)) {
      Bytes partition = PartitionKeys.of(key).orElseThrow(() -> none(key));
      Bytes rest = key.slice(PartitionKeys.prefix(partition).length(), key.length());
      return RecordId.of(space, unescape(partition), rest);
    }
    int open = find(key, '{', 0);
    int close = find(key, '}', open);
    if (key.at(0) != LED || open < 2) {
      throw none(key);
    }
    return new RecordId(
        space,
        unescape(key.slice(1, open)),
        unescape(key.slice(open + 1, close)),
        key.slice(close + 1, key.length()));
  }

  private static FormatException none(Bytes key) {
    return new FormatException("not a record's name: " + key);
  }

  private static int find(Bytes key, char wanted, int from) {
    for (int at = from; at < key.length(); at++) {
      if (key.at(at) == wanted) {
        return at;
      }
    }
    throw none(key);
  }

  /** Returns the scan that finds the records of a range. */
  static ScanOptions options(RecordRange range) {
    ScanOptions options = unordered(range);
    options = range.isDescending() ? options.descending() : options;
    return range.limit() == Long.MAX_VALUE ? options : options.limit(range.limit());
  }

  private static ScanOptions unordered(RecordRange range) {
    if (range.lead().length() > 0) {
      Bytes lead = KeyCodec.join(led(range.lead()), Bytes.utf8("{"));
      if (range.partition().isEmpty()) {
        return ScanOptions.bucket(range.space()).prefix(lead);
      }
      Bytes partition =
          KeyCodec.join(KeyCodec.join(lead, escape(range.partition().get())), Bytes.utf8("}"));
      ScanOptions all =
          ScanOptions.bucket(range.space())
              .prefix(partition)
              .from(KeyCodec.join(partition, range.low()));
      return range.high().map(high -> all.until(KeyCodec.join(partition, high))).orElse(all);
    }
    if (range.partition().isEmpty()) {
      return ScanOptions.bucket(range.space())
          .prefix(PartitionKeys.prefix(Bytes.EMPTY).slice(0, 2));
    }
    ScanOptions all =
        ScanOptions.bucket(range.space(), escape(range.partition().get())).from(range.low());
    return range.high().map(all::until).orElse(all);
  }

  /** Returns the scan of all records of a space whose leads have a prefix. */
  static ScanOptions all(Bytes space, Bytes leadPrefix) {
    ScanOptions all = ScanOptions.bucket(space);
    return leadPrefix.length() == 0 ? all : all.prefix(led(leadPrefix));
  }

  private static Bytes led(Bytes lead) {
    return KeyCodec.join(Bytes.wrap(new byte[] {LED}), escape(lead));
  }

  private static Bytes escape(Bytes bytes) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(bytes.length() + 4);
    for (int i = 0; i < bytes.length(); i++) {
      int current = bytes.at(i);
      if (current >= 'z' && current <= '}') {
        out.write(current < '|' ? 'z' : '|');
        out.write(current % 2 == 0 ? 1 : 2);
      } else {
        out.write(current);
      }
    }
    return Bytes.wrap(out.toByteArray());
  }

  private static Bytes unescape(Bytes bytes) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(bytes.length());
    for (int i = 0; i < bytes.length(); i++) {
      int current = bytes.at(i);
      if (current == 'z' || current == '|') {
        i++;
        if (i == bytes.length() || bytes.at(i) < 1 || bytes.at(i) > 2) {
          throw none(bytes);
        }
        out.write(current + bytes.at(i) - 1);
      } else {
        out.write(current);
      }
    }
    return Bytes.wrap(out.toByteArray());
  }
}
