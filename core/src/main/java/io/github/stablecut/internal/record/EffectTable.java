package io.github.stablecut.internal.record;

import io.github.stablecut.crdt.Bytes;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Where the effects are in the record of a transaction, for those who read many of them, one by
 * one: to find one takes a look-up, whatever the length of the record. Immutable.
 */
public final class EffectTable {
  private final byte[] body;
  private final Commit commit;

  /** Where each effect is in the body, from and to. */
  private int[] effects = new int[16];

  private int effectCount;

  /** For each object, where its id is in the body, from and to, and the ordinals of its effects. */
  private final int[] objects;

  private static final int OBJECT_INTS = 4;

  /** Objects, counted from 1, by the hash of their id; the next slot if one is taken. */
  private final int[] slots;

  /**
   * Goes through a record.
   *
   * @param body the record's body, which is kept
   * @param position where the record is in the journal
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

  /** About how many bytes of memory this takes. */
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
    byte[] wanted = id.toArray();
    int slot = slot(wanted, 0, wanted.length);
    while (slots[slot] != 0) {
      int at = OBJECT_INTS * (slots[slot] - 1);
      if (Arrays.equals(body, objects[at], objects[at + 1], wanted, 0, wanted.length)) {
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
