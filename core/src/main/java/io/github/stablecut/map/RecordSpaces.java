package io.github.stablecut.map;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.file.Sha256;
import java.nio.ByteBuffer;
import java.util.UUID;

/**
 * Places of the records of tables, each a space of its own. A table that is new, or truncated, lies
 * where another data centre that does the same at the same time has it, too, so that afterwards it
 * is one table with the records of both. A place that was used already is not used again.
 */
final class RecordSpaces {
  private static final int LABEL_CHARS = 8;
  private static final String FRESH = "map/";

  private RecordSpaces() {}

  /** The place of the first table with that name that looks like that. */
  static Bytes first(Table table) {
    return hashed(
        KeyCodec.join(
            Catalogue.name(table.name()).rest(),
            SchemaCodec.encode(Schema.of(table, Bytes.utf8("")))));
  }

  /** Where the table at a place goes on when it is truncated for the first time. */
  static Bytes next(Bytes place) {
    return hashed(place);
  }

  /** One that nobody else has. */
  static Bytes fresh() {
    return Bytes.utf8((FRESH + "%016x").formatted(UUID.randomUUID().getLeastSignificantBits()));
  }

  /** Whether nobody else makes a table with this id, because its first place was a fresh one. */
  static boolean isOnlyOne(TableId table) {
    return table.id().startsWith(FRESH);
  }

  private static Bytes hashed(Bytes bytes) {
    byte[] hash = Sha256.begin().digest(bytes.toArray());
    return Bytes.utf8("map=%016x".formatted(ByteBuffer.wrap(hash).getLong()));
  }

  /** A few characters by which a place is known to people. */
  static String label(String place) {
    return place.substring(Math.max(0, place.length() - LABEL_CHARS));
  }
}
