package io.github.stablecut.tools;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.Checkpoint;
import io.github.stablecut.checkpoint.CheckpointView;
import io.github.stablecut.checkpoint.EntryScan;
import io.github.stablecut.checkpoint.Manifest;
import io.github.stablecut.checkpoint.ManifestFile;
import io.github.stablecut.checkpoint.RunEntry;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.SeveralTypes;
import io.github.stablecut.crdt.codec.CrdtCodec;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.materializer.CallTypes;
import io.github.stablecut.internal.materializer.FoundObject;
import io.github.stablecut.internal.materializer.TypedFold;
import io.github.stablecut.internal.paging.PageIds;
import io.github.stablecut.internal.paging.PagedStates;
import io.github.stablecut.internal.record.Commit;
import io.github.stablecut.internal.record.RecordKind;
import io.github.stablecut.internal.record.TransactionRecord;
import io.github.stablecut.journal.segment.StoredRecord;
import io.github.stablecut.key.Key;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Compares checkpoints with the journal. A replay starts from the oldest readable checkpoint and
 * applies the journal's effects; it must yield the object's value in each later checkpoint. For the
 * newest checkpoint, the values after all later effects must agree as well. Values are compared,
 * not states, because pruning changes states but not values. Reads the journal once per {@link
 * #PASS_BYTES} of effects in memory. Confined to one thread.
 */
final class ReplayComparison {
  /** The memory for pages of large objects. */
  private static final long PAGE_BYTES = 16 << 20;

  /** The memory for the effects of one pass. */
  private static final long PASS_BYTES = 128 << 20;

  private record JournalEffect(Commit commit, CrdtType<?, ?, ?, ?> type, Bytes effect) {}

  private final ClosedPartition files;
  private final CheckpointView view;
  private final PagedStates states = new PagedStates(PAGE_BYTES);
  private final VerificationFindings findings;
  private final ToolProgress progress;
  private final VectorClock low;

  /** The checkpoints above the oldest readable one, ascending. */
  private final List<VectorClock> later;

  private long compared;

  ReplayComparison(
      ClosedPartition files,
      CheckpointView view,
      VerificationFindings findings,
      ToolProgress progress) {
    this.files = files;
    this.view = view;
    this.findings = findings;
    this.progress = progress;
    Manifest manifest = view.manifest();
    this.low = manifest.lowWatermark();
    this.later =
        manifest.runs().stream().map(ManifestFile::at).filter(at -> !at.isAtOrBefore(low)).toList();
  }

  /**
   * Runs the comparison.
   *
   * @param effectBytes the size of the effects in the journal
   * @return the number of compared objects
   */
  long run(long effectBytes) {
    int passes = (int) (effectBytes / PASS_BYTES) + 1;
    for (int pass = 0; pass < passes && !later.isEmpty(); pass++) {
      Map<Bytes, List<JournalEffect>> objects = collect(pass, passes);
      objects.forEach(this::compare);
      findSurplus(objects, pass, passes);
      compared += objects.size();
    }
    return compared;
  }

  private static boolean isOfPass(Bytes id, int pass, int passes) {
    return Math.floorMod(id.hashCode(), passes) == pass;
  }

  /** The effects after the oldest checkpoint, in commit order, on the objects of a pass. */
  private Map<Bytes, List<JournalEffect>> collect(int pass, int passes) {
    Map<Bytes, List<JournalEffect>> objects = new HashMap<>();
    files.readJournal(
        stored -> collect(stored, objects, pass, passes),
        new VerificationFindings(),
        progress,
        "comparing checkpoints with the journal, %d of %d".formatted(pass + 1, passes));
    return objects;
  }

  private void collect(
      StoredRecord stored, Map<Bytes, List<JournalEffect>> objects, int pass, int passes) {
    if (stored.kind() == RecordKind.TRANSACTION) {
      read(
          stored,
          (commit, ordinal, id, effect) -> {
            if (isOfPass(id, pass, passes) && !commit.isVisibleAt(low)) {
              objects
                  .computeIfAbsent(id, any -> new ArrayList<>())
                  .add(journalEffect(commit, effect));
            }
          });
    }
  }

  @CanIgnoreReturnValue
  private static Commit read(StoredRecord stored, TransactionRecord.EffectVisitor visitor) {
    return TransactionRecord.read(stored.body(), stored.position(), visitor);
  }

  private static JournalEffect journalEffect(Commit commit, ByteBuffer effect) {
    byte[] bytes = new byte[effect.remaining()];
    effect.get(effect.position(), bytes);
    return new JournalEffect(commit, CrdtCodec.typeOf(effect), Bytes.wrap(bytes));
  }

  private void compare(Bytes id, List<JournalEffect> effects) {
    Version first = Version.initial(effects.get(0).type);
    try {
      Version replayed = view.find(id, low).map(entry -> version(entry, low)).orElse(first);
      List<JournalEffect> unseen = effects;
      Optional<JournalEffect> last = Optional.empty();
      for (VectorClock at : later) {
        List<JournalEffect> rest = new ArrayList<>();
        for (JournalEffect next : unseen) {
          if (next.commit.isVisibleAt(at)) {
            replayed = apply(replayed, List.of(next), at);
            last = Optional.of(next);
          } else {
            rest.add(next);
          }
        }
        unseen = rest;
        Optional<RunEntry> entry = view.find(id, at);
        last.ifPresent(newest -> compare(id, at, entry, newest));
        Version stored = entry.map(found -> version(found, at)).orElse(first);
        compare(id, at, stored, replayed);
        if (at.equals(later.get(later.size() - 1))) {
          compareAfter(id, stored, replayed, unseen);
        }
      }
      compareHistory(id, effects);
    } catch (FormatException e) {
      findings.add(nameOf(id) + ": " + e.getMessage());
    }
  }

  /** Compares the commit time in an entry with the last effect that it should include. */
  private void compare(Bytes id, VectorClock at, Optional<RunEntry> entry, JournalEffect last) {
    long time = entry.map(RunEntry::lastCommitTime).orElse(0L);
    if (time != last.commit.time()) {
      findings.add(
          "%s: the checkpoint of %s contains %s of it, but the journal contains an effect of %s (%s)"
              .formatted(
                  nameOf(id),
                  Timestamp.format(at),
                  time == 0 ? "nothing" : "a version of " + Timestamp.format(time),
                  Timestamp.format(last.commit.time()),
                  files.nameOf(last.commit.position())));
    }
  }

  private void compare(Bytes id, VectorClock at, Version stored, Version replayed) {
    if (!isSame(values(stored, at), values(replayed, at))) {
      findings.add(
          "%s: its value in the checkpoint of %s, %s, differs from the value that the journal yields, %s"
              .formatted(nameOf(id), Timestamp.format(at), types(stored), types(replayed)));
    }
  }

  private void compareAfter(
      Bytes id, Version stored, Version replayed, List<JournalEffect> effects) {
    if (effects.isEmpty()) {
      return;
    }
    VectorClock at = VectorClock.ZERO;
    for (JournalEffect effect : effects) {
      at = at.join(effect.commit.vector());
    }
    compare(id, at, apply(stored, effects, at), apply(replayed, effects, at));
  }

  /** Checks that the history files refer to the effects that opening the store does not index. */
  private void compareHistory(Bytes id, List<JournalEffect> effects) {
    if (view.manifest().histories().isEmpty()) {
      return;
    }
    VectorClock through = view.manifest().historyTime();
    long[] named = view.positionsAfter(id, low);
    for (JournalEffect effect : effects) {
      if (effect.commit.isVisibleAt(through)
          && Arrays.binarySearch(named, effect.commit.position()) < 0) {
        findings.add(
            "%s: no history file refers to its effect in %s"
                .formatted(nameOf(id), files.nameOf(effect.commit.position())));
      }
    }
  }

  /** Finds versions in checkpoints without a corresponding effect in the journal. */
  private void findSurplus(Map<Bytes, List<JournalEffect>> objects, int pass, int passes) {
    try (EntryScan scan = view.scan(PageIds.OBJECTS, later.get(later.size() - 1))) {
      for (Optional<RunEntry> next = scan.next(); next.isPresent(); next = scan.next()) {
        RunEntry entry = next.get();
        boolean isLater = low.isBefore(entry.lastCommitTime());
        if (isLater && isOfPass(entry.id(), pass, passes) && !objects.containsKey(entry.id())) {
          findings.add(
              "%s: a checkpoint contains a version of %s of it, without a corresponding effect in the journal"
                  .formatted(nameOf(entry.id()), Timestamp.format(entry.lastCommitTime())));
        }
      }
    }
  }

  private Version version(RunEntry entry, VectorClock snapshot) {
    VectorClock at = view.newestAt(snapshot).map(Checkpoint::at).orElse(VectorClock.ZERO);
    return states.version(entry, view, at);
  }

  private static Version apply(Version base, List<JournalEffect> effects, VectorClock at) {
    TypedFold fold = new TypedFold(base);
    for (JournalEffect found : effects) {
      Object effect = CallTypes.decodeEffect(found.type, found.effect.toArray());
      fold.apply(found.type, effect, found.commit.origin());
    }
    return fold.version(at, at, base.bytes());
  }

  /**
   * Whether two objects have the same values. A value with a sum beyond {@code long} can only be
   * compared as text.
   */
  private static boolean isSame(Map<Integer, Object> values, Map<Integer, Object> others) {
    try {
      return values.equals(others);
    } catch (LimitExceededException e) {
      return values.toString().equals(others.toString());
    }
  }

  /**
   * The values of an object as each of its types, by the types' numbers. Types with their initial
   * value are omitted, because the two versions may know different ones of these.
   */
  private static Map<Integer, Object> values(Version version, VectorClock at) {
    Map<Integer, Object> values = new TreeMap<>();
    for (SeveralTypes.State state : version.states()) {
      Optional<Object> value = FoundObject.value(state.type(), state.state(), at);
      value.ifPresent(present -> values.put(state.type().typeId(), present));
    }
    return values;
  }

  private static String types(Version version) {
    return Key.namesOfTypes(version.states().stream().map(SeveralTypes.State::type).toList());
  }

  private static String nameOf(Bytes id) {
    return "object " + ObjectName.of(id);
  }
}
