package io.github.stablecut.crdt;

import io.github.stablecut.causality.VectorClock;
import java.math.BigInteger;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A counter that never falls below 0 (Balegas et al., "Extending Eventually Consistent Cloud
 * Databases for Enforcing Numeric Invariants", SRDS 2015). Its value is divided among the data
 * centres as <em>rights</em>: one may take away what it has the rights for, without asking anyone.
 *
 * <table>
 * <caption>Operations</caption>
 * <tr><th>operation</th><th>effect</th><th>concurrent operations</th></tr>
 * <tr><td>{@link Increment}</td><td>gives its data centre the rights: blind</td><td>add up</td></tr>
 * <tr><td>{@link Decrement}</td><td>uses rights of its data centre; refused without them</td><td>add up, because
 * each uses rights of its own</td></tr>
 * <tr><td>{@link Transfer}</td><td>moves rights of its data centre to another; refused without
 * them</td><td>likewise</td></tr>
 * </table>
 *
 * <p>Decrements and transfers spend rights, which from one snapshot two transactions of a data
 * centre would do with the same ones. So they demand certification ({@link
 * CrdtType#needsCertification}), whatever the store's default is: the second to commit is aborted,
 * and refused when it tries again. Transactions of different data centres spend different rights.
 *
 * <p>Value: increments less decrements, up to 2^63-1. Space: a number per data centre, and per pair
 * of them between which there was a transfer. Inside a map that removes, a decrement or a transfer
 * may outlive the increments that gave its rights: then it counts against later increments of its
 * data centre, and the value is still not below 0; what the transfer has brought elsewhere stays.
 */
public final class BoundedCounter
    implements CrdtType<
        BoundedCounter.State, BoundedCounter.Operation, BoundedCounter.Effect, Long> {
  /** The type. */
  public static final BoundedCounter TYPE = new BoundedCounter();

  /**
   * The same type, of which a reader sees how much each data centre may take away, by its number;
   * of all that something was ever done at or transferred to. For reading only.
   */
  public static final CrdtType<State, Operation, Effect, SortedMap<Integer, Long>> RIGHTS =
      HeldAs.shown(TYPE, (state, snapshot) -> rights(state));

  private static final State EMPTY =
      new State(PersistentMap.empty(), PersistentMap.empty(), PersistentMap.empty());
  private static final BigInteger MAX = BigInteger.valueOf(Long.MAX_VALUE);
  private static final int MIN_BYTES = 2;

  private BoundedCounter() {}

  /** What can be done to the counter. */
  public sealed interface Operation {}

  /**
   * Adds an amount.
   *
   * @param amount above 0
   */
  public record Increment(long amount) implements Operation {
    /** Checks the amount. */
    public Increment {
      checkAmount(amount, "decrement takes away");
    }
  }

  /**
   * Takes an amount away.
   *
   * @param amount above 0
   */
  public record Decrement(long amount) implements Operation {
    /** Checks the amount. */
    public Decrement {
      checkAmount(amount, "increment adds");
    }
  }

  /**
   * Gives rights to another data centre. To the own one it changes nothing.
   *
   * @param amount above 0
   * @param to the number of the data centre that gets them
   */
  public record Transfer(long amount, int to) implements Operation {
    /** Checks the amount. */
    public Transfer {
      checkAmount(amount, "the other data centre transfers rights back");
      if (to < 0 || to >= VectorClock.MAX_DATA_CENTRES) {
        throw new OperationRefusedException("there is no data centre " + to);
      }
    }
  }

  /**
   * Refuses what is not above 0.
   *
   * @param opposite what does what an amount below 0 may be meant to do
   */
  private static void checkAmount(long amount, String opposite) {
    if (amount <= 0) {
      throw new OperationRefusedException(
          "bounded counter: an amount is above 0, not %d; %s"
              .formatted(amount, amount == 0 ? "leave it out" : opposite));
    }
  }

  /** What happens to the counter. */
  public sealed interface Effect {}

  /** An increment: new rights for a data centre. */
  public record Added(int dataCentre, long amount) implements Effect {}

  /** A decrement: rights that a data centre has used. */
  public record Used(int dataCentre, long amount) implements Effect {}

  /** A transfer of rights. */
  public record Moved(Way way, long amount) implements Effect {}

  /** From one data centre to another. */
  public record Way(int from, int to) implements Comparable<Way> {
    @Override
    public int compareTo(Way other) {
      return from == other.from ? Integer.compare(to, other.to) : Integer.compare(from, other.from);
    }
  }

  /**
   * All that happened, as sums that stop at 2^63-1; there they no longer depend on the order.
   *
   * @param added the rights that came into being at each data centre
   * @param used those that each has used
   * @param moved those that went each way
   */
  public record State(
      PersistentMap<Integer, Long> added,
      PersistentMap<Integer, Long> used,
      PersistentMap<Way, Long> moved) {}

  @Override
  public int typeId() {
    return 5;
  }

  @Override
  public String name() {
    return "bounded counter";
  }

  @Override
  public State initial() {
    return EMPTY;
  }

  @Override
  public boolean needsState(Operation operation) {
    return !(operation instanceof Increment);
  }

  @Override
  public boolean needsCertification(Operation operation) {
    return !(operation instanceof Increment);
  }

  @Override
  public Effect downstream(Operation operation, State state, OperationContext context) {
    int here = context.dataCentre();
    if (operation instanceof Increment increment) {
      return new Added(here, increment.amount);
    }
    if (operation instanceof Decrement decrement) {
      long spent = state.used.getOrDefault(here, 0L);
      checkRights("decrement", decrement.amount, state, here, spent);
      return new Used(here, decrement.amount);
    }
    Transfer transfer = (Transfer) operation;
    Way way = new Way(here, transfer.to);
    checkRights("transfer", transfer.amount, state, here, state.moved.getOrDefault(way, 0L));
    return new Moved(way, transfer.amount);
  }

  private static void checkRights(String what, long amount, State state, int here, long spent) {
    long rights = rights(state, here);
    if (amount > rights) {
      throw new OperationRefusedException(
          "bounded counter: a %s of %d needs as many rights, but data centre %d has %d of all %d; transfer some to it, or increment there"
              .formatted(what, amount, here, rights, total(state)));
    }
    if (spent > Long.MAX_VALUE - amount) {
      throw new OperationRefusedException(
          "bounded counter: a %s of %d and those of data centre %d before it (%d) are more than 2^63-1"
              .formatted(what, amount, here, spent));
    }
  }

  /** How much a data centre may take away. */
  public static long rights(State state, int dataCentre) {
    BigInteger rights =
        big(state.added.getOrDefault(dataCentre, 0L))
            .subtract(big(state.used.getOrDefault(dataCentre, 0L)));
    for (Map.Entry<Way, Long> moved : state.moved) {
      BigInteger amount = big(moved.getValue());
      rights = moved.getKey().to == dataCentre ? rights.add(amount) : rights;
      rights = moved.getKey().from == dataCentre ? rights.subtract(amount) : rights;
    }
    return rights.max(BigInteger.ZERO).min(MAX).longValue();
  }

  private static BigInteger big(long number) {
    return BigInteger.valueOf(number);
  }

  @Override
  public State apply(State state, Effect effect, EffectOrigin origin) {
    if (effect instanceof Added added) {
      return new State(plus(state.added, added.dataCentre, added.amount), state.used, state.moved);
    }
    if (effect instanceof Used used) {
      return new State(state.added, plus(state.used, used.dataCentre, used.amount), state.moved);
    }
    Moved moved = (Moved) effect;
    return moved.way.from == moved.way.to
        ? state
        : new State(state.added, state.used, plus(state.moved, moved.way, moved.amount));
  }

  private static <K extends Comparable<K>> PersistentMap<K, Long> plus(
      PersistentMap<K, Long> sums, K key, long amount) {
    long sum = sums.getOrDefault(key, 0L) + amount;
    return sums.with(key, sum < 0 ? Long.MAX_VALUE : sum);
  }

  @Override
  public Long value(State state, VectorClock snapshot) {
    return total(state);
  }

  private static long total(State state) {
    BigInteger total = BigInteger.ZERO;
    for (long rights : rights(state).values()) {
      total = total.add(big(rights));
    }
    return total.min(MAX).longValue();
  }

  private static SortedMap<Integer, Long> rights(State state) {
    SortedMap<Integer, Long> rights = new TreeMap<>();
    state.added.forEach((dataCentre, amount) -> rights.put(dataCentre, rights(state, dataCentre)));
    state.moved.forEach((way, amount) -> rights.put(way.to, rights(state, way.to)));
    return Collections.unmodifiableSortedMap(rights);
  }

  @Override
  public State prune(State state, VectorClock frontier) {
    return state;
  }

  @Override
  public void writeState(State state, Encoder out) {
    state.added.write(out, BoundedCounter::writeDataCentre, BoundedCounter::writeAmount);
    state.used.write(out, BoundedCounter::writeDataCentre, BoundedCounter::writeAmount);
    state.moved.write(out, BoundedCounter::writeWay, BoundedCounter::writeAmount);
  }

  @Override
  public State readState(Decoder in) {
    return new State(
        PersistentMap.read(
            in, MIN_BYTES, BoundedCounter::readDataCentre, BoundedCounter::readAmount),
        PersistentMap.read(
            in, MIN_BYTES, BoundedCounter::readDataCentre, BoundedCounter::readAmount),
        PersistentMap.read(in, MIN_BYTES + 1, BoundedCounter::readWay, BoundedCounter::readAmount));
  }

  @Override
  public void writeEffect(Effect effect, Encoder out) {
    if (effect instanceof Added added) {
      out.writeByte(0);
      writeDataCentre(added.dataCentre, out);
      writeAmount(added.amount, out);
    } else if (effect instanceof Used used) {
      out.writeByte(1);
      writeDataCentre(used.dataCentre, out);
      writeAmount(used.amount, out);
    } else {
      Moved moved = (Moved) effect;
      out.writeByte(2);
      writeWay(moved.way, out);
      writeAmount(moved.amount, out);
    }
  }

  @Override
  public Effect readEffect(Decoder in) {
    int kind = in.readByte();
    return switch (kind) {
      case 0 -> new Added(readDataCentre(in), readAmount(in));
      case 1 -> new Used(readDataCentre(in), readAmount(in));
      case 2 -> new Moved(readWay(in), readAmount(in));
      default -> throw new FormatException("an effect is 0, 1 or 2, not " + kind);
    };
  }

  private static void writeDataCentre(int dataCentre, Encoder out) {
    out.writeUnsigned(dataCentre);
  }

  private static int readDataCentre(Decoder in) {
    int dataCentre = in.readIndex();
    if (dataCentre >= VectorClock.MAX_DATA_CENTRES) {
      throw new FormatException("there is no data centre " + dataCentre);
    }
    return dataCentre;
  }

  private static void writeWay(Way way, Encoder out) {
    writeDataCentre(way.from, out);
    writeDataCentre(way.to, out);
  }

  private static Way readWay(Decoder in) {
    return new Way(readDataCentre(in), readDataCentre(in));
  }

  private static void writeAmount(long amount, Encoder out) {
    out.writeUnsigned(amount);
  }

  private static long readAmount(Decoder in) {
    long amount = in.readUnsigned();
    if (amount == 0) {
      throw new FormatException("an amount is above 0");
    }
    return amount;
  }
}
