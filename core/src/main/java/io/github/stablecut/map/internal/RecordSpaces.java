package io.github.stablecut.map.internal;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.file.Sha256;
import io.github.stablecut.map.Table;
import java.nio.ByteBuffer;
import java.util.UUID;

/**
 * Chooses the places of tables' records; each place is a space of its own. Data centres that
 * concurrently create or truncate the same table choose the same place, so the result is one table
 * with the records of both. A used place is never used again.
 */
final class RecordSpaces {
  private static final int LABEL_CHARS = 8;
  private static final String FRESH = "map/";

  private RecordSpaces() {}

  /** Returns the place of the first table with this name and definition. */
  static Bytes first(Table table) {
    return hashed(
        KeyCodec.join(
            Catalogue.name(table.name()).rest(),
            SchemaCodec.encode(Schema.of(table, Bytes.utf8("")))));
  }

  /** Returns the place to which the first truncation moves the table at a place. */
  static Bytes next(Bytes place) {
    return hashed(place);
  }

  /** Returns a unique place. */
  static Bytes fresh() {
    return Bytes.utf8((FRESH + "%016x").formatted(UUID.randomUUID().getLeastSignificantBits()));
  }

  /**
   * Returns whether no other data centre creates a table with this id, because its first place is a
   * fresh one.
   */
  static boolean isOnlyOne(TableId table) {
    return table.id().startsWith(FRESH);
  }

  private static Bytes hashed(Bytes bytes) {
    byte[] hash = Sha256.begin().digest(bytes.toArray());
    return Bytes.utf8("map=%016x".formatted(ByteBuffer.wrap(hash).getLong()));
  }

  /** Returns a short label of a place for people. */
  static String label(String place) {
    return place.substring(Math.max(0, place.length() - LABEL_CHARS));
  }
}
