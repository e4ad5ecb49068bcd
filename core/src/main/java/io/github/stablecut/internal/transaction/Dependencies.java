package io.github.stablecut.internal.transaction;

import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.Footprint;
import io.github.stablecut.internal.materializer.CallTypes;
import io.github.stablecut.internal.materializer.ScanPlan;
import io.github.stablecut.internal.partition.Footprints;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.Certification;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What no other transaction may have changed since a transaction's snapshot: what it has read and
 * written, as far as its certification demands it. Confined to the transaction's thread.
 */
final class Dependencies {
  /** After so many scans, what they have gone over counts as one range. */
  private static final int MAX_RANGES = 1_000;

  private final Certification certification;

  /** What is certified of objects; null until something is. */
  private @Nullable Footprints certified;

  /** What was read of objects, and is certified once they are updated. */
  private @Nullable Footprints read;

  /** The ranges of objects that were scanned, if reads matter. */
  private List<ScannedRange> scanned = List.of();

  Dependencies(Certification certification) {
    this.certification = certification;
  }

  /** A part of an object was read. */
  void read(Bytes id, Footprint part) {
    if (certification == Certification.READS_WRITES) {
      boolean unused = modified().add(id, part);
    } else if (certification == Certification.READ_THEN_UPDATED) {
      if (read == null) {
        read = new Footprints();
      }
      boolean unused = read.add(id, part);
    }
  }

  /** A scan begins; the answer is to be told how far it has come. */
  EmbeddedScan.Progress scan(ScanPlan plan) {
    if (certification != Certification.READS_WRITES
        && certification != Certification.READ_THEN_UPDATED) {
      return EmbeddedScan.Progress.IGNORED;
    }
    if (scanned.isEmpty()) {
      scanned = new ArrayList<>();
    } else if (scanned.size() == MAX_RANGES) {
      ScannedRange covering = ScannedRange.covering(scanned);
      scanned.clear();
      scanned.add(covering);
    }
    ScannedRange range = new ScannedRange(plan);
    scanned.add(range);
    return range;
  }

  /**
   * An object was updated.
   *
   * @param parts those of {@link #footprints}
   * @param added receives what was not certified before
   */
  void updated(Bytes id, List<Footprint> parts, List<Footprint> added) {
    for (int i = 0; i < parts.size(); i++) {
      if (modified().add(id, parts.get(i))) {
        added.add(parts.get(i));
      }
    }
  }

  /** The parts of its object that an update has to have certified; none for most. */
  List<Footprint> footprints(Update update) {
    CrdtType<?, ?, ?, ?> type = update.key().type();
    if (certification == Certification.WRITES) {
      return List.of(Footprint.whole());
    }
    List<Footprint> own =
        certification == Certification.READS_WRITES
                || CallTypes.needsCertification(type, update.operation())
            ? CallTypes.footprints(type, update.operation())
            : List.of();
    List<Footprint> before =
        certification == Certification.READ_THEN_UPDATED
            ? readBefore(update.key().id())
            : List.of();
    if (before.isEmpty() || own.isEmpty()) {
      return before.isEmpty() ? own : before;
    }
    List<Footprint> both = new ArrayList<>(own);
    both.addAll(before);
    return both;
  }

  private List<Footprint> readBefore(Bytes id) {
    for (ScannedRange range : scanned) {
      if (range.scanned().filter(ids -> ids.contains(id)).isPresent()) {
        return List.of(Footprint.whole());
      }
    }
    return read == null ? List.of() : List.copyOf(read.of(id));
  }

  /** Whether nothing is certified. */
  boolean areNone() {
    return certified().isEmpty() && (scanned.isEmpty() || ranges().isEmpty());
  }

  /** An update is taken back that has added something. */
  void takeBack(Bytes id, List<Footprint> added) {
    // What was read stays certified: the application has seen it and may depend on it.
    if (certification != Certification.READS_WRITES) {
      added.forEach(part -> certified().remove(id, part));
    }
  }

  /** What is certified of single objects. */
  Footprints certified() {
    return certified == null ? Footprints.NONE : certified;
  }

  private Footprints modified() {
    if (certified == null) {
      certified = new Footprints();
    }
    return certified;
  }

  /** The ranges that are certified. */
  List<IdRange> ranges() {
    return certification == Certification.READS_WRITES
        ? scanned.stream().map(ScannedRange::scanned).flatMap(Optional::stream).toList()
        : List.of();
  }
}
