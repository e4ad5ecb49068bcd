package io.github.stablecut.crdt.map;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.Footprint;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.counter.PnCounter;
import io.github.stablecut.crdt.internal.state.Sums;
import io.github.stablecut.crdt.internal.tree.PersistentMap;
import io.github.stablecut.crdt.internal.tree.SortedView;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Many counters in one object: like a map of {@link PnCounter}s, in less space.
 *
 * <table>
 * <caption>Operations</caption>
 * <tr><th>operation</th><th>effect</th><th>concurrent operations</th></tr>
 * <tr><td>{@link Add}</td><td>the operation itself: blind</td><td>add up per key</td></tr>
 * </table>
 *
 * <p>Value: the sum of each key that was ever added to, even with 0, in ascending order of keys.
 * The state is exact whatever the sums; reading a sum beyond {@code long} throws a {@code
 * LimitExceededException}. Space: one key and one number per key.
 */
public final class CounterMap
    implements CrdtType<
        CounterMap.State, CounterMap.Add, CounterMap.Add, NavigableMap<Bytes, Long>> {
  /** The type. */
  public static final CounterMap TYPE = new CounterMap();

  private static final State EMPTY = new State(PersistentMap.empty());
  private static final int MIN_ENTRY_BYTES = 2;

  private CounterMap() {}

  /**
   * Adds amounts to counters.
   *
   * @param amounts the amount per key; negative amounts subtract
   */
  public record Add(Map<Bytes, Long> amounts) {
    /** Copies the map in ascending order of keys. */
    public Add {
      amounts = Collections.unmodifiableMap(new TreeMap<>(Map.copyOf(amounts)));
    }
  }

  /** The counters. */
  public record State(PersistentMap<Bytes, Number> counters) {}

  @Override
  public int typeId() {
    return 13;
  }

  @Override
  public String name() {
    return "counter map";
  }

  @Override
  public State initial() {
    return EMPTY;
  }

  @Override
  public boolean needsState(Add operation) {
    return false;
  }

  @Override
  public Add downstream(Add operation, State state, OperationContext context) {
    return operation;
  }

  @Override
  public Optional<Add> operation(Add effect) {
    return Optional.of(effect);
  }

  @Override
  public List<Footprint> footprints(Add operation) {
    return operation.amounts.keySet().stream().map(Footprint::element).toList();
  }

  @Override
  public boolean touches(Add effect, Footprint footprint) {
    return !(footprint instanceof Footprint.Elements range)
        || effect.amounts.keySet().stream().anyMatch(range::contains);
  }

  @Override
  public State apply(State state, Add effect, EffectOrigin origin) {
    PersistentMap<Bytes, Number> counters = state.counters;
    for (Map.Entry<Bytes, Long> amount : effect.amounts.entrySet()) {
      Number before = counters.getForChange(amount.getKey());
      counters =
          counters.with(
              amount.getKey(), Sums.plus(before == null ? 0L : before, amount.getValue()));
    }
    return new State(counters);
  }

  @Override
  public NavigableMap<Bytes, Long> value(State state, VectorClock snapshot) {
    return SortedView.of(
        state.counters,
        Bytes.class,
        (key, sum) -> sum instanceof Long small ? small : Sums.value(name() + ", " + key, sum));
  }

  @Override
  public State prune(State state, VectorClock frontier) {
    return state;
  }

  @Override
  public boolean isSettled(State state) {
    return true;
  }

  @Override
  public void writeOperation(Add operation, Encoder out) {
    writeEffect(operation, out);
  }

  @Override
  public Add readOperation(Decoder in) {
    return readEffect(in);
  }

  @Override
  public void writeState(State state, Encoder out) {
    state.counters.write(out, (key, to) -> to.writeBytes(key), Sums::write);
  }

  @Override
  public State readState(Decoder in) {
    return new State(PersistentMap.read(in, MIN_ENTRY_BYTES, Decoder::readBytes, Sums::read));
  }

  @Override
  public void writeEffect(Add effect, Encoder out) {
    out.writeUnsigned(effect.amounts.size());
    effect.amounts.forEach(
        (key, amount) -> {
          out.writeBytes(key);
          out.writeSigned(amount);
        });
  }

  @Override
  public Add readEffect(Decoder in) {
    PersistentMap<Bytes, Long> amounts =
        PersistentMap.readEntries(
            in, MIN_ENTRY_BYTES, Decoder::readBytes, (key, from) -> from.readSigned());
    return new Add(SortedView.of(amounts, Bytes.class, (key, amount) -> amount));
  }
}
