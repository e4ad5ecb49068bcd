package io.github.stablecut.crdt.map;

import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.MapKey;
import io.github.stablecut.crdt.ResetBound;
import io.github.stablecut.crdt.map.RecursiveResetMap.Batch;
import io.github.stablecut.crdt.map.RecursiveResetMap.EntryOperation;
import io.github.stablecut.crdt.map.RecursiveResetMap.Operation;
import io.github.stablecut.crdt.map.RecursiveResetMap.Remove;
import io.github.stablecut.crdt.map.RecursiveResetMap.Reset;
import io.github.stablecut.crdt.map.RecursiveResetMap.ResetWithin;
import io.github.stablecut.crdt.map.RecursiveResetMap.Update;

/** Encodes and decodes the operations on {@link RecursiveResetMap}s. */
final class MapOperationCodec {
  private static final int MIN_PART_BYTES = 1 + MapKey.MIN_BYTES;
  private static final int UPDATE = 0;
  private static final int REMOVE = 1;
  private static final int BATCH = 2;
  private static final int RESET = 3;
  private static final int RESET_WITHIN = 4;

  private MapOperationCodec() {}

  static void write(Operation operation, Encoder out) {
    if (operation instanceof Update<?> update) {
      out.writeByte(UPDATE);
      writeUpdate(update, out);
    } else if (operation instanceof Remove remove) {
      out.writeByte(REMOVE);
      remove.place().write(out);
    } else if (operation instanceof Batch batch) {
      out.writeByte(BATCH);
      out.writeUnsigned(batch.parts().size());
      batch.parts().forEach(part -> write(part, out));
    } else if (operation instanceof ResetWithin within) {
      out.writeByte(RESET_WITHIN);
      within.bound().write(out);
    } else {
      out.writeByte(RESET);
    }
  }

  private static <O> void writeUpdate(Update<O> update, Encoder out) {
    update.place().write(out);
    update.place().writeOperation(update.operation(), out);
  }

  static Operation read(Decoder in) {
    int kind = in.readByte();
    return switch (kind) {
      case BATCH -> new Batch(in.readList(MIN_PART_BYTES, from -> readPart(from.readByte(), from)));
      case RESET -> new Reset();
      case RESET_WITHIN -> new ResetWithin(ResetBound.read(in));
      default -> readPart(kind, in);
    };
  }

  private static EntryOperation readPart(int kind, Decoder in) {
    return switch (kind) {
      case UPDATE -> readUpdate(MapKey.read(in), in);
      case REMOVE -> new Remove(MapKey.read(in));
      default ->
          throw new FormatException(
              "unknown kind of map operation, expected 0 to 4, or 0 to 1 in a batch: " + kind);
    };
  }

  private static <O> Update<O> readUpdate(MapKey<O, ?> place, Decoder in) {
    return new Update<>(place, place.readOperation(in));
  }
}
