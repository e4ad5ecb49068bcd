package io.github.stablecut.internal.transaction;

import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.Footprint;
import io.github.stablecut.internal.materializer.CallTypes;
import io.github.stablecut.internal.materializer.ScanPlan;
import io.github.stablecut.internal.partition.commit.Footprints;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.Certification;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The dependencies of a transaction: the parts of objects that no other transaction may have
 * changed since its snapshot. These are what it has read and written, as far as its certification
 * level requires. Confined to the transaction's thread.
 */
final class Dependencies {
  /** After this many scans, their ranges are combined into one. */
  private static final int MAX_RANGES = 1_000;

  private final Certification certification;

  /** The certified parts of objects; null while there are none. */
  private @Nullable Footprints certified;

  /** The parts that were read, and are certified once their object is updated. */
  private @Nullable Footprints read;

  /** The scanned ranges, if the certification level covers reads. */
  private List<ScannedRange> scanned = List.of();

  Dependencies(Certification certification) {
    this.certification = certification;
  }

  /** Records that a part of an object was read. */
  void read(Bytes id, Footprint part) {
    if (certification == Certification.READS_WRITES) {
      mutableCertified().add(id, part);
    } else if (certification == Certification.READ_THEN_UPDATED) {
      if (read == null) {
        read = new Footprints();
      }
      read.add(id, part);
    }
  }

  /** Records the begin of a scan, which reports its progress to the returned object. */
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
   * Records that an object was updated.
   *
   * @param parts the result of {@link #footprints}
   * @param added receives the parts that were not certified before
   */
  void updated(Bytes id, List<Footprint> parts, List<Footprint> added) {
    for (int i = 0; i < parts.size(); i++) {
      if (mutableCertified().add(id, parts.get(i))) {
        added.add(parts.get(i));
      }
    }
  }

  /** Returns the parts of its object that an update must certify; none for most updates. */
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

  /** Whether the transaction certifies nothing. */
  boolean isEmpty() {
    return certified().isEmpty() && (scanned.isEmpty() || ranges().isEmpty());
  }

  /** Reverts an update that has added parts. */
  void revert(Bytes id, List<Footprint> added) {
    // Reads stay certified: the application has seen their results and may depend on them.
    if (certification != Certification.READS_WRITES) {
      added.forEach(part -> certified().remove(id, part));
    }
  }

  /** The certified parts of single objects. */
  Footprints certified() {
    return certified == null ? Footprints.NONE : certified;
  }

  private Footprints mutableCertified() {
    if (certified == null) {
      certified = new Footprints();
    }
    return certified;
  }

  /** The certified ranges. */
  List<IdRange> ranges() {
    return certification == Certification.READS_WRITES
        ? scanned.stream().map(ScannedRange::scanned).flatMap(Optional::stream).toList()
        : List.of();
  }
}
