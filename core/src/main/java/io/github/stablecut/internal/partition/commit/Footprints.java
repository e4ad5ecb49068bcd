package io.github.stablecut.internal.partition.commit;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.Footprint;
import io.github.stablecut.crdt.codec.QuestionCodec;
import io.github.stablecut.internal.materializer.CallTypes;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The parts of objects that a transaction certifies: no other transaction may have changed them
 * since its snapshot. The transaction's thread adds to it; once in a {@link CommitRequest.Part} it
 * is not modified.
 */
public final class Footprints {
  /** The empty footprints, for parts that certify nothing; never modified. */
  public static final Footprints NONE = new Footprints();

  /**
   * Maximum comparisons of effects with parts of an object; beyond it the object counts as changed.
   */
  static final long MAX_COMPARISONS = 100_000;

  /** Beyond this size, further objects are certified whole. */
  private static final int MAX_BYTES = 1 << 20;

  /** Immutable while empty: most transactions certify nothing. */
  private Map<Bytes, Set<Footprint>> byObject;

  /**
   * The ranges of ids in which no object may have changed or been created. Immutable while empty.
   */
  private List<Footprint.Elements> ranges;

  private long bytes;

  private Footprints(Map<Bytes, Set<Footprint>> byObject, List<Footprint.Elements> ranges) {
    this.byObject = byObject;
    this.ranges = ranges;
  }

  /** Creates empty footprints. */
  public Footprints() {
    this(Map.of(), List.of());
  }

  /** Whole objects. */
  public static Footprints whole(Collection<Bytes> objects) {
    return whole(objects, List.of());
  }

  /** Whole objects, and all objects of ranges. */
  static Footprints whole(Collection<Bytes> objects, Collection<Footprint.Elements> ranges) {
    Footprints all = new Footprints();
    ranges.forEach(all::addRange);
    for (Bytes id : objects) {
      all.add(id, Footprint.whole());
    }
    return all;
  }

  /** Adds a part of an object; returns false if it was present. */
  @CanIgnoreReturnValue
  public boolean add(Bytes id, Footprint footprint) {
    if (byObject.isEmpty()) {
      byObject = new HashMap<>();
    }
    Set<Footprint> parts = byObject.computeIfAbsent(id, key -> new HashSet<>(1));
    Footprint kept = bytes < MAX_BYTES ? footprint : Footprint.whole();
    boolean isAdded = parts.add(kept);
    bytes += isAdded ? kept.bytes() : 0;
    return isAdded;
  }

  /** Removes a part of an object. */
  public void remove(Bytes id, Footprint footprint) {
    Set<Footprint> parts = byObject.get(id);
    if (parts == null) {
      return;
    }
    if (parts.remove(footprint)) {
      bytes -= footprint.bytes();
    }
    if (parts.isEmpty()) {
      byObject.remove(id);
    }
  }

  /** Adds all parts of an object. */
  public void addAll(Bytes id, Footprints others) {
    for (Footprint footprint : others.of(id)) {
      add(id, footprint);
    }
  }

  /** Adds a range of ids. */
  public void addRange(Footprint.Elements range) {
    if (ranges.isEmpty()) {
      ranges = new ArrayList<>(1);
    }
    ranges.add(range);
  }

  /** Whether nothing is certified. */
  public boolean isEmpty() {
    return byObject.isEmpty() && ranges.isEmpty();
  }

  /** The certified ranges of ids. */
  public List<Footprint.Elements> ranges() {
    return ranges;
  }

  /** The objects of which a part is certified. */
  public Set<Bytes> objects() {
    return byObject.keySet();
  }

  /** The certified parts of an object. */
  public Set<Footprint> of(Bytes id) {
    return byObject.getOrDefault(id, Set.of());
  }

  /** Whether a write may change one of some parts of its object. */
  static boolean mayTouch(CommitRequest.ObjectWrite write, Set<Footprint> parts) {
    return parts.contains(Footprint.whole())
        || (long) write.effects().size() * parts.size() > MAX_COMPARISONS
        || write.effects().stream().anyMatch(effect -> touches(write.type(), effect, parts));
  }

  /** Whether an effect changes one of some parts of an object. */
  static boolean touches(CrdtType<?, ?, ?, ?> type, Object effect, Set<Footprint> parts) {
    return parts.stream().anyMatch(part -> CallTypes.touches(type, effect, part));
  }

  /** Encodes the parts, for the process that owns the partition. */
  Bytes encode() {
    return QuestionCodec.encode(byObject, ranges);
  }

  /**
   * Decodes footprints from another process.
   *
   * @throws io.github.stablecut.crdt.FormatException if the bytes are malformed
   */
  static Footprints decode(Bytes bytes) {
    return QuestionCodec.decodeFootprints(bytes, Footprints::new);
  }
}
