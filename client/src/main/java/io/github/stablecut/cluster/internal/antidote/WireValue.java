package io.github.stablecut.cluster.internal.antidote;

import io.github.stablecut.crdt.Bytes;
import java.util.List;

/** A value in an answer ({@code ApbReadObjectResp}). Immutable. */
public sealed interface WireValue {
  /** A counter's value ({@code ApbGetCounterResp}). */
  record Count(long value) implements WireValue {}

  /**
   * A set's value ({@code ApbGetSetResp}).
   *
   * @param elements ascending
   */
  record Elements(List<Bytes> elements) implements WireValue {
    /** Copies the list. */
    public Elements {
      elements = List.copyOf(elements);
    }
  }

  /** The value of a register with one value ({@code ApbGetRegResp}); empty if it has none. */
  record Register(Bytes value) implements WireValue {}

  /**
   * The value of a register with several values ({@code ApbGetMVRegResp}).
   *
   * @param values ascending
   */
  record Registers(List<Bytes> values) implements WireValue {
    /** Copies the list. */
    public Registers {
      values = List.copyOf(values);
    }
  }

  /**
   * A map's value ({@code ApbGetMapResp}).
   *
   * @param entries ascending
   */
  record Entries(List<Entry> entries) implements WireValue {
    /** Copies the list. */
    public Entries {
      entries = List.copyOf(entries);
    }
  }

  /** An entry of a map ({@code ApbMapEntry}). */
  record Entry(WireMapKey place, WireValue value) {}

  /** A flag's value ({@code ApbGetFlagResp}). */
  record Flag(boolean value) implements WireValue {}
}
