package io.github.stablecut.internal.record;

import io.github.stablecut.crdt.Bytes;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The offsets of the effects in a transaction's record, for reading many of them one by one: a
 * look-up takes constant time, whatever the length of the record. Immutable.
 */
public final class EffectTable {
  private final byte[] body;
  private final Commit commit;

  /** The start and end offset of each effect in the body. */
  private int[] effects = new int[16];

  private int effectCount;

  /**
   * For each object, the start and end offset of its id in the body, and the range of its effects'
   * ordinals.
   */
  private final int[] objects;

  private static final int OBJECT_INTS = 4;

  /** A hash table of object numbers from 1, by the hash of the id, with linear probing. */
  private final int[] slots;

  /**
   * Indexes a record.
   *
   * @param body the record's body, which is retained and must not change
   * @param position the position of the record in the journal
   */
  public EffectTable(byte[] body, long position) {
    this.body = body;
    ByteBuffer in = ByteBuffer.wrap(body);
    try {
      this.commit = TransactionRecord.readHead(in, position);
      int count = RecordFields.readSize(in);
      if (count > in.remaining() / 2) { // each takes two bytes at least
        throw new BufferUnderflowException();
      }
      this.objects = new int[OBJECT_INTS * count];
      this.slots = new int[Integer.highestOneBit(count + 1) << 2];
      for (int object = 0; object < count; object++) {
        readObject(in, object);
      }
    } catch (BufferUnderflowException e) {
      throw TransactionRecord.malformed(position, "the body ends too early");
    }
  }

  private void readObject(ByteBuffer in, int object) {
    int at = OBJECT_INTS * object;
    int idBytes = RecordFields.readSize(in);
    objects[at] = in.position();
    objects[at + 1] = in.position() + idBytes;
    in.position(objects[at + 1]);
    objects[at + 2] = effectCount;
    for (int left = RecordFields.readSize(in); left > 0; left--) {
      if (effects.length < 2 * effectCount + 2) {
        effects = Arrays.copyOf(effects, 2 * effects.length);
      }
      int bytes = RecordFields.readSize(in);
      effects[2 * effectCount] = in.position();
      in.position(in.position() + bytes);
      effects[2 * effectCount + 1] = in.position();
      effectCount++;
    }
    objects[at + 3] = effectCount;
    int slot = slot(body, objects[at], objects[at + 1]);
    while (slots[slot] != 0) {
      slot = next(slot);
    }
    slots[slot] = object + 1;
  }

  private int slot(byte[] bytes, int from, int to) {
    int hash = 0;
    for (int i = from; i < to; i++) {
      hash = 31 * hash + bytes[i];
    }
    return (hash ^ hash >>> 16) & slots.length - 1;
  }

  private int next(int slot) {
    return slot + 1 & slots.length - 1;
  }

  /** The number of effects. */
  public int size() {
    return effectCount;
  }

  /** The approximate memory of the table, in bytes. */
  public long memory() {
    return body.length + 4L * (effects.length + objects.length + slots.length);
  }

  /** The bytes of an effect. */
  public byte[] effect(int ordinal) {
    if (ordinal >= effectCount) {
      throw TransactionRecord.noEffect(commit.position(), ordinal);
    }
    return Arrays.copyOfRange(body, effects[2 * ordinal], effects[2 * ordinal + 1]);
  }

  /** Visits the effects on an object. */
  public void forEach(Bytes id, TransactionRecord.EffectVisitor visitor) {
    byte[] target = id.toArray();
    int slot = slot(target, 0, target.length);
    while (slots[slot] != 0) {
      int at = OBJECT_INTS * (slots[slot] - 1);
      if (Arrays.equals(body, objects[at], objects[at + 1], target, 0, target.length)) {
        for (int ordinal = objects[at + 2]; ordinal < objects[at + 3]; ordinal++) {
          int from = effects[2 * ordinal];
          int bytes = effects[2 * ordinal + 1] - from;
          visitor.visit(commit, ordinal, id, ByteBuffer.wrap(body, from, bytes).slice());
        }
      }
      slot = next(slot);
    }
  }
}
