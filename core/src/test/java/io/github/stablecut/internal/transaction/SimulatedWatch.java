package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.CausalToken;
import io.github.stablecut.Change;
import io.github.stablecut.CommittedEffect;
import io.github.stablecut.Watch;
import io.github.stablecut.WatchOverflowException;
import io.github.stablecut.causality.Dot;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.SnapshotTruncatedException;
import io.github.stablecut.error.UnknownSnapshotException;
import io.github.stablecut.internal.transaction.CommittedHistory.Written;
import io.github.stablecut.internal.transaction.SimulatedDataCentres.DataCentre;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.WatchOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A client that watches a data centre, closes the watch and opens another one after its last
 * change, or after an older one. Each watch is compared with the commits of all data centres: it
 * delivers what is not in its token, each transaction once and after its causes, and everything
 * that a reader sees.
 */
final class SimulatedWatch {
  /** The longest time until something visible is delivered; usually it takes no time. */
  private static final Duration LONGEST = Duration.ofSeconds(20);

  private final SimulatedDataCentres all;
  private final DataCentre at;
  private final Random random;
  private final String prefix;
  private final List<CausalToken> tokens = new ArrayList<>();

  private Optional<Watch> watch = Optional.empty();
  private CausalToken after;
  private CausalToken last;

  /** Whether the open watch delivers effects. */
  private boolean hasEffects;

  /** The transactions that the open watch has delivered. */
  private final Set<Dot> delivered = new LinkedHashSet<>();

  SimulatedWatch(SimulatedDataCentres all, DataCentre at, Random random) {
    this.all = all;
    this.at = at;
    this.random = random;
    this.prefix = random.nextBoolean() ? "" : "a";
    this.after = at.store.snapshot().token();
    this.last = after;
  }

  boolean isOf(DataCentre other) {
    return at == other;
  }

  void step() {
    if (watch.isEmpty()) {
      open();
      return;
    }
    switch (random.nextInt(6)) {
      case 0 -> close();
      case 1 -> tokens.add(at.store.snapshot().token());
      case 2 -> checkPosition();
      case 3 -> takeAllVisible();
      default -> {
        for (int i = random.nextInt(4); i > 0 && watch.isPresent(); i--) {
          take(Duration.ZERO);
        }
      }
    }
  }

  private void open() {
    if (!tokens.isEmpty() && random.nextInt(5) == 0) {
      after = tokens.get(random.nextInt(tokens.size()));
    }
    WatchOptions options =
        random.nextInt(5) == 0 ? WatchOptions.fromNow() : WatchOptions.after(after);
    hasEffects = random.nextBoolean();
    options = hasEffects ? options.withEffects() : options;
    CausalToken before = at.store.snapshot().token();
    try {
      Watch opened = at.store.watch("b", prefix, options.buffer(1 + random.nextInt(50)));
      watch = Optional.of(opened);
      after = options.after().isPresent() ? after : opened.position();
      assertThat(options.after().isPresent() || before.vector().isAtOrBefore(after.vector()))
          .isTrue();
      last = after;
      delivered.clear();
    } catch (SnapshotTruncatedException e) {
      startOver();
    } catch (UnknownSnapshotException e) {
      // After a restart it may not be known yet how far other data centres have come.
    }
  }

  private void startOver() {
    watch.ifPresent(Watch::close);
    watch = Optional.empty();
    after = at.store.snapshot().token();
  }

  void close() {
    if (watch.isPresent()) {
      after = random.nextBoolean() ? last : watch.get().position();
      tokens.add(after);
      watch.get().close();
      watch = Optional.empty();
    }
  }

  /** Takes a change, and returns whether there was one. */
  @CanIgnoreReturnValue
  private boolean take(Duration longest) {
    try {
      Optional<Change> next = watch.orElseThrow().poll(longest);
      next.ifPresent(this::check);
      return next.isPresent();
    } catch (SnapshotTruncatedException e) {
      startOver();
    } catch (WatchOverflowException e) {
      checkHas(e.position().vector());
      watch.orElseThrow().close();
      watch = Optional.empty();
      after = e.position();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    return false;
  }

  private void check(Change change) {
    Dot dot = find(change);
    Written transaction = Objects.requireNonNull(all.history().transactions().get(dot));
    assertThat(delivered.add(dot)).as("%s was delivered twice", dot).isTrue();
    assertThat(isWanted(transaction)).as("%s is in the token", dot).isTrue();
    assertThat(change.objects().stream().map(Key::id).collect(Collectors.toSet()))
        .isEqualTo(transaction.ids().stream().filter(this::isWatched).collect(Collectors.toSet()));
    assertThat(hasEffects || change.effects().isEmpty()).isTrue();
    assertThat(missing(transaction.commit().snapshot())).as("causes of %s", dot).isEmpty();
    VectorClock token = change.token().vector();
    checkHas(token);
    assertThat(last.vector().isAtOrBefore(token)).isTrue();
    last = change.token();
    VectorClock seen = change.snapshot().token().vector();
    assertThat(transaction.commit().isVisibleAt(seen) && token.isAtOrBefore(seen)).isTrue();
    try {
      all.check(change.snapshot(), change.objects());
    } catch (SnapshotTruncatedException e) {
      // No snapshot protects it.
    }
  }

  /** The transaction of a change: the first undelivered one that matches. */
  private Dot find(Change change) {
    VectorClock seen = change.snapshot().token().vector();
    Set<Bytes> ids = change.objects().stream().map(Key::id).collect(Collectors.toSet());
    return all.history().transactions().entrySet().stream()
        .filter(one -> one.getValue().commit().isVisibleAt(seen))
        .filter(one -> isWanted(one.getValue()) && !delivered.contains(one.getKey()))
        .filter(one -> !hasEffects || effects(one.getValue()).equals(effects(change)))
        .filter(
            one ->
                one.getValue().ids().stream()
                    .filter(this::isWatched)
                    .collect(Collectors.toSet())
                    .equals(ids))
        .map(Map.Entry::getKey)
        .min((one, other) -> Long.compare(one.time(), other.time()))
        .orElseThrow(() -> new AssertionError("nobody has committed " + change));
  }

  private Map<Bytes, List<Bytes>> effects(Written transaction) {
    Map<Bytes, List<Bytes>> effects = new HashMap<>(transaction.effects());
    effects.keySet().removeIf(id -> !isWatched(id));
    return effects;
  }

  private static Map<Bytes, List<Bytes>> effects(Change change) {
    Map<Bytes, List<Bytes>> effects = new HashMap<>();
    for (CommittedEffect effect : change.effects()) {
      effects.computeIfAbsent(effect.object().id(), id -> new ArrayList<>()).add(effect.encoded());
    }
    effects.values().forEach(Collections::sort);
    return effects;
  }

  private boolean isWatched(Bytes id) {
    Bytes begin = Key.id(Bytes.utf8("b"), Bytes.utf8(prefix));
    return id.commonLength(begin) == begin.length();
  }

  private boolean isWanted(Written transaction) {
    return !transaction.commit().isVisibleAt(after.vector())
        && transaction.ids().stream().anyMatch(this::isWatched);
  }

  /** Everything in a point was delivered. */
  private void checkHas(VectorClock point) {
    assertThat(missing(point)).as("in %s and not told", point).isEmpty();
  }

  /** The undelivered transactions in a point. */
  private List<Dot> missing(VectorClock point) {
    List<Dot> missing = new ArrayList<>();
    all.history()
        .transactions()
        .forEach(
            (dot, transaction) -> {
              if (transaction.commit().isVisibleAt(point)
                  && isWanted(transaction)
                  && !delivered.contains(dot)) {
                missing.add(dot);
              }
            });
    return missing;
  }

  private void checkPosition() {
    VectorClock position = watch.orElseThrow().position().vector();
    checkHas(position);
    assertThat(last.vector().isAtOrBefore(position)).isTrue();
  }

  /** Everything that a reader sees now is delivered, whatever arrives besides. */
  private void takeAllVisible() {
    VectorClock now = at.store.snapshot().token().vector();
    takeUntil(now);
  }

  private void takeUntil(VectorClock point) {
    while (watch.isPresent() && !missing(point).isEmpty()) {
      boolean isTold = take(LONGEST);
      assertThat(isTold || watch.isEmpty()).as("told all of %s", point).isTrue();
    }
  }

  /** Everything has arrived: all of it is delivered, and nothing else. */
  void finish() {
    for (int attempt = 0; attempt < 100; attempt++) {
      if (watch.isEmpty()) {
        open();
      }
      takeUntil(all.history().everything());
      if (watch.isPresent() && !take(Duration.ZERO) && watch.isPresent()) {
        checkHas(all.history().everything());
        checkPosition();
        return;
      }
    }
    throw new AssertionError("the watch does not come to an end");
  }
}
